# needs: modules
user { 'wu1': expiry => '2031-12-31', password_min_age => '2', password_max_age => 99999, password_warn_days => '14' }
user { 'wu2': comment => 'Größe "quoted" \'single\' $x; `id`', password => 'newhash', shell => '/srv/t/shell' }
user { 'wu3': uid => 3001, home => '/home/moved', managehome => true }
user { 'wu4': uid => 3001, allowdupe => true, groups => ['video', 'audio'], membership => inclusive }
user { 'wu5': groups => ['video'], membership => minimum, gid => 'wtgb', shell => '/srv/t/noexec' }
user { 'wu6': groups => [], membership => inclusive, gid => 3001, expiry => absent }
user { 'wu7': groups => 'missing_group', comment => '', loginclass => 'staff', expiry => '2029-02-30' }
user { 'wu8': gid => 'missing_group', uid => '3108', password => '!', password_max_age => -1 }
user { 'wgone': ensure => absent }
user { 'wgone2': ensure => absent, managehome => true }
user { 'wnone': ensure => absent, managehome => true }
user { 'wn1': ensure => present, managehome => true, expiry => '2030-06-07', password => '*', password_min_age => 3, password_max_age => 30, password_warn_days => 4, home => '/home/wn_one', comment => 'a b, c' }
user { 'wn6': ensure => present, comment => 'a:b' }
user { 'wn2': ensure => present, system => true, shell => '/bin/bash', groups => ['video', 'audio'], comment => 'New' }
user { 'wn3': ensure => present, uid => 3002 }
user { 'wn4': ensure => present, uid => 3002, allowdupe => true, gid => 3000, expiry => absent }
user { 'wn5': ensure => present, password => '', gid => 'wtga' }
user { 'wtga': ensure => present }
user { 'bad name': ensure => present }
