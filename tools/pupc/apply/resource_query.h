#pragma once
// What `pupc resource` asks of a run: one resource, which the run may change, or all resources of a type. The run prints them at its end.
#include "runtime/provider/provider.h"

#include <string>
#include <utility>
#include <vector>

namespace pupc::cli {

struct ResourceQuery {
  std::string type;                                          // lower case
  std::string title;                                         // empty: all of the type
  std::vector<std::pair<std::string, std::string>> settings; // attributes to set before the answer
  std::vector<std::string> more;                             // parameters to print in addition to the properties
  bool yaml = false;
  bool must_succeed = false; // a change that fails is an error
  bool edit = false;         // open the text in an editor and apply the result
};

/// A catalog document that contains only the resource to change.
std::string query_catalog(const ResourceQuery& query, std::string_view environment);

/// The text for standard output. Throws ResourceError.
std::string query_answer(const ResourceQuery& query, RunContext& run);

/// The type names that `pupc resource --types` prints: Puppet's own, and those of the type files in `libraries`.
std::vector<std::string> known_type_names(const std::vector<std::string>& libraries);

} // namespace pupc::cli
