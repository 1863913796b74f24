#include "compiler/ruby/types/type_reader.h"

#include "catalog/value/regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace pupc::compiler {
namespace {

using VK = StaticRubyValue::Kind;

constexpr int max_reader_depth = 48;

template <size_t N> bool one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Methods of a type's body that define attributes, or that run other code which may define some.
constexpr std::string_view definers[] = {"newparam",
                                         "newproperty",
                                         "newmetaparam",
                                         "newstate",
                                         "ensurable",
                                         "isnamevar",
                                         "provide",
                                         "class_eval",
                                         "module_eval",
                                         "instance_eval",
                                         "eval",
                                         "class_exec",
                                         "instance_exec",
                                         "send",
                                         "public_send",
                                         "__send__",
                                         "extend",
                                         "include",
                                         "prepend",
                                         "define_singleton_method",
                                         "instance_variable_set"};
// Methods of a type's body that do not touch its attributes.
constexpr std::string_view harmless[] = {"desc",
                                         "autorequire",
                                         "autobefore",
                                         "autonotify",
                                         "autosubscribe",
                                         "feature",
                                         "validate",
                                         "apply_to_device",
                                         "apply_to_host",
                                         "apply_to_all",
                                         "apply_to",
                                         "attr_accessor",
                                         "attr_reader",
                                         "attr_writer",
                                         "alias_method",
                                         "define_method",
                                         "private",
                                         "public",
                                         "protected",
                                         "private_class_method",
                                         "public_class_method",
                                         "module_function",
                                         "remove_method",
                                         "undef_method",
                                         "raise",
                                         "fail",
                                         "warn",
                                         "warning",
                                         "notice",
                                         "info",
                                         "debug",
                                         "err",
                                         "puts",
                                         "deprecation_warning",
                                         "set_default",
                                         "private_constant",
                                         "def_delegator",
                                         "def_delegators",
                                         "instance_variable_get",
                                         "autoload",
                                         "refine",
                                         "using",
                                         "catch",
                                         "binding",
                                         "format",
                                         "sprintf",
                                         "p",
                                         "print",
                                         "pp",
                                         "freeze",
                                         "self_refresh=",
                                         "lambda",
                                         "proc"};
// Modules of Ruby and of Puppet without hooks that define attributes.
constexpr std::string_view plain_modules[] = {"Comparable", "Enumerable", "Forwardable", "FileUtils", "Singleton", "Timeout",
                                              "ERB",        "Facter",     "Kernel",      "Etc",       "URI",       "IPAddr"};

// Reads the body of one type.
class TypeReader {
public:
  TypeReader(RubyFileSet& program, ScannedType& type, std::string nesting) : program_(program), type_(type), nesting_(std::move(nesting)) {}

  void read(RubyRange body, RubyLocals locals) {
    locals["self"] = StaticRubyValue::of(VK::Type);
    scan(body, locals);
    bool ensures = std::any_of(type_.attributes.begin(), type_.attributes.end(),
                               [](const auto& a) { return a.name == "ensure" && a.kind == AttributeKind::Property; });
    if (!ensures && exists_ && create_ && destroy_) add_attribute("ensure", AttributeKind::Property, false); // Puppet::Type.ensurable?
    read_titles();
  }

private:
  struct Method {
    RubyMethod method;
    std::string nesting;
  };

  void dynamic(const RubyRange& at, std::string reason) {
    if (type_.dynamic.empty()) type_.dynamic = fmt::format("{} (line {})", reason, at.empty() ? 0 : at[at.begin].line);
  }

  void add_attribute(std::string name, AttributeKind kind, bool namevar) {
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    ScannedType::Attribute a{std::move(name), kind, namevar};
    if (type_.attributes.empty()) type_.attributes.reserve(16); // few types have more
    if (a.kind == AttributeKind::Property && a.name == "ensure")
      type_.attributes.insert(type_.attributes.begin(), std::move(a));
    else
      type_.attributes.push_back(std::move(a));
  }

