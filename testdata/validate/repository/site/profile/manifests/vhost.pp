# A host of the web server.
#
# @param root its files
# @param aliases other names
# @param priority of its file
define profile::vhost (
  Stdlib::Absolutepath $root,
  Array[String[1]]     $aliases  = [],
  Integer[0, 99]       $priority = 25,
) {
  $names = [$title] + $aliases
  $file = "/etc/nginx/sites-enabled/${priority}-${title}.conf"

  file { $file:
    ensure  => file,
    content => epp('profile/vhost.epp', { 'names' => $names, 'root' => $root }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }
}
