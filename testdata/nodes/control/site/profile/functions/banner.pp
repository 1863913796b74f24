# The text above each file that is managed.
function profile::banner(String $about) >> String {
  "# ${about}; managed, ${facts['role']} in ${facts['datacenter']}/${facts['rack']}\n"
}
