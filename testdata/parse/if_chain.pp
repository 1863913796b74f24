if $a { 1 } elsif $b { 2 3 } else { }
