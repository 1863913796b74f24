#pragma once
// Converts values to the store's JSON texts and back. Private to catalog/store.
#include "catalog/store/store.h"

#include <functional>
#include <map>
#include <set>
#include <span>

namespace pupc::catalog {

/// The text that stands for a value in the store and in comparisons.
std::string json_text(const Value& value, Arena& scratch);

/// Parameters as a Hash in `into`. Throws CompileError (load_error) when a text is not JSON.
Value parameters_from(std::span<const std::pair<std::string, std::string>> parameters, Arena& into);
Value parameters_from(std::string_view json_object, Arena& into);

[[noreturn]] void store_failed(std::string message);

/// The parameters as a JSON object, as they are stored.
std::string parameters_text(const StoredResource& resource);

/// For each type a text of its resources: equal when they are the same in the same order.
using TypeTexts = std::map<std::string, std::string, std::less<>>;
void add_text(TypeTexts& texts, std::string_view type, std::string_view title, std::string_view parameters,
              const std::set<std::string, std::less<>>& tags);
TypeTexts type_texts(std::span<const StoredResource> resources);
/// The types whose texts differ.
std::set<std::string> changed_types(const TypeTexts& before, const TypeTexts& after);

} // namespace pupc::catalog
