# One of its sites.
define app::vhost (
  String  $docroot,
  Integer $port,
) {
  file { $docroot:
    ensure => directory,
    owner  => $app::user,
  }
  -> file { "/etc/app.d/${title}.conf":
    content => "${docroot} ${port}\n",
  }
}
