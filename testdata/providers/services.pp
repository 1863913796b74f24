# needs: mount modules
Service { provider => systemd }
service { 'a': ensure => running, enable => true }
service { 'b': ensure => stopped, enable => false }
service { 'c': enable => mask }
service { 'd': ensure => running }
service { 'e': ensure => running, enable => true }
service { 'f': ensure => running, enable => true }
service { 'g': enable => true }
service { 'h': ensure => running, hasrestart => true }
service { 'i': ensure => stopped, subscribe => Notify['go'] }
service { 'j': ensure => true, restart => 'echo own restart >>/srv/t/own' }
service { 'k': ensure => running, start => 'echo start k >>/srv/t/own; touch /srv/t/sd/k.active', status => 'test -e /srv/t/sd/k.active', stop => 'echo stop k >>/srv/t/own' }
service { 'm': ensure => false, enable => 'false' }
service { 'broken': ensure => running }
service { 'indirect': enable => true }
service { 'static': enable => false }
service { 'nofile': enable => mask }
notify { 'go': notify => Service['h', 'i', 'j', 'd'] }
service { 'base1': ensure => running, provider => base, start => 'touch /srv/t/base1', status => 'test -e /srv/t/base1', stop => 'rm /srv/t/base1' }
service { 'base2': ensure => stopped, provider => base, hasstatus => false, pattern => 'no such process [x]', stop => 'touch /srv/t/base2' }
service { 'base3': ensure => running, provider => base, binary => 'touch /srv/t/base3', pattern => 'nothing like [y] this' }
service { 'base4': ensure => running, provider => base, pattern => 'nothing like [z] this' }
service { 'base5': ensure => running, provider => base, start => 'exit 3', status => 'false' }
service { 'base6': ensure => running, provider => base, status => 'true', restart => 'touch /srv/t/base6', subscribe => Notify['go'] }
service { 'base7': ensure => running, provider => base, status => 'true', start => 'echo start >>/srv/t/base7', stop => 'echo stop >>/srv/t/base7', subscribe => Notify['go'] }
