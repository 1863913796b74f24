#pragma once
// A node's facts from a file.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc {

/// Facts as a Hash in `arena`, from JSON or YAML text (told apart by the content): either the hash of facts itself, Puppet's stored
/// form (`--- !ruby/object:Puppet::Node::Facts` with `values:`), or a facts document `{"name": …, "values": {…}}`. As Puppet
/// sanitizes them: symbols become strings; values YAML has and facts have not (dates) become strings. Internal `_timestamp` is dropped.
/// Throws CompileError (load_error) with file and line for malformed text or when it is no hash. `node_name` (may be null) gets the stored
/// name.
Value read_facts(Arena& arena, std::string_view text, const std::string& path, std::string* node_name = nullptr);
/// The same from a file.
Value read_facts_file(Arena& arena, const std::string& path, std::string* node_name = nullptr);

} // namespace pupc
