# What stands at the border.
class role::edge {
  include profile::base
  include edge::proxy
  edge::route { 'shop':
    target => 'web1.example.net',
  }
}