  static bool mentions_definition(const RubyRange& r) {
    for (uint32_t i = r.begin; i < r.end; ++i)
      if ((r[i].kind == RubyTokenKind::Identifier && one_of(r[i].text, definers)) ||
          (r[i].kind == RubyTokenKind::Symbol && one_of(r[i].body, definers)))
        return true;
    return false;
  }
  bool mentions_own_method(const RubyRange& r) const {
    for (uint32_t i = r.begin; i < r.end; ++i)
      if (r[i].kind == RubyTokenKind::Identifier && own_.contains(r[i].text)) return true;
    return false;
  }

  // -- statements

  void scan(RubyRange body, RubyLocals& locals) {
    if (++depth_ > max_reader_depth) {
      dynamic(body, "nested too deeply");
    } else {
      RubyRange s;
      while (next_statement(body, s)) { // read on even if the type is dynamic, for the attributes that the body shows
        program_.spend();
        if (!program_.within_budget()) {
          dynamic(s, "too much to read");
          break;
        }
        statement(s, locals);
      }
    }
    --depth_;
  }

  void statement(RubyRange s, RubyLocals& locals) {
    const RubyToken& first = s[s.begin];
    if (first.kind == RubyTokenKind::Keyword && first.text != "self") return keyword(s, locals);
    if (uint32_t at = find_modifier(s); at != 0) {
      RubyRange core = s;
      core.end = at;
      RubyRange condition = s;
      condition.begin = at + 1;
      if (s[at].text == "if" || s[at].text == "unless")
        if (StaticRubyValue v = program_.evaluate(condition, locals, nesting_); v.known()) {
          if (v.truthy() == (s[at].text == "if")) statement(core, locals);
          return;
        }
      if (conditional_mixin(core, locals)) return;
      if (mentions_definition(core) || mentions_own_method(core) || calls_unknown(core, locals))
        dynamic(s, fmt::format("defined on a condition: {}", s[core.begin].text));
      return;
    }
    if (assignment(s, locals)) return;
    switch (first.kind) {
    case RubyTokenKind::Identifier: return call(s, s.begin, locals);
    case RubyTokenKind::Keyword: // self
      if (s.begin + 2 < s.end && is_op(s[s.begin + 1], ".") && s[s.begin + 2].kind == RubyTokenKind::Identifier)
        return call(s, s.begin + 2, locals);
      break;
    default: break;
    }
    expression(s, locals);
  }

  // Handles `extend X if …`. If X has no hooks it only adds methods, so the condition does not matter.
  bool conditional_mixin(const RubyRange& core, RubyLocals& locals) {
    uint32_t at = core.begin;
    if (core.begin + 2 < core.end && is_op(core[core.begin + 1], ".")) {
      RubyRange receiver = core;
      receiver.end = core.begin + 1;
      if (!program_.evaluate(receiver, locals, nesting_).is(VK::Type)) return false;
      at += 2;
    }
    if (core[at].kind != RubyTokenKind::Identifier || (core[at].text != "include" && core[at].text != "extend")) return false;
    RubyCall c = read_call(core, at);
    for (const auto& v : program_.arguments(c.arguments, locals, nesting_)) {
      std::string module = v.is(VK::Constant) ? program_.resolve_module(v.text, nesting_) : std::string();
      if (module.empty() || program_.find_method(module, "self.included") || program_.find_method(module, "self.extended")) return false;
      for (const auto& name : program_.instance_methods(module))
        if (one_of(name, definers) || name == "newparam" || name == "title_patterns" || name == "exists?" || name == "create" ||
            name == "destroy")
          return false;
    }
    mixin(core, c, locals);
    return true;
  }

  void keyword(const RubyRange& s, RubyLocals& locals) {
    const RubyToken& first = s[s.begin];
    std::string_view x = first.text;
    if (x == "def") {
      std::string name;
      RubyMethod method;
      if (!read_def(s, s.begin, name, method)) return;
      method.module = nesting_;
      define(name, method, nesting_);
    } else if (x == "class" && s.begin + 1 < s.end && is_op(s[s.begin + 1], "<<")) {
      RubyRange body = s, inner;
      while (body.begin < first.match && s[body.begin].kind != RubyTokenKind::Newline) ++body.begin;
      body.end = first.match;
      while (next_statement(body, inner)) {
        std::string name;
        RubyMethod method;
        if (is_keyword(inner[inner.begin], "def") && read_def(inner, inner.begin, name, method)) {
          method.module = nesting_;
          define(name.starts_with("self.") ? name : "self." + name, method, nesting_);
        } else if (mentions_definition(inner)) {
          dynamic(inner, "definitions in class << self");
        }
      }
    } else if (x == "if" || x == "unless" || x == "case" || x == "while" || x == "until" || x == "for" || x == "begin") {
      RubyRange body = s;
      ++body.begin;
      body.end = first.match == RubyToken::no_match ? s.end : first.match;
      if ((x == "if" || x == "unless") && known_condition(s, locals)) return;
      if (mentions_definition(body) || mentions_own_method(body)) return dynamic(s, fmt::format("defined in {}", x));
      conditional(body, locals);
    } else if (x == "super") {
      dynamic(s, "super");
    }
    // Other statements define no attribute: modules and classes in the body are helpers; return, alias, undef and the like have no effect
    // here.
  }

