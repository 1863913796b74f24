#pragma once
// Values that the worker wrote in Ruby's Marshal format, which Ruby writes in C: what plain data is made of, and the facades of types,
// Sensitive, resource references and handles. What else an object may be is told by the worker in tagged bytes, when asked for.
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// The bytes hold something that only tagged bytes tell (wire.rb).
struct NeedsTaggedBytes {};

class MarshalReader {
public:
  MarshalReader(std::string_view bytes, Arena& arena, TypeContext& types, const std::vector<Value>& handles)
      : bytes_(bytes), arena_(arena), types_(types), handles_(handles) {}

  /// Whether bytes are of that format.
  static bool is_marshal(std::string_view bytes) { return bytes.size() > 2 && bytes[0] == 4 && bytes[1] == 8; }
  /// The value. Texts are copied into the arena. Throws NeedsTaggedBytes, and CompileError for a type that is wrong.
  Value read();
  /// Whether there was a Symbol in it.
  bool seen_symbol() const { return seen_symbol_; }

private:
  struct Known {
    Value value;
    bool complete = false; // not while its members are read
  };
  unsigned char take();
  int64_t length();
  std::string_view raw();
  std::string_view symbol();
  Value object();
  Value plain(unsigned char kind);
  Value encoded();
  Value facade();
  size_t reserve();
  Value finish(size_t index, Value value);

  std::string_view bytes_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  bool seen_symbol_ = false;
  Arena& arena_;
  TypeContext& types_;
  const std::vector<Value>& handles_;
  std::vector<std::string_view> symbols_;
  std::vector<Known> objects_;
};

} // namespace pupc
