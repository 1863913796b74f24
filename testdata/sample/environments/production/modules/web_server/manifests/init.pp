# The web server itself. Names depend on the system's family.
class web_server (
  Integer[1] $workers = 2,
  Optional[String[1]] $package = undef,
) {
  $names = $facts['os']['family'] ? {
    'Debian' => { 'package' => 'webd', 'user' => 'www-data', 'conf' => '/etc/webd' },
    'RedHat' => { 'package' => 'web-server', 'user' => 'web', 'conf' => '/etc/web-server' },
    default  => fail("no web server for ${facts['os']['family']}"),
  }
  $conf = $names['conf']
  package { pick_first($package, $names['package']):
    ensure => installed,
    alias  => 'web server',
  }
  file { [$conf, "${conf}/sites"]:
    ensure => directory,
  }
  file { "${conf}/server.conf":
    content => "user ${names['user']};\nworkers ${workers};\n",
  }
  service { 'webd':
    ensure    => running,
    name      => $names['package'],
    enable    => true,
    subscribe => File["${conf}/server.conf"],
    require   => Package['web server'],
  }
}
