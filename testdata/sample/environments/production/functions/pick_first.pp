# The first argument that is not undef.
function pick_first(Any *$values) {
  $values.filter |$v| { $v =~ NotUndef }[0]
}
