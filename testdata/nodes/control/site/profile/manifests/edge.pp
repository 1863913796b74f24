# nginx and HAProxy in front.
class profile::edge (
  Hash[String, Hash] $sites = {},
) {
  class { 'nginx': manage_repo => false, package_name => 'nginx' }
  include firewall
  class { 'haproxy':
    merge_options    => true,
    global_options   => { 'maxconn' => '300' },
    defaults_options => { 'timeout' => ['connect 5s', 'client 10s', 'server 10s'] },
  }
  $sites.each |$name, $site| {
    $port = profile::port_for($name, 9000)
    nginx::resource::upstream { regsubst($name, '\W', '_', 'G'):
      members => { "${name} one" => { 'server' => '127.0.0.1', 'port' => $port }, "${name} two" => { 'server' => '127.0.0.2', 'port' => $port, 'backup' => true } },
    }
    nginx::resource::server { $name: listen_port => 80, proxy => "http://${regsubst($name, '\W', '_', 'G')}" }
    ['static', 'media', 'api'].each |$part| {
      nginx::resource::location { "${name} ${part}":
        server => $name, location => "/${part}", www_root => "/srv/edge/${name}/${part}", index_files => ['index.html'],
      }
      file { "/srv/edge/${name}/${part}": ensure => directory }
    }
    file { "/srv/edge/${name}": ensure => directory }
    haproxy::listen { $name: ipaddress => '127.0.0.1', ports => String($port), mode => 'http', collect_exported => false, options => { 'balance' => 'roundrobin' } }
    ['a', 'b'].each |$index, $server| {
      haproxy::balancermember { "${name} ${server}":
        listening_service => $name, ports => String(7000 + $index), server_names => "${server}.${name}", ipaddresses => "10.0.1.${index}", options => 'check',
      }
    }
    firewall { "200 ${name}": dport => $port, proto => 'tcp', source => '10.0.0.0/8', jump => 'accept' }
  }
  file { '/srv/edge': ensure => directory }
}
