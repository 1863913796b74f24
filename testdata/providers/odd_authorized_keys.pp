# needs: modules
Ssh_authorized_key { user => 'ua', type => 'ssh-rsa' }
ssh_authorized_key { 'made': key => 'NEW' }
['options', 'first', 'noend', 'crlf', 'empty', 'utf8', 'types', 'missing'].each |$n| {
  ssh_authorized_key { "made-${n}": key => "KEY${n}", target => "/srv/t/ua/.ssh/${n}" }
}
ssh_authorized_key { 'dup': key => 'CCCC', target => '/srv/t/ua/.ssh/double' }
ssh_authorized_key { 'c1': key => 'AAAA', options => ['no-agent-forwarding', 'no-pty'], target => '/srv/t/ua/.ssh/change' }
ssh_authorized_key { 'c2': key => 'AAAA', options => ['command="/bin/a, \"b\""', 'from="1.2.3.4,5.6.7.8"'], target => '/srv/t/ua/.ssh/change' }
ssh_authorized_key { 'c3': ensure => absent, target => '/srv/t/ua/.ssh/change' }
ssh_authorized_key { 'c4': key => 'AAAB', type => 'ed25519', target => '/srv/t/ua/.ssh/change' }
ssh_authorized_key { 'single': key => 'SSSS', options => 'no-pty', user => 'ub' }
ssh_authorized_key { 'none': key => 'SSSS', options => [], user => 'ub' }
ssh_authorized_key { 'with blanks in it': key => 'SSSS', options => 'absent', user => 'ub' }
