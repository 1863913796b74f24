#pragma once
// The documentation of a module as one JSON document, in the form of `puppet strings generate --format json`.
#include <string>

namespace pupc::cli {

struct StringsDocument {
  std::string json;
  bool ruby_left_out = false; // the module has functions or types in Ruby, whose documentation is not read
  std::string problem;        // of the first file that cannot be parsed, which is left out
};

/// Reads manifests, functions, types, plans and tasks below `directory`; the document names files relative to it.
StringsDocument strings_document(const std::string& directory);

} // namespace pupc::cli
