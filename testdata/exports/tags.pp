# Tags of exported resources: of classes, defines, nodes, the function, the metaparameter, and what collects by them.
define item($p = 0) { notify { "item ${title}": } }
define group_of() {
  tag('in_define')
  @@item { "${title} a": }
  @@item { "${title} b": tag => ['Own', 'with::parts', 'b.c-d_e'] }
}
class site::web::front {
  tag('by_function', 'Another::One')
  @@item { 'front': tag => 'x' }
  group_of { 'front group': }
}
class site::web { contain site::web::front }
node 'exporter.example.com' {
  tag('of_node')
  include site::web
  group_of { 'node group': tag => 'given' }
}
node 'by-class' { Item <<| tag == 'site::web::front' |>> }
node 'by-class-part' { Item <<| tag == 'front' |>> }
node 'by-container' { Item <<| tag == 'site::web' |>> }
node 'by-define' { Item <<| tag == 'group_of' |>> }
node 'by-node' { Item <<| tag == 'of_node' |>> }
node 'by-certname' { Item <<| tag == 'exporter.example.com' |>> }
node 'by-function' { Item <<| tag == 'another::one' |>> }
node 'by-function-case' { Item <<| tag == 'Another::One' |>> }
node 'by-own' { Item <<| tag == 'own' |>> }
node 'by-own-case' { Item <<| tag == 'OWN' |>> }
node 'by-parts' { Item <<| tag == 'parts' |>> }
node 'by-odd' { Item <<| tag == 'b.c-d_e' |>> }
node 'by-given' { Item <<| tag == 'given' and tag != 'own' |>> }
node 'by-type' { Item <<| tag == 'item' and (tag == 'x' or tag == 'in_define') |>> }
node 'tagged-collector' {
  tag('collector_tag')
  Item <<| tag == 'x' |>> { tag +> 'added' }
  Item <| tag == 'added' |> { p => 1 }
}
