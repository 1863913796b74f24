# A limit as limits.conf has it.
type Profiles::Limit = Variant[Integer[0], Enum['unlimited']]
