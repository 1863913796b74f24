# A site of the web server.
define web_server::site (
  String[1] $domain,
  Array[String[1]] $aliases = [],
  Integer[1, 65535] $port = 80,
  Boolean $tls = false,
  Array[String[1]] $upstream = [],
) {
  $real_port = $tls ? { true => 443, default => $port }
  file { "${web_server::conf}/sites/${title}.conf":
    content => epp('web_server/site.epp', {
      'domain'   => $domain,
      'aliases'  => $aliases,
      'port'     => $real_port,
      'tls'      => $tls,
      'upstream' => $upstream,
    }),
    notify  => Service['webd'],
  }
  file { "/srv/www/${domain}":
    ensure => directory,
    owner  => $web_server::names['user'],
  }
  if $tls {
    ['key', 'crt'].each |$part| {
      file { "/etc/ssl/site/${domain}.${part}":
        source => "puppet:///modules/web_server/${part}",
        mode   => if $part == 'key' { '0600' } else { '0644' },
        before => Service['webd'],
      }
    }
  }
}
