# Watches all others.
class roles::monitor {
  include profiles::base
  include profiles::monitor
}
