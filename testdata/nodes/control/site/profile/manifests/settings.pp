# Settings of a node in an INI file and in pieces.
define profile::settings (
  Hash[String, Hash[String, Scalar]] $sections = lookup('profile::settings', { 'merge' => 'deep' }),
) {
  $file = "/etc/${title}.ini"
  file { $file: ensure => file, mode => '0640' }
  $sections.each |$section, $pairs| {
    $pairs.each |$key, $value| {
      ini_setting { "${title} ${section} ${key}":
        path => $file, section => $section, setting => $key, value => String($value), require => File[$file],
      }
    }
  }
  concat { "/etc/${title}.pieces": mode => '0644' }
  concat::fragment { "${title} head": target => "/etc/${title}.pieces", order => '00', content => profile::banner($title) }
  $sections.keys.sort.each |$index, $section| {
    concat::fragment { "${title} ${section}":
      target => "/etc/${title}.pieces", order => sprintf('%02d', $index + 1), content => "${section}: ${sections[$section].keys.sort.join(' ')}\n",
    }
  }
}
