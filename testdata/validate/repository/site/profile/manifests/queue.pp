# A broker with its virtual hosts.
#
# @param vhosts by name
# @param limits of the broker
# @param service_name of the broker
class profile::queue (
  Hash[String[1], Struct[{ users => Array[String[1]] }]] $vhosts,
  Hash[String[1], Integer]                               $limits,
  String[1]                                              $service_name = 'rabbitmq-server',
) {
  package { 'rabbitmq-server':
    ensure => installed,
  }

  service { $service_name:
    ensure  => running,
    enable  => true,
    require => Package['rabbitmq-server'],
  }

  $vhosts.each |String $name, Hash $settings| {
    profile::queue_vhost { $name:
      users => $settings['users'],
    }
  }

  file { '/etc/rabbitmq/rabbitmq.conf':
    ensure  => file,
    content => profile::settings($limits),
    notify  => Service[$service_name],
  }
}
