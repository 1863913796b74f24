# The same, more closed.
class base::hardened inherits base {
  File['/etc/motd'] {
    mode => '0444',
  }
  File['/etc/issue'] {
    mode    => '0400',
    require +> Package['vim'],
  }
}
