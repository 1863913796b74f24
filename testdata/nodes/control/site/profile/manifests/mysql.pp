# MariaDB with the databases of the data.
class profile::mysql (
  Sensitive[String] $root_password,
  Hash[String, Hash] $databases = {},
) {
  class { 'mysql::server':
    root_password    => $root_password,
    package_name     => 'mariadb-server',
    override_options => { 'mysqld' => { 'bind-address' => '127.0.0.1', 'max_connections' => 60 } },
  }
  $databases.each |$name, $database| {
    mysql::db { $name:
      user     => $database['user'],
      password => Sensitive($database['password']),
      grant    => pick($database['grant'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE']),
      charset  => 'utf8mb4',
      collate  => 'utf8mb4_general_ci',
    }
    ['daily', 'weekly'].each |$period| {
      cron { "dump ${name} ${period}": command => "/usr/bin/mysqldump ${name} > /srv/dumps/${name}.${period}", user => 'root', special => $period }
    }
    file { "/srv/dumps/${name}": ensure => directory, mode => '0700' }
  }
  file { '/srv/dumps': ensure => directory, mode => '0700' }
}
