# How free the machine is.
type Base::Level = Enum['normal', 'locked']
