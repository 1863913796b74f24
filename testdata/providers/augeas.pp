# needs: mount modules augeas
augeas { 'one': context => '/files/etc/hosts', changes => ['set 01/ipaddr 10.0.0.5', 'set 01/canonical five', "set 01/alias[1] 'fi'"], onlyif => "match *[ipaddr='10.0.0.5'] size == 0" }
augeas { 'same': context => '/files/etc/hosts/', changes => 'set 1/canonical localhost' }
augeas { 'text': context => '/files/etc/ssh/sshd_config', changes => "set PermitRootLogin no\n  rm X11Forwarding\nset Port 2222" }
augeas { 'lens': lens => 'Shellvars.lns', incl => '/srv/t/vars', changes => ['set A "two words"', 'clear B', 'ins C after A', 'set C 3', 'mv D E', 'rename F G'] }
augeas { 'vars': lens => 'Shellvars.lns', incl => '/srv/t/vars2', changes => ['defvar a A', 'defnode n N new', 'setm . *[label()="X" or label()="Y"] z', 'touch T'] }
augeas { 'no': lens => 'Shellvars.lns', incl => '/srv/t/vars2', changes => 'set A changed', onlyif => 'get A == nothing' }
augeas { 'values': lens => 'Shellvars.lns', incl => '/srv/t/vars2', changes => 'set V 1', onlyif => 'values * include 1' }
augeas { 'broken': lens => 'Shellvars.lns', incl => '/srv/t/vars2', changes => 'frobnicate A' }
augeas { 'path': lens => 'Shellvars.lns', incl => '/srv/t/vars2', changes => 'rm A[' }
augeas { 'put': lens => 'Hosts.lns', incl => '/srv/t/h', changes => 'set 1/nonsense x' }
augeas { 'where': lens => 'Hosts.lns', incl => '/srv/t/h', changes => 'ins x beside 1' }
augeas { 'nomatch': lens => 'Hosts.lns', incl => '/srv/t/h', changes => 'mv nothing else' }
augeas { 'cond': lens => 'Hosts.lns', incl => '/srv/t/h', changes => 'set 1/canonical u', onlyif => 'match x frob 1' }
augeas { 'arr': lens => 'Hosts.lns', incl => '/srv/t/h', changes => 'set 1/canonical u', onlyif => 'match x == [oops' }
augeas { 'unparsable': lens => 'Hosts.lns', incl => '/srv/t/bad', changes => 'set 1/canonical u' }
augeas { 'none': lens => 'Hosts.lns', incl => '/srv/t/none', changes => ['set 01/ipaddr 1.1.1.1', 'set 01/canonical u'] }
notify { 'told': subscribe => Augeas['one'] }
