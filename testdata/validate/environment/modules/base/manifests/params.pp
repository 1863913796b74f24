# What differs between systems.
class base::params {
  $conf_dir = '/etc'
  case $facts['os']['family'] {
    'RedHat': {
      $package = 'chrony'
    }
    default: {
      $package = 'ntp'
    }
  }
}
