# The message of the day.
class base::motd (
  String $text = 'Hello',
  Enum['present', 'absent'] $ensure = 'present',
) {
  $lines = split($text, "\n")
  $count = length($lines)
  $loud  = upcase($text)
  $first = $lines[0]

  file { '/etc/motd':
    ensure  => $ensure,
    owner   => 'root',
    mode    => '0644',
    content => join(map($lines) |$line| { "* ${line}" }, "\n"),
  }

  if $count > 10 {
    warning("a long message: ${first}, ${loud}")
  }
}
