# A database server.
class database (
  Integer[16] $memory,
  Sensitive[String] $password,
  Optional[String[1]] $primary = undef,
) {
  package { 'databased':
    ensure => installed,
  }
  file { '/etc/databased.conf':
    content => @("CONF"),
      memory = ${memory}MB
      primary = ${pick_first($primary, $facts['networking']['fqdn'])}
      listen = ${facts['networking']['ip']}
      | CONF
    require => Package['databased'],
  }
  file { '/etc/databased.password':
    content => $password,
    mode    => '0600',
  }
  service { 'databased':
    ensure    => running,
    subscribe => [File['/etc/databased.conf'], File['/etc/databased.password']],
  }
}
