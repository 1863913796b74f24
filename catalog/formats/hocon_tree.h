#pragma once
// A HOCON text as a tree whose substitutions are not replaced yet. Only hocon_*.cpp include it.
#include "catalog/value/value.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::hocon {

using Path = std::vector<std::string>;

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// A value before its substitutions are replaced.
struct Node {
  enum class Kind : uint8_t { Null, Bool, Number, Text, List, Object, Substitution, Concat, Merge } kind = Kind::Null;
  std::string text; // as written: of Bool, Number, Text
  Value number;
  bool flag = false;                                    // of Bool; of Substitution: ${?x}
  std::vector<NodePtr> items;                           // of List, Concat (with Text nodes for blanks), Merge (later ones win)
  std::vector<std::pair<std::string, NodePtr>> members; // of Object
  Path path;                                            // of Substitution
  size_t prefix = 0;                                    // of Substitution: parts of the path that the place of an include put before it
  const std::string* origin = nullptr;                  // the included file it stands in
  uint32_t line = 0;
  bool blank = false;  // Text between other parts of a Concat
  bool quoted = false; // Text

  NodePtr* find(std::string_view key) {
    for (auto& [name, value] : members)
      if (name == key) return &value;
    return nullptr;
  }
};

inline std::string shown(const Path& path) {
  std::string out;
  for (const auto& p : path) out += (out.empty() ? "" : ".") + p;
  return out;
}

/// What is wrong with a text, in the words of Puppet's library, and where.
struct Failure {
  std::string message;
  uint32_t line = 0;                   // 0: the message has no place
  const std::string* origin = nullptr; // null: the text that was given
};

/// Names of the files that were included; nodes and failures point at them.
using Origins = std::deque<std::string>;

/// The text as a tree, its includes replaced by what the included files hold. Relative names of `include file(…)` start from the working
/// directory. Plain names are found beside a file that was itself included, never beside the first one, of which Puppet's library
/// only knows the text. Throws Failure.
NodePtr parse(std::string_view text, Origins& origins);

} // namespace pupc::hocon
