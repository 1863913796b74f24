# Web server with the company's sites.
#
# @param hostname name in the certificates
# @param aliases further names
# @param mode how strict to be
# @param key_file private key
class profile::web (
  String[1]                        $hostname = $facts['networking']['fqdn'],
  Array[String[1]]                 $aliases  = [],
  Enum['strict', 'lax', 'off']     $mode     = 'strict',
  Stdlib_path                      $key_file = '/etc/ssl/private/web.pem',
  Boolean                          $audited  = false,
) {
  include web

  $names = [$hostname] + $aliases
  $level = $mode ? {
    'strict' => 3,
    'lax'    => 1,
    default  => 0,
  }

  web::site { 'shop':
    root    => '/srv/shop',
    port    => 8443,
    aliases => $names,
    tls     => true,
    headers => { 'X-Frame-Options' => 'DENY', 'X-Level' => "${level}" },
  }

  web::site { 'blog':
    root  => '/srv/blog',
    index => ['index.html', 'index.htm'],
  }

  if $mode == 'strict' {
    web::firewall { 'shop':
      ports  => [80, 443],
      action => 'accept',
    }
  } elsif $mode == 'lax' {
    notice("web is lax on ${hostname}")
  }

  case $facts['os']['family'] {
    'Debian': {
      $service = 'nginx'
    }
    'RedHat', 'Suse': {
      $service = 'nginx-mainline'
    }
    default: {
      fail("no web server for ${facts['os']['family']}")
    }
  }

  unless $audited {
    notice("the service is ${service}")
  }

  file { '/etc/web/names':
    ensure  => file,
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
    content => epp('profile/names.epp', { 'names' => $names, 'level' => $level }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }

  file { '/etc/web/banner':
    ensure         => file,
    source         => 'puppet:///modules/profile/banner.txt',
    checksum       => sha256,
    checksum_value => '59d6413948a585db9a15042888fcd7ca4c85416ac2f71f1a80c9c83df78b3a56',
  }

  file { '/etc/web/key.pem':
    ensure => link,
    target => $key_file,
  }
}
