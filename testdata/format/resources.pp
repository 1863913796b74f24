# Resources.
class web::files($root,$port=80)
{
file{'/etc/motd': content=>'hello', ensure => file,
mode=>"0644" }

    file { '/srv':
        ensure => directory,
        owner=>root,
        # who may enter
        group   => $port ? { 80 => 'www-data',
            default => 'web' }
    }

  file {
    'a': ensure => file;
    'bcd':   ensure => file, mode => '0600';
  }
  file { default: owner => 'root',
    group => 'root'; ['/a','/b']:
    ensure => present; '/c': ensure => absent }
  @@user{ 'x': * => $attributes, ensure=>present }
  File<|owner=='root' and (mode != '0600' or tag=='x')|>{ mode +> '0644', owner
    => 'x' }
  File <||> -> Service<<||>>
  File { owner=>'root', mode => '0644' }
  File['/srv']{ backup=>false }
  exec { 'x': command => '/bin/true', unless => '/bin/false', refreshonly => true }
}
