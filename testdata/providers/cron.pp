# needs: modules
cron { 'job1': command => '/bin/true  a', user => 'root', hour => [2,4], minute => '*/5', weekday => 'Monday', environment => ['PATH=/bin','X=1'] }
cron { 'job2': command => '/bin/job2', user => 'wtc', minute => 7, special => absent }
cron { 'gone': ensure => absent, user => 'wtc' }
cron { 'adopted': command => '/bin/adopt me', user => 'wtc', minute => 1, hour => 2 }
cron { 'daily': command => '/bin/d', user => 'wtc', special => 'daily' }
cron { 'multi': command => '/bin/m', user => 'root', month => ['January','12'], monthday => '1-5', environment => 'A=b c' }
