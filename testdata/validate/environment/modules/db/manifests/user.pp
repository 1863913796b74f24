# A user of the database.
define db::user (
  Variant[String[1], Sensitive[String[1]]] $password,
  Array[Enum['select', 'insert', 'update', 'delete']] $privileges = ['select'],
  Optional[Integer[0]] $limit = undef,
) {
  $grants = join($privileges, ',')
  $limited = $limit =~ Integer
  exec { "db user ${title}":
    command => "/usr/local/bin/db-user ${title} ${grants}",
    unless  => "/usr/local/bin/db-user --has ${title}",
    environment => ["LIMITED=${limited}", "LIMIT=${limit}", "WORD=${password.unwrap}"],
  }
}
