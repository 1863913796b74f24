# Runs it.
class shop::service {
  service { 'shop':
    ensure => running,
    enable => true,
  }

  exec { 'shop-warm-up':
    command     => "${shop::install_dir}/bin/warm-up",
    refreshonly => true,
    timeout     => 60,
    tries       => 3,
    try_sleep   => 5,
    require     => Service['shop'],
  }
}
