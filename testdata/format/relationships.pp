Package['a']->File['b']~>
Service['c']
Package['a'] ->
# why
File['b']
package { 'x': ensure => present }
->
file { '/x':
  ensure => file }
<- Notify['n']
Class['a']
  -> Class['b']
  ~> Class['c']
