#include "tools/server/auth.h"

#include "catalog/base/arena.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace pupc::server {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(".*+?()[]{}|^$\\/-").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::shared_ptr<const Regex> pattern(const std::string& source) {
  auto regex = std::make_shared<const Regex>(source);
  regex->matches(""); // compiles it, so that a mistake shows now
  return regex;
}

std::string text_of(const Value& v) {
  if (v.is_bool()) return v.b ? "true" : "false";
  if (v.is_int()) return std::to_string(v.i);
  return v.is_string() ? std::string(v.str()) : std::string();
}

/// The elements of a list, or the one value.
std::vector<Value> as_list(const Value& v) {
  if (!v.is_list()) return {v};
  return {v.items().begin(), v.items().end()};
}

} // namespace

/// One line of allow or deny.
struct AuthRules::Entry {
  bool deny = false, any = false;
  std::string name;                                                         // with `$1` for groups of the rule's path; or
  std::shared_ptr<const Regex> regex;                                       // "/…/"; or
  std::string domain;                                                       // ".example.com" of "*.example.com"
  std::vector<std::pair<std::string, std::vector<std::string>>> extensions; // all of them, each with one of these values

  bool fits(const Caller& caller, const std::vector<std::string>& groups) const {
    if (any) return true;
    if (!caller.authenticated()) return false;
    for (const auto& [key, values] : extensions) {
      const auto has = std::ranges::find_if(caller.extensions, [&key = key](const auto& e) { return e.first == key; });
      if (has == caller.extensions.end() || std::ranges::find(values, has->second) == values.end()) return false;
    }
    if (regex) return regex->matches(caller.name);
    const std::string who = catalog::ascii_lower(caller.name);
    if (!domain.empty()) return who.size() > domain.size() && who.ends_with(domain);
    if (name.empty()) return !extensions.empty();
    std::string wanted;
    for (size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '$' && i + 1 < name.size() && name[i + 1] >= '1' && name[i + 1] <= '9') {
        const size_t group = static_cast<size_t>(name[++i] - '0');
        if (group >= groups.size() || groups[group].empty()) return false;
        wanted += catalog::ascii_lower(groups[group]);
      } else {
        wanted += name[i];
      }
    }
    return who == catalog::ascii_lower(wanted);
  }
};

struct AuthRules::Rule {
  std::string name;
  int64_t order = 0;
  std::shared_ptr<const Regex> path;
  std::vector<std::string> methods; // empty: all
  std::vector<std::pair<std::string, std::vector<std::string>>> query;
  bool unauthenticated = false;
  std::vector<Entry> entries; // those that deny first

  /// Reads one rule; `where` begins the messages.
  Rule(const Value& value, const std::string& where);
  bool matches(std::string_view method, const Target& target, std::vector<std::string>& groups) const;

private:
  void take_match(const Value& value, const std::string& where);
  void take_entry(const Value& value, bool deny, const std::string& where);
};

AuthRules::Rule::Rule(const Value& value, const std::string& where) {
  if (!value.is_hash()) throw AuthError(where + " is not an object");
  if (const Value* n = value.hash->find("name"); n != nullptr && n->is_string()) name = n->str();
  if (name.empty()) throw AuthError(where + " has no name");
  const std::string here = fmt::format("{} ('{}')", where, name);
  bool matched = false, ordered = false, decided = false;
  for (const HashEntry& e : value.hash->entries()) {
    const std::string_view key = e.key.str();
    if (key == "name") continue;
    if (key == "match-request") {
      take_match(e.value, here);
      matched = true;
    } else if (key == "sort-order") {
      if (!e.value.is_int() || e.value.i < 1 || e.value.i > 999) throw AuthError(here + ": its sort-order is no number from 1 to 999");
      order = e.value.i;
      ordered = true;
    } else if (key == "allow-unauthenticated") {
      if (!e.value.is_bool()) throw AuthError(here + ": allow-unauthenticated is true or false");
      unauthenticated = e.value.b;
      decided = decided || unauthenticated;
    } else if (key == "allow" || key == "deny") {
      for (const Value& one : as_list(e.value)) take_entry(one, key == "deny", here);
      decided = true;
    } else {
      throw AuthError(
          fmt::format("{}: '{}' is not known (match-request, sort-order, allow, deny, allow-unauthenticated, name)", here, key));
    }
  }
  if (!matched) throw AuthError(here + " has no match-request");
  if (!ordered) throw AuthError(here + " has no sort-order");
  if (!decided) throw AuthError(here + " has neither allow, deny nor allow-unauthenticated");
  if (unauthenticated && !entries.empty()) throw AuthError(here + ": allow-unauthenticated goes with neither allow nor deny");
  std::stable_partition(entries.begin(), entries.end(), [](const Entry& e) { return e.deny; });
}

