# Its log.
class app::log {
  file { $app::settings['log']:
    ensure   => directory,
    mode     => $base::mode,
    loglevel => 'warning',
  }
}
