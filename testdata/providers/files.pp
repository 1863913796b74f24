# args: --show_diff
# needs: modules
file { '/srv/t/a': ensure => directory, source => ['/srv/t/s1', '/srv/t/s2'], recurse => true, sourceselect => all }
file { '/srv/t/b': ensure => directory, source => ['/srv/t/none', '/srv/t/s1', '/srv/t/s2'], recurse => remote, ignore => ['*.bak', 'x*'] }
file { '/srv/t/c': ensure => directory, recurse => true, recurselimit => 1, purge => true, force => true, backup => '.old' }
file { '/srv/t/d': ensure => directory, source => '/srv/t/s1', recurse => true, purge => true, mode => 'u=rwX,go=rX', force => true }
file { '/srv/t/e': ensure => directory, source => 'file:///srv/t/s3', recurse => true, links => follow }
file { '/srv/t/f': ensure => directory, source => '/srv/t/s3', recurse => true, links => manage }
file { '/srv/t/g': source => '/srv/t/s1/one', checksum => md5, mode => '0640' }
file { '/srv/t/h': source => '/srv/t/s1/one', checksum => sha512 }
file { '/srv/t/i': source => '/srv/t/s1/one', checksum => md5lite }
file { '/srv/t/j': source => '/srv/t/s1/one', checksum => mtime }
file { '/srv/t/k': source => '/srv/t/s1/one', checksum => sha256, checksum_value => '2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806' }
file { '/srv/t/k2': ensure => file, source => '/srv/t/s1/one', checksum_value => '2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806' }
file { '/srv/t/l': content => "new\n", checksum => sha224, backup => '.bak' }
file { '/srv/t/m': ensure => link, target => '/srv/t/l', force => true }
file { '/srv/t/n': ensure => '/srv/t/l' }
file { '/srv/t/o': ensure => file, content => "bad\n", validate_cmd => '/bin/grep -q good %' }
file { '/srv/t/p': ensure => file, content => "good\n", validate_cmd => '/bin/grep -q good @@', validate_replacement => '@@' }
file { '/srv/t/q': content => "secret\n", show_diff => false }
file { '/srv/t/r': content => Sensitive("secret\n") }
file { '/srv/t/s': content => "replaced\n", replace => false }
file { '/srv/t/t': content => "new\n", replace => false }
file { '/srv/t/u': ensure => absent }
file { '/srv/t/v': ensure => absent, force => true }
file { '/srv/t/w': ensure => directory, force => true }
file { '/srv/t/x': ensure => file, force => true, content => 'was a directory' }
file { '/srv/t/y': ensure => link, target => '/srv/t/l' }
file { '/srv/t/z': mode => 'g+w,o-r', owner => 'daemon', group => 1 }
file { '/srv/t/lnk': mode => '0600', links => follow }
file { '/srv/t/lnk2': content => "through\n", links => follow, mode => '0644' }
file { '/srv/t/perm': source => '/srv/t/s1/script', source_permissions => use }
file { '/srv/t/perm2': source => '/srv/t/s1/script', source_permissions => use_when_creating }
file { '/srv/t/tree': ensure => link, target => '/srv/t/s1', recurse => true }
file { '/srv/t/bucketed': content => "new\n", backup => 'main' }
filebucket { 'main': path => '/srv/t/bucket' }
file { '/srv/t/inner/deep': ensure => present }
file { '/srv/t/trail/': ensure => directory }
file { 'by name': path => '/srv/t/named', content => 'ab' }
tidy { '/srv/t/tidy': recurse => true, matches => ['*.tmp', 'old*'], rmdirs => true }
tidy { '/srv/t/tidy2': recurse => 1, size => '1k', age => '0', max_files => 2 }
tidy { '/srv/t/tidy3': recurse => true, max_files => 1 }
