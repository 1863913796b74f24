# Queues and the units that serve them.
class profiles::worker (
  Hash[String[1], Struct[{ processes => Integer[1], Optional[nice] => Integer[-20, 19] }]] $queues = {},
) {
  $queues.each |$queue, $spec| {
    Integer[1, $spec['processes']].each |$n| {
      service_unit { "worker-${queue}-${n}":
        command     => "/usr/bin/worker --queue ${queue}",
        environment => { 'WORKER' => $n, 'NICE' => $spec.get('nice', 0) },
      }
    }
  }
}
