# What holds everywhere.
File {
  owner => 'root',
  group => 'root',
}
Exec {
  path => ['/usr/bin', '/bin', '/usr/sbin', '/sbin'],
}

node 'web1.example.net', 'web2.example.net' {
  include role::web
}

node /^queue\d+\.example\.net$/ {
  include role::queue
}

node 'db.example.net' {
  include role::database
}

node 'edge.example.net' {
  include role::edge
}

node default {
  include profile::base
}