void AuthRules::Rule::take_match(const Value& value, const std::string& where) {
  if (!value.is_hash()) throw AuthError(where + ": its match-request is not an object");
  const Value* text = value.hash->find("path");
  const Value* type = value.hash->find("type");
  if (text == nullptr || !text->is_string()) throw AuthError(where + ": its match-request has no path");
  if (type == nullptr || !type->is_string() || (type->str() != "path" && type->str() != "regex"))
    throw AuthError(where + ": the type of its match-request is path or regex");
  try {
    path = pattern(type->str() == "path" ? "\\A" + quoted(text->str()) : std::string(text->str()));
  } catch (const RegexError& e) { throw AuthError(fmt::format("{}: its path is no regular expression: {}", where, e.message)); }
  for (const HashEntry& e : value.hash->entries()) {
    const std::string_view key = e.key.str();
    if (key == "path" || key == "type") continue;
    if (key == "method") {
      for (const Value& one : as_list(e.value)) {
        const std::string method = catalog::ascii_lower(text_of(one));
        static constexpr std::string_view known[] = {"get", "post", "put", "delete", "head", "any"};
        if (std::ranges::find(known, method) == std::end(known)) throw AuthError(fmt::format("{}: '{}' is no method", where, method));
        if (method != "any") methods.push_back(method);
      }
    } else if (key == "query-params") {
      if (!e.value.is_hash()) throw AuthError(where + ": its query-params are not an object");
      for (const HashEntry& param : e.value.hash->entries()) {
        std::vector<std::string> values;
        for (const Value& one : as_list(param.value)) values.push_back(text_of(one));
        query.emplace_back(std::string(param.key.str()), std::move(values));
      }
    } else {
      throw AuthError(fmt::format("{}: '{}' is not known in match-request (path, type, method, query-params)", where, key));
    }
  }
}

void AuthRules::Rule::take_entry(const Value& value, bool deny, const std::string& where) {
  Entry entry;
  entry.deny = deny;
  const auto take_name = [&](const std::string& text) {
    if (text.empty()) throw AuthError(where + ": a name in allow or deny is empty");
    if (text == "*") {
      entry.any = true;
    } else if (text.size() > 2 && text.starts_with('/') && text.ends_with('/')) {
      try {
        entry.regex = pattern(text.substr(1, text.size() - 2));
      } catch (const RegexError& e) { throw AuthError(fmt::format("{}: '{}' is no regular expression: {}", where, text, e.message)); }
    } else if (text.starts_with("*.")) {
      entry.domain = catalog::ascii_lower(text.substr(1));
    } else if (text.find('*') != std::string::npos) {
      throw AuthError(fmt::format("{}: '{}': a * stands alone or before a domain", where, text));
    } else {
      entry.name = text;
    }
  };
  if (value.is_string()) {
    take_name(std::string(value.str()));
  } else if (value.is_hash()) {
    for (const HashEntry& e : value.hash->entries()) {
      if (e.key.str() == "certname" && e.value.is_string()) {
        take_name(std::string(e.value.str()));
      } else if (e.key.str() == "extensions" && e.value.is_hash()) {
        for (const HashEntry& x : e.value.hash->entries()) {
          std::vector<std::string> values;
          for (const Value& one : as_list(x.value)) values.push_back(text_of(one));
          entry.extensions.emplace_back(std::string(x.key.str()), std::move(values));
        }
      } else {
        throw AuthError(fmt::format("{}: '{}' is not known in allow and deny (certname, extensions)", where, e.key.str()));
      }
    }
    // With extensions, `*` stands for any name, not for anybody.
    if (!entry.extensions.empty()) entry.any = false;
    if (!entry.any && entry.name.empty() && !entry.regex && entry.domain.empty() && entry.extensions.empty())
      throw AuthError(where + ": an entry of allow or deny is empty");
  } else {
    throw AuthError(where + ": what is in allow and deny are names or objects");
  }
  entries.push_back(std::move(entry));
}

