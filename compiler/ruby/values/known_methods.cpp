// Which methods Ruby's own classes have.
#include "compiler/ruby/values/known_methods.h"

#include "compiler/ruby/values/spelling.h"

#include <vector>

namespace pupc::compiler::ruby {
namespace {

struct Row {
  RubyClass class_;
  std::string_view methods; // between blanks: name, name/ARITY, or ~name for one that a library adds
};

constexpr Row rows[] = {
#include "compiler/ruby/values/known_methods.inc"
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

std::optional<std::string> method_hint(RubyClass c, std::string_view name) {
  if (c == RubyClass::NilClass) return ""; // the checker leaves nil's methods out
  std::vector<SpellingWord> words;
  for (const Row& row : rows) {
    if (row.class_ != c && row.class_ != RubyClass::Object) continue;
    for (size_t at = 1, end = 0; (end = row.methods.find(' ', at)) != std::string_view::npos; at = end + 1) {
      std::string_view word = row.methods.substr(at, end - at);
      const bool sure = word.size() == 1 || !word.starts_with('~');
      if (!sure) word.remove_prefix(1);
      if (size_t arity = word.rfind('/'); arity != std::string_view::npos && arity > 0) word = word.substr(0, arity);
      words.push_back({word, sure});
    }
  }
  return spelling_hint(name, words);
}

} // namespace pupc::compiler::ruby
