# What the store is asked: titles, tags, parameters; exactly, and as they were kept.
define item($port = 80, $owner = undef, $list = [], $hash = {}) {
  notify { "${title} ${port}": }
}
node 'a1' {
  @@item { 'One': port => 80, owner => 'root', tag => ['Web', 'fra'] }
  @@item { 'two': port => '80', list => ['x', 'y'], tag => 'web::big' }
  @@item { 'three': port => 81, hash => { 'k' => 1 } }
  @@notify { 'plain': message => 'hello' }
}
class c {
  @@item { 'in class': owner => 'root' }
}
node 'a2' {
  tag('whole')
  include c
}
node 'all' { Item <<| |>> }
node 'title' { Item <<| title == 'One' |>> }
node 'title-case' { Item <<| title == 'one' |>> }
node 'title-not' { Item <<| title != 'One' |>> }
node 'tag' { Item <<| tag == 'WEB' |>> }
node 'tag-segment' { Item <<| tag == 'big' |>> }
node 'tag-class' { Item <<| tag == 'c' |>> }
node 'tag-not' { Item <<| tag != 'web' |>> }
node 'port-integer' { Item <<| port == 80 |>> }
node 'port-string' { Item <<| port == '80' |>> }
node 'port-not' { Item <<| port != 80 |>> }
node 'list-whole' { Item <<| list == 'x' |>> }
node 'and' { Item <<| owner == 'root' and port == 80 |>> }
node 'or' { Item <<| title == 'two' or title == 'three' |>> }
node 'mixed' { Item <<| (title == 'two' or owner == 'root') and tag != 'c' |>> }
node 'variable' { $x = 'three' Item <<| title == "${x}" |>> }
node 'unknown-parameter' { Item <<| nonsense == 1 |>> }
node 'other-type' { Notify <<| |>> }
node 'none' { File <<| |>> }
node 'two-collectors' {
  Item <<| title == 'One' |>>
  Item <<| port == 80 |>>
}
