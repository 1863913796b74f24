#pragma once
// What `pupc resource` asks of a run: one resource that is changed or not, or all of a type, printed at its end.
#include "runtime/provider/provider.h"

#include <string>
#include <utility>
#include <vector>

namespace pupc {

struct ResourceQuery {
  std::string type;                                          // lower case
  std::string title;                                         // empty: all of the type
  std::vector<std::pair<std::string, std::string>> settings; // what the resource is to be first
  std::vector<std::string> more;                             // parameters that are printed besides the properties
  bool yaml = false;
  bool must_succeed = false; // a change that fails is an error
  bool edit = false;         // the text goes through an editor and is applied
};

/// A catalog document with the resource that is to be changed.
std::string query_catalog(const ResourceQuery& query, std::string_view environment);

/// The text for standard output. Throws ResourceError.
std::string query_answer(const ResourceQuery& query, RunContext& run);

/// The name under which `pupc resource --types` knows what Puppet and its modules bring: names of files of `libraries` and Puppet's own.
std::vector<std::string> known_type_names(const std::vector<std::string>& libraries);

} // namespace pupc
