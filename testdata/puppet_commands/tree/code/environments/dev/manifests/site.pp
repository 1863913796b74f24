notify { 'dev': }
