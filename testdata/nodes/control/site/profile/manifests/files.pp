# Many plain files, as a node has that was managed for years.
class profile::files {
  file { '/srv/tree': ensure => directory, source => 'puppet:///modules/profile/tree', recurse => true, purge => true }
  file { '/srv/many': ensure => directory }
  range(1, 26).each |$i| {
    file { "/srv/many/d${i}": ensure => directory, mode => '0750', group => 'adm' }
    file { "/srv/many/d${i}/f": content => "file ${i}\n", owner => 'www-data' }
    file { "/srv/many/d${i}/l": ensure => link, target => 'f' }
    file_line { "line ${i}": path => '/etc/many.lines', line => "value${i}=${i}", match => "^value${i}=" , require => File['/etc/many.lines'] }
  }
  file { '/etc/many.lines': ensure => file }
  augeas { 'hosts of many': context => '/files/etc/hosts', changes => ["set *[ipaddr = '127.0.0.1']/alias[1] many"], onlyif => "match *[ipaddr = '127.0.0.1']/alias[. = 'many'] size == 0" }
}
