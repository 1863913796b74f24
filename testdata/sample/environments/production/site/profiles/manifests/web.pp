# Web sites from data.
#
# @param sites by name
# @param defaults for all of them
class profiles::web (
  Hash[String, Profiles::Site] $sites,
  Hash[String, Any] $defaults = {},
) {
  class { 'web_server':
    workers => $facts['processors']['count'] * 2,
  }
  $sites.each |$name, $site| {
    web_server::site { $name:
      * => $defaults + $site,
    }
  }

  @@profiles::backend { $facts['networking']['fqdn']:
    address => $facts['networking']['ip'],
    port    => 80,
    weight  => $facts['processors']['count'],
    tag     => $facts['datacenter'],
  }
  @@monitoring::check { "${facts['networking']['fqdn']} http":
    command => 'check_http',
    target  => $facts['networking']['ip'],
    options => { 'expect' => 200, 'sites' => $sites.keys },
  }
  firewall::rule { 'web':
    ports => [80, 443],
  }
}
