# needs: modules openstack
ini_subsetting { 'heap': path => '/srv/t/d', setting => 'ARGS', subsetting => '-Xmx', value => '512m' }
ini_subsetting { 'gone': ensure => absent, path => '/srv/t/d', setting => 'ARGS', subsetting => '-d' }
ini_subsetting { 'new': path => '/srv/t/d', section => 's', setting => 'opts', subsetting => 'x', value => '=1', subsetting_separator => ',', quote_char => '"' }
ini_subsetting { 'exact': path => '/srv/t/d', setting => 'LIST', subsetting => 'ab', use_exact_match => true, insert_type => before, insert_value => 'abc' }
ini_subsetting { 'last': ensure => absent, path => '/srv/t/d', setting => 'ONE', subsetting => 'y', delete_if_empty => true }
ini_subsetting { 'same': path => '/srv/t/d', setting => 'SAME', subsetting => 'k', subsetting_key_val_separator => ':', value => 'v' }
nova_config { 'DEFAULT/debug': value => true }
nova_config { 'DEFAULT/many': value => ['b', 'c'] }
nova_config { 'DEFAULT/secret': value => 'new', secret => true }
nova_config { 'DEFAULT/commented': value => 'set' }
nova_config { 'api/gone': ensure => absent }
nova_config { 'api/default': value => '<SERVICE DEFAULT>' }
nova_config { 'api/kept': value => '<_IMMUTABLE_>' }
nova_config { 'fresh/one': value => 1 }
nova_config { 'fresh/two': value => 'x y' }
nova_config { 'plain/s': value => Sensitive('hidden') }
keystone_config { 'DEFAULT/debug': value => 'FALSE' }
keystone_config { 'token/expiration': value => 3600 }
glance_api_paste_ini { 'filter:x/k': value => 'v' }
ceph_config { 'global/fsid': value => 'abc' }
ceph_config { 'osd/x': value => 'y', path => '/srv/t/ceph.conf' }
libvirtd_config { 'listen_tls': value => 0 }
libvirtd_config { 'auth': value => 'none', quote => true }
resources { 'neutron_config': purge => true }
neutron_config { 'a/keep': value => 'k' }
