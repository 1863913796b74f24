# /etc/hosts from fragments that the nodes export.
class hosts_file {
  file { '/etc/hosts.d':
    ensure  => directory,
    purge   => true,
    recurse => true,
  }
  exec { 'assemble hosts':
    command     => '/bin/sh -c "cat /etc/hosts.d/* > /etc/hosts"',
    refreshonly => true,
  }
}
