plan x() {
  apply(1) {
    class y { }
    apply(2) { }
    node 'a' { }
    File <<| |>>
    notify { message => 1 }
  }
  notify { 'x': } -> notify { 'y': }
  File { mode => '0644' }
}
define d { }
