# needs: modules mount
mount { '/srv/t/m1': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', options => 'size=1m' }
mount { '/srv/t/m2/': ensure => mounted, options => 'size=2m' }
mount { '/srv/t/m3': ensure => unmounted, device => 'other' }
mount { '/srv/t/m4': ensure => mounted, options => 'size=3m', device => 'tmpfs', fstype => 'tmpfs' }
mount { '/srv/t/m5': ensure => absent }
mount { '/srv/t/m 6': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', dump => '0', pass => 2 }
mount { '/srv/t/m7': ensure => unmounted, device => 'tmpfs', fstype => 'tmpfs' }
mount { '/srv/t/m8': ensure => mounted, device => '/dev/missing', fstype => 'ext4' }
mount { '/srv/t/m9': ensure => present, device => 'tmpfs', fstype => 'tmpfs', remounts => false }
file { '/srv/t/m1/file': content => "in the mount\n" }
file { '/srv/t/m2/file': content => "in the mount\n" }