  // If the conditions are known, reads the branch that Ruby takes.
  bool known_condition(const RubyRange& s, RubyLocals& locals) {
    bool wanted = s[s.begin].text == "if";
    for (const auto& branch : read_if(s, s.begin)) {
      StaticRubyValue condition = branch.condition.empty() ? StaticRubyValue::of(wanted ? VK::True : VK::False)
                                                           : program_.evaluate(branch.condition, locals, nesting_);
      if (!condition.known()) return false;
      if (condition.truthy() == wanted) {
        scan(branch.body, locals);
        return true;
      }
      wanted = true;
    }
    return true;
  }

  // Reads a body that may or may not run: everything that it calls must be harmless.
  void conditional(RubyRange body, const RubyLocals& locals) {
    RubyRange s;
    while (next_statement(body, s)) {
      while (!s.empty() && s[s.begin].kind == RubyTokenKind::Keyword && s[s.begin].match == RubyToken::no_match)
        ++s.begin; // else, when, rescue, then …
      if (s.empty()) continue;
      if (is_keyword(s[s.begin], "def")) continue;
      if (s[s.begin].kind == RubyTokenKind::Identifier && (s[s.begin].text == "require" || s[s.begin].text == "require_relative")) continue;
      if (calls_unknown(s, locals)) return dynamic(s, fmt::format("calls {} on a condition", s[s.begin].text));
    }
  }

  // Whether a statement calls a method of the type itself that is neither known nor harmless.
  bool calls_unknown(const RubyRange& s, const RubyLocals& locals) const {
    const RubyToken& t = s[s.begin];
    return t.kind == RubyTokenKind::Identifier && !one_of(t.text, harmless) && t.text != "require" && t.text != "require_relative" &&
           !locals.contains(t.text) &&
           !(s.begin + 1 < s.end && s[s.begin + 1].kind == RubyTokenKind::Operator && s[s.begin + 1].text.ends_with('=') &&
             s[s.begin + 1].text.size() <= 3);
  }

  void define(const std::string& name, const RubyMethod& method, const std::string& nesting) {
    if (name == "exists?") exists_ = true;
    if (name == "create") create_ = true;
    if (name == "destroy") destroy_ = true;
    if (name.starts_with("self.")) own_.insert_or_assign(name.substr(5), Method{method, nesting});
  }

  // Handles x = …, X = … and @x = …; false when the statement is no assignment.
  bool assignment(const RubyRange& s, RubyLocals& locals) {
    uint32_t at = s.begin;
    const RubyToken& target = s[at++];
    if (target.kind != RubyTokenKind::Identifier && target.kind != RubyTokenKind::Constant && target.kind != RubyTokenKind::Variable)
      return false;
    bool indexed = at < s.end && is_op(s[at], "[") && !s[at].space_before;
    if (indexed) at = skip_element(s, at);
    if (at >= s.end || s[at].kind != RubyTokenKind::Operator ||
        (s[at].text != "=" && s[at].text != "||=" && s[at].text != "+=" && s[at].text != "<<"))
      return false;
    bool plain = s[at].text == "=" && !indexed;
    RubyRange right = s;
    right.begin = at + 1;
    if (right.empty()) return true;
    std::string name(target.text);
    if (right[right.begin].kind == RubyTokenKind::Identifier &&
        (right[right.begin].text == "newparam" || right[right.begin].text == "newproperty")) {
      call(right, right.begin, locals);
      if (target.kind == RubyTokenKind::Identifier) locals[name] = {};
      return true;
    }
    StaticRubyValue value = program_.evaluate(right, locals, nesting_);
    if (!value.known() && (mentions_definition(right) || mentions_own_method(right))) {
      dynamic(s, "definitions in an assignment");
      return true;
    }
    if (target.kind == RubyTokenKind::Variable) {
      if (name != "@isomorphic") return true;
      if (!plain || (!value.is(VK::True) && !value.is(VK::False)))
        dynamic(s, "@isomorphic is computed");
      else
        type_.isomorphic = value.is(VK::True);
      return true;
    }
    if (s[at].text == "||=" && locals.contains(name)) value = {};
    locals[name] = plain || s[at].text == "||=" ? std::move(value) : StaticRubyValue{};
    return true;
  }

