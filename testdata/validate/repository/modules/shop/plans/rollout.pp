# Restarts the shop everywhere.
#
# @param nodes where
# @param delay between two
plan shop::rollout (
  TargetSpec       $nodes,
  Optional[Integer] $delay = undef,
) {
  $results = run_task('shop::restart', $nodes, 'Restart', 'graceful' => true, 'delay' => $delay)
  $results.ok_set.each |$result| {
    out::message("${result.target.name} is back")
  }
  run_plan('shop::verify', 'nodes' => $nodes, 'path' => '/health')
}
