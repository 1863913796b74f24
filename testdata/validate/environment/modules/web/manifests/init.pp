# A web server.
class web (
  Integer[1, 65535]                   $port         = 80,
  Integer[1]                          $workers      = 2,
  Hash[String[1], Hash]               $sites        = {},
  Enum['debug', 'info', 'warn']       $log_level    = 'info',
  Boolean                             $tls          = false,
  String[1]                           $package_name = 'nginx',
  Optional[String]                    $session_key  = undef,
  Integer                             $max_body     = 65536,
) {
  $conf_dir = '/etc/nginx'
  $pid_file = '/run/nginx.pid'

  package { 'nginx':
    ensure => latest,
    name   => $package_name,
  }

  file { $conf_dir:
    ensure  => directory,
    purge   => true,
    recurse => true,
    force   => true,
  }

  file { "${conf_dir}/nginx.conf":
    ensure       => file,
    content      => epp('web/nginx.conf', { port => $port, workers => $workers, level => $log_level }),
    validate_cmd => '/usr/sbin/nginx -t -c %',
    require      => Package['nginx'],
  }

  file { '/usr/local/bin/web-reload':
    ensure => file,
    mode   => '0755',
    source => 'puppet:///modules/web/reload.sh',
    before => Service['nginx'],
  }

  exec { 'web-reload':
    command     => 'web-reload --quiet',
    path        => ['/usr/local/bin', '/usr/bin'],
    refreshonly => true,
    tries       => 3,
    subscribe   => File["${conf_dir}/nginx.conf"],
  }

  service { 'nginx':
    ensure => running,
    enable => true,
  }

  if $tls {
    include web::tls
  }

  $key_of = $session_key ? { undef => 'none', default => md5($session_key) }
  notice("pid ${pid_file}, key ${key_of}, body ${max_body}")

  $sites.each |$name, $options| {
    web::site { $name:
      * => $options,
    }
  }
}
