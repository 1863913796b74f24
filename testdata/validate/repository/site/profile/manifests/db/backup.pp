# Backups of the database.
class profile::db::backup {
  $days = lookup('profile::db::retention_days', Integer)

  file { '/srv/backup':
    ensure => directory,
    mode   => '0700',
  }

  cron { 'pg-backup':
    command => "/usr/local/bin/pg-backup --keep ${days}",
    user    => 'postgres',
    hour    => 2,
    minute  => 15,
    require => File['/srv/backup'],
  }
}
