if $a{
notice(1) } elsif $b
  and $c
{ notice(2)
}
else
{
notice(3)
}
unless $x { $y = 1 } else { $y = 2 }
case $x
{
'a','b' :{ notice(1) }
  /c/,
  'd': { notice(2); notice(3) }
    default: { }
}
case $x { 'a': { } default: { fail('x') } }
node 'a.b' , /x/ , default{ include a }
node web.example.com { }
$x.each|$k,$v|{
notice($k) notice($v)
}
class a::b inherits a::params { }
class a::c(String $a='x',
Integer $bcd=1) inherits a { }
class a::d (
  String           $a     = 'x',
  Optional[String] $b     = undef,
  Variant[Integer, String, Array[Variant[Integer, String]]] $odd = 1,
  Integer          $c
) { }
