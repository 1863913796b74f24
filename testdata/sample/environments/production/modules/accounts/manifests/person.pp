# One person's account.
define accounts::person (
  Accounts::User $spec,
  String[1] $shell,
) {
  $ensure = $spec.get('ensure', 'present')
  user { $title:
    ensure => $ensure,
    uid    => $spec['uid'],
    gid    => $spec['uid'],
    groups => $spec.get('groups', []),
    shell  => $shell,
    home   => "/home/${title}",
  }
  group { $title:
    ensure => $ensure,
    gid    => $spec['uid'],
  }
  if $ensure == 'present' {
    Group[$title] -> User[$title]
    file { "/home/${title}/.ssh":
      ensure => directory,
      owner  => $title,
      group  => $title,
      mode   => '0700',
    }
    file { "/home/${title}/.ssh/authorized_keys":
      content => $spec.get('keys', []).map |$k| { "${k}\n" }.join,
      owner   => $title,
      group   => $title,
      mode    => '0600',
    }
  } else {
    User[$title] -> Group[$title]
  }
}
