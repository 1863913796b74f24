# needs: mount modules http
file { '/srv/t/sha': source => 'http://127.0.0.1:HTTPPORT/sha', mode => '0600' }
file { '/srv/t/same': source => 'http://127.0.0.1:HTTPPORT/sha' }
file { '/srv/t/md5': source => ['http://127.0.0.1:HTTPPORT/none', 'http://127.0.0.1:HTTPPORT/md5'] }
file { '/srv/t/wrong': source => 'http://127.0.0.1:HTTPPORT/wrong' }
file { '/srv/t/old': source => 'http://127.0.0.1:HTTPPORT/old' }
file { '/srv/t/older': source => 'http://127.0.0.1:HTTPPORT/old' }
file { '/srv/t/new': source => 'http://127.0.0.1:HTTPPORT/new' }
file { '/srv/t/redirect': source => 'http://127.0.0.1:HTTPPORT/redirect', checksum => 'md5' }
file { '/srv/t/nohead': source => 'http://127.0.0.1:HTTPPORT/nohead' }
file { '/srv/t/fails': source => 'http://127.0.0.1:HTTPPORT/fails' }
file { '/srv/t/none': source => 'http://127.0.0.1:HTTPPORT/none' }
file { '/srv/t/many': ensure => directory, recurse => true, max_files => 1, mode => '0700' }
file { '/srv/t/few': ensure => directory, recurse => true, max_files => 2, mode => '0700' }
file { '/srv/t/label': content => 'x', seltype => 'etc_t', selinux_ignore_defaults => true }
concat_file { '/srv/t/y': tag => 'y', format => 'yaml' }
concat_fragment { 'y1': tag => 'y', content => "a: 1\nl: [x, 'yes']\nh:\n  b: true\n", order => 1, target => '/srv/t/y' }
concat_fragment { 'y2': tag => 'y', content => "h:\n  c: ~\nl: [x, z]\nd: 2020\n", order => 2, target => '/srv/t/y' }
concat_file { '/srv/t/j': tag => 'j', format => 'json-pretty', ensure_newline => true }
concat_fragment { 'j1': content => '{"a": [1], "n": {"x": 1.0}}', target => '/srv/t/j' }
concat_fragment { 'j2': content => '{"a": [2, 1], "n": {"y": null}}', target => '/srv/t/j' }
concat_file { '/srv/t/ja': tag => 'ja', format => 'json-array' }
concat_fragment { 'ja1': content => '{"a": 1}', target => '/srv/t/ja' }
concat_fragment { 'ja2': content => '["b"]', target => '/srv/t/ja' }
concat_file { '/srv/t/force': tag => 'force', format => 'json', force => true, order => 'alpha' }
concat_fragment { 'f1': content => '{"a": 1}', target => '/srv/t/force', order => '10' }
concat_fragment { 'f2': content => '{"a": 2}', target => '/srv/t/force', order => '9' }
