file { "/tmp/x": ensure => present, ensure => absent }
