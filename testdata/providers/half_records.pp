# needs: modules
# Records that lack what a line needs: each writing of their file fails.
mount { '/mnt/x': ensure => present, device => '/dev/x', target => '/srv/t/fstab' }
mount { '/mnt/y': ensure => present, device => '/dev/y', fstype => 'ext4', target => '/srv/t/fstab' }
mount { '/mnt/z': ensure => present, fstype => 'ext4', target => '/srv/t/fstab2' }
host { 'noip': target => '/srv/t/hosts' }
host { 'after': ip => '10.0.0.1', target => '/srv/t/hosts' }
host { 'elsewhere': ip => '10.0.0.1', target => '/srv/t/hosts2' }
host { 'nodir': ip => '10.0.0.1', target => '/srv/t/no/hosts' }
sshkey { 'nokey': type => 'ssh-rsa', target => '/srv/t/known' }
ssh_authorized_key { 'notype': user => 'root', key => 'AAAA', target => '/srv/t/keys' }
ssh_authorized_key { 'nouser': type => 'ssh-rsa', key => 'AAAA', target => '/srv/t/keys2' }
ssh_authorized_key { 'missing': type => 'ssh-rsa', key => 'AAAA', user => 'nobodyknows' }
mailalias { 'norecipient': target => '/srv/t/aliases' }
cron { 'nocommand': minute => 1 }
cron { 'nouser': command => '/bin/x', user => 'nobodyknows' }
notify { 'on': }
