# needs: modules
['real', 'quoted', 'include', 'comments', 'header', 'noend', 'empty', 'crlf', 'blank', 'utf8', 'missing'].each |$n| {
  mailalias { "made-${n}": recipient => $n, target => "/srv/t/aliases.${n}" }
}
mailalias { 'dup': recipient => 'c', target => '/srv/t/aliases.double' }
mailalias { 'chg1': recipient => ['b', 'a'], target => '/srv/t/aliases.change' }
mailalias { 'chg2': recipient => 'now', target => '/srv/t/aliases.change' }
mailalias { 'chg3': file => '/etc/now', target => '/srv/t/aliases.change' }
mailalias { 'chg4': file => '/etc/two', target => '/srv/t/aliases.change' }
mailalias { 'chg5': recipient => 'x', target => '/srv/t/aliases.change' }
mailalias { 'gone1': ensure => absent, target => '/srv/t/aliases.gone' }
mailalias { 'gone2': ensure => absent, target => '/srv/t/aliases.gone' }
mailalias { 'nothing': target => '/srv/t/aliases.gone' }
mailalias { 'empty': recipient => [], target => '/srv/t/aliases.new' }
mailalias { 'odd name': recipient => ['a b', 'c@d', '|/bin/x "y"', '/dev/null', 'ä'], target => '/srv/t/aliases.new' }
mailalias { 'absent': recipient => 'absent', target => '/srv/t/aliases.new' }
