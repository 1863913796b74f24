#pragma once
// Converts values to the store's JSON texts and back. Private to catalog/store.
#include "catalog/store/store.h"

#include <span>

namespace pupc::catalog {

/// The text that stands for a value in the store and in comparisons.
std::string json_text(const Value& value, Arena& scratch);

/// Parameters as a Hash in `into`. Throws CompileError (load_error) when a text is not JSON.
Value parameters_from(std::span<const std::pair<std::string, std::string>> parameters, Arena& into);
Value parameters_from(std::string_view json_object, Arena& into);

[[noreturn]] void store_failed(std::string message);

} // namespace pupc::catalog
