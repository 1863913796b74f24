!$a and $b or $c == 1 < 2
