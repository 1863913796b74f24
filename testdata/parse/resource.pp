file { ['a', 'b']: ensure => present; default: mode => '1', * => $h, owner +> x, }
