# One web site with its directories, its log and its rotation.
define profile::site (
  Stdlib::Absolutepath $docroot,
  Integer[1, 65535] $port = profile::port_for($title),
  Array[String] $aliases = [],
  Boolean $ssl = false,
) {
  $short = regsubst($title, '\..*', '')
  apache::vhost { $title:
    port            => $port,
    docroot         => $docroot,
    serveraliases   => $aliases,
    access_log_file => "${short}_access.log",
    directories     => [
      { 'path' => $docroot, 'options' => ['-Indexes', '+FollowSymLinks'], 'allow_override' => ['None'], 'require' => 'all granted' },
      { 'path' => '/\.git', 'provider' => 'directorymatch', 'require' => 'all denied' },
    ],
    headers         => ['always set X-Frame-Options DENY'],
    rewrites        => [{ 'rewrite_cond' => ['%{REQUEST_URI} ^/old'], 'rewrite_rule' => ['^/old(.*)$ /new$1 [R=301,L]'] }],
    require         => File['/srv/sites'],
  }
  file { "${docroot}/index.php": content => template('profile/index.php.erb'), require => Apache::Vhost[$title] }
  file { "${docroot}/assets": ensure => directory, require => Apache::Vhost[$title] }
  ['a.css', 'b.css', 'c.js'].each |$asset| {
    file { "${docroot}/assets/${asset}": content => "/* ${short} ${asset} */\n" }
  }
  logrotate::rule { $short: path => "/var/log/sites/${short}*.log", rotate => 7, rotate_every => 'day', missingok => true }
  cron { "statistics of ${short}": command => "/usr/bin/true ${short}", user => 'www-data', hour => 4, minute => $port % 60 }
}
