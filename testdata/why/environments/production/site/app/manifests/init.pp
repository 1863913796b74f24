# An application.
class app (
  Integer             $port,
  Hash[String, Any]   $settings,
  Sensitive[String]   $token,
  String              $user = 'app',
  String              $group = $user,
  Hash[String, Hash]  $vhosts = { 'main' => { 'docroot' => '/srv/main' } },
) {
  require base
  contain app::service

  $common = { 'mode' => '0600', 'group' => $group }
  file { '/etc/app.conf':
    content => "port ${port} threads ${settings['threads']} log ${settings['log']}\n",
    *       => $common,
    before  => Class['app::service'],
  }
  file { '/etc/app.token':
    content => $token,
    tag     => 'secret',
    *       => $common,
  }
  File <| tag == 'secret' |> {
    mode  => '0400',
    owner => $user,
  }
  create_resources('app::vhost', $vhosts, { 'port' => $port })
  'app::log'.include

  Exec { path => '/usr/bin' }
  exec { 'migrate':
    command     => 'app-migrate',
    refreshonly => true,
    subscribe   => File['/etc/app.conf'],
  }
  Exec['migrate'] ~> Service['app']
}