  // Handles any other statement: follows loops over known lists; anything else must not be able to define an attribute.
  void expression(const RubyRange& s, RubyLocals& locals) {
    for (uint32_t i = s.begin; i < s.end; i = skip_element(s, i)) {
      if (i <= s.begin + 0 || s[i].kind != RubyTokenKind::Identifier || !(is_op(s[i - 1], ".") || is_op(s[i - 1], "&."))) continue;
      RubyRange receiver = s;
      receiver.end = i - 1;
      RubyCall c = read_call(s, i);
      StaticRubyValue on = program_.evaluate(receiver, locals, nesting_);
      if (on.is(VK::Type)) return call(s, i, locals);
      if (on.is(VK::Block) && (c.name == "call" || c.name == "yield") && !c.has_block) {
        RubyLocals inner = program_.copy(locals);
        program_.bind(on.block_parameters, program_.arguments(c.arguments, locals, nesting_), nullptr, inner, nesting_);
        return scan(on.block, inner);
      }
      if (on.is(VK::Constant) && gives_type(c, locals)) return call_module(s, on.text, c, locals);
      if (!c.has_block || c.end != s.end) continue;
      if (!mentions_definition(c.block) && !mentions_own_method(c.block) && !body_calls_unknown(c.block, c.block_parameters, locals))
        return;
      if (c.name == "each" || c.name == "each_pair" || c.name == "each_with_index" || c.name == "map" || c.name == "each_key" ||
          c.name == "each_value")
        return loop(s, on, c, locals);
      return dynamic(s, fmt::format("defined in a block of {}", c.name));
    }
    if (mentions_definition(s) || uses_defining_block(s, locals)) dynamic(s, fmt::format("defined by an expression: {}", s[s.begin].text));
  }

  static bool uses_defining_block(const RubyRange& s, const RubyLocals& locals) {
    for (uint32_t i = s.begin; i < s.end; ++i) {
      if (s[i].kind != RubyTokenKind::Identifier && s[i].kind != RubyTokenKind::Constant) continue;
      auto it = locals.find(s[i].text);
      if (it != locals.end() && it->second.is(VK::Block) && mentions_definition(it->second.block)) return true;
    }
    return false;
  }

  bool body_calls_unknown(RubyRange body, const RubyRange& parameters, const RubyLocals& locals) {
    RubyLocals inner = program_.copy(locals);
    for (const auto& p : split_commas(parameters)) inner[std::string(p[p.begin].text)] = {};
    RubyRange s;
    while (next_statement(body, s))
      if (calls_unknown(s, inner)) return true;
    return false;
  }

  void loop(const RubyRange& s, const StaticRubyValue& over, const RubyCall& c, const RubyLocals& locals) {
    std::vector<std::vector<StaticRubyValue>> rounds;
    if (over.is(VK::Array)) {
      for (size_t i = 0; i < over.items.size(); ++i) {
        const StaticRubyValue& item = over.items[i];
        rounds.push_back(item.is(VK::Array) && c.name != "each_with_index" ? item.items : std::vector{item});
        if (c.name == "each_with_index") rounds.back().push_back(StaticRubyValue::of(VK::Integer, std::to_string(i)));
      }
    } else if (over.is(VK::Hash) && (c.name == "each" || c.name == "each_pair" || c.name == "each_key" || c.name == "each_value")) {
      for (size_t i = 0; i < over.items.size(); i += 2)
        rounds.push_back(c.name == "each_key"     ? std::vector{over.items[i]}
                         : c.name == "each_value" ? std::vector{over.items[i + 1]}
                                                  : std::vector{over.items[i], over.items[i + 1]});
    } else {
      return dynamic(s, "a loop over what is not known");
    }
    for (const auto& values : rounds) {
      if (!program_.within_budget()) return dynamic(s, "too much to read");
      RubyLocals inner = program_.copy(locals);
      program_.bind(c.block_parameters, values, nullptr, inner, nesting_);
      scan(c.block, inner);
    }
  }

