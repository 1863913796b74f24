function m::twice(Integer $x) { $x * 2 }
