#pragma once
// Ruby symbols (`:name`) in data. The language has no such values; they occur only in documents that Ruby programs write.
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

namespace pupc::catalog {

inline bool is_symbol(const Value& v) { return v.is_string() && v.flags == symbol_flag; }

/// The symbol with that name. The text must outlive it.
inline Value symbol_text(std::string_view name) {
  Value v = Value::string(name);
  v.flags = symbol_flag;
  return v;
}

} // namespace pupc::catalog
