# Collectors whose conditions come from variables and loops, and functions over what is collected.
define peer($zone, $rank) { notify { "peer ${title}": } }
$zones = ['north', 'south']
node 'n1' { @@peer { $trusted['certname']: zone => 'north', rank => 1 } }
node 'n2' { @@peer { $trusted['certname']: zone => 'north', rank => 2 } }
node 's1' { @@peer { $trusted['certname']: zone => 'south', rank => 1 } }
node 'loop' {
  $zones.each |$z| { Peer <<| zone == $z and rank == 1 |>> { rank => 10 } }
}
node 'variable' {
  $want = { 'zone' => 'south' }
  $rank = 1 + 0
  $zone = $want['zone']
  Peer <<| zone == $zone and rank == $rank |>>
}
node 'interpolated' {
  $side = 'nor'
  Peer <<| zone == "${side}th" |>>
}
node 'asks' {
  Peer <<| zone == 'north' |>>
  notify { 'known': message => String(defined(Peer['n1'])) }
}
node 'itself' {
  @@peer { 'itself': zone => 'west', rank => 0 }
  Peer <<| zone == 'west' or rank == 2 |>>
}
