# What each native type relates itself to, and what it adds before the run. Those that are waited for are declared last.
# moments.json is its catalog, compiled with the modules concat, archive, vcsrepo, stdlib, inifile and the core ones; moments.dot is Puppet's.
package { ['git', 'git-core', 'mercurial', 'subversion', 'mysql-server']: }
vcsrepo { '/nowhere/repo': ensure => present, provider => git }
archive { '/nowhere/down/a.tgz': extract => true, extract_path => '/nowhere/out', source => 'http://127.0.0.1/a.tgz' }
exec { 'files':
  command => "/nowhere/bin/a one\n/nowhere/bin/b\n\"/nowhere/bin/c d\" two",
  cwd     => '/nowhere/cwd',
  onlyif  => ['/nowhere/bin/only x', "\"/nowhere/bin/quoted\" x"],
  unless  => [['/nowhere/bin/not', 'y'], '/nowhere/bin/never'],
  creates => '/nowhere/created',
  user    => 'someone',
}
exec { 'install_gsutil': command => '/bin/true', user => '0' }
exec { 'install_aws_cli': command => '/bin/true' }
file { '/nowhere/tree/deep/leaf': ensure => file, owner => 'someone', group => 'someones', content => '' }
file { '/nowhere/link': ensure => link, target => '/nowhere/bin/a', owner => '0', group => 0 }
file_line { 'line': path => '/nowhere/bin/a', line => 'x' }
ini_setting { 'ini': path => '/nowhere/tree/x.ini', section => 's', setting => 'a', value => 'b' }
ini_subsetting { 'sub': path => '/nowhere/tree/y.ini', section => 's', setting => 'a', subsetting => 'b', value => 'c' }
package { 'local': ensure => present, provider => dpkg, source => '/nowhere/bin/a', responsefile => '/nowhere/bin/b', adminfile => '/nowhere/bin/c d' }
user { 'someone': gid => 'someones', groups => ['second', 'first'], home => '/nowhere/tree' }
user { 'numbered': gid => 4711, managehome => true, home => '/nowhere/cwd' }
user { 'texted': gid => '4711' }
ssh_authorized_key { 'key': ensure => present, user => 'someone', type => 'ssh-rsa', key => 'AAAA' }
cron { 'job': command => '/nowhere/bin/a', user => 'someone' }
mount { '/nowhere/tree/deep': ensure => mounted, device => '/nowhere/bin/a', fstype => 'none', atboot => true }
mount { '/nowhere/tree': ensure => mounted, device => 'tmpfs', fstype => 'tmpfs', atboot => true }
concat_file { '/nowhere/tree/whole': owner => 'someone', tag => ['t1', 't2'] }
concat_fragment { 'part': target => '/nowhere/tree/whole', content => 'x' }
concat { '/nowhere/tree/defined': group => 'someones' }
concat::fragment { 'defined part': target => '/nowhere/tree/defined', source => '/nowhere/bin/a' }
concat_file { '/nowhere/declared': }
file { '/nowhere/declared': before => Concat_file['/nowhere/declared'] }
augeas { 'tree': context => '/files/nowhere/bin/a', changes => 'set x y' }
host { 'h.example.com': ip => '10.0.0.1', target => '/nowhere/bin/a' }
mailalias { 'm': recipient => 'someone', target => '/nowhere/bin/a' }
sshkey { 'k': key => 'AAAA', type => 'ssh-rsa', target => '/nowhere/bin/a' }
service { 's': ensure => running, path => '/nowhere/bin' }
tidy { '/nowhere/tree/tidied': recurse => true }
group { 'members': members => ['someone'], auth_membership => false }
yumrepo { 'y': target => '/nowhere/bin/a', descr => 'd' }
notify { 'n': }
schedule { 'sched': }
filebucket { 'b': path => '/nowhere/bin' }
group { ['someones', 'first', 'second']: }
group { 'gid': gid => '4711' }
user { 'root': }
file { ['/nowhere', '/nowhere/tree', '/nowhere/tree/deep', '/nowhere/down', '/nowhere/out', '/nowhere/cwd', '/nowhere/bin']: ensure => directory }
file { ['/nowhere/bin/a', '/nowhere/bin/b', '/nowhere/bin/c d', '/nowhere/bin/only', '/nowhere/bin/quoted', '/nowhere/bin/not', '/nowhere/bin/never']: }
file { ['/root/.aws/config', '/root/.aws/credentials', '/nowhere/created', '/nowhere/tree/deep/er']: }
