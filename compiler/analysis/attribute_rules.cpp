// What the types that come with Puppet accept as values of their attributes: for those that can be said in a pattern. Asked of Puppet 8 by
// giving each attribute of each type some 140 values; resource_rules.cpp has lists of words and what takes more than a pattern.
#include "compiler/analysis/walker.h"

#include "catalog/base/text.h"

#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/resources/attribute_patterns.h"
#include "compiler/analysis/rule_table.h"

#include "catalog/schema/resource_type.h"
#include "catalog/value/ip_address.h"
#include "catalog/value/regex.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Why a schedule's range is none: "H[:M[:S]] - H[:M[:S]]". Empty when it is one.
std::string schedule_range_problem(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.find('-', dash + 1) != std::string_view::npos) return "must be such as '22:00 - 04:00'";
  for (std::string_view time : {trimmed(text.substr(0, dash)), trimmed(text.substr(dash + 1))}) {
    int fields = 0;
    for (size_t begin = 0; begin <= time.size(); ++fields) {
      const size_t end = std::min(time.find(':', begin), time.size());
      const std::string_view field = time.substr(begin, end - begin);
      if (field.empty() || field.size() > 4 || !std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
          fields > 2)
        return "must be such as '22:00 - 04:00'";
      const int n = std::stoi(std::string(field));
      if (fields == 0 && n > 23) return fmt::format("has the hour {}", n);
      if (fields == 1 && n > 59) return fmt::format("has the minute {}", n);
      begin = end + 1;
    }
  }
  return {};
}

} // namespace

/// Refuses a known value of `op` that is not as the rule says.
void Walker::check_attribute_pattern(const AttributeOp& op, Symbol type) {
  static const RuleTable<TextRule> rules(attribute_rules, [](const TextRule& rule) { return rule.attributes; });
  const TextRule* rule = rules.find(type, op.name);
  if (rule == nullptr) return;
  auto check = [&](const Node& element) {
    const StaticValue v = static_value(&element);
    if (!v.known || v.value.is_undef()) return;
    const auto text = scalar_text(v.value);
    if (!text) return;
    if (rule->from == From::Text && !v.value.is_string())
      refuse(element, op.name.str(), type.str(), fmt::format("must be a String, not {}", *text), fmt::format("It {}.", rule->what));
    else if (!program_.environment().regexes().get(rule->pattern)->matches(*text))
      refuse(element, op.name.str(), type.str(), fmt::format("{}, not '{}'", rule->what, *text));
  };
  if (rule->each == Each::No) return check(*op.value);
  for (const Node* element : listed_elements(op.value)) check(*element);
}

