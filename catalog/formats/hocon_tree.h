#pragma once
// A HOCON text as a tree, before its substitutions are replaced. Only hocon_*.cpp include this header.
#include "catalog/value/value.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::catalog::hocon {

using Path = std::vector<std::string>;

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// A value before its substitutions are replaced.
struct Node {
  enum class Kind : uint8_t { Null, Bool, Number, Text, List, Object, Substitution, Concat, Merge } kind = Kind::Null;
  std::string text;                                     // source text of Bool, Number, Text
  Value number;                                         // of Number; an integer beyond 64 bits: only its mark, `text` has the digits
  bool flag = false;                                    // of Bool: its value; of Substitution: it is optional, ${?x}
  std::vector<NodePtr> items;                           // of List, Concat (with Text nodes for blanks), Merge (later ones win)
  std::vector<std::pair<std::string, NodePtr>> members; // of Object
  Path path;                                            // of Substitution
  size_t prefix = 0;                                    // of Substitution: number of leading path parts that come from the include's place
  const std::string* origin = nullptr;                  // the included file that contains the node; null = the given text
  uint32_t line = 0;
  bool blank = false;  // of Text: blanks between other parts of a Concat
  bool quoted = false; // of Text

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

/// An error in a text, with the message of Puppet's library and its place.
struct Failure {
  std::string message;
  uint32_t line = 0;                   // 0: the message has no place
  const std::string* origin = nullptr; // null: the given text
};

/// Names of the included files. Nodes and failures point to them.
using Origins = std::deque<std::string>;

/// Parses a text into a tree and replaces its includes by the content of the included files. Relative names in `include file(…)` start
/// at the working directory. A plain name is looked up beside the file that includes it, if that file was itself included. In the first
/// text plain names are never found, because Puppet's library knows only its text. Throws Failure.
NodePtr parse(std::string_view text, Origins& origins);

} // namespace pupc::catalog::hocon
