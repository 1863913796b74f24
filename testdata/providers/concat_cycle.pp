# needs: modules
# The file waits for the directory above it, which waits for all of concat.
file { '/srv/t/d': ensure => directory, require => Concat['/srv/t/d/y.conf'] }
concat { '/srv/t/d/y.conf': }
concat::fragment { 'g': target => '/srv/t/d/y.conf', content => "hello\n" }
