$a.b.c(1) |$x, Integer $y = 2, *$z| >> String { $x }[0].type
