# Cache with as much memory as it may have.
class profiles::cache (
  Integer[1, 90] $percent = 75,
) {
  service_unit { 'cache':
    command     => "/usr/bin/cached -m ${profiles::memory_share($percent)}",
    environment => { 'CACHE_LISTEN' => $facts['networking']['ip'] },
  }
  firewall::rule { 'cache':
    ports => [11211],
  }
}
