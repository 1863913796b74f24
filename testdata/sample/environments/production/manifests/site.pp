# Which node plays which role: by name, the odd ones one by one.
node 'bastion1.fra.example.com', 'bastion1.ams.example.com' {
  include roles::bastion
}

node /^web\d+\./ {
  include roles::web
}

node /^db\d+\./ {
  include roles::database
}

node /^lb\d+\./ {
  include roles::balancer
}

node /^cache\d+\./ {
  include roles::cache
}

node /^worker\d+\./ {
  include roles::worker
}

node /^monitor\d+\./ {
  include roles::monitor
}

node default {
  notify { "no role for ${trusted['certname']}": }
  include profiles::base
}
