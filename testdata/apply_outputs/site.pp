class inner { notify { 'in': } -> file { '/nowhere/one': content => 'x' } }
class outer { contain inner }
define own::thing($x = 1) { notify { "thing ${title}": } }
include outer
own::thing { 'one': require => Class['inner'] }
file { '/nowhere': ensure => directory }
file { '/nowhere/two': content => 'y', notify => Exec['say "hi"'] }
exec { 'say "hi"': command => '/bin/true', refreshonly => true, subscribe => Notify['in'] }
stage { 'late': require => Stage['main'] }
class last { notify { 'last': before => Notify['very last'] } notify { 'very last': } }
class { 'last': stage => late }
