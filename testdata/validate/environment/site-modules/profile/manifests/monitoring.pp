# Checks of the machine's health.
class profile::monitoring (
  Hash[String[1], Struct[{ command => String[1], interval => Integer[1] }]] $checks  = {},
  String[1]                                                                 $contact = 'root',
  Enum['http', 'https']                                                     $scheme  = 'https',
) {
  $banner = lookup('profile_banner', String[1])
  $agent  = profile::agent_name('monitor', 2)
  $url    = "${scheme}://monitor.example.org/${agent}"

  package { 'monitor-agent':
    ensure => installed,
  }

  service { 'monitor-agent':
    ensure    => running,
    enable    => true,
    hasstatus => true,
    require   => Package['monitor-agent'],
    subscribe => File['/etc/monitor/agent.conf'],
  }

  file { ['/etc/monitor', '/etc/monitor/checks.d']:
    ensure => directory,
    mode   => '0755',
  }

  file { '/etc/monitor/agent.conf':
    ensure  => file,
    mode    => 'u=rw,g=r',
    content => epp('profile/agent.conf.epp', {
      'contact' => $contact,
      'url'     => $url,
      'banner'  => $banner,
    }),
  }

  $checks.each |$name, $check| {
    file { "/etc/monitor/checks.d/${name}.conf":
      ensure  => file,
      content => "command=${check['command']}\ninterval=${check['interval']}\n",
    }
  }

  user { 'monitor':
    ensure     => present,
    uid        => 990,
    home       => '/var/lib/monitor',
    shell      => '/usr/sbin/nologin',
    managehome => true,
    groups     => ['adm', 'systemd-journal'],
    system     => true,
  }

  group { 'monitor':
    ensure => present,
    gid    => 990,
  }

  User['monitor'] -> Service['monitor-agent']
}
