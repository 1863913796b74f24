# What every machine has.
class base (
  String        $mode,
  Array[String] $packages,
  Hash          $limits,
  String        $motd = "a machine\n",
  String        $group = $mode ? { '0640' => 'adm', default => 'root' },
) {
  package { $packages: }

  file {
    default:
      mode  => $mode,
      group => 'wheel',
    ;
    '/etc/motd':
      content => $motd,
    ;
    '/etc/issue':
      content => "issue\n",
      group   => $group,
      require => Package['curl'],
  }

  @user {
    'ada': uid => 2001, tag => 'admin';
    'bob': uid => 2002;
    'eve': uid => 2003;
  }
  User <| tag == 'admin' |> {
    shell      => '/bin/zsh',
    managehome => true,
  }
  realize(User['bob'])

  $limits.each |$name, $value| {
    base::line { "limit ${name}":
      text  => "${name} ${value}",
      order => 20,
    }
  }
}
