# Accounts by create_resources, with splats, defaults of attributes, and several bodies in one expression.
$people = { 'ann' => { 'uid' => 1001, 'groups' => ['a', 'b'] }, 'bob' => { 'uid' => '1002', 'ensure' => 'absent' } }
node 'directory' {
  create_resources('@@user', $people, { 'shell' => '/bin/sh', 'tag' => 'people' })
  @@user {
    default: managehome => true, tag => 'people';
    'cid': * => { 'uid' => 1003, 'home' => '/srv/cid' };
    ['dan', 'eve']: password => Sensitive('x');
  }
  @@group { 'a': gid => 500, members => ['ann'] }
  @@package { ['vim', 'git']: ensure => installed }
  @@service { 'ssh': ensure => true, enable => true, provider => systemd }
  @@schedule { 'night': range => '2 - 4', period => daily }
  @@cron_like { 'job': hour => [1, 2], minute => '*/5' }
  @@exec { 'setup': command => ['/bin/echo', 'a b'], environment => ['A=1', 'B=2'], path => '/bin:/usr/bin', timeout => 0, returns => [0, 3], unless => ['/bin/false', '/bin/true'] }
  @@tidy { '/tmp/old': age => '1w', recurse => 2, matches => ['*.tmp'] }
}
define cron_like($hour, $minute) { notify { "${title} ${hour} ${minute}": } }
node 'machine' {
  User <<| tag == 'people' |>> { require => Group['a'] }
  Group <<| |>>
}
node 'only-ann' { User <<| title == 'ann' and uid == 1001 |>> }
node 'packages' {
  Schedule <<| |>>
  Package <<| |>> { schedule => 'night' }
  Service <<| |>> { subscribe => Package['vim'] }
}
node 'rest' {
  Exec <<| |>>
  Tidy <<| |>>
  Cron_like <<| hour == 1 |>>
}
