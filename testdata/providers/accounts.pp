# needs: modules
group { 'wtg': gid => 4242 }
group { 'wtold': ensure => absent }
group { 'wtsys': ensure => present, system => true }
group { 'wtmv': gid => 4300 }
user { 'wta': ensure => present, uid => 4001, gid => 'wtg', groups => ['audio','video'], comment => 'A User', shell => '/bin/bash', managehome => true, password => Sensitive('$6$aaa$bbb'), expiry => '2031-02-03', password_max_age => 77 }
user { 'wtb': ensure => absent, managehome => true }
user { 'wtc': groups => ['audio'], membership => inclusive, comment => 'changed', home => '/home/wtcnew', uid => 4099, password => 'x!', shell => '/bin/sh', expiry => absent }
user { 'wtd': system => true, home => '/nowhere' }
user { 'wte': ensure => present, shell => '/bin/missing' }
user { 'wtf': ensure => present, gid => 'nogroup_at_all' }
ssh_authorized_key { 'k@h': ensure => present, user => 'wta', type => 'ssh-rsa', key => 'AAAAB3', options => ['no-pty','command="/bin/x, y"'] }
ssh_authorized_key { 'k4': user => 'wta', type => 'ssh-rsa', key => 'NEW', target => '/home/wta/keys' }
user { 'wtz': ensure => present, purge_ssh_keys => '/home/wtz/keys', home => '/home/wtz' }
ssh_authorized_key { 'kz': user => 'wtz', type => 'ssh-rsa', key => 'KZ', target => '/home/wtz/keys' }
