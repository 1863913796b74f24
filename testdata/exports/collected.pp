# What a collected resource is in the catalog that collects it.
define site($port = 80, $options = {}, $text = undef) {
  file { "/etc/sites/${title}": content => "${port} ${options}", mode => '0644' }
}
class webs {
  @@site { 'shop': port => 8080, options => { 'b' => [1, 2.5, true, undef], 'a' => 'x' }, text => 'ä "quoted"' }
  @@file { '/shared/x': ensure => file, require => File['/shared'], notify => [Service['s'], Class['empty']], tag => 'mark' }
  @@file { '/sens': content => Sensitive('secret'), mode => '0600' }
  @@exec { 'run': command => '/bin/true', refreshonly => true, schedule => undef }
}
node 'web' { tag('from_web') include webs }
class collect {
  include empty
  file { '/shared': ensure => directory }
  service { 's': }
  File <<| tag == 'mark' |>>
  Site <<| |>>
}
node 'collector' { include collect }
define box() { Site <<| |>> }
node 'in-define' {
  box { 'b': }
}
node 'overrides' {
  Site <<| |>> { port => 1, text => 'new' }
}
class empty { }
node 'overrides-append' {
  file { '/shared': }
  service { 's': }
  include empty
  File <<| title == '/shared/x' |>> { tag +> 'more', mode => '0600' }
}
node 'defaults' {
  File { owner => 'default', mode => '0999' }
  Site { text => 'default' }
  File <<| title == '/sens' |>>
  Site <<| |>>
}
node 'relations' {
  notify { 'before': } -> Site <<| |>> ~> notify { 'after': }
}
node 'missing-target' { File <<| title == '/shared/x' |>> }
node 'virtual-collector-sees-them' {
  Site <<| |>>
  Site <| |> { port => 2 }
}
node 'defined' {
  Site <<| |>>
  notify { "${defined(Site['shop'])} ${settings::storeconfigs}": }
}
node 'own' {
  @@site { 'mine': }
  @site { 'virtual': }
  Site <<| title == 'mine' |>>
}
node 'own-uncollected' {
  @@site { 'uncollected': }
}
node 'sensitive' { File <<| title == '/sens' |>> }
node 'exec' { Exec <<| |>> }
