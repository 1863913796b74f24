# How much it says.
type Shop::Level = Enum['debug', 'info', 'error']
