#include "compiler/function/navigation.h"

#include "compiler/conversion/new_instance.h"
#include "compiler/conversion/ruby_text.h"

#include <charconv>
#include <fmt/format.h>

namespace pupc::compiler {

Value NavigationError::to_value(TypeContext& types) const {
  HashBuilder details(types.arena);
  details.set("walked_path", make_list(types.arena, walked));
  if (found != nullptr)
    details.set(issue_code == "EXPECTED_INTEGER_INDEX" ? "index_type" : "value_type", Value::string(types.arena.copy(found->to_string())));
  Value args[] = {Value::string(types.arena.copy(message)), Value::string("SLICE_ERROR"), Value::undef(), Value::undef()};
  args[2] = details.finish();
  args[3] = Value::string(types.arena.copy(issue_code));
  const Type* error_type = builtin_type("Error");
  return new_instance(types, error_type, args);
}

bool dig_into(TypeContext& types, Value from, std::span<const Value> keys, Value& out, NavigationError& error) {
  for (const Value& key : keys) {
    if (from.is_undef() || key.is_undef()) {
      out = Value::undef();
      return true;
    }
    if (!from.is_list() && !from.is_hash()) {
      error.found = infer(types, from);
      error.issue_code = "EXPECTED_COLLECTION";
      error.message = fmt::format("The given data does not contain a Collection at {}, got '{}'",
                                  ruby_inspect(types, make_list(types.arena, error.walked)), error.found->to_string());
      return false;
    }
    error.walked.push_back(key);
    if (from.is_list()) {
      if (!key.is_int()) {
        error.found = infer(types, key);
        error.issue_code = "EXPECTED_INTEGER_INDEX";
        error.message = fmt::format("The given data requires an Integer index at {}, got '{}'",
                                    ruby_inspect(types, make_list(types.arena, error.walked)), error.found->to_string());
        return false;
      }
      int64_t size = from.list->size, at = key.i < 0 ? key.i + size : key.i;
      from = at >= 0 && at < size ? from.items()[static_cast<size_t>(at)] : Value::undef();
    } else {
      const Value* found = from.hash->find(key);
      from = found != nullptr ? *found : Value::undef();
    }
  }
  out = from;
  return true;
}

bool split_navigation(Arena& arena, std::string_view text, std::vector<Value>& out) {
  size_t i = 0;
  while (true) {
    std::string_view segment;
    bool quoted = false;
    if (i < text.size() && (text[i] == '\'' || text[i] == '"')) {
      size_t close = text.find(text[i], i + 1);
      if (close == std::string_view::npos) return false;
      segment = text.substr(i + 1, close - i - 1);
      if (segment.empty()) return false;
      quoted = true;
      i = close + 1;
      if (i < text.size() && text[i] != '.') return false;
    } else {
      size_t end = std::min(text.find('.', i), text.size());
      segment = text.substr(i, end - i);
      if (segment.empty() || segment.find_first_of("'\"") != std::string_view::npos) return false;
      i = end;
    }
    int64_t number = 0;
    auto r = std::from_chars(segment.data(), segment.data() + segment.size(), number);
    bool integer = !quoted && r.ec == std::errc() && r.ptr == segment.data() + segment.size();
    out.push_back(integer ? Value::integer(number) : Value::string(arena.copy(segment)));
    if (i >= text.size()) return true;
    ++i; // skips the dot
  }
}

} // namespace pupc::compiler
