# A unit of the service manager with its environment.
define service_unit (
  String[1] $command,
  Hash[String[1], Variant[String, Integer]] $environment = {},
  Boolean $enable = true,
) {
  file { "/etc/systemd/system/${title}.service":
    content => epp('service_unit/unit.epp', {
      'command'     => $command,
      'environment' => $environment,
      'description' => $title.split('-').map |$w| { $w.capitalize }.join(' '),
    }),
  }
  ~> service { $title:
    ensure => running,
    enable => $enable,
  }
}
