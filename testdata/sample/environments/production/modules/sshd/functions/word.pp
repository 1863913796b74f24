# A value as the daemon's configuration has it.
function sshd::word(Variant[String, Integer, Boolean] $value) >> String {
  $value ? {
    true    => 'yes',
    false   => 'no',
    default => String($value),
  }
}
