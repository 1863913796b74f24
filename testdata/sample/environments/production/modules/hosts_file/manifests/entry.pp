# One host.
define hosts_file::entry (
  String[7] $address,
  Array[String[1]] $aliases = [],
) {
  include hosts_file
  file { "/etc/hosts.d/${title}":
    content => "${([$address, $title] + $aliases).join(' ')}\n",
    notify  => Exec['assemble hosts'],
  }
}
