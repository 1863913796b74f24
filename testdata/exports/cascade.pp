# A collected define exports in its turn; what it exports belongs to the node that collected it.
define first($n = 1) {
  notify { "first ${title}": }
  @@second { "${title} of ${trusted['certname']}": n => $n }
}
define second($n = 1, $from = undef) {
  notify { "second ${title} ${n}": }
  if $n < 3 { @@third { $title: } }
}
define third() { notify { "third ${title}": } }
node 'one' { @@first { 'one': n => 2 } @@first { 'far': n => 3 } }
node 'two' { First <<| |>> }
node 'three' { Second <<| n == 2 |>> }
node 'four' { Third <<| |>> Second <<| n != 2 |>> }
node 'own-later' {
  First <<| title == 'one' |>>
  Second <<| |>>
  Second <| |>
}
