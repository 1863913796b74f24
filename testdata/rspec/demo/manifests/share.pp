# A file, and one for other nodes.
define demo::share (
  String $path = "/srv/${title}",
  Optional[String] $after = undef,
) {
  file { $path:
    ensure => directory,
    before => $after ? { undef => undef, default => Notify[$after] },
  }
  @@notify { "share ${title}": message => "${path} of ${trusted['hostname']}", tag => 'share' }
}
