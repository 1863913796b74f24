# A web server behind the balancers: one file for each.
define profiles::backend (
  String[1] $address,
  Integer[1, 65535] $port = 80,
  Integer[1] $weight = 1,
) {
  file { "/etc/balancer/backends/${title}.cfg":
    content => "server ${title} ${address}:${port} weight ${weight}\n",
    notify  => Service['balancer'],
  }
}
