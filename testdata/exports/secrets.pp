# Sensitive values: PuppetDB does not get them, so that collectors have to do without.
define secret($token, $user = 'u', $nested = undef) { file { "/s/${title}": content => "${user}" } }
node 'owner' {
  @@secret { 'typed': token => Sensitive('t0ken') }
  @@secret { 'nested': token => 'plain', nested => { 'a' => Sensitive('in') } }
  @@user { 'u': password => Sensitive('hash'), comment => 'c' }
  file { '/own': content => Sensitive('mine') }
}
node 'needs-token' { Secret <<| title == 'typed' |>> }
node 'gives-token' { Secret <<| title == 'typed' |>> { token => 'other' } }
node 'nested' { Secret <<| title == 'nested' |>> }
node 'user' { User <<| |>> }
node 'by-secret' { Secret <<| token == 't0ken' |>> }
