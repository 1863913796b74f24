# needs: mount cc
# environment: LD_LIBRARY_PATH=%{work}/lib RUBYLIB=%{work}/lib
File { backup => false }
file { '/srv/t/new': content => "new\n" }
file { '/srv/t/new_file': ensure => file }
file { '/srv/t/new_directory': ensure => directory }
file { '/srv/t/new_link': ensure => link, target => '/srv/t/same' }
file { '/srv/t/given': ensure => file, seltype => 'given_t', selrange => 's0:c1' }
file { '/srv/t/ignored': ensure => file, selinux_ignore_defaults => true }
file { '/srv/t/ignored_given': ensure => file, selinux_ignore_defaults => true, seluser => 'user_u' }
file { '/srv/t/wrong': mode => '0600' }
file { '/srv/t/wrong_type': ensure => file, content => "new\n" }
file { '/srv/t/wrong_ignored': ensure => file, selinux_ignore_defaults => true }
file { '/srv/t/same': ensure => file }
file { '/srv/t/kept_directory': }
file { '/srv/t/kept_link': }
file { '/srv/t/no_policy': ensure => file }
file { '/srv/t/refused': ensure => file, seltype => 'refused_t' }
file { '/srv/t/gone': ensure => absent }
file { '/srv/t/tree': ensure => directory, recurse => true, source => '/srv/t/source' }
file { '/srv/t/tree2': ensure => directory, recurse => true, seltype => 'given_t' }
file { '/srv/t/nfs/x': ensure => file, seltype => 'given_t' }
file { '/srv/t/named_range': ensure => file, selrange => 'SystemHigh' }
host { 'one.example.com': ip => '10.0.0.1', target => '/srv/t/hosts' }
file_line { 'line': path => '/srv/t/lines', line => 'one' }
