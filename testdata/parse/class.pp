class a::b(String $x = "y", $z) inherits ::c { class d { define e { } } }
