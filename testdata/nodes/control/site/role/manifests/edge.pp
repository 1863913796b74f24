# Stands in front of the others.
class role::edge {
  include profile::base
  include profile::edge
  include profile::files
}
