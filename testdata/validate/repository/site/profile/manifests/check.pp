# A check of the monitoring.
#
# @param command what it runs
# @param interval seconds between two runs
define profile::check (
  String[1]        $command,
  Integer[10]      $interval = 60,
) {
  file { "/etc/monitoring/${title}.cfg":
    ensure  => file,
    content => "command=${command}\ninterval=${interval}\n",
  }
}
