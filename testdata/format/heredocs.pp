class a {
      file { '/x':
    content => @("END"/L),
      text of ${a} \
        more
      # no comment
      | END
        mode => '0644' }
  $x = [@(A),@(B)]
  a
     | A
  b
    |- B
    foo(@(C/), { 'a'=>1 })
C text
    C
  $s = 'two
    lines'
  $t = "two
    ${a}"
}
