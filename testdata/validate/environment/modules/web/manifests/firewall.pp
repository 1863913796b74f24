# Open ports of a site.
define web::firewall (
  Array[Integer] $ports,
  Enum['accept', 'drop'] $action = 'accept',
) {
  $ports.each |$port| {
    file { "/etc/firewall.d/${title}-${port}":
      ensure  => file,
      content => "${action} ${port}\n",
    }
  }
}
