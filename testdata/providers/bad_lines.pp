# needs: modules
# Files with a line that Puppet cannot parse: all resources of the type fail, others go on.
mailalias { 'a': recipient => 'x', target => '/srv/t/aliases' }
mailalias { 'b': recipient => 'x', target => '/srv/t/aliases.ok' }
-> notify { 'after b': }
sshkey { 'a': type => 'ssh-rsa', key => 'KEY', target => '/srv/t/known' }
ssh_authorized_key { 'a': user => 'root', type => 'ssh-rsa', key => 'KEY', target => '/srv/t/keys' }
cron { 'a': command => '/bin/a' }
host { 'web': ip => '10.0.0.1', target => '/srv/t/hosts' }
mount { '/mnt/b': ensure => present, device => '/dev/c', fstype => 'ext4', target => '/srv/t/fstab' }
mount { '/mnt/c': ensure => present, device => '/dev/d', fstype => 'ext4', target => '/srv/t/fstab2' }
mount { '/mnt/d': ensure => present, device => '/dev/d', target => '/srv/t/fstab3' }
mount { '/mnt/e': ensure => present, device => '/dev/e', fstype => 'ext4', target => '/srv/t/fstab3' }
host { 'noip': target => '/srv/t/hosts2' }
file { '/srv/t/other': content => "still made\n" }
