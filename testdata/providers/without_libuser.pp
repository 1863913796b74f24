# needs: modules
# Without libuser's tools forcelocal and members are not managed.
group { 'lg1': gid => 3001, forcelocal => true, members => ['lu1', 'nobody_there'], auth_membership => true }
group { 'ln1': ensure => present, gid => 3002, forcelocal => true, members => 'lu1', system => true, allowdupe => true }
user { 'lu1': comment => 'new', forcelocal => true, groups => 'audio' }
user { 'ln2': ensure => present, forcelocal => true, uid => 3005 }
