# Two cycles, of which the first has several ways round.
notify { 'a': require => [Notify['b'], Notify['c']] }
notify { 'b': require => Notify['c'] }
notify { 'c': require => Notify['a'] }
class x { notify { 'in "x"': } }
class y { notify { 'in y': } }
include x, y
Class['x'] -> Class['y']
Notify['in y'] -> Notify['in "x"']
