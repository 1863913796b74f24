# needs: modules
host { 'db1.example.com': ip => '10.1.1.1', host_aliases => ['db1','database'], comment => 'main db', target => '/srv/t/hosts' }
host { 'old.example.com': ensure => absent, target => '/srv/t/hosts' }
host { 'web': ip => '10.1.1.9', host_aliases => 'www', target => '/srv/t/hosts' }
host { 'six': ip => 'fe80::1', target => '/srv/t/hosts' }
sshkey { 'git.example.com': type => 'rsa', key => 'AAAAB3NzaC1yc2E', host_aliases => ['git','10.0.0.1'], target => '/srv/t/known' }
sshkey { 'a.example.com@ssh-ed25519': key => 'AAAAC3', target => '/srv/t/known' }
sshkey { 'x': ensure => absent, type => 'ssh-rsa', target => '/srv/t/known' }
mailalias { 'ftp': recipient => 'root', target => '/srv/t/aliases' }
mailalias { 'many': recipient => ['a@b.c','|/bin/prog arg', 'x'], target => '/srv/t/aliases' }
mailalias { 'inc': file => '/etc/list', target => '/srv/t/aliases' }
mailalias { 'webmaster': recipient => 'ann', target => '/srv/t/aliases' }
mount { '/mnt/a': ensure => present, device => '/dev/sdx1', fstype => 'ext4', options => 'ro,noexec', target => '/srv/t/fstab' }
mount { '/mnt/b b/': ensure => unmounted, device => '//srv/x', fstype => 'cifs', pass => 1, target => '/srv/t/fstab' }
mount { '/mnt/old': ensure => absent, target => '/srv/t/fstab' }
mount { '/mnt/c': ensure => present, device => 'UUID=1', fstype => 'xfs', dump => 1, target => '/srv/t/fstab' }
