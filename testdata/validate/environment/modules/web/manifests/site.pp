# One site.
define web::site (
  Stdlib_path          $root,
  Integer[1, 65535]    $port    = 80,
  Array[String[1]]     $aliases = [],
  Boolean              $tls     = false,
  Hash[String, String] $headers = {},
  Variant[String[1], Array[String[1]]] $index = 'index.html',
) {
  include web

  $file  = "/etc/nginx/sites/${title}.conf"
  $first = $index ? {
    Array   => $index[0],
    default => $index,
  }
  $scheme = if $tls { 'https' } else { 'http' }

  file { $file:
    ensure  => file,
    content => template('web/site.conf.erb'),
    notify  => Service['nginx'],
  }
}
