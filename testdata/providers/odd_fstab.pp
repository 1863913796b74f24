# needs: modules
['real', 'fewer', 'more', 'blanks', 'slashes', 'comments', 'header', 'noend', 'empty', 'crlf', 'trailing', 'utf8', 'missing'].each |$n| {
  mount { "/mnt/made-${n}": ensure => present, device => "/dev/${n}", fstype => 'ext4', target => "/srv/t/fstab.${n}" }
}
mount { '/mnt/dup': ensure => present, device => '/dev/c', fstype => 'ext4', target => '/srv/t/fstab.double' }
mount { '/mnt/chg': ensure => defined, device => '/dev/new', fstype => 'ext4', options => 'ro,noatime', target => '/srv/t/fstab.change' }
mount { '/mnt/chg2': ensure => defined, pass => 2, dump => 1, options => 'rw', target => '/srv/t/fstab.change' }
mount { '/mnt/chg3': ensure => present, device => '/dev/with blank', pass => '0', dump => '0', atboot => true, remounts => false, target => '/srv/t/fstab.change' }
mount { '/mnt/sync/': ensure => present, device => '/dev/s', fstype => 'ext4', options => 'defaults', target => '/srv/t/fstab.sync' }
mount { '/mnt/present': ensure => present, device => '/dev/p', fstype => 'ext4', target => '/srv/t/fstab.states' }
mount { '/mnt/unmounted': ensure => unmounted, device => '/dev/u', fstype => 'ext4', pass => 3, target => '/srv/t/fstab.states' }
mount { '/mnt/gone': ensure => absent, target => '/srv/t/fstab.states' }
mount { '/mnt/none': device => '/dev/other', target => '/srv/t/fstab.states' }
mount { '/mnt/nowhere': device => '/dev/nowhere', fstype => 'ext4', target => '/srv/t/fstab.nowhere' }
mount { '/mnt/mover': ensure => present, device => '/dev/m', fstype => 'ext4', target => '/srv/t/fstab.moved' }
mount { '/mnt/third': ensure => present, device => '/dev/o', fstype => 'xfs', options => 'a,b', atboot => 'no', target => '/srv/t/fstab.move' }
mount { '/mnt/bl ank': ensure => unmounted, device => '//s/a b', fstype => 'cifs', target => '/srv/t/fstab.move' }
