1 == 1
notify { 'x': }
