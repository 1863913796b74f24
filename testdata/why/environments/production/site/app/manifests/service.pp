# Its service.
class app::service (
  String $ensure = 'running',
) {
  service { 'app':
    ensure => $ensure,
    enable => true,
  }
}