/// What takes more than a pattern: texts that cannot be other values, addresses, times, attributes that need each other.
void Walker::check_type_rules(const ResourceBody& body, Symbol type_name) {
  const std::string_view type = type_name.str();
  auto known = [&](Symbol attribute, auto&& act) {
    if (const AttributeOp* op = attribute_of(body, attribute); op != nullptr)
      for (const Node* element : listed_elements(op->value))
        if (const StaticValue v = static_value(element); v.known && !v.value.is_undef()) act(*element, v.value);
  };
  auto needs_text = [&](Symbol attribute) {
    known(attribute, [&](const Node& at, const Value& v) {
      if (!v.is_string() && scalar_text(v)) refuse(at, attribute.str(), type, fmt::format("must be a String, not {}", *scalar_text(v)));
    });
  };
  if (type_name == sym::file) {
    needs_text(sym::content);
    needs_text(sym::source);
    needs_text(sym::path);
    static const Symbol read_only[] = {intern("ctime"), intern("mtime"), intern("type")}, backup = intern("backup");
    for (Symbol attribute : read_only)
      known(attribute, [&](const Node& at, const Value&) { refuse(at, attribute.str(), type, "is read-only"); });
    known(backup, [&](const Node& at, const Value& v) {
      if (v.is_int() || v.is_float()) refuse(at, "backup", type, "must be true, false, a suffix or the name of a filebucket");
    });
  } else if (type_name == sym::cron || type_name == sym::exec) {
    needs_text(sym::command);
    type_name == sym::exec ? needs_text(sym::path) : check_cron_minute(body);
  } else if (type_name == sym::service) {
    needs_text(sym::path);
  } else if (type_name == sym::user) {
    needs_text(intern("expiry"));
  } else if (type == "resources") {
    const AttributeOp* name = attribute_of(body, sym::name);
    const Node* named = name != nullptr ? name->value : body.title;
    const DefinitionEntry* define = nullptr;
    const ResourceTypeInfo* native = nullptr;
    const auto text = literal_text(named);
    if (!text || named->kind == NodeKind::Variable) return;
    if (check_resource_type(*named, lower_symbol(*text), define, native) != Known::Yes) return;
    if (define != nullptr) return refuse(*named, "name", type, fmt::format("must be a resource type; '{}' is a defined type", *text));
    if (native == nullptr || native->origin() != TypeOrigin::Core || native->find(sym::ensure) != nullptr) return;
    known(intern("purge"), [&](const Node& at, const Value& v) {
      if (const auto wanted = scalar_text(v); wanted == "true" || wanted == "yes")
        refuse(at, "purge", type, fmt::format("needs a type with the attribute 'ensure', which '{}' has not", *text));
    });
  } else if (type_name == sym::package) {
    needs_text(sym::name);
    static const Symbol mark = intern("mark");
    const AttributeOp *ensure = attribute_of(body, sym::ensure), *marked = attribute_of(body, mark);
    const auto state = ensure != nullptr && marked != nullptr ? literal_text(ensure->value) : std::nullopt;
    if (state && (*state == "absent" || *state == "purged") && (static_value(marked->value).kinds & kinds::undef) == 0)
      report_at(CheckCode::conflicting_attributes, marked->offset, marked->length,
                fmt::format("A package that is {} takes no 'mark'", *state));
  } else if (type == "host") {
    known(intern("ip"), [&](const Node& at, const Value& v) {
      if (auto text = scalar_text(v); text && !parse_ip_address(*text)) refuse(at, "ip", type, fmt::format("is no address: '{}'", *text));
    });
  } else if (type == "schedule") {
    known(intern("range"), [&](const Node& at, const Value& v) {
      const auto text = scalar_text(v);
      if (!text) return;
      if (const std::string why = schedule_range_problem(*text); !why.empty())
        refuse(at, "range", type, fmt::format("{}: '{}'", why, *text));
    });
    static const Symbol repeat = intern("repeat"), periodmatch = intern("periodmatch");
    const AttributeOp* match = attribute_of(body, periodmatch);
    if (match != nullptr && literal_text(match->value) == "number")
      known(repeat, [&](const Node& at, const Value& v) {
        if (const auto times = scalar_text(v); times && *times != "1")
          refuse(at, "repeat", type, fmt::format("cannot be {} where periodmatch is number", *times), "Write periodmatch => distance.");
      });
  } else if (type == "tidy") {
    check_tidy(body);
  } else if (type == "ssh_authorized_key") {
    if (attribute_of(body, sym::user) == nullptr && attribute_of(body, sym::target) == nullptr && !has_splat(body.operations))
      missing_.push_back({"ssh_authorized_key",
                          source_,
                          body.title->offset,
                          body.title->length,
                          "An ssh_authorized_key needs 'user' or 'target'",
                          {sym::user, sym::target}});
  } else if (type == "augeas") {
    known(intern("changes"), [&](const Node& at, const Value& v) {
      if (!v.is_string()) return;
      const std::string_view text = trimmed(v.str()), word = text.substr(0, text.find_first_of(" \t\n"));
      static const std::vector<std::string_view> words = {"set", "setm", "rm",     "remove", "clear", "clearm", "touch",
                                                          "mv",  "move", "rename", "insert", "ins",   "defvar", "defnode"};
      if (!word.empty() && std::ranges::find(words, word) == words.end())
        refuse(at, "changes", type, fmt::format("has no command '{}'", word), did_you_mean(word, words));
    });
    const AttributeOp *lens = attribute_of(body, sym::lens), *incl = attribute_of(body, sym::incl);
    if ((lens == nullptr) == (incl == nullptr) || has_splat(body.operations)) return;
    const AttributeOp* alone = lens != nullptr ? lens : incl;
    if ((static_value(alone->value).kinds & kinds::undef) == 0)
      report_at(CheckCode::conflicting_attributes, alone->offset, alone->length, "augeas needs both 'lens' and 'incl', or neither");
  }
}

