# needs: modules
# args: --show_diff
file_line { 'a': ensure => present, path => '/srv/t/f1', line => 'new', append_on_no_match => true, match => '^nothing', provider => ruby }
file_line { 'b': ensure => present, path => '/srv/t/f1', line => 'key=9', match => '^key=1', multiple => false, replace => true }
file_line { 'c': ensure => present, path => '/srv/t/f2', line => 'key=9', match => '^key=', multiple => true, replace_all_matches_not_matching_line => true }
file_line { 'd': ensure => absent, path => '/srv/t/f3', line => 'two', match_for_absence => false, match => '^rm' }
file_line { 'e': ensure => present, path => '/srv/t/f4', line => 'mid', after => '^two', multiple => true, replace_all_matches_not_matching_line => false }
file_line { 'f': ensure => present, path => '/srv/t/latin', line => 'gr', encoding => 'iso8859-1' }
file_line { 'g': ensure => absent, path => '/srv/t/f5', match => '^rm', match_for_absence => true, multiple => false }
ini_setting { 'i1': ensure => present, path => '/srv/t/x.ini', section => 'main', setting => 'c', value => '3', indent_char => "\t", indent_width => 2, show_diff => true }
ini_setting { 'i2': ensure => present, path => '/srv/t/x.ini', section => 'main', setting => 'a', value => '2', show_diff => false }
ini_setting { 'i3': ensure => present, path => '/srv/t/x.ini', section => 'other', setting => 'k', value => 'w', show_diff => md5 }
ini_setting { 'i4': ensure => present, path => '/srv/t/x.ini', section => 'forced', force_new_section_creation => true }
ini_setting { 'i5': ensure => present, path => '/srv/t/x.ini', section => 'unforced', force_new_section_creation => false }
ini_setting { 'i6': ensure => present, path => '/srv/t/x.ini', section => 'forced2', force_new_section_creation => yes }
ini_setting { 'i7': ensure => present, path => '/srv/t/x.ini', section => 'unforced2', force_new_section_creation => no }
ini_setting { 'i8': ensure => present, path => '/srv/t/y.ini', section => 'main', setting => 'b', value => '2', section_prefix => '<', section_suffix => '>' }
ini_setting { 'r1': ensure => present, path => '/srv/t/r.ini', section => 's', setting => 'a', value => '1', refreshonly => true, subscribe => Notify['go'] }
ini_setting { 'r2': ensure => present, path => '/srv/t/r.ini', section => 's', setting => 'b', value => '1', refreshonly => true }
ini_setting { 'r3': ensure => present, path => '/srv/t/r.ini', section => 's', setting => 'c', value => '1', refreshonly => false }
ini_setting { 'r4': ensure => present, path => '/srv/t/r.ini', section => 's', setting => 'd', value => '1', refreshonly => yes }
ini_setting { 'r5': ensure => present, path => '/srv/t/r.ini', section => 's', setting => 'e', value => '1', refreshonly => no, provider => ruby }
ini_subsetting { 's1': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-Xmx', value => '512m', quote_char => '"', key_val_separator => '=', show_diff => true }
ini_subsetting { 's2': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-first', insert_type => start, quote_char => '"', key_val_separator => '=', show_diff => false }
ini_subsetting { 's3': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-last', insert_type => end, quote_char => '"', key_val_separator => '=', show_diff => md5 }
ini_subsetting { 's4': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-before', insert_type => before, insert_value => '-Xms', quote_char => '"', key_val_separator => '=' }
ini_subsetting { 's5': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-after', insert_type => after, insert_value => '-Xms', quote_char => '"', key_val_separator => '=' }
ini_subsetting { 's6': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-at', insert_type => index, insert_value => '1', quote_char => '"', key_val_separator => '=' }
ini_subsetting { 's7': ensure => absent, path => '/srv/t/z.conf', section => '', setting => 'EMPTY', subsetting => '-x', delete_if_empty => false, quote_char => '"', key_val_separator => '=' }
ini_subsetting { 's8': ensure => absent, path => '/srv/t/z.conf', section => '', setting => 'plain', subsetting => 'a', use_exact_match => true }
ini_subsetting { 's9': ensure => present, path => '/srv/t/z.conf', section => '', setting => 'JAVA_ARGS', subsetting => '-XX', subsetting_key_val_separator => ':', value => 'a=/c', use_exact_match => false, quote_char => '"', key_val_separator => '=', provider => ruby }
notify { 'go': }
