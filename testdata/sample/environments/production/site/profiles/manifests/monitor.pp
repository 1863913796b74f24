# Collects the checks that all nodes export.
class profiles::monitor {
  include monitoring
  Monitoring::Check <<| |>>
}
