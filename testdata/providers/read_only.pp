# needs: mount
file { '/srv/t/ro/new': content => 'x' }
file { '/srv/t/ro/old': content => 'new' }
file { '/srv/t/ro/mode': mode => '0600' }
file { '/srv/t/ro/owner': owner => 'daemon' }
file { '/srv/t/ro/dir': ensure => directory }
file { '/srv/t/ro/link': ensure => link, target => '/etc/passwd' }
file { '/srv/t/ro/gone': ensure => absent }
file { '/srv/t/ro/same': content => "old\n", mode => '0644' }
exec { 'write': command => 'echo x > /srv/t/ro/exec', provider => shell }
notify { 'dependent': require => File['/srv/t/ro/old'] }
file { '/srv/t/elsewhere': content => 'x' }
