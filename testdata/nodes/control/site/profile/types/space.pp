# A web site.
type Profile::Space = Struct[{
  docroot => Stdlib::Absolutepath,
  Optional[port] => Integer[1, 65535],
  Optional[aliases] => Array[String],
  Optional[ssl] => Boolean,
}]
