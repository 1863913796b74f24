# A machine that sells.
class role::shop {
  include base
  include profile::web
  include profile::monitoring
  Class['base'] -> Class['profile::web']
}
