# What all nodes have, and what each of them is.
File {
  owner => 'root',
}
Package {
  ensure   => installed,
  loglevel => 'info',
}

stage { 'early': before => Stage['main'] }

node 'app1.example.com' {
  class { 'base::early':
    stage => 'early',
  }
  class { 'app':
    port     => 8080,
    loglevel => 'debug',
  }
  include base::hardened
}

node 'plain.example.com' {
  class { 'base':
    motd => 'plain',
  }
  base::line { 'banner':
    text     => $trusted['certname'],
    loglevel => 'debug',
  }
}
