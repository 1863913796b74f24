# A web site in data.
type Profiles::Site = Struct[{
  domain             => Pattern[/\A[a-z0-9.-]+\z/],
  Optional[aliases]  => Array[String[1]],
  Optional[port]     => Integer[1, 65535],
  Optional[tls]      => Boolean,
  Optional[upstream] => Array[String[1]],
}]
