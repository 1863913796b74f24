# Spreads requests over the web servers that export themselves.
class roles::balancer {
  include profiles::base
  include profiles::balancer
}
