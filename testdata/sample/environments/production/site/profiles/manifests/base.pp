# What every node has.
#
# @param packages installed everywhere; data of all levels adds to it
# @param absent_packages taken away
# @param time_servers in order of preference
# @param sysctl kernel settings, merged over all levels
class profiles::base (
  Array[String[1]] $packages,
  Array[String[1]] $absent_packages = [],
  Array[String[1], 1] $time_servers = ["ntp.${facts['datacenter']}.example.com"],
  Hash[String, Variant[String, Integer]] $sysctl = {},
  Hash[String, Profiles::Limit] $limits = { 'nofile' => 65536 },
) {
  package { $packages:
    ensure => installed,
  }
  package { $absent_packages:
    ensure => absent,
  }

  file { '/etc/motd':
    content => epp('profiles/motd.epp', {
      'role'    => $facts['role'],
      'contact' => $::site_contact,
    }),
  }
  file { '/etc/security/limits.d/site.conf':
    content => profiles::limits($limits),
  }
  file { '/etc/timesync.conf':
    content => epp('profiles/timesync.epp', { 'servers' => $time_servers }),
    mode    => '0644',
  }
  $sysctl.each |$name, $value| {
    file { "/etc/sysctl.d/${regsubst($name, '/', '.', 'G')}.conf":
      content => "${name} = ${value}\n",
      tag     => 'sysctl',
    }
  }
  exec { 'apply kernel settings':
    command     => '/sbin/sysctl --system',
    refreshonly => true,
  }
  File <| tag == 'sysctl' |> ~> Exec['apply kernel settings']

  include accounts
  include sshd
  include firewall

  @@hosts_file::entry { $facts['networking']['fqdn']:
    address => $facts['networking']['ip'],
    aliases => [$facts['networking']['hostname']],
    tag     => [$facts['datacenter'], "role-${facts['role']}"],
  }
  Hosts_file::Entry <<| tag == $facts['datacenter'] |>>
  include hosts_file

  @@monitoring::check { "${facts['networking']['fqdn']} ssh":
    command => 'check_ssh',
    target  => $facts['networking']['ip'],
    options => { 'port' => $sshd::port },
  }
}
