#pragma once
// Reads a node's facts from a file.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// Reads facts from JSON or YAML text (the content decides which) into a Hash in `arena`. The text is the hash of facts itself, Puppet's
/// stored form (`--- !ruby/object:Puppet::Node::Facts` with `values:`), or a facts document `{"name": …, "values": {…}}`. Facts are
/// sanitized as in Puppet: symbols, and values that YAML has and facts have not (dates), become strings. The internal `_timestamp` is
/// dropped. Throws CompileError (load_error) with file and line for malformed text, or when it is not a hash. `node_name` (may be null)
/// receives the stored name.
Value read_facts(Arena& arena, std::string_view text, const std::string& path, std::string* node_name = nullptr);
/// The same from a file.
Value read_facts_file(Arena& arena, const std::string& path, std::string* node_name = nullptr);

} // namespace pupc::compiler
