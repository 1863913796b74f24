# What every machine has.
#
# @param packages tools for people
# @param timezone of the clock
# @param ntp_servers where time comes from
# @param admin_group who may become root
# @param login_banner shown at login
class profile::base (
  Array[String[1]] $packages,
  String[1]        $timezone,
  Array[String[1]] $ntp_servers,
  String[1]        $admin_group,
  String[1]        $login_banner = 'Authorised use only',
) {
  package { $packages:
    ensure => installed,
  }

  package { 'chrony':
    ensure => installed,
  }

  file { '/etc/chrony/chrony.conf':
    ensure  => file,
    mode    => '0644',
    content => template('profile/chrony.conf.erb'),
    require => Package['chrony'],
    notify  => Service['chrony'],
  }

  service { 'chrony':
    ensure => running,
    enable => true,
  }

  file { '/etc/localtime':
    ensure => link,
    target => "/usr/share/zoneinfo/${timezone}",
  }

  file { '/etc/issue':
    ensure  => file,
    content => epp('profile/issue.epp', { 'banner' => $login_banner, 'contact' => lookup('site_contact') }),
  }

  group { $admin_group:
    ensure => present,
  }

  case $facts['os']['family'] {
    'Debian': {
      $sysconfig = '/etc/default'
    }
    'RedHat': {
      $sysconfig = '/etc/sysconfig'
    }
    default: {
      fail("profile::base does not know ${facts['os']['family']}")
    }
  }

  file { "${sysconfig}/managed":
    ensure  => file,
    content => "yes\n",
  }

  cron { 'report-disk':
    command => '/usr/local/bin/report-disk',
    user    => 'root',
    hour    => 3,
    minute  => [0, 30],
  }

  file { '/usr/local/bin/report-disk':
    ensure => file,
    mode   => '0755',
    source => 'puppet:///modules/profile/report-disk.sh',
  }
}
