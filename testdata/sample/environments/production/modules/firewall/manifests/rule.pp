# Lets somebody in.
define firewall::rule (
  Array[Integer[1, 65535], 1] $ports,
  Optional[Array[String[1]]] $from = undef,
) {
  include firewall
  $networks = $from ? {
    undef   => $firewall::networks,
    default => $from,
  }
  $lines = $networks.map |$n| {
    $ports.map |$p| { "allow ${n} port ${p}" }
  }
  file { "/etc/firewall.d/50-${title}":
    content => "${flatten($lines).join("\n")}\n",
    notify  => Service['firewall'],
  }
}
