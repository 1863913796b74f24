# What every node has.
class profile::base (
  Hash[String, Hash] $hosts = {},
  Hash[String, Hash] $people = {},
  Hash[String, Hash] $rotated = {},
  Hash[String, Hash] $jobs = {},
  Hash[String, String] $kernel = {},
  Hash[String, String] $notes = {},
  Array[String] $tools = [],
  Array[String] $teams = ['ops'],
) {
  class { 'profile::early': stage => 'early' }
  stdlib::ensure_packages($tools)
  create_resources('host', $hosts)
  class { 'motd': content => epp('profile/motd.epp', { 'role' => $facts['role'], 'teams' => $teams }) }
  class { 'sudo': purge => false, config_file_replace => false }
  $teams.each |$team| {
    group { $team: ensure => present }
    sudo::conf { $team: priority => 20, content => "%${team} ALL=(root) NOPASSWD: /usr/bin/journalctl" }
  }
  $people.each |$name, $person| {
    @accounts::user { $name:
      comment => $person['comment'],
      groups  => $person['teams'],
      sshkeys => pick($person['keys'], []),
      tag     => $person['teams'],
      require => Group[$person['teams']],
    }
  }
  $teams.each |$team| { Accounts::User <| tag == $team |> }
  include logrotate
  $rotated.each |$name, $rule| { logrotate::rule { $name: * => $rule } }
  $jobs.each |$name, $job| {
    cron { $name: * => { 'user' => 'root' } + $job }
  }
  file { '/etc/sysctl.d/60-node.conf':
    content => inline_epp("<% \$kernel.each |\$k, \$v| { -%>\n<%= \$k %> = <%= \$v %>\n<% } -%>\n", { 'kernel' => $kernel }),
  }
  file { '/etc/notes.d': ensure => directory }
  $notes.each |$name, $text| { note { $name: ensure => present, text => $text } }
  profile::settings { 'node': }
  include profile::known_nodes
  file { '/usr/local/sbin/node-info': mode => '0755', content => template('profile/node_info.erb') }
  exec { 'node-info': command => 'node-info > /var/lib/node-info', subscribe => File['/usr/local/sbin/node-info'], refreshonly => true }
  systemd::timer { 'node-info.timer':
    timer_content   => "[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n",
    service_content => "[Service]\nType=oneshot\nExecStart=/usr/local/sbin/node-info\n",
    active          => true,
    enable          => true,
  }
}
