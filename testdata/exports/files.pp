# Files, with contents that need care, and paths that are one file by two names.
$long = String(Integer[1, 400].map |$n| { "line ${n} äöü" }, { Array => { format => '%a' } })
node 'exporter' {
  @@file { '/etc/long': content => $long, mode => '0640', owner => 'root', group => 0 }
  @@file { '/etc/odd name/ä "x" \'y\'': ensure => file, content => "\u{1}\u{7f}\u{2028}\u{fffd}\\ \$ " }
  @@file { '/etc/trailing/': ensure => directory, recurse => true, purge => true, ignore => ['*.bak', '.git'] }
  @@file { 'title': path => '/etc/named', source => ['puppet:///modules/m/a', '/local'], links => follow }
  @@file { '/etc/link': ensure => '/etc/long', backup => false, checksum => sha256 }
  @@file { '/etc/secret': content => Sensitive("pass\nword"), show_diff => false }
  @@file { '/etc/flags': ensure => present, replace => 'no', force => yes, mode => 'u=rw,g=r' }
}
node 'all' { File <<| |>> }
node 'one' { File <<| path == '/etc/named' |>> }
node 'same-path' {
  file { '/etc/named': content => 'mine' }
  File <<| title == 'title' |>>
}
node 'same-slash' {
  file { '/etc/trailing': ensure => directory }
  File <<| title == '/etc/trailing/' |>>
}
node 'by-slash' { File <<| title == '/etc/trailing' |>> }
node 'defaults' {
  File { owner => 'nobody', ensure => file }
  File <<| mode == '0640' |>> { backup => '.old' }
}
