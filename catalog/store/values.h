#pragma once
// Values as the store's JSON texts. Inside of this room.
#include "catalog/store/store.h"

#include <span>

namespace pupc {

/// The text under which a value is kept and compared.
std::string json_text(const Value& value, Arena& scratch);

/// Parameters as a Hash in `into`. Throws CompileError (load_error) when a text is no JSON.
Value parameters_from(std::span<const std::pair<std::string, std::string>> parameters, Arena& into);
Value parameters_from(std::string_view json_object, Arena& into);

[[noreturn]] void store_failed(std::string message);

} // namespace pupc
