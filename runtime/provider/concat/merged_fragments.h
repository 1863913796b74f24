#pragma once
// Fragments that are documents (YAML, JSON) as one document.
#include "runtime/provider/provider.h"

namespace pupc {

/// Whether `format` is one of plain, yaml, json, json-array, json-pretty, json-array-pretty.
bool fragment_format(std::string_view format);

/// The text of all fragments: joined (plain), merged as hashes (yaml, json, json-pretty; of unequal values of a key the first is kept when
/// `force`, else it is an error) or as a list of them (json-array…). Throws ResourceError.
std::string merged_fragments(std::string_view format, const std::vector<std::string>& fragments, bool force, RunContext& run);

} // namespace pupc
