# Certificates.
class web::tls (
  Array[Enum['TLSv1.2', 'TLSv1.3']] $protocols = ['TLSv1.2', 'TLSv1.3'],
  Integer                           $days      = 90,
) {
  $list = join($protocols, ' ')
  file { '/etc/nginx/tls.conf':
    ensure  => file,
    content => "ssl_protocols ${list};\n# renew after ${days} days\n",
    require => Class['web'],
  }
}
