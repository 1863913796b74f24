#include "compiler/analysis/trial/guess.h"

#include <algorithm>
#include <vector>

namespace pupc::compiler {
namespace {

constexpr size_t most_choices = 12;

/// With a limit: aliases of YAML can make a value practically endless.
bool known(const Value& v, uint32_t& steps, int depth, bool odd_only) {
  if (depth > 32 || ++steps > 20000) return false;
  switch (v.kind) {
  case Kind::String: return odd_only || (v.str().find("%{") == std::string_view::npos && v.str().find("ENC[") == std::string_view::npos);
  case Kind::List: return std::ranges::all_of(v.items(), [&](const Value& i) { return known(i, steps, depth + 1, odd_only); });
  case Kind::Hash:
    return std::ranges::all_of(v.hash->entries(), [&](const HashEntry& e) {
      return known(e.key, steps, depth + 1, odd_only) && known(e.value, steps, depth + 1, odd_only);
    });
  case Kind::Sensitive: return known(v.unwrap(), steps, depth + 1, false);
  case Kind::Deferred:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return false;
  default: return true;
  }
}

} // namespace

bool is_known(const Value& v) {
  uint32_t steps = 0;
  return known(v, steps, 0, false);
}

bool is_comparable(const Value& v) {
  uint32_t steps = 0;
  return known(v, steps, 0, true);
}

Guess either(Arena& arena, const Guess& a, const Guess& b) {
  std::vector<Value> all;
  bool some_unknown = false;
  for (const Guess& g : {a, b})
    for_each_choice(g, [&](const Value& v) {
      some_unknown = some_unknown || is_unknown(v);
      if (std::ranges::none_of(all, [&](const Value& other) { return eql(v, other); })) all.push_back(v);
    });
  if (some_unknown || all.empty() || all.size() > most_choices) return unknown();
  if (all.size() == 1) return {all.front()};
  const Value list = make_list(arena, all);
  const auto told = [](const Guess& g) { return g.choices == nullptr || g.of_data; };
  return {unknown().value, list.list, (a.of_data || b.of_data) && told(a) && told(b)};
}

std::string pattern_of(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = text.substr(i).starts_with("%{") ? text.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[i++];
      continue;
    }
    if (!out.ends_with('\1')) out += '\1';
    i = end + 1;
  }
  return out;
}

} // namespace pupc::compiler
