# Exported resources are virtual where they are declared; realize, collectors of both kinds, defaults and overrides there.
define item($p = 0, $q = undef) { notify { "item ${title} ${p}": } }
class exports {
  Item { q => 'default' }
  @@item { 'plain': }
  @@item { 'realized': p => 1 }
  @@item { 'collected': p => 2 }
  @@item { 'overridden': p => 3 }
  @item { 'virtual': p => 4 }
  item { 'real': p => 5 }
}
class exports::child inherits exports {
  Item['overridden'] { p => 33 }
}
node 'exporter' {
  include exports::child
  realize(Item['realized'])
  realize Item['virtual']
  Item <<| title == 'collected' |>> { q => 'collected here' }
}
node 'other' {
  Item <<| |>>
}
node 'virtual-only' {
  @item { 'plain': p => 'my own' }
  Item <| p == 'my own' |>
  Item <<| title == 'overridden' |>>
}
node 'collected-twice' {
  Item <<| p == 1 |>> { q => 'first' }
  Item <<| title == 'realized' |>>
}
node 'override-twice' {
  Item <<| title == 'plain' |>> { q => 'first' }
  Item <<| title == 'plain' |>> { q => 'second' }
}
