type Accounts::User = Struct[{
  uid               => Integer[1000, 60000],
  Optional[groups]  => Array[String[1]],
  Optional[shell]   => Pattern[/\A\//],
  Optional[ensure]  => Enum['present', 'absent'],
  Optional[keys]    => Array[String[1]],
}]
