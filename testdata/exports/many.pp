# Some hundred resources of each node, and conditions with many parts.
define row(Integer $n, String $kind, $parity) { if $n == 1 { notify { "row ${title}": } } }
class rows(Integer $from, String $kind) {
  Integer[$from, $from + 149].each |$n| {
    @@row { "row-${n}": n => $n, kind => $kind, parity => $n % 2 ? { 0 => 'even', default => 'odd' }, tag => "mod${$n % 10}" }
  }
}
node 'rows1' { class { 'rows': from => 1, kind => 'low' } }
node 'rows2' { class { 'rows': from => 1001, kind => 'high' } }
node 'all' { Row <<| |>> }
node 'some' { Row <<| (kind == 'low' and parity == 'odd' and (tag == 'mod1' or tag == 'mod3')) or n == 1001 or (n == 1002 and parity != 'odd') |>> }
node 'many-titles' {
  Row <<| title == 'row-3' or title == 'row-5' or title == 'row-7' or title == 'row-11' or title == 'row-13' or title == 'row-1017' or title == 'row-19' or title == 'row-9999' or title == 'row-23' or title == 'row-29' |>>
}
node 'not-many' { Row <<| kind != 'low' and tag != 'mod0' and tag != 'mod1' and tag != 'mod2' and tag != 'mod3' and tag != 'mod4' and tag != 'mod5' and tag != 'mod6' |>> }
