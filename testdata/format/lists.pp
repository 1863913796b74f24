$a = ['a',
      'b',
      'c']
$b = [
  'a', 'b',
  'c' ]
$c = foo('a',
  'b')
$d = foo(
  'a',
  'b')
$e = [{ 'a' => 1 },
  { 'b' => 2 }]
$f = [{
  'a' => 1 }, {
  'b' => 2 }]
$g = $x ? { default => [
  1 ] }
class x (
  $a
  , $b
  , $c = 1
) { }
$i = foo({
    'a' => 1,
  }
)
$j = [{
    'a' => 1,
  }, {
    'b' => 1,
  }
]
if ($a
    and $b) or
($c and
$d) {
  notice(1)
}
