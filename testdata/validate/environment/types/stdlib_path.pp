# An absolute path.
type Stdlib_path = Pattern[/\A\/.*\z/]
