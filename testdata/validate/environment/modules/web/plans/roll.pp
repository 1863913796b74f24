# Reloads one server after the other.
plan web::roll (
  TargetSpec $targets,
  Boolean    $graceful = true,
) {
  $targets.apply_prep
  get_targets($targets).each |$target| {
    $report = apply($target) {
      include base
      file { '/run/web.reloading':
        ensure => file,
        mode   => '0644',
      }
    }
    $results = run_task('web::reload', $target, 'graceful' => $graceful, 'timeout' => 30)
    out::message("${target.name}: ${results.ok_set.names} ${report}")
  }
}
