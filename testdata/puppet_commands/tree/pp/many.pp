class a($x, $x) { $y = 1 $y = 2 }
class B { }
