# A database.
class db (
  Sensitive[String]          $password,
  Enum['postgres', 'maria']  $engine          = 'postgres',
  Integer[1, 10000]          $max_connections = 100,
  Hash[String[1], String[1]] $settings        = {},
) {
  $port = $engine ? {
    'postgres' => 5432,
    'maria'    => 3306,
  }

  package { "${engine}-server":
    ensure => installed,
  }

  file { '/srv/db':
    ensure => directory,
    owner  => 'postgres',
    mode   => '0700',
  }

  file { '/etc/db.conf':
    ensure  => file,
    mode    => '0640',
    content => "port=${port}\nmax=${max_connections}\n",
  }

  file { '/etc/db.secret':
    ensure  => file,
    mode    => '0600',
    content => $password,
  }

  service { $engine:
    ensure  => running,
    enable  => true,
    require => File['/srv/db', '/etc/db.conf'],
  }

  $settings.each |$name, $value| {
    db::setting { $name: value => $value }
  }
}
