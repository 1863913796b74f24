# What the adapter's test compiles.
class demo (
  Array[String] $packages,
  String $message,
  Demo::Port $port = 80,
  Optional[Sensitive[String]] $password = undef,
  Boolean $later = false,
) {
  include demo::service
  $packages.each |$name| {
    package { $name: ensure => installed }
  }
  file { '/etc/demo':
    ensure  => directory,
    require => Package[$packages],
  }
  file { '/etc/demo/demo.conf':
    content => template('demo/demo.conf.erb'),
    mode    => '0644',
    notify  => Service['demo'],
  }
  if $password {
    file { '/etc/demo/password': content => $password }
    file { '/etc/demo/key': content => Binary('aGVsbG8=') }
  }
  if $later {
    file { '/etc/demo/later': content => Deferred('demo::twice', ['later ']) }
  }
  notify { 'message': message => demo::greeting($message) }
  notify { 'trusted': message => "${trusted['certname']} ${trusted['extensions']['pp_role']} ${trusted['external']['rack']}" }
  if $port == 1 {
    fail('port 1 is not for us')
  }
}
