#pragma once
// The texts in a request: percent-encoding, queries and forms, paths. They come from anybody.
#include "tools/server/visible_names.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::server {

/// The text with %XX replaced, in forms and queries `+` by a blank, too. Nothing for a % without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);
/// A text in which all but letters, digits and `-_.~` is percent-encoded; `/` stays on request.
std::string percent_encoded(std::string_view text, bool keep_slashes = false);

/// The parameters of a query or a form, in their order; a name may come several times.
class Parameters {
public:
  /// Adds those of "a=1&b=2". False for a text that is not of this form, or has more than 1000.
  bool add(std::string_view encoded);
  void set(std::string name, std::string value) { entries_.emplace_back(std::move(name), std::move(value)); }
  /// The last of that name, as Ruby takes it; null when there is none.
  const std::string* find(std::string_view name) const;
  std::string_view get(std::string_view name) const;
  /// All of that name, also those of `NAME[]`.
  std::vector<std::string> all(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

/// What a request asks for.
struct Target {
  std::string path; // decoded once; begins with /, has no part `.` or `..`
  Parameters query;
};

enum class TargetProblem { None, Malformed, LeavesRoot };
/// Reads the target of a request line: a path, `?` and a query. Malformed: no path, wrong encoding, a control character. LeavesRoot: a part
/// of the path is `.` or `..`, encoded or not.
TargetProblem read_target(std::string_view text, Target& out);

/// The parts of a decoded path between slashes, empty ones left out.
std::vector<std::string_view> path_parts(std::string_view path);

/// Whether a text may be a node's name in a path of ours: lower-case letters, digits, and `-_.`, as Puppet's CA signs them; not `.` or
/// `..`.
bool valid_node_name(std::string_view name);
/// Whether a text may be the name of an environment: letters, digits and `_`.
bool valid_environment_name(std::string_view name);

} // namespace pupc::server
