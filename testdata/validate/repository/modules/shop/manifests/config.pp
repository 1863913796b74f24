# Writes its settings.
class shop::config {
  $defaults = { 'level' => $shop::log_level, 'backends' => $shop::backends }
  $settings = $defaults + $shop::settings
  $key = shop::fingerprint($shop::version, 12)

  file { "${shop::install_dir}/shop.json":
    ensure  => file,
    owner   => $shop::user,
    mode    => '0640',
    content => stdlib::to_json_pretty($settings),
  }

  file { "${shop::install_dir}/shop.env":
    ensure  => file,
    mode    => '0600',
    content => template('shop/shop.env.erb'),
  }

  $level = $shop::log_level ? {
    'debug' => 'DEBUG',
    'info'  => 'INFO',
    'error' => 'ERROR',
  }

  file { '/etc/default/shop':
    ensure  => file,
    content => @("END"),
      LEVEL=${level}
      KEY=${key}
      | END
  }

  shop_setting { 'workers':
    ensure => present,
    value  => '4',
    retry  => 3,
  }
}
