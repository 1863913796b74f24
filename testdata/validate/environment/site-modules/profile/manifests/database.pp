# Database server with its backups.
class profile::database (
  Integer[1, 100]           $share     = 50,
  Optional[String[1]]       $primary   = undef,
  Hash[String[1], Integer]  $weights   = { 'read' => 2, 'write' => 1 },
  Sensitive[String]         $root_word = Sensitive(lookup('db::password')),
) {
  include db
  include db::backup

  $replica_of = $primary ? {
    undef   => 'nobody',
    default => $primary,
  }
  $limits = $db::max_connections / 2

  $weights.each |String $name, Integer $weight| {
    $title_of = "weight-${name}"
    db::setting { $title_of:
      value => $weight,
    }
  }

  db::user { 'app':
    password   => $root_word,
    privileges => ['select', 'insert'],
    limit      => 20,
  }

  file { '/etc/db/replica.conf':
    ensure  => file,
    mode    => '0600',
    content => template('profile/replica.conf.erb'),
    require => Class['db'],
  }

  cron { 'db-vacuum':
    ensure  => present,
    command => '/usr/bin/vacuumdb --all',
    user    => 'postgres',
    hour    => 4,
    minute  => '*/30',
    weekday => ['mon', 'thu'],
  }

  exec { 'db-init':
    command => '/usr/bin/initdb /srv/db',
    creates => '/srv/db/PG_VERSION',
    user    => 'postgres',
    timeout => 600,
    require => File['/srv/db'],
  }

  notice("replica of ${replica_of}, ${limits} connections for ${share}")
}