  // -- calls on the type

  void call(const RubyRange& s, uint32_t at, RubyLocals& locals) {
    if (at > s.begin && at + 1 < s.end && is_op(s[at + 1], "=")) return; // self.x = … defines no attribute
    RubyCall c = read_call(s, at);
    std::string_view name = c.name;
    if (auto own = own_.find(name); own != own_.end()) { // a method of the file or a mixin overrides one of Puppet::Type
      if (name == "title_patterns") return;
      return inline_method(s, own->second, c, locals);
    }
    if (name == "newparam" || name == "newproperty") return attribute(s, c, name == "newproperty", locals);
    if (name == "ensurable") return add_attribute("ensure", AttributeKind::Property, false);
    if (name == "provide") return type_.add_provider();
    if (name == "require" || name == "require_relative" || name == "load") return program_.require(*s.file, c, locals);
    if (name == "include" || name == "prepend" || name == "extend") return mixin(s, c, locals);
    if (name == "class_eval" || name == "module_eval" || name == "class_exec" || name == "instance_eval" || name == "instance_exec") {
      if (c.has_block) return scan(c.block, locals);
      StaticRubyValue given; // instance_eval(&PROCEDURE)
      program_.arguments(c.arguments, locals, nesting_, &given);
      if (!given.is(VK::Block)) return dynamic(s, fmt::format("{} of a text", name));
      RubyLocals own; // empty: the variables where the procedure was made are not known here
      return scan(given.block, own);
    }
    if (name == "send" || name == "public_send" || name == "__send__") return send(s, c, locals);
    if (name == "define_method" || name == "define_singleton_method") return defined_method(s, c, locals);
    if (one_of(name, harmless)) return;
    if (at == s.begin && locals.contains(name)) return expression(s, locals);
    if (at == s.begin && s.begin + 1 < s.end && (is_op(s[s.begin + 1], ".") || is_op(s[s.begin + 1], "&."))) { // something's method
      if (mentions_definition(s)) return dynamic(s, fmt::format("defined through {}", name));
      return;
    }
    dynamic(s, fmt::format("calls {}, which is not known", name));
  }

  void send(const RubyRange& s, const RubyCall& c, RubyLocals& locals) {
    RubyRange rest = c.arguments;
    auto items = split_commas(c.arguments);
    StaticRubyValue name = items.empty() ? StaticRubyValue{} : program_.evaluate(items[0], locals, nesting_);
    if (!name.is_name()) return dynamic(s, "send of a computed name");
    RubyCall inner = c;
    inner.name = name.text;
    inner.arguments = rest;
    inner.arguments.begin = items.size() > 1 ? items[1].begin : rest.end;
    if (name.text == "newparam" || name.text == "newproperty") return attribute(s, inner, name.text == "newproperty", locals);
    if (name.text == "include" || name.text == "extend" || name.text == "prepend") return mixin(s, inner, locals);
    if (name.text == "ensurable") return add_attribute("ensure", AttributeKind::Property, false);
    if (one_of(name.text, definers)) return dynamic(s, fmt::format("send of {}", name.text));
    if (auto own = own_.find(name.text); own != own_.end()) return inline_method(s, own->second, inner, locals);
    if (!one_of(name.text, harmless)) dynamic(s, fmt::format("calls {}, which is not known", name.text));
  }

  void defined_method(const RubyRange& s, const RubyCall& c, RubyLocals& locals) {
    auto values = program_.arguments(c.arguments, locals, nesting_);
    if (values.empty() || !values[0].is_name()) {
      if (c.name == "define_singleton_method") dynamic(s, "a method of a computed name");
      return;
    }
    RubyMethod method{c.block_parameters, c.block, nesting_};
    if (!c.has_block) method.body.end = method.body.begin = 0;
    define((c.name == "define_singleton_method" ? "self." : "") + values[0].text, method, nesting_);
  }

