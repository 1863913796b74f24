# What every machine gets, and the machines' roles.
$company = 'Example'

Exec {
  logoutput => on_failure,
}

node default {
  include base
  include profile::monitoring
}

node 'shop.example.org' {
  include role::shop
}

node /^db\d+\.example\.org$/ {
  $replica = true
  include role::database
}

notify { "managed by ${company}": }
