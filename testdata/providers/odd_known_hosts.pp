# needs: modules
['real', 'empty', 'noend', 'crlf', 'utf8', 'comments', 'missing'].each |$n| {
  sshkey { "made-${n}": type => 'ssh-ed25519', key => "KEY${n}", target => "/srv/t/known.${n}" }
}
sshkey { 'dup': type => 'rsa', key => 'NEW', target => '/srv/t/known.double' }
sshkey { 'al1': type => 'rsa', key => 'KEY', host_aliases => ['c', 'b'], target => '/srv/t/known.aliases' }
sshkey { 'al2': type => 'rsa', key => 'KEY', host_aliases => 'one', target => '/srv/t/known.aliases' }
sshkey { 'al3@ssh-rsa': key => 'KEY', host_aliases => [], target => '/srv/t/known.aliases' }
sshkey { 'al4': type => 'ssh-rsa', key => 'KEY2', target => '/srv/t/known.aliases' }
sshkey { 'gone@ssh-dss': ensure => absent, target => '/srv/t/known.gone' }
sshkey { 'mover@ssh-rsa': key => 'KEY', target => '/srv/t/known.moved' }
sshkey { 'movestay@ssh-rsa': key => 'KEY', target => '/srv/t/known.move' }
sshkey { 'both@ssh-rsa': key => 'KEY', target => '/srv/t/known.new' }
sshkey { 'both@ssh-dss': key => 'KEY', target => '/srv/t/known.new', name => 'both' }
sshkey { 'other title': name => 'named', type => 'ed25519-sk', key => 'KEY', host_aliases => ['a','b'], target => '/srv/t/known.new' }
