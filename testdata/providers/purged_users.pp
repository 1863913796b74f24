resources { 'user': purge => true, unless_uid => [1778] }
user { 'kept': ensure => present }
