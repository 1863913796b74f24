# Asks each machine.
#
# @param nodes where
# @param path of the page
plan shop::verify (
  TargetSpec $nodes,
  String[1]  $path = '/',
) {
  return run_command("curl -fsS http://localhost:8000${path}", $nodes)
}
