# Packet filter, one file for each rule.
class firewall (
  Enum['drop', 'accept'] $policy = 'drop',
  Array[String[1]] $networks = ['10.0.0.0/8'],
) {
  file { '/etc/firewall.d':
    ensure => directory,
  }
  file { '/etc/firewall.d/00-policy':
    content => "policy ${policy}\n",
  }
  service { 'firewall':
    ensure => running,
  }
}
