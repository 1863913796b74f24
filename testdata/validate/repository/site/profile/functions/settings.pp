# The lines of a file of settings.
#
# @param values by name
# @return the text
function profile::settings(Hash[String, Scalar] $values) >> String {
  $lines = $values.map |$key, $value| {
    "${key} = ${value}\n"
  }
  $lines.join('')
}
