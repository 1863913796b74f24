# An address.
type Base::Mail = Pattern[/\A[^@\s]+@[^@\s]+\z/]
