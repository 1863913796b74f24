# Defaults of the whole estate.
File {
  owner => 'root',
  group => 'root',
}

$site_contact = lookup('site::contact', String)