/// A provider's name that neither Puppet nor a file of a module brings.
void Walker::check_provider(const AttributeOp& op, const ResourceTypeInfo& type, Symbol name) {
  static const std::vector<std::string_view>
      of_package = {"aix",       "appdmg", "apple",   "apt",         "aptitude", "aptrpm",      "blastwave",  "dnf",
                    "dnfmodule", "dpkg",   "fink",    "freebsd",     "gem",      "hpux",        "macports",   "nim",
                    "openbsd",   "opkg",   "pacman",  "pip",         "pip2",     "pip3",        "pkg",        "pkgdmg",
                    "pkgin",     "pkgng",  "pkgutil", "portage",     "ports",    "portupgrade", "puppet_gem", "puppetserver_gem",
                    "rpm",       "rug",    "sun",     "sunfreeware", "tdnf",     "up2date",     "urpmi",      "windows",
                    "xbps",      "yum",    "zypper"},
      of_service = {"base",    "bsd",  "daemontools", "debian", "freebsd", "gentoo", "init", "launchd", "openbsd", "openrc",
                    "openwrt", "rcng", "redhat",      "runit",  "service", "smf",    "src",  "systemd", "upstart", "windows"},
      of_user = {"aix", "directoryservice", "hpux", "ldap", "openbsd", "pw", "user_role_add", "useradd", "windows_adsi"},
      of_group = {"aix", "directoryservice", "groupadd", "ldap", "pw", "windows_adsi"}, of_exec = {"posix", "shell", "windows"}, none;
  const auto& own = name == sym::package   ? of_package
                    : name == sym::service ? of_service
                    : name == sym::user    ? of_user
                    : name == sym::group   ? of_group
                    : name == sym::exec    ? of_exec
                                           : none;
  const auto text = literal_text(op.value);
  if (!text || text->empty() || std::ranges::find(own, *text) != own.end()) return;
  if (own.empty() && (type.origin() != TypeOrigin::Module || type.file().empty() || !type.dynamic().empty())) return;
  const auto [at, fresh] = providers_.try_emplace(name);
  if (fresh) at->second = read_ruby_providers(program_.environment(), ruby_.files(), name.str(), own.empty() ? type.file() : "");
  const RubyProviders& brought = at->second;
  std::vector<std::string_view> known(own.begin(), own.end());
  known.insert(known.end(), brought.names.begin(), brought.names.end());
  if (!brought.known || brought.names.contains(*text) || known.empty()) return;
  const std::string similar = did_you_mean(*text, known);
  const bool complete = program_.complete(module_);
  // A module that is not here may bring others: what is left are slips. Of packages and services there are many such modules.
  const bool slip = std::ranges::any_of(known, [&](std::string_view n) {
    return n.size() >= 4 && (one_slip_apart(*text, n) || n == std::string(*text) + "s" || *text == std::string(n) + "s");
  });
  const bool closed = name == sym::exec || (own.empty() && program_.whole());
  if (complete ? similar.empty() && !closed : own.empty() ? !slip : true) return;
  report(CheckCode::attribute_value, *op.value, fmt::format("provider of {} is no provider: '{}'", name.str(), *text), similar,
         complete ? std::nullopt : std::optional(Severity::Warning));
}

/// Metaparameters that name another resource: its schedule, or the stage of a class.
void Walker::note_named_resource(const AttributeOp& op) {
  const auto text = literal_text(op.value);
  static constexpr std::string_view always[] = {"main", "puppet", "hourly", "daily", "weekly", "monthly", "never", "undef", ""};
  if (!text || op.value->kind == NodeKind::Variable || std::find(std::begin(always), std::end(always), *text) != std::end(always)) return;
  const Symbol type = lower_symbol(op.name);
  references_.push_back({type, *text, numbers_.of(type, *text), op.value->offset, op.value->length, source_, module_});
}

} // namespace pupc::compiler
