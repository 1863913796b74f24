# A server of web sites.
class roles::web {
  include profiles::base
  include profiles::web

  Class['profiles::base'] -> Class['profiles::web']
}
