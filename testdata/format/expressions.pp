$a=1+2*-3
$b  =  ( $a-1 )/2
$cde=!$a and ( $b or !$c )
$h={'a'=>1,b=>[1,2 , 3],}
$e={ }
$l=[ ]
$v=$h['a']['b'][ 0 , 1 ]
$m = $l.map|$x|{ $x*2 }.filter |Integer $i,String *$rest| { $i>1 }
$s="text ${h['a']  } ${ $l.map |$x| { $x } }  and   ${x}"
$t = $a ?{ 1=>'one',/^t w/ => 'two', default=>undef }
$u = if $a==1 {'x'} else{'y'}
$w = $a in [1,2] ? { true => 1, default => 2 }
notice $a,$b
notice ( $a )
include foo , bar
include ['a','b']
$r = foo( $a , *$l ) . upcase( )
$long = $a
+ $b
      + $c
$chain = $l
.map |$x| {
$x + 1
}
    .reduce |$m, $x| { $m+$x }
type Foo::Bar=Variant[String[1],Integer[ 0,default ],Struct[{'a'=>String,Optional['b']=>Integer}]]
type Foo::Enum = Enum[
'a',
    'b'
]
function foo::bar (String $x,Integer *$rest)>>Array[String]{
[ $x ] }
$x1 = $a << 2 >> 1
$x2 = $a =~ /a b/ or $b !~ Foo
[$p,$q] = [1,2]
$n = - $a
$d = $a.b.c
