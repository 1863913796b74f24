# Part of the node's memory in MiB, rounded down to a multiple of 16.
function profiles::memory_share(Integer[1, 100] $percent) >> Integer {
  $total = $facts['memory']['system']['total_bytes'] / 1048576
  $share = $total * $percent / 100
  $share - $share % 16
}
