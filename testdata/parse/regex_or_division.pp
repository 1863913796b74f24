$a / $b / $c if /x/ { }
