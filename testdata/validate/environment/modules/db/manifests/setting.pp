# A setting of the database.
define db::setting (
  Variant[String[1], Integer] $value,
  Enum['present', 'absent'] $ensure = 'present',
) {
  file { "/etc/db.d/${title}":
    ensure  => $ensure,
    content => "${title} = ${value}\n",
  }
}