  // newparam and newproperty
  void attribute(const RubyRange& s, const RubyCall& c, bool property, RubyLocals& locals) {
    StaticRubyValue given_block;
    auto values = program_.arguments(c.arguments, locals, nesting_, &given_block);
    if (values.empty() || !values[0].is_name())
      return dynamic(s, fmt::format("{} of a computed name", property ? "newproperty" : "newparam"));
    bool namevar = false;
    for (size_t i = 1; i < values.size() && !property; ++i) { // a property is no namevar, whatever its options say
      if (!values[i].is(VK::Hash)) return dynamic(s, fmt::format("{} with computed options", values[0].text));
      if (const StaticRubyValue* v = values[i].find("namevar")) {
        if (!v->known()) return dynamic(s, fmt::format("{} with a computed namevar", values[0].text));
        namevar = v->truthy();
      }
    }
    RubyRange block = c.block;
    bool has_block = c.has_block;
    if (given_block.is(VK::Block) || given_block.is(VK::Identity)) {
      block = given_block.block;
      has_block = true;
    }
    if (has_block && !property)
      namevar = block_says_namevar(block) || namevar; // only for parameters: Puppet's key_attributes ignores properties
    namevar = !property && (namevar || values[0].text == "name");
    add_attribute(values[0].text, property ? AttributeKind::Property : AttributeKind::Parameter, namevar);
  }

  bool block_says_namevar(RubyRange block) {
    RubyRange s, rest = block;
    bool says = false;
    while (next_statement(rest, s)) {
      uint32_t at = s.begin;
      if (is_keyword(s[at], "self") && at + 2 < s.end && is_op(s[at + 1], ".")) at += 2;
      bool here = s[at].kind == RubyTokenKind::Identifier && s[at].text == "isnamevar";
      bool variable = s[at].kind == RubyTokenKind::Variable && s[at].text == "@isnamevar";
      if (here && find_modifier(s) == 0) {
        says = true;
      } else if (here || variable || nested_namevar(s)) {
        dynamic(s, "isnamevar on a condition");
        return false;
      } else if (s[at].kind == RubyTokenKind::Identifier && (s[at].text == "include" || s[at].text == "extend")) {
        if (mixin_mentions_namevar(s, at)) dynamic(s, "isnamevar in a mixin");
      }
    }
    return says;
  }

  static bool nested_namevar(const RubyRange& s) {
    if (is_keyword(s[s.begin], "def")) return false;
    for (uint32_t i = s.begin; i < s.end; ++i)
      if (s[i].kind == RubyTokenKind::Identifier && s[i].text == "isnamevar") return true;
    return false;
  }

  bool mixin_mentions_namevar(const RubyRange& s, uint32_t at) {
    RubyLocals none;
    for (const auto& v : program_.arguments(read_call(s, at).arguments, none, nesting_)) {
      if (!v.is(VK::Constant)) continue;
      std::string module = program_.resolve_module(v.text, nesting_);
      for (const char* hook : {"self.included", "self.extended"})
        if (const RubyMethod* m = module.empty() ? nullptr : program_.find_method(module, hook))
          if (nested_namevar(m->body)) return true;
    }
    return false;
  }

  // -- mixins and methods of others

  void mixin(const RubyRange& s, const RubyCall& c, RubyLocals& locals) {
    for (const auto& v : program_.arguments(c.arguments, locals, nesting_)) {
      if (!v.is(VK::Constant)) return dynamic(s, fmt::format("{} of what is not known", c.name));
      std::string module = program_.resolve_module(v.text, nesting_);
      if (module.empty()) {
        std::string_view root = std::string_view(v.text).substr(0, v.text.find(':'));
        bool puppet_util = v.text == "Puppet::Util" || v.text.starts_with("Puppet::Util::");
        if (!puppet_util && !one_of(root, plain_modules)) return dynamic(s, fmt::format("{} of {}, which is not found", c.name, v.text));
        continue;
      }
      bool extends = c.name == "extend";
      for (const auto& name : program_.instance_methods(module)) {
        RubyMethod method = *program_.find_method(module, name);
        define(extends ? "self." + name : name, method, module);
      }
      const RubyMethod* hook = program_.find_method(module, extends               ? "self.extended"
                                                            : c.name == "prepend" ? "self.prepended"
                                                                                  : "self.included");
      if (hook) {
        RubyLocals inner;
        StaticRubyValue type = StaticRubyValue::of(VK::Type);
        program_.bind(hook->parameters, std::span(&type, 1), nullptr, inner, module);
        inside(module, [&] { scan(hook->body, inner); });
      }
    }
  }

