# PostgreSQL with the databases of the data.
class profile::postgresql (
  Hash[String, Hash] $databases = {},
  Hash[String, String] $settings = {},
) {
  class { 'postgresql::globals': manage_package_repo => false, encoding => 'UTF-8', locale => 'C.UTF-8' }
  class { 'postgresql::server': listen_addresses => '127.0.0.1' }
  $settings.each |$name, $value| { postgresql::server::config_entry { $name: value => $value } }
  $databases.each |$name, $database| {
    postgresql::server::db { $name: user => $database['user'], password => postgresql::postgresql_password($database['user'], $database['password']) }
    postgresql::server::pg_hba_rule { "${name} from the net":
      type => 'host', database => $name, user => $database['user'], address => '10.0.0.0/24', auth_method => 'md5',
    }
  }
}
