# Addresses of all machines, by data centre: each exports one and collects those of its own.
define entry(String $ip, Array[String] $aliases = [], Optional[String] $comment = undef) {
  file { "/etc/hosts.d/${title}": content => "${ip} ${aliases.join(' ')}", mode => '0644' }
}
class base(String $datacenter) {
  $name_of = $trusted['certname']
  @@entry { $name_of: ip => "10.0.0.${name_of.length}", aliases => [$name_of.regsubst('\..*', ''), 'x'], tag => [$datacenter, 'all'] }
  Entry <<| tag == $datacenter |>>
}
node 'a.fra.example.com' { class { 'base': datacenter => 'fra' } }
node 'bbb.fra.example.com' { class { 'base': datacenter => 'fra' } }
node 'a.ams.example.com' { class { 'base': datacenter => 'AMS' } }
node 'all.example.com' {
  Entry <<| tag == 'all' |>>
}
