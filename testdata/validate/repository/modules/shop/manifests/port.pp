# Opens a port.
#
# @param port the number
# @param protocol tcp or udp
define shop::port (
  Stdlib::Port        $port,
  Enum['tcp', 'udp']  $protocol = 'tcp',
) {
  exec { "open ${title}":
    command => "firewall-cmd --add-port ${port}/${protocol}",
    unless  => "firewall-cmd --query-port ${port}/${protocol}",
  }
}
