# The database with its backup.
#
# @param password of the application
# @param retention_days how long backups are kept
# @param version of the server
class profile::db (
  Sensitive[String] $password,
  Integer[1]        $retention_days,
  String[1]         $version = '15',
) {
  include profile::db::backup

  if versioncmp($version, '13') >= 0 {
    $encryption = 'scram-sha-256'
  } else {
    $encryption = 'md5'
  }

  package { "postgresql-${version}":
    ensure => installed,
  }

  user { 'postgres':
    ensure => present,
    home   => '/var/lib/postgresql',
    shell  => '/bin/bash',
  }

  file { '/var/lib/postgresql/.pgpass':
    ensure    => file,
    owner     => 'postgres',
    mode      => '0600',
    content   => Sensitive("*:*:*:app:${password.unwrap}\n"),
    show_diff => false,
  }

  file { '/etc/postgresql/auth.conf':
    ensure  => file,
    content => "password_encryption = ${encryption}\n",
  }

  service { 'postgresql':
    ensure  => running,
    enable  => true,
    require => [Package["postgresql-${version}"], User['postgres']],
  }

  Class['profile::db::backup'] -> Service['postgresql']
}
