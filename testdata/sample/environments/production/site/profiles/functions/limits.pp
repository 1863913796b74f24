# Text of a limits file: one line for soft and hard each.
#
# @param limits names with their values
# @return the file's text
function profiles::limits(Hash[String, Profiles::Limit] $limits) >> String {
  $lines = $limits.map |$name, $value| {
    ['soft', 'hard'].map |$kind| { "* ${kind} ${name} ${value}" }
  }
  "${lines.flatten.join("\n")}\n"
}
