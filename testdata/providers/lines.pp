# needs: modules
file_line { 'a': path => '/srv/t/f1', line => 'new line' }
file_line { 'b': path => '/srv/t/f1', line => 'key=2', match => '^key=' }
file_line { 'c': path => '/srv/t/f1', line => 'after', after => '^two' }
file_line { 'd': path => '/srv/t/f1', line => 'gone', ensure => absent }
file_line { 'e': path => '/srv/t/f1', ensure => absent, match => '^rm', match_for_absence => true, multiple => true }
file_line { 'f': path => '/srv/t/f1', line => 'dup=x', match => '^dup' }
file_line { 'g': path => '/srv/t/missing', line => 'x' }
file_line { 'h': path => '/srv/t/f1', line => 'nope', match => '^nomatch', append_on_no_match => false }
file_line { 'i': path => '/srv/t/f1', line => 'rep=9', match => '^rep', replace => false }
ini_setting { 'i1': path => '/srv/t/x.ini', section => 'main', setting => 'a', value => '2' }
ini_setting { 'i2': path => '/srv/t/x.ini', section => 'main', setting => 'new', value => 'v w' }
ini_setting { 'i3': path => '/srv/t/x.ini', section => 'other', setting => 'k', value => true }
ini_setting { 'i4': path => '/srv/t/x.ini', section => 'gone', setting => 'g', ensure => absent }
ini_setting { 'i5': path => '/srv/t/x.ini', section => '', setting => 'glob', value => '1' }
ini_setting { 'i6': path => '/srv/t/x.ini', section => 'main', setting => 'com', value => 'set', key_val_separator => '=' }
ini_setting { 'i7': path => '/srv/t/new.ini', section => 's', setting => 'k', value => 'v' }
ini_setting { 'i8': path => '/srv/t/new.ini', setting => 'top', value => 'v' }
ini_setting { 'i9': path => '/srv/t/new.ini', section => 's2', setting => 'k', value => Sensitive('hidden') }
ini_setting { 'i10': path => '/srv/t/new.ini', section => 'empty' }
ini_setting { 'i11': path => '/srv/t/sp.conf', setting => 'Port', value => '22', key_val_separator => ' ' }
concat_file { '/srv/t/cc': mode => '0640', tag => 'cc', ensure_newline => true }
concat_fragment { 'f10': target => '/srv/t/cc', order => '10', content => 'ten' }
concat_fragment { 'f2': target => '/srv/t/cc', order => '2', content => "two\n" }
concat_fragment { 'f02b': tag => 'cc', order => '02', content => "two b\n" }
concat_fragment { 'src': target => '/srv/t/cc', order => '99', source => '/srv/t/src' }
notify { 'after': } 
Concat_file['/srv/t/cc'] ~> exec { '/bin/true': refreshonly => true }
concat_file { '/srv/t/cgone': ensure => absent }
concat_fragment { 'fg': target => '/srv/t/cgone', content => 'ten' }
