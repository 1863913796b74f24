# Where collected resources stand: classes, defines, contained classes; their tags and edges there.
define leaf($p = 1) { file { "/leaf/${title}": ensure => file, content => "${p}" } }
define branch() { Leaf <<| tag == $title |>> }
class inner { Leaf <<| tag == 'inner' |>> }
class outer { contain inner notify { 'outer': require => Class['inner'] } }
class twice { Leaf <<| tag == 'inner' |>> Leaf <<| tag == 'red' |>> }
node 'exporter' {
  @@leaf { ['i1', 'i2']: tag => 'inner' }
  @@leaf { 'r1': tag => 'red' }
  @@leaf { 'rg': tag => ['red', 'green'] }
}
node 'classes' { include outer }
node 'defines' { branch { ['red', 'green']: } }
node 'both' { include outer include twice }
node 'virtual-branch' { @branch { 'red': } Branch <| |> }
