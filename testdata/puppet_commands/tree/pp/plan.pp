plan m::upgrade(TargetSpec $targets, Boolean $noop = false) {
  $found = run_task('m::look', $targets, 'name' => 'x')
  $targets.apply_prep
  apply($targets, '_noop' => $noop) {
    include m
    file { '/tmp/x': ensure => file }
    File <| title == '/tmp/x' |> -> Notify['done']
  }
  return $found
}
