# People and their keys, merged deeply from data.
class accounts (
  Hash[String[1], Accounts::User] $users = {},
  String[1] $default_shell = '/bin/bash',
) {
  $users.each |$name, $user| {
    accounts::person { $name:
      spec  => $user,
      shell => $user.get('shell', $default_shell),
    }
  }
}
