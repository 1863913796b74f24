# Gets the program.
class shop::install {
  assert_private()

  user { $shop::user:
    ensure     => present,
    system     => true,
    managehome => false,
  }

  package { 'shop':
    ensure => $shop::version,
  }

  file { $shop::install_dir:
    ensure => directory,
    owner  => $shop::user,
    mode   => '0750',
  }
}
