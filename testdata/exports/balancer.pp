# Backends of balancers: queries of tag and parameters, overrides, relationships with what is local.
define backend($port, $service, $weight = 1, $options = []) {
  file { "/etc/lb/${service}/${title}": content => "server ${title}:${port} weight ${weight} ${options.join(' ')}\n" }
}
define web($port) {
  @@backend { "${trusted['certname']}_${title}": port => $port, service => $title, options => ['check', "inter ${port}"], tag => "lb_${title}" }
}
node 'web1' {
  web { 'shop': port => 80 }
  web { 'blog': port => 8080 }
}
node 'web2' { web { 'shop': port => 80 } }
node 'web3' { web { 'shop': port => '80' } }
class balancer {
  file { '/etc/lb': ensure => directory, purge => true, recurse => true }
  file { ['/etc/lb/shop', '/etc/lb/blog']: ensure => directory }
  service { 'lb': ensure => running, enable => true }
}
node 'lb1' {
  include balancer
  File['/etc/lb'] -> Backend <<| tag == 'lb_shop' and port == 80 |>> { weight => 5, options +> 'backup' } ~> Service['lb']
}
node 'lb2' {
  include balancer
  Backend <<| (service == 'shop' or service == 'blog') and title != 'web2_shop' |>>
  Backend <| |> ~> Service['lb']
}
node 'lb3' {
  include balancer
  Backend <<| tag == 'lb_shop' and port != 80 |>>
  Backend <<| tag == 'lb_blog' |>> { require => Class['balancer'] }
}
