# What every machine needs: time, packages, a message of the day.
class base (
  Array[String[1]] $ntp_servers,
  String[1]        $timezone   = 'UTC',
  Array[String[1]] $packages   = ['curl'],
  Optional[Base::Mail] $admin_mail = undef,
  Base::Level      $level      = 'normal',
) {
  contain base::motd
  include base::time

  package { $packages:
    ensure => installed,
  }

  file { '/etc/timezone':
    ensure  => file,
    mode    => '0644',
    content => "${timezone}\n",
  }

  if $admin_mail {
    mailalias { 'root':
      ensure    => present,
      recipient => $admin_mail,
    }
  }

  $shell = $level ? {
    'normal' => '/bin/bash',
    'locked' => '/usr/sbin/nologin',
  }

  base::account { 'admin':
    uid    => 1500,
    shell  => $shell,
    groups => ['sudo'],
  }

  tidy { '/tmp':
    age     => '1w',
    recurse => true,
    type    => 'mtime',
  }

  host { 'monitor.example.org':
    ensure => present,
    ip     => '10.0.0.5',
  }

  mount { '/srv':
    ensure  => mounted,
    device  => '/dev/vg/srv',
    fstype  => 'ext4',
    options => 'defaults,noatime',
    atboot  => true,
  }

  Package['curl'] -> File['/etc/timezone']
}
