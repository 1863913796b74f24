# needs: modules git
vcsrepo { '/srv/t/c1': ensure => present, provider => git, source => '/srv/t/src' }
vcsrepo { '/srv/t/c2': ensure => present, provider => git, source => '/srv/t/src', revision => 'v1' }
vcsrepo { '/srv/t/c3': ensure => latest, provider => git, source => '/srv/t/src', revision => 'dev' }
vcsrepo { '/srv/t/c5': ensure => present, provider => git }
vcsrepo { '/srv/t/full': ensure => present, provider => git, source => '/srv/t/src' }
vcsrepo { '/srv/t/c9': ensure => present, provider => git, source => '/srv/t/src', revision => 'dev' }
archive { '/srv/t/a.tar.gz': source => '/srv/t/pkg.tar.gz', extract => true, extract_path => '/srv/t/out', creates => '/srv/t/out/f' }
archive { '/srv/t/b.bin': source => 'file:///srv/t/bin', checksum => 'f572d396fae9206628714fb2ce00f72e94f2258f', checksum_type => 'sha1' }
archive { '/srv/t/bad.bin': source => '/srv/t/bin', checksum => '0123456789', checksum_type => 'sha1' }
archive { '/srv/t/gone.bin': ensure => absent }
archive { '/srv/t/miss.bin': source => '/srv/t/nothing' }
