# The way in.
class roles::bastion {
  class { 'sshd':
    port     => 2222,
    settings => { 'MaxSessions' => 50, 'AllowAgentForwarding' => true },
  }
  include profiles::base
}