bool AuthRules::Rule::matches(std::string_view method, const Target& target, std::vector<std::string>& groups) const {
  if (!methods.empty() && std::ranges::find(methods, catalog::ascii_lower(method)) == methods.end()) return false;
  for (const auto& [name_, values] : query) {
    const std::vector<std::string> given = target.query.all(name_);
    if (std::ranges::none_of(given, [&values = values](const std::string& v) { return std::ranges::find(values, v) != values.end(); }))
      return false;
  }
  const MatchResult match = path->search(target.path);
  if (!match.matched) return false;
  groups.clear();
  for (const auto& group : match.groups)
    groups.push_back(group.begin < 0 ? std::string()
                                     : target.path.substr(static_cast<size_t>(group.begin), static_cast<size_t>(group.end - group.begin)));
  return true;
}

AuthRules::AuthRules(const std::string& text, const std::string& file) {
  Arena arena;
  Value root;
  if (const auto error = read_hocon(text, arena, root))
    throw AuthError(fmt::format("{}: {} (line: {})", file, error->message, error->line));
  const Value* authorization = root.is_hash() ? root.hash->find("authorization") : nullptr;
  if (authorization == nullptr || !authorization->is_hash()) throw AuthError(file + " has no section 'authorization'");
  const Value* list = nullptr;
  for (const HashEntry& e : authorization->hash->entries()) {
    const std::string_view key = e.key.str();
    if (key == "rules" && e.value.is_list()) {
      list = &e.value;
    } else if (key == "version") {
      if (!e.value.is_int() || e.value.i != 1) throw AuthError(file + ": only version 1 of the rules is known");
    } else if (key == "allow-header-cert-info") {
      if (!e.value.is_bool() || e.value.b)
        throw AuthError(file + ": allow-header-cert-info is not supported: only certificates of the connection itself count");
    } else {
      throw AuthError(fmt::format("{}: '{}' is not known in 'authorization' (version, rules)", file, key));
    }
  }
  if (list == nullptr) throw AuthError(file + " has no list 'rules'");
  size_t number = 0;
  for (const Value& rule : list->items()) rules_.emplace_back(rule, fmt::format("{}: rule {}", file, ++number));
  std::ranges::stable_sort(rules_, [](const Rule& a, const Rule& b) { return std::tie(a.order, a.name) < std::tie(b.order, b.name); });
}

AuthRules::~AuthRules() = default;

AuthRules::Verdict AuthRules::verdict(std::string_view method, const Target& target, const Caller& caller) const {
  std::vector<std::string> groups;
  for (const Rule& rule : rules_) {
    if (!rule.matches(method, target, groups)) continue;
    if (rule.unauthenticated) return {true, rule.name};
    for (const Entry& entry : rule.entries)
      if (entry.fits(caller, groups)) return {!entry.deny && caller.authenticated(), rule.name};
    return {false, rule.name};
  }
  return {};
}

} // namespace pupc::server
