// Which methods Ruby's own classes have.
#include "compiler/ruby_interpreter/known_methods.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <string>

namespace pupc::ruby {
namespace {

struct Row {
  RubyClass class_;
  std::string_view methods; // between blanks: name, name/ARITY, or ~name for one that a library adds
};

constexpr Row rows[] = {
#include "compiler/ruby_interpreter/known_methods.inc"
};

/// Looks a method up in one row; false when the row does not name it.
bool find_in(const Row& row, std::string_view method, KnownMethod& out) {
  for (size_t at = 0; (at = row.methods.find(method, at)) != std::string_view::npos; ++at) {
    const char before = at == 0 ? ' ' : row.methods[at - 1];
    const std::string_view behind = row.methods.substr(at + method.size());
    if ((before != ' ' && before != '~') || !(behind.starts_with(' ') || behind.starts_with('/'))) continue;
    out.presence = before == '~' ? Presence::Unsure : Presence::Public;
    if (behind.starts_with('/') && behind.size() > 1 && behind[1] >= '0' && behind[1] <= '9')
      out.arity = static_cast<size_t>(behind[1] - '0');
    return true;
  }
  return false;
}

} // namespace

KnownMethod known_method(RubyClass c, std::string_view method) {
  KnownMethod out;
  // Libraries that Puppet loads give every class such methods.
  if (method.empty() || method.find(' ') != std::string_view::npos || method.starts_with("to_json") || method.starts_with("to_yaml") ||
      method.starts_with("to_pson"))
    return out;
  const Row *own = nullptr, *all = nullptr, *hidden = nullptr;
  for (const Row& row : rows) {
    if (row.class_ == c) own = &row;
    if (row.class_ == RubyClass::Object) all = &row;
    if (row.class_ == RubyClass::Kernel) hidden = &row;
  }
  if (own == nullptr || own == all || own == hidden || find_in(*own, method, out) || find_in(*all, method, out)) return out;
  if (find_in(*hidden, method, out)) {
    if (out.presence == Presence::Public) out.presence = Presence::Private;
    return out;
  }
  out.presence = Presence::Missing;
  return out;
}

bool may_be_proposed(std::string_view name, std::string_view word) {
  if (!is_ascii(name) || !is_ascii(word)) return true;
  const double least = name.size() > 3 ? 0.834 : 0.77;
  std::string a = ascii_lower(name), b = ascii_lower(word);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.empty()) return false;
  // The distance of Jaro and Winkler, without what transpositions take from it.
  const size_t range = b.size() / 2 > 1 ? b.size() / 2 - 1 : 0;
  std::vector<bool> taken(b.size());
  double matches = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = i > range ? i - range : 0; j <= i + range && j < b.size(); ++j)
      if (!taken[j] && a[i] == b[j]) {
        taken[j] = true;
        ++matches;
        break;
      }
  if (matches == 0) return false;
  const double jaro = (matches / static_cast<double>(a.size()) + matches / static_cast<double>(b.size()) + 1) / 3;
  size_t prefix = 0;
  while (prefix < 4 && prefix < a.size() && a[prefix] == b[prefix]) ++prefix;
  return jaro + static_cast<double>(prefix) * 0.1 * (1 - jaro) >= least - 1e-9;
}

bool may_be_misspelt(RubyClass c, std::string_view name) {
  if (c == RubyClass::NilClass) return false; // the checker leaves nil's methods out
  for (const Row& row : rows) {
    if (row.class_ != c && row.class_ != RubyClass::Object) continue;
    for (size_t at = 1, end = 0; (end = row.methods.find(' ', at)) != std::string_view::npos; at = end + 1) {
      std::string_view word = row.methods.substr(at, end - at);
      if (word.starts_with('~') && word.size() > 1) word.remove_prefix(1);
      if (size_t arity = word.rfind('/'); arity != std::string_view::npos && arity > 0) word = word.substr(0, arity);
      if (may_be_proposed(name, word)) return true;
    }
  }
  return false;
}

} // namespace pupc::ruby
