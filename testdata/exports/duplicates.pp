# Titles that are taken.
node 'x1' { @@notify { 'same': message => 'one' } @@notify { 'mine': } @@notify { 'once': } @@user { 'u': } }
node 'x2' { @@notify { 'same': message => 'two' } }
node 'both' { Notify <<| |>> }
node 'one-of-them' { Notify <<| message == 'two' |>> }
node 'local' {
  notify { 'mine': }
  Notify <<| title == 'mine' |>>
}
node 'local-virtual' {
  @notify { 'mine': }
  Notify <<| title == 'mine' |>>
}
node 'local-exported' {
  @@notify { 'mine': message => 'my own' }
  Notify <<| title == 'mine' |>>
}
node 'local-later' {
  Notify <<| title == 'once' |>>
  include later
}
class later {
  Notify <<| title == 'once' |>>
  notify { 'after': }
}
define makes() { notify { 'once': } }
node 'define-declares-it' {
  makes { 'm': }
  Notify <<| title == 'once' |>>
}
node 'alias' {
  notify { 'other': alias => 'mine' }
  Notify <<| title == 'mine' |>>
}
node 'unknown-type' { Nonsense <<| |>> }
node 'class' { Class <<| |>> }
