# needs: mount
file { '/srv/t/d/f': content => 'x' }
file { '/srv/t/copy': source => '/srv/t/locked/f' }
file { '/srv/t/tree': ensure => directory, recurse => true, source => '/srv/t/nothing' }
file { '/srv/t/loop': ensure => file, content => 'x' }
file { '/srv/t/through/f': content => 'x' }
file { '/srv/t/fifo': ensure => file, content => 'x' }
file { '/srv/t/isdir': ensure => file, content => 'x' }
file { '/srv/t/file/below': content => 'x' }
file { '/srv/t/dangling': content => 'x' }
file { '/srv/t/dangling2': ensure => link, target => '/srv/t/nowhere' }
file { '/srv/t/dangling3': ensure => file, links => follow, content => 'x' }
file { '/srv/t/good': content => 'x' }
