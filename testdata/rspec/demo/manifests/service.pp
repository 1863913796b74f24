# The service alone.
class demo::service {
  service { 'demo':
    ensure    => running,
    subscribe => File['/etc/demo/demo.conf'],
  }
}
