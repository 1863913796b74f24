# Users made during the run are known to what comes after them.
file { '/srv/t/home': ensure => directory, owner => 'late', group => 'lategroup' }
file { '/srv/t/home/f': content => 'x', owner => 'late' }
user { 'late': ensure => present, gid => 'lategroup', home => '/srv/t/home' }
group { 'lategroup': ensure => present, gid => 4100 }
exec { 'id -un > /srv/t/home/who': path => '/usr/bin:/bin', user => 'late', provider => shell, creates => '/srv/t/home/who' }
cron { 'late': user => 'late', command => '/bin/true', minute => 5 }
