# The name by which the monitor knows an agent.
function profile::agent_name(String[1] $prefix, Integer[1] $version, Boolean $long = false) >> String {
  $host = $facts['networking']['hostname']
  if $long {
    "${prefix}-${host}-v${version}"
  } else {
    "${prefix}-${host}"
  }
}
