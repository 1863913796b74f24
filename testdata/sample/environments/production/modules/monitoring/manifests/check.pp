# A check of one thing of one node; exported by the node, collected by the monitoring server.
define monitoring::check (
  Pattern[/\Acheck_/] $command,
  String[1] $target,
  Hash[String, Any] $options = {},
) {
  include monitoring
  file { "${monitoring::directory}/${regsubst($title, ' ', '_', 'G')}.cfg":
    content => epp('monitoring/check.epp', {
      'name'    => $title,
      'command' => $command,
      'target'  => $target,
      'options' => $options,
    }),
    notify  => Service['monitoring'],
  }
}
