# modules: apache concat
# again: 4, what stand-ins cannot do
class { 'apache': default_vhost => false, mpm_module => 'prefork', purge_configs => true }
apache::vhost { 'www.example.com': port => 80, docroot => '/var/www/www', docroot_owner => 'www-data', serveraliases => ['example.com'], aliases => [{ alias => '/img', path => '/srv/img' }],
  directories => [{ path => '/var/www/www', allow_override => ['All'], options => ['Indexes', 'FollowSymLinks'] }], proxy_pass => [{ path => '/api', url => 'http://localhost:8080/' }] }
apache::vhost { 'secure.example.com': port => 443, docroot => '/var/www/secure', ssl => true, rewrites => [{ rewrite_rule => ['^/old /new [R=301]'] }] }
class { 'apache::mod::rewrite': }
class { 'apache::mod::status': }
