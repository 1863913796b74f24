# needs: modules mount
User { forcelocal => true }
Group { forcelocal => true }
group { 'lg1': gid => 4000 }
group { 'lg2': ensure => absent }
group { 'lg3': members => ['lu1', 'root'], auth_membership => true }
group { 'lg4': members => ['lu4'], forcelocal => false }
group { 'lg5': gid => 3000 }
group { 'ln1': gid => 4001, members => ['lu1', 'lu3'] }
group { 'ln2': gid => 4001 }
group { 'ln3': gid => 4001, allowdupe => true, system => true }
group { 'ln4': members => 'nobody_there' }
user { 'lu1': uid => 4100, comment => 'forced', shell => '/bin/sh', home => '/nowhere', gid => 'lg4' }
user { 'lu2': uid => 3000, groups => 'video', expiry => '2030-01-02', password_max_age => 20 }
user { 'lu3': uid => 3001 }
user { 'lu4': ensure => absent, managehome => true }
user { 'ln5': ensure => present, uid => 3001 }
user { 'ln6': ensure => present, uid => 4200, groups => ['audio', 'video'], expiry => '2031-01-02', password_min_age => 2, managehome => true }
user { 'ln7': ensure => present, uid => 4200, allowdupe => true, system => true }
