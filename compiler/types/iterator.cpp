#include "compiler/types/iterator.h"

namespace pupc::compiler {

std::string IteratorValue::to_string() const {
  if (element_type == nullptr) return "Iterator-Value";
  return "Iterator[" + (shown_type != nullptr ? shown_type : element_type)->to_string() + "]-Value";
}
Value IteratorValue::to_rich_data(Arena& arena) const { return Value::string(arena.copy(to_string())); }

} // namespace pupc::compiler
