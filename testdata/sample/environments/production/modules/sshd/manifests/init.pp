# The way to log in.
class sshd (
  Integer[1, 65535] $port = 22,
  Hash[String[1], Variant[String, Integer, Boolean]] $settings = {},
) {
  $defaults = {
    'PermitRootLogin'        => false,
    'PasswordAuthentication' => false,
    'X11Forwarding'          => false,
  }
  $all = { 'Port' => $port } + $defaults + $settings
  file { '/etc/ssh/sshd_config':
    content => $all.map |$k, $v| { "${k} ${sshd::word($v)}\n" }.join,
    mode    => '0600',
  }
  ~> service { 'sshd':
    ensure => running,
    name   => $facts['os']['family'] ? { 'Debian' => 'ssh', default => 'sshd' },
  }
  firewall::rule { 'ssh':
    ports => [$port],
  }
}
