# Comes before all else.
class profile::early {
  file { '/etc/node.d': ensure => directory, purge => true, recurse => true, force => true }
  file { '/etc/node.d/role': content => "${facts['role']}\n" }
  exec { 'index of packages': command => 'apt-get -qq update', refreshonly => true, subscribe => File['/etc/node.d/role'] }
}