  template <class F> void inside(const std::string& nesting, F f) {
    std::string saved = std::exchange(nesting_, nesting);
    f();
    nesting_ = std::move(saved);
  }

  void inline_method(const RubyRange& s, const Method& own, const RubyCall& c, RubyLocals& locals) {
    StaticRubyValue block;
    auto values = program_.arguments(c.arguments, locals, nesting_, &block);
    if (c.has_block) {
      block = StaticRubyValue::of(VK::Block);
      block.block = c.block;
      block.block_parameters = c.block_parameters;
    }
    RubyLocals inner;
    program_.bind(own.method.parameters, values, &block, inner, own.nesting);
    inner["self"] = StaticRubyValue::of(VK::Type);
    Method method = own; // a copy: the body may redefine the method
    for (uint32_t i = method.method.body.begin; i < method.method.body.end; ++i)
      if (is_keyword(method.method.body[i], "yield") && block.is(VK::Block) && mentions_definition(block.block))
        return dynamic(s, fmt::format("{} yields", c.name));
    inside(method.nesting, [&] { scan(method.method.body, inner); });
  }

  bool gives_type(const RubyCall& c, RubyLocals& locals) {
    for (const auto& v : program_.arguments(c.arguments, locals, nesting_))
      if (v.is(VK::Type)) return true;
    return false;
  }

  // Follows Other::Module.something(self), which may define attributes of the type.
  void call_module(const RubyRange& s, const std::string& module, const RubyCall& c, RubyLocals& locals) {
    const RubyMethod* method = program_.find_method(module, "self." + std::string(c.name), nesting_);
    if (!method) return dynamic(s, fmt::format("given to {}.{}, which is not found", module, c.name));
    inline_method(s, {*method, method->module}, c, locals);
  }

  // -- title patterns

  void read_titles() {
    auto own = own_.find("title_patterns");
    if (own == own_.end()) return;
    RubyLocals locals;
    locals["self"] = StaticRubyValue::of(VK::Type);
    if (own->second.method.body.empty()) return void(type_.dynamic_titles = "title_patterns has no body");
    StaticRubyValue patterns = program_.evaluate_body(own->second.method.body, locals, own->second.nesting);
    if (!patterns.is(VK::Array)) return void(type_.dynamic_titles = "title_patterns is computed");
    std::vector<ScannedType::Pattern> out;
    for (const auto& p : patterns.items) {
      if (!p.is(VK::Array) || p.items.size() < 2 || !p.items[0].is(VK::Regex) || !p.items[1].is(VK::Array))
        return void(type_.dynamic_titles = "title_patterns is computed");
      ScannedType::Pattern pattern{p.items[0].text, p.items[0].options, {}};
      for (const auto& part : p.items[1].items) {
        const StaticRubyValue* name = part.is(VK::Array) ? (part.items.empty() ? nullptr : &part.items[0]) : &part;
        if (!name || !name->is_name()) return void(type_.dynamic_titles = "title_patterns is computed");
        if (part.is(VK::Array) && part.items.size() > 1 && !part.items[1].is(VK::Identity) && !part.items[1].is(VK::Nil))
          return void(type_.dynamic_titles = fmt::format("title_patterns changes the part {}", name->text));
        pattern.attributes.push_back(name->text);
      }
      out.push_back(std::move(pattern));
    }
    type_.title_patterns = std::move(out);
  }

  RubyFileSet& program_;
  ScannedType& type_;
  std::string nesting_;
  std::map<std::string, Method, std::less<>> own_; // methods of the type's class
  bool exists_ = false, create_ = false, destroy_ = false;
  int depth_ = 0;
};

} // namespace

void read_type_body(RubyFileSet& program, ScannedType& type, std::string nesting, RubyRange body, RubyLocals locals) {
  TypeReader(program, type, std::move(nesting)).read(body, std::move(locals));
}

} // namespace pupc::compiler
