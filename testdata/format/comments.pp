

# The first comment.   
#   with its own blanks   


/* a block
     comment */
class a(
$x, # of x
    # and more of x
    $long_name,  # of long_name
  /* inline */ $y = 1,
  # at the end
) # after the parenthesis
{ # after the brace
  # inside


  # a group of its own
      if $x { # then
    # empty
  }
  # before else
  else { notice(1) } # trailing

  $list = [ # why
    1, # one
    22, # two
    # none
  ]
  $h = { 'a' => 1,   # one
         'bcd' => 2, # two
  }
  foo(1, # one
    2)
  # at the end of the class
}
$v = $h /* the first */['a'] /* of it */
# the last
