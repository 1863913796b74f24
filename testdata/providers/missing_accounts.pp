file { '/srv/t/a': content => 'x', owner => 'nosuch' }
file { '/srv/t/b': content => 'x', group => 'nosuch' }
file { '/srv/t/c': ensure => directory, owner => 'nosuch', group => 'daemon' }
file { '/srv/t/there': owner => 'nosuch' }
notify { 'after there': require => File['/srv/t/there'] }
file { '/srv/t/d': content => 'x', owner => 4711, group => 4712 }
file { '/srv/t/e': content => 'x', owner => 'daemon', group => 'www-data', mode => '0640' }
