# An administrator.
type Shop::Account = Struct[{
  uid              => Integer[1000],
  Optional[shell]  => Stdlib::Absolutepath,
  Optional[ensure] => Enum['present', 'absent'],
}]
