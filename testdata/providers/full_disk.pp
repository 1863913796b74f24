# needs: mount
file { '/srv/t/small/a': content => 'fits' }
file { '/srv/t/small/big': content => sprintf('%500000s', 'x') }
file { '/srv/t/small/after': content => 'fits too', require => File['/srv/t/small/big'] }
file { '/srv/t/small/other': ensure => directory }
file { '/srv/t/small/kept': content => sprintf('%500000s', 'y') }
file { '/srv/t/elsewhere': content => 'x' }
