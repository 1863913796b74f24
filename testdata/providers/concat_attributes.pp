# needs: modules
concat_file { '/srv/t/c1': ensure => present, owner => 'www-data', group => 'www-data', mode => '0640', order => numeric, format => plain, ensure_newline => false, backup => '.old', show_diff => false }
concat_file { '/srv/t/c2': ensure => present, replace => false, order => alpha, ensure_newline => no }
concat_file { '/srv/t/c3': ensure => present, replace => true, ensure_newline => yes, validate_cmd => '/bin/grep -q two %', show_diff => true, selinux_ignore_defaults => true }
concat_file { '/srv/t/c4': ensure => present, replace => yes, validate_cmd => '/bin/grep -q nothing %', show_diff => no, selinux_ignore_defaults => no }
concat_file { '/srv/t/c5': ensure => present, replace => no, show_diff => yes, selinux_ignore_defaults => yes, seluser => 'u', selrole => 'r', seltype => 't', selrange => 's0' }
concat_file { '/srv/t/c6': format => 'json-array-pretty', force => true, selinux_ignore_defaults => false }
concat_file { '/srv/t/c7': format => 'yaml', force => no }
concat_file { '/srv/t/c8': format => 'json-pretty', force => yes }
concat_file { '/srv/t/c9': format => 'json', force => false }
['c1', 'c2', 'c3', 'c4', 'c5'].each |$c| {
  concat_fragment { "${c} 10": target => "/srv/t/${c}", order => '10', content => 'ten' }
  concat_fragment { "${c} 2": target => "/srv/t/${c}", order => 2, content => 'two' }
}
['c6', 'c7', 'c8', 'c9'].each |$c| {
  concat_fragment { "${c} 1": target => "/srv/t/${c}", order => '1', content => '{"a": 1, "b": [1, 2]}' }
  concat_fragment { "${c} 2": target => "/srv/t/${c}", order => '2', content => '{"c": {"d": null}, "b": [3]}' }
}
concat { '/srv/t/by_define': ensure => present, order => 'numeric', warn => true, ensure_newline => true, owner => 'root', mode => '0600' }
concat::fragment { 'one': target => '/srv/t/by_define', content => 'one', order => '01' }
