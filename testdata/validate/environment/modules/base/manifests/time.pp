# Time from the network.
class base::time inherits base::params {
  $servers = $base::ntp_servers
  $conf    = "${conf_dir}/ntp.conf"

  package { $package:
    ensure => present,
  }

  file { 'ntp.conf':
    ensure  => file,
    path    => $conf,
    content => template('base/ntp.conf.erb'),
    require => Package[$package],
  }

  service { 'ntp':
    ensure     => running,
    enable     => true,
    hasrestart => true,
    subscribe  => File['ntp.conf'],
  }
}
