# only PuppetDB: the function puppetdb_query in queries of both languages.
define peer($port) { notify { "peer ${title}": } }
node 'p1' { @@peer { 'one': port => 1 } }
node 'p2' { @@peer { 'two': port => 2 } peer { 'real': port => 3 } }
node 'pql' {
  $all = puppetdb_query('resources[certname, title, parameters] { type = "Peer" order by certname, title }')
  notify { 'pql': message => String($all) }
  $all.each |$one| { notify { "${one['certname']} ${one['title']}": message => "${one['parameters']['port'] + 1}" } }
}
node 'ast' {
  $nodes = puppetdb_query(['from', 'nodes', ['extract', ['certname'], ['~', 'certname', '^p[12]$']], ['order_by', ['certname']]])
  notify { 'ast': message => $nodes.map |$n| { $n['certname'] }.join(',') }
  notify { 'count': message => String(puppetdb_query('nodes[count()] { certname ~ "^p[12]$" }')) }
}
node 'facts' {
  $kernels = puppetdb_query('facts[certname, value] { name = "kernel" and certname in ["p1", "p2"] order by certname }')
  notify { 'kernels': message => String($kernels) }
  $tree = puppetdb_query('inventory[certname, facts.os.release.major] { facts.os.family = "Debian" and certname ~ "^p[12]$" order by certname }')
  notify { 'tree': message => String($tree) }
}
node 'nothing' { notify { String(puppetdb_query('nodes { certname = "nobody" }')): } }
node 'wrong' { notify { String(puppetdb_query('nodes { certname = ')): } }
node 'wrong-field' { notify { String(puppetdb_query('nodes[nothing] { }')): } }
