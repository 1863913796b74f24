# needs: modules
# What concat makes is in the catalog from the start: purges, tidy and relationships know it.
file { '/srv/t/purged': ensure => directory, recurse => true, purge => true, force => true }
concat { 'x.conf': path => '/srv/t/purged/x.conf', require => File['/srv/t/purged'] }
concat::fragment { 'f': target => 'x.conf', content => "hello\n" }
concat { '/srv/t/purged/deep/y.conf': mode => '0600' }
concat::fragment { 'g': target => '/srv/t/purged/deep/y.conf', content => "hello\n" }
file { '/srv/t/purged/plain': content => "x\n" }
file { '/srv/t/purged/deep': ensure => directory, recurse => true, purge => true }
concat_file { '/srv/t/before_tidy/kept': }
tidy { '/srv/t/before_tidy': recurse => true }
tidy { '/srv/t/after_tidy': recurse => true }
concat_file { '/srv/t/after_tidy/gone': }
concat_fragment { 'gone': target => '/srv/t/after_tidy/gone', content => 'x' }
file { '/srv/t/declared': mode => '0600', content => 'mine' }
concat_file { '/srv/t/declared': mode => '0644' }
concat_fragment { 'declared': target => '/srv/t/declared', content => 'theirs' }
concat_fragment { 'orphan': target => '/srv/t/nowhere', content => 'x' }
concat_fragment { 'tagged orphan': tag => 'lost', content => 'x' }
concat_file { '/srv/t/no_source': }
concat_fragment { 'no source': target => '/srv/t/no_source', source => '/nonexistent' }
concat_file { '/srv/t/no_source_kept': }
concat_fragment { 'no source kept': target => '/srv/t/no_source_kept', source => '/nonexistent' }
concat_file { '/srv/t/empty': create_empty_file => false }
concat_file { '/srv/t/absent': ensure => absent }
concat_fragment { 'absent': target => '/srv/t/absent', content => 'x' }
concat_file { '/srv/t/tags1': tag => ['a', 'b'] }
concat_file { '/srv/t/tags2': tag => 'b', owner => 'nobody-here' }
concat_fragment { 'tagged': tag => 'b', content => 'x' }
notify { 'told': subscribe => Concat['x.conf'] }
exec { '/bin/true': refreshonly => true, subscribe => File['/srv/t/declared'] }
