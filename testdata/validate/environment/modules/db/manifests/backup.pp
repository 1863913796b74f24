# Copies of the database.
class db::backup (
  Integer[0, 23] $hour    = 2,
  Integer[0, 59] $minute  = 0,
  Integer[1]     $keep    = 7,
  Stdlib_path    $target  = '/srv/backup',
) {
  file { $target:
    ensure => directory,
    mode   => '0750',
  }

  cron { 'db-backup':
    command => "/usr/local/bin/db-backup --keep ${keep} ${target}",
    user    => 'root',
    hour    => $hour,
    minute  => $minute,
    require => File['/usr/local/bin/db-backup'],
  }

  file { '/usr/local/bin/db-backup':
    ensure  => file,
    mode    => '0755',
    content => file('db/backup.sh'),
  }
}
