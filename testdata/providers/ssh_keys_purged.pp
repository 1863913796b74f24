# needs: modules
user { 'bob': ensure => present, home => '/srv/t/bob', purge_ssh_keys => true }
notify { 'after': }
class inner {
  user { 'al': ensure => present, home => '/srv/t/al', purge_ssh_keys => ['%h/.ssh/authorized_keys', '/srv/t/al/more'] }
  notify { 'in the class': }
}
include inner
ssh_authorized_key { 'kept': user => 'al', type => 'ssh-rsa', key => 'AAAAB3NzaC1yc2EAAAADAQABAAABAQC' }
