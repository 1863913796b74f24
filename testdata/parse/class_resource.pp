class { 'a': ; 'b': if => 1 }
