class c { class d { } }
define e() { }
function f() { 1 }
type G = Integer
