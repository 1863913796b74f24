# The shop.
#
# @param version to run
# @param log_level how much it says
# @param user it runs as
# @param settings of its file
# @param admins who may log in
# @param api_token for payments
# @param install_dir where it stands
# @param backends its caches
# @param manage_firewall whether ports are opened
class shop (
  Pattern[/\A\d+\.\d+\.\d+\z/]  $version,
  Shop::Level                   $log_level,
  String[1]                     $user,
  Hash[String[1], Data]         $settings,
  Hash[String[1], Shop::Account]  $admins,
  Sensitive[String[1]]          $api_token,
  Stdlib::Absolutepath          $install_dir     = '/opt/shop',
  Array[Stdlib::Host]           $backends        = lookup('cache_nodes'),
  Boolean                       $manage_firewall = false,
) {
  contain shop::install
  contain shop::config
  contain shop::service

  Class['shop::install'] -> Class['shop::config'] ~> Class['shop::service']

  $admins.each |$name, $admin| {
    shop::admin { $name:
      * => $admin,
    }
  }

  if $manage_firewall {
    shop::port { 'shop':
      port => 8000,
    }
  }
}
