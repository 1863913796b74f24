# modules: haproxy concat
class { 'haproxy':
  global_options   => { 'log' => '127.0.0.1 local0', 'maxconn' => '4000', 'user' => 'haproxy', 'group' => 'haproxy', 'daemon' => '' },
  defaults_options => { 'mode' => 'http', 'timeout' => ['connect 5s', 'client 50s', 'server 50s'] },
}
haproxy::listen { 'web': ipaddress => '*', ports => '80', options => { 'balance' => 'roundrobin', 'option' => ['httplog', 'forwardfor'] } }
haproxy::frontend { 'front': bind => { ':443' => ['ssl', 'crt', '/etc/ssl/x.pem'] }, options => { 'default_backend' => 'back' } }
haproxy::backend { 'back': options => { 'balance' => 'leastconn' } }
haproxy::balancermember { 'one': listening_service => 'web', server_names => ['a', 'b'], ipaddresses => ['10.0.0.1', '10.0.0.2'], ports => '8080', options => 'check' }
