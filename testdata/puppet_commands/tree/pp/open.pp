if true {
  notify { 'y': }
