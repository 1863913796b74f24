#pragma once
// Reads values that the worker wrote with Ruby's Marshal, which is fast because it is written in C. This covers plain data and the facades
// of types, Sensitive, resource references and handles. Other objects arrive as tagged bytes, on request.
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Thrown when the bytes hold an object that needs the tagged format (wire.rb).
struct NeedsTaggedBytes {};

class MarshalReader {
public:
  MarshalReader(std::string_view bytes, Arena& arena, TypeContext& types, const std::vector<Value>& handles)
      : bytes_(bytes), arena_(arena), types_(types), handles_(handles) {}

  /// Whether the bytes begin like Marshal format 4.8.
  static bool is_marshal(std::string_view bytes) { return bytes.size() > 2 && bytes[0] == 4 && bytes[1] == 8; }
  /// Reads the value and copies its texts into the arena. Throws NeedsTaggedBytes, and CompileError for an invalid type.
  Value read();
  /// Whether the value contains a Symbol.
  bool seen_symbol() const { return seen_symbol_; }

private:
  struct Known {
    Value value;
    bool complete = false; // false while its members are being read
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

} // namespace pupc::compiler
