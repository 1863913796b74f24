# A broker.
class role::queue {
  include profile::base
  include profile::queue
}
