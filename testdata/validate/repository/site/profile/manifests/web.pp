# The web server in front of the shop.
#
# @param port where it listens
# @param workers how many processes
# @param tls whether it speaks TLS
# @param document_root what it serves
# @param admin_password of its status page
class profile::web (
  Stdlib::Port            $port,
  Integer[1, 64]          $workers,
  Enum['off', 'on', 'only'] $tls            = 'on',
  Stdlib::Absolutepath    $document_root    = '/srv/www',
  Optional[Sensitive[String]] $admin_password = undef,
) {
  $tls_port = $tls ? {
    'off'   => undef,
    default => 8443,
  }

  package { 'nginx':
    ensure => installed,
  }

  file { '/etc/nginx/nginx.conf':
    ensure  => file,
    content => epp('profile/nginx.conf.epp', {
      'port'     => $port,
      'workers'  => $workers,
      'tls_port' => $tls_port,
    }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }

  file { [$document_root, "${document_root}/static"]:
    ensure => directory,
    owner  => 'www-data',
    mode   => '0755',
  }

  profile::vhost { 'shop.example.net':
    root    => "${document_root}/shop",
    aliases => ['www.shop.example.net'],
  }

  profile::vhost { 'status.example.net':
    root     => "${document_root}/status",
    priority => 90,
  }

  service { 'nginx':
    ensure    => running,
    enable    => true,
    subscribe => File['/etc/nginx/nginx.conf'],
  }

  exec { 'nginx-syntax':
    command     => 'nginx -t',
    refreshonly => true,
    subscribe   => File['/etc/nginx/nginx.conf'],
    before      => Service['nginx'],
  }

  if $admin_password {
    file { '/etc/nginx/htpasswd':
      ensure  => file,
      mode    => '0640',
      content => Sensitive("admin:${admin_password.unwrap}\n"),
    }
  }

  if $tls == 'only' {
    notice('Plain HTTP is off')
  }

  @@profile::check { "http-${facts['networking']['fqdn']}":
    command => "check_http -p ${port}",
    tag     => 'monitoring',
  }
}
