# A person's account.
#
# @param uid number
# @param shell what logs in
define base::account (
  Integer[1000, 60000]      $uid,
  String[1]                 $shell   = '/bin/bash',
  Array[String[1]]          $groups  = [],
  Enum['present', 'absent'] $ensure  = 'present',
  Optional[String[1]]       $key     = undef,
) {
  $home = "/home/${name}"
  user { $title:
    ensure     => $ensure,
    uid        => $uid,
    home       => $home,
    shell      => $shell,
    groups     => $groups,
    managehome => true,
  }
  file { $home:
    ensure => directory,
    owner  => $title,
    mode   => '0700',
  }
  if $key {
    ssh_authorized_key { "${title} of the company":
      ensure => $ensure,
      user   => $title,
      type   => 'ssh-ed25519',
      key    => $key,
    }
  }
}
