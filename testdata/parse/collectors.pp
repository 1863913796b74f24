File <| title == a and (tag != b or x == 1) |> { mode => 1 } Foo <<| |>>
