# A database with the schemas of its data.
class profiles::database (
  Sensitive[String] $password,
  Hash[String, Hash] $schemas = {},
  Optional[String] $primary = undef,
) {
  class { 'database':
    memory   => profiles::memory_share(60),
    password => $password,
    primary  => $primary,
  }
  create_resources('database::schema', $schemas, { 'encoding' => 'UTF8' })
  @@monitoring::check { "${facts['networking']['fqdn']} database":
    command => 'check_database',
    target  => $facts['networking']['ip'],
    options => { 'schemas' => $schemas.keys.sort },
  }
  firewall::rule { 'database':
    ports => [5432],
    from  => lookup('firewall::networks', Array[String], 'unique'),
  }
}
