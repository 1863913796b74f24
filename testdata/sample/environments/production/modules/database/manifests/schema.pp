# A schema with its owner and extensions.
define database::schema (
  String[1] $owner,
  String[1] $encoding,
  Array[String[1]] $extensions = [],
) {
  exec { "schema ${title}":
    command => "/usr/bin/dbctl create ${title} --owner ${owner} --encoding ${encoding}",
    unless  => "/usr/bin/dbctl exists ${title}",
    require => Service['databased'],
  }
  $extensions.each |$extension| {
    exec { "extension ${extension} of ${title}":
      command => "/usr/bin/dbctl extend ${title} ${extension}",
      require => Exec["schema ${title}"],
    }
  }
}
