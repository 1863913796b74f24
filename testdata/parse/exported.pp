@@file { a: b => 1 }
