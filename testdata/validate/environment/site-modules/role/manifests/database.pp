# A machine that remembers.
class role::database {
  contain base
  contain profile::database
  include profile::monitoring
}
