# Collects what machines export.
class profile::monitoring {
  file { '/etc/monitoring':
    ensure => directory,
    purge  => true,
    recurse => true,
  }

  Profile::Check <<| tag == 'monitoring' |>> {
    interval => 120,
    require  => File['/etc/monitoring'],
  }
}
