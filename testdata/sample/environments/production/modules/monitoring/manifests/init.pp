# The monitoring server.
class monitoring (
  String[1] $directory = '/etc/monitoring/checks',
) {
  file { ['/etc/monitoring', $directory]:
    ensure => directory,
  }
  service { 'monitoring':
    ensure => running,
  }
}
