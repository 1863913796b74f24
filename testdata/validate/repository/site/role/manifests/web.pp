# A web server of the shop.
class role::web {
  include profile::base
  include profile::web
  include shop

  Class['profile::base'] -> Class['profile::web'] -> Class['shop']
}
