# needs: modules mount
resources { ['host', 'mailalias', 'sshkey', 'cron']: purge => true }
host { 'kept': ip => '10.0.0.1', host_aliases => 'a' }
host { 'localhost': ip => '127.0.0.1' }
mailalias { 'kept': recipient => ['x', 'y'] }
sshkey { 'kept@ssh-rsa': key => 'AAAA' }
cron { 'kept': command => '/bin/kept', minute => 3, user => 'root' }
cron { 'mine': command => '/bin/adopt', minute => 4, user => 'root' }
