# needs: modules
# noop: changes
user { 'ka': purge_ssh_keys => true, home => '/srv/t/ka' }
user { 'kb': purge_ssh_keys => ['%h/.ssh/authorized_keys', '~/more', '/srv/t/kb/missing'] }
user { 'kc': purge_ssh_keys => false }
user { 'kd': purge_ssh_keys => '/srv/t/kd/keys', noop => false, loglevel => 'warning' }
user { 'ke': ensure => present, home => '/srv/t/ke', managehome => true, purge_ssh_keys => true }
ssh_authorized_key { 'kept-ka': user => 'ka', type => 'ssh-dss', key => 'EEEE' }
ssh_authorized_key { 'kept-kb-more': user => 'kb', type => 'ssh-rsa', key => 'FFFF', target => '/srv/t/kb/more' }
