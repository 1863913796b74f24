# Two resources that wait for each other.
class demo::loop {
  notify { 'a': require => Notify['b'] }
  notify { 'b': require => Notify['a'] }
}
