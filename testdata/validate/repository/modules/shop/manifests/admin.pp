# Somebody who looks after the shop.
#
# @param uid of the account
# @param shell of the account
# @param ensure whether the account is there
define shop::admin (
  Integer[1000]             $uid,
  Stdlib::Absolutepath      $shell  = '/bin/bash',
  Enum['present', 'absent'] $ensure = 'present',
) {
  $home = "/home/${title}"

  user { $title:
    ensure     => $ensure,
    uid        => $uid,
    shell      => $shell,
    home       => $home,
    managehome => true,
  }

  case $ensure {
    'present': {
      file { $home:
        ensure => directory,
        owner  => $title,
        mode   => '0700',
      }
    }
    'absent': {
      notice("${title} is gone")
    }
  }
}
