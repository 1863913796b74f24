File { backup => false }
Exec { path => ['/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'] }
stage { 'early': before => Stage['main'] }
node /^db\d/ { fail('no node of this repository has this name') }
node default {
  include "role::${facts['role']}"
}
