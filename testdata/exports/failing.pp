# Nodes that do not compile leave what they exported before as it was; what cannot be collected fails.
define item($p, $must = undef) { notify { "item ${title} ${p}": } if $p == 'bad' { fail("bad ${title}") } }
define strict(Integer $n) { notify { "strict ${title}": } }
node 'good' {
  @@item { 'one': p => 1 }
  @@item { 'bad': p => 'bad' }
  @@strict { 'text': n => 1 }
}
node 'broken' {
  @@item { 'never': p => 2 }
  fail('on purpose')
}
node 'takes-one' { Item <<| title != 'bad' |>> }
node 'takes-bad' { Item <<| title == 'bad' |>> }
node 'wrong-override' { Item <<| title == 'one' |>> { nothing => 1 } }
node 'wrong-type' { Strict <<| |>> { n => 'x' } }
node 'wrong-query' { Item <<| nothing == 1 |>> }
node 'regular-expression' { Item <<| title == /o/ |>> }
node 'number-title' { Item <<| title == 1 |>> }
