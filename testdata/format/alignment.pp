$a   = 1
$abc = 2
$abcd = 3
# a comment
$x    = 4   # one
$yz   = 5   # two
$q = 6 # three

nova_config {
  'a/b':      value => 1;
  'a/b/c/d':  value => 2;
}
$h = {
  'a' => { 'x' => 1, 'yyy' => 2 },
  'bcde' => {
    'long' => 1,
    'x' => [
      { 'k' => 1 }, { 'kk' => 2 },
    ],
  },
  $key => 1, "${key}" => 2,
}
foo({
    'a' => 1,
    'bb' => 2 })
ensure_packages(['a'],
  {'ensure'=>'present'})
