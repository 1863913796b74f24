# needs: modules
group { 'dupe': gid => 0, allowdupe => true }
group { 'nodupe': gid => 4500, allowdupe => false }
group { 'members': members => ['wtb', 'wtc'], auth_membership => true }
group { 'adm': members => 'wtc', auth_membership => false, provider => groupadd }
group { 'local': ensure => present, forcelocal => true }
group { 'notlocal': ensure => present, forcelocal => false, system => false }
group { 'sys': ensure => present, system => yes, attributes => ['a=b'], attribute_membership => minimum, ia_load_module => 'files' }
group { 'nosys': ensure => present, system => no, allowdupe => no, attribute_membership => inclusive }
user { 'dupe': uid => 0, allowdupe => true, home => '/nowhere' }
user { 'nodupe': uid => 4501, allowdupe => false, provider => useradd }
user { 'local': ensure => present, uid => 4502, forcelocal => true, groups => ['audio'], comment => 'l' }
user { 'notlocal': ensure => present, uid => 4503, forcelocal => false, managehome => false, system => false }
user { 'ages': ensure => present, uid => 4504, password => 'x', password_min_age => 3, password_max_age => 30, password_warn_days => 5 }
user { 'wtc': password_min_age => 1, password_warn_days => 9, groups => ['video'], membership => minimum }
user { 'keys': ensure => present, uid => 4505, purge_ssh_keys => false, managehome => no }
user { 'sysno': ensure => present, uid => 4506, system => no, loginclass => 'x', salt => 'x', iterations => 1, keys => { 'a' => 'b' }, key_membership => minimum, profiles => 'p', profile_membership => inclusive }
user { 'others': ensure => present, uid => 4507, auths => 'a', auth_membership => minimum, roles => 'r', role_membership => inclusive, project => 'p', attributes => 'a=b', attribute_membership => minimum, ia_load_module => 'files' }
user { 'others2': ensure => present, uid => 4508, key_membership => inclusive, profile_membership => minimum, auth_membership => inclusive, role_membership => minimum, attribute_membership => inclusive }
