if a { } -1
