#pragma once
// Symbols of Ruby (`:name`) in data: no values of the language, only keys and values of documents that Ruby programs keep.
#include "catalog/value/value.h"

namespace pupc {

/// Set in Value::flags of a String that stands for a symbol.
inline constexpr uint8_t symbol_flag = 1;
inline bool is_symbol(const Value& v) { return v.is_string() && v.flags == symbol_flag; }

/// The symbol of that name; the text must outlive it.
inline Value symbol_text(std::string_view name) {
  Value v = Value::string(name);
  v.flags = symbol_flag;
  return v;
}

} // namespace pupc
