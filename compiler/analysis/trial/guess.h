#pragma once
// What a trial run knows of a value. Texts with %{…} are texts of which a part is not known, as in data; a value that is not known at all
// is such a text, too, one that stands for anything.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::compiler {
using namespace catalog;

struct Guess {
  Value value;
  const List* choices = nullptr; // it is one of these, which are known; then `value` is unknown
  bool of_data = false;          // and the site's data have each of them, so that some node has it
};

/// The value of which nothing is known.
inline constexpr std::string_view anything = "%{alias('?')}";
inline Guess unknown() { return {Value::string(anything)}; }
inline bool is_unknown(const Value& v) { return v.is_string() && v.str().data() == anything.data(); }

/// Whether all parts of a value are known.
bool is_known(const Value& v);
inline bool is_known(const Guess& g) { return g.choices == nullptr && is_known(g.value); }
/// Whether the value can be compared with types: what is not known of it is within texts, lists and hashes.
bool is_comparable(const Value& v);
/// What may be either.
Guess either(Arena& arena, const Guess& a, const Guess& b);
/// The text as a pattern (title_patterns.h), with \1 for what is not known.
std::string pattern_of(std::string_view text);

/// Calls `f` with each of the values that may be; with the unknown one, if nothing is known.
template <class F> void for_each_choice(const Guess& g, F f) {
  if (g.choices == nullptr) return f(g.value);
  for (const Value& v : g.choices->items()) f(v);
}

} // namespace pupc::compiler
