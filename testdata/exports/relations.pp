# Metaparameters of exported resources that name others; chains through collectors; stages and containers.
define unit($text = '') { notify { "unit ${title}": message => $text } }
stage { 'late': require => Stage['main'] }
class target { notify { 'target': } }
class late_one { notify { 'late': } }
node 'exporter' {
  @@notify { 'needs': require => Class['target'], before => [Notify['end'], Unit['u']] }
  @@notify { 'tells': notify => Notify['end'], subscribe => Notify['target'], loglevel => 'warning', noop => true }
  @@unit { 'u': text => 'x', require => Notify['needs'] }
  @@unit { 'audited': audit => [], schedule => 'daily' }
  @@notify { 'named': alias => 'other name' }
}
node 'collector' {
  include target
  notify { 'end': }
  Notify <<| title == 'needs' or title == 'tells' |>>
  Unit <<| title == 'u' |>>
}
node 'chains' {
  include target
  class { 'late_one': stage => 'late' }
  notify { 'end': }
  Notify['end'] -> Unit <<| title == 'audited' |>> ~> Notify <<| title == 'named' |>>
}
node 'by-alias' {
  Notify <<| title == 'named' |>>
  notify { 'after': require => Notify['other name'] }
}
node 'nothing-there' {
  Notify <<| title == 'needs' |>>
}
node 'cycle' {
  include target
  notify { 'end': before => Notify['needs'] }
  Notify <<| title == 'needs' |>>
  unit { 'u': }
}
