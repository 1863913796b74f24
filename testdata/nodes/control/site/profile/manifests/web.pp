# Apache with the sites of the data, and PHP.
class profile::web (
  Hash[String, Profile::Space] $sites,
) {
  class { 'apache': mpm_module => 'prefork', default_vhost => false, purge_configs => true, server_tokens => 'Prod' }
  include apache::mod::php, apache::mod::rewrite, apache::mod::status
  file { ['/srv/sites', '/var/log/sites']: ensure => directory }
  $sites.each |$name, $site| { profile::site { $name: * => $site } }
  include firewall
  firewall { '100 web': dport => [80, 443], proto => 'tcp', jump => 'accept' }
}
