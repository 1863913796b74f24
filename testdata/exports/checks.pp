# Checks of a monitor, exported in classes, defines and defines of defines, by titles that need care.
define check(String $host, String $command, Hash $arguments = {}, Boolean $critical = false) {
  file { "/etc/checks/${title.regsubst('[^a-zA-Z0-9]', '_', 'G')}": content => "${host}: ${command} ${arguments}" }
}
define service_check($command) {
  @@check { "${trusted['certname']} ${title}": host => $trusted['certname'], command => $command, arguments => { 'warn' => 5, 'crit' => 10.5, 'list' => ['a', [1, true]], '' => undef } }
}
define database() {
  service_check { "database ${title}": command => "check_db '${title}'" }
  @@check { "${trusted['certname']}/${title} \"size\" ä€😀": host => $trusted['certname'], command => "tab\there\nand a line", critical => true }
}
class checked {
  service_check { 'ssh': command => 'check_ssh' }
  @@check { "${trusted['certname']} \\ back": host => 'h', command => '$dollar ${brace} #{hash}' }
}
node 'db1' {
  include checked
  database { ['orders', 'users']: }
}
node 'db2' {
  include checked
  database { 'orders': }
}
node 'monitor' {
  Check <<| |>>
}
node 'monitor-critical' {
  Check <<| critical == true |>> { critical => false }
}
node 'monitor-one' {
  Check <<| host == 'db2' and command == 'check_ssh' |>>
}
