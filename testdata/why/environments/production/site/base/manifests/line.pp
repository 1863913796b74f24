# A line in a directory of lines.
define base::line (
  String  $text,
  Integer $order = 10,
  Boolean $quiet = false,
) {
  file { "/etc/lines.d/${order}-${title}":
    content => $text,
    mode    => '0644',
  }
  unless $quiet {
    notify { "line ${title}":
      message => $text,
      require => File["/etc/lines.d/${order}-${title}"],
    }
  }
}
