# Balancer over all web servers of its data centre; large ones get more connections.
class profiles::balancer (
  Integer[1] $max_connections = 4000,
) {
  package { 'balancer': ensure => installed }
  -> file { ['/etc/balancer', '/etc/balancer/backends']:
    ensure => directory,
  }
  -> file { '/etc/balancer/balancer.cfg':
    content => "maxconn ${max_connections}\nmemory ${profiles::memory_share(50)}\n",
  }
  ~> service { 'balancer':
    ensure => running,
    enable => true,
  }
  Profiles::Backend <<| tag == $facts['datacenter'] and port == 80 |>> {
    require => File['/etc/balancer/backends'],
  }
  @@monitoring::check { "${facts['networking']['fqdn']} balancer":
    command => 'check_balancer',
    target  => $facts['networking']['ip'],
  }
  firewall::rule { 'balancer':
    ports => [80, 443, 8404],
  }
}
