# A virtual host of the broker.
#
# @param users who may use it
define profile::queue_vhost (
  Array[String[1]] $users,
) {
  exec { "rabbitmqctl add_vhost ${title}":
    unless => "rabbitmqctl list_vhosts | grep -qx ${title}",
  }

  $users.each |$user| {
    exec { "rabbitmqctl set_permissions -p ${title} ${user} '.*' '.*' '.*'":
      unless  => "rabbitmqctl list_permissions -p ${title} | grep -qw ${user}",
      require => Exec["rabbitmqctl add_vhost ${title}"],
    }
  }
}
