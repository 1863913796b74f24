# needs: mount modules
Service { provider => systemd }
service { 'a': ensure => running, enable => true, hasrestart => false, hasstatus => true, subscribe => Notify['go'] }
service { 'b': ensure => running, control => 'B_START', pattern => 'b', manifest => '/srv/t/x', binary => '/bin/b', path => '/etc/init.d' }
service { 'd': ensure => stopped, timeout => 5 }
service { 'f': ensure => running, hasstatus => false, status => 'test -e /srv/t/sd/f.active' }
service { 'h': ensure => running, start => 'touch /srv/t/h.started', stop => 'true', restart => 'touch /srv/t/h.restarted', subscribe => Notify['go'] }
service { 'unsupported': name => 'k', ensure => running, flags => '-x', logonaccount => 'LocalSystem', logonpassword => 'p' }
service { 'c': enable => mask }
notify { 'go': }
