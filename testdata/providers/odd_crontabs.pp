# needs: modules
['real', 'env', 'special', 'header', 'named', 'lost', 'noend', 'empty', 'crlf', 'utf8', 'native', 'zone', 'blank'].each |$n| {
  cron { "made-${n}": command => "/bin/${n}", user => "t${n}", hour => 3 }
}
cron { 'c1': command => '/bin/c1', user => 'tchange', minute => absent, hour => '*', weekday => ['mon', 'tue'], environment => 'A=1' }
cron { 'c2': command => '/bin/c2', user => 'tchange', special => absent, minute => 3 }
cron { 'c3': command => '/bin/c3 new', user => 'tchange', minute => ['2', '1'] }
cron { 'c4': command => '/bin/c4', user => 'tchange', special => 'weekly', environment => ['X=1', 'Y=2'] }
cron { 'c5': command => '/bin/c5', user => 'tchange', environment => ['A=2', 'B=1'], minute => '05' }
cron { 'ad1': command => '/bin/adopt', user => 'tadopt', minute => 1, hour => 2 }
cron { 'ad2': command => '/bin/daily', user => 'tadopt', special => 'daily' }
cron { 'ad3': command => '/bin/all', user => 'tadopt' }
cron { 'ad4': command => '/bin/absent', user => 'tadopt', minute => 3, hour => absent }
cron { 'ad5': command => '/bin/two   words', user => 'tadopt', minute => [4, 5], environment => 'E=1' }
cron { 'gone1': ensure => absent, user => 'tgone' }
cron { 'gone2': ensure => absent, user => 'tgone' }
cron { 'dup': command => '/bin/d3', user => 'tdouble' }
cron { 'nocommand': user => 'tgone', minute => 3 }
cron { 'mover': command => '/bin/moving', user => 'tempty', minute => 1 }
cron { 'target': command => '/bin/target', target => 'tempty', minute => '1-10/2', monthday => [1, '3-5'], month => 'Dec', weekday => 7 }
cron { 'envs': command => "  /bin/stripped  ", user => 'tempty', environment => ['A=b', ' C = d '] }
