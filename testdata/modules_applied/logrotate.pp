# again: 4, the module names a directory that only its package makes
include logrotate::base
logrotate::rule { 'app': path => ['/var/log/app/*.log', '/var/log/app2.log'], rotate => '5', rotate_every => 'day', postrotate => ['kill -HUP 1', 'true'], compress => true, create => true, create_mode => '0640', create_owner => 'root', create_group => 'adm' }
logrotate::rule { 'hour': path => '/var/log/hour', rotate_every => 'hour' }
