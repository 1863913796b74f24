#pragma once
// Merges the fragments of a concat file into one text, or into one YAML or JSON document.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Whether `format` is one of plain, yaml, json, json-array, json-pretty, json-array-pretty.
bool fragment_format(std::string_view format);

/// The text of all fragments: joined (plain), merged as hashes (yaml, json, json-pretty) or collected in a list (json-array,
/// json-array-pretty). When fragments disagree on a key's value, `force` keeps the first one; without `force` it is an error. Throws
/// ResourceError.
std::string merged_fragments(std::string_view format, const std::vector<std::string>& fragments, bool force, RunContext& run);

} // namespace pupc::runtime
