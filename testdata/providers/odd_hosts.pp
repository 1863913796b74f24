# needs: modules
['comments', 'blanks', 'six', 'case', 'short', 'indented', 'header', 'noend', 'empty', 'newline', 'newlines', 'crlf', 'utf8', 'words', 'tabs', 'missing', 'hard'].each |$i, $n| {
  host { "made-${n}": ip => "10.9.0.${i}", target => "/srv/t/hosts.${n}" }
}
host { 'dup': ip => '10.0.0.9', target => '/srv/t/hosts.double' }
host { 'dupgone': ensure => absent, target => '/srv/t/hosts.gone' }
host { 'lastone': ensure => absent, target => '/srv/t/hosts.last' }
host { 'never': ensure => absent, target => '/srv/t/hosts.never' }
host { 'insync': ip => '10.0.0.5', host_aliases => ['alias1', 'alias2'], comment => 'fine', target => '/srv/t/hosts.sync' }
host { 'chg': comment => '', target => '/srv/t/hosts.change' }
host { 'chg2': host_aliases => ['n1', 'n2'], comment => 'new', target => '/srv/t/hosts.change' }
host { 'chg3': host_aliases => [], comment => 'absent', target => '/srv/t/hosts.change' }
host { 'chg4': ip => '10.0.0.8', host_aliases => 'y', target => '/srv/t/hosts.change' }
host { 'through': ip => '::1', host_aliases => ['t1', 't2'], target => '/srv/t/link.hosts' }
host { 'mover': ip => '10.0.0.1', target => '/srv/t/hosts.moved' }
host { 'stayer': ip => '10.0.0.3', target => '/srv/t/hosts.move' }
host { 'zone': ip => 'fe80::1%eth0', target => '/srv/t/hosts.new' }
host { 'dot.': ip => '010.001.000.1', comment => "a # b", target => '/srv/t/hosts.new' }
host { 'noalias': ip => '10.0.0.1', host_aliases => [], target => '/srv/t/hosts.new' }
