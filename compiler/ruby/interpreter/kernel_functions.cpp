// Functions: calls without a receiver, and methods of the function itself.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/restore.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/ruby_lexical.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/value/inspect.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace pupc::compiler::ruby {

RubyValue Interpreter::to_integer(const RubyValue& v, uint32_t line) {
  if (v.is_integer() || v.is(RubyKind::Big)) return v;
  if (v.is(RubyKind::Float) && std::isfinite(v.d) && std::fabs(v.d) < 9e18) return RubyValue::integer(static_cast<int64_t>(v.d));
  if (!v.is_string()) wrong_type({v, MethodId::k_Integer, "Integer", {}, nullptr, line, false, true}, v, "can't convert {} into Integer");
  std::string_view s = v.s->text;
  auto invalid = [&]() -> RubyValue {
    throw RubyError{line, fmt::format("invalid value for Integer(): {}", inspected(v.s->text)), RubyClass::ArgumentError};
  };
  auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  int base = 10;
  if (s.size() > 1 && s[0] == '0') {
    char kind = static_cast<char>(s[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : kind == 'o' ? 8 : kind == 'd' ? 10 : 8;
    s.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' || kind == 'd' ? 2 : 1);
    if (s.starts_with('_') && !(kind == 'x' || kind == 'b' || kind == 'o' || kind == 'd')) s.remove_prefix(1);
  }
  std::string digits;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '_') {
      if (i == 0 || i + 1 == s.size() || s[i + 1] == '_') return invalid();
      continue;
    }
    digits += s[i];
  }
  int64_t n = 0;
  auto r = std::from_chars(digits.data(), digits.data() + digits.size(), n, base);
  if (r.ec == std::errc::result_out_of_range && r.ptr == digits.data() + digits.size())
    return integer_of_digits(*this, digits, base, negative);
  if (r.ec == std::errc::result_out_of_range) not_rendered(line, "an integer of more than 64 bits");
  if (r.ec != std::errc() || r.ptr != digits.data() + digits.size() || digits.starts_with('-')) return invalid();
  return RubyValue::integer(negative ? -n : n);
}

/// Whether a method is one that the functions below know, which every object has as a private one.
bool is_kernel(MethodId id) {
  switch (id) {
  case MethodId::m_lambda:
  case MethodId::m_proc:
  case MethodId::m_block_given_p:
  case MethodId::k_Array:
  case MethodId::k_String:
  case MethodId::k_Integer:
  case MethodId::k_Float:
  case MethodId::k_Hash:
  case MethodId::m_fail:
  case MethodId::m_raise:
  case MethodId::m_require:
  case MethodId::m_format:
  case MethodId::m_sprintf:
  case MethodId::m_rand:
  case MethodId::m_loop:
  case MethodId::m_catch:
  case MethodId::m_throw: return true;
  default: return false;
  }
}

/// Calls a method of a call without a receiver: of the object that runs, one that the code defines, or one of Kernel.
RubyValue Interpreter::kernel_function(const MethodCall& c) {
  switch (self_.kind) {
  case RubyKind::Object:
  case RubyKind::Module: {
    MethodCall own = c;
    own.self = self_;
    own.function = true;
    if (find_method_of(self_, c.name) != nullptr || (self_.is(RubyKind::Module) && !is_kernel(c.method))) return call_outside(own);
    if (const auto known = methods_.find(c.name); known != methods_.end()) return call_defined(known->second, own);
    RubyValue out;
    if (!is_kernel(c.method)) return call_object(own);
    break;
  }
  case RubyKind::Exception: {
    MethodCall own = c;
    own.self = self_;
    own.function = true;
    if (find_method_of(self_, c.name) != nullptr || !is_kernel(c.method)) return call_object(own);
    break;
  }
  case RubyKind::Instance:
  case RubyKind::Scope: break;
  default: { // in a method that is added to one of Ruby's own classes
    if (const auto known = methods_.find(c.name); known != methods_.end()) return call_defined(known->second, c);
    if (is_kernel(c.method)) break;
    MethodCall own = c;
    own.self = self_;
    return call_method(own);
  }
  }
  return own_function(c);
}

RubyValue Interpreter::own_function(const MethodCall& c) {
  if (!methods_.empty())
    if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(own->second, c);
  if (c.method == MethodId::unknown || extended) {
    if (c.name == "require_relative") return require(c);
    const bool template_file = program_->self == Self::Template && method_ == nullptr && c.name == "__FILE__";
    if ((template_file || (program_->self != Self::Template && (c.name == "__FILE__" || c.name == "__dir__"))) && !path_.empty())
      return str(std::string(c.name == "__FILE__" ? path_ : path_.substr(0, path_.rfind('/'))));
    RubyValue out;
    if (call_extension({{}, c.method, c.name, c.args, c.block, c.line, c.keywords, true}, out, c.method != MethodId::unknown)) return out;
  }
  if (program_->self == Self::Function) {
    if (c.method == MethodId::m_closure_scope || c.method == MethodId::m_call_function) return instance_method(c);
  } else if (program_->self == Self::Scope) {
    if (c.method == MethodId::m_lookupvar || c.method == MethodId::m_call_function || c.method == MethodId::m_function ||
        c.method == MethodId::m_setvar || c.method == MethodId::m_to_hash)
      return scope_method(MethodCall{RubyValue::scope(), c.method, c.name, c.args, c.block, c.line});
  }
  switch (c.method) {
  case MethodId::m_instance_variables: {
    need(c, 0);
    if (program_->self != Self::Template) unknown(c);
    std::vector<RubyValue> names{heap.symbol("@__scope__")};
    if (!path_.empty()) names.push_back(heap.symbol("@__file__"));
    Value all = host.all_variables();
    for (const HashEntry& entry : all.hash->entries()) names.push_back(heap.symbol(fmt::format("@{}", entry.key.str())));
    for (size_t i = 0; i < own_visible_; ++i)
      if (!own_variables_[i].second.is_nil()) names.push_back(heap.symbol("@" + own_variables_[i].first));
    return list(std::move(names));
  }
  case MethodId::m_gettext:
    if (program_->self == Self::Template) unknown(c);
    need(c, 1);
    return c.args[0];
  case MethodId::m_lambda:
    need(c, 0);
    if (c.block == nullptr || c.block->node == nullptr) unknown(c);
    return make_lambda(*c.block->node);
  case MethodId::m_proc:
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    return RubyValue::of(const_cast<RubyProc*>(c.block));
  case MethodId::m_block_given_p: need(c, 0); return RubyValue::boolean(method_ != nullptr && method_->block != nullptr);
  case MethodId::m_scope: need(c, 0); return RubyValue::scope();
  case MethodId::m_file: need(c, 0); return path_.empty() ? RubyValue() : str(std::string(path_));
  case MethodId::m_has_variable_p: need(c, 1); return RubyValue::boolean(scope_includes(to_s(c.args[0], c.line)));
  case MethodId::k_Array: {
    need(c, 1);
    if (c.args[0].is_array()) return c.args[0];
    if (c.args[0].is_nil()) return list({});
    if (c.args[0].is(RubyKind::Foreign)) unknown(c);
    if (c.args[0].is_hash() || c.args[0].is(RubyKind::Range)) {
      std::vector<RubyValue> items;
      items_of(c.args[0], items, c.line);
      return list(std::move(items));
    }
    if (c.args[0].is(RubyKind::Enumerator) || c.args[0].is(RubyKind::Match) || c.args[0].is(RubyKind::Scope)) unknown(c);
    return list({c.args[0]});
  }
  case MethodId::k_String: need(c, 1); return c.args[0].is_string() ? c.args[0] : str(to_s(c.args[0], c.line));
  case MethodId::k_Integer: return integer_of(c);
  case MethodId::k_Float: return to_float(c);
  case MethodId::k_Hash:
    need(c, 1);
    if (c.args[0].is_hash()) return c.args[0];
    if (c.args[0].is_nil() || (c.args[0].is_array() && c.args[0].a->items.empty())) return heap.hash();
    unknown(c);
  case MethodId::m_fail:
  case MethodId::m_raise: raise(c);
  case MethodId::m_require: return require(c);
  case MethodId::m_format:
  case MethodId::m_sprintf:
    if (c.args.empty()) unknown(c);
    return str(format(*this, c, string_argument(c, 0), c.args.subspan(1)));
  case MethodId::m_rand: {
    need(c, 0, 1);
    RubyValue random, limit = c.args.empty() ? RubyValue() : c.args[0];
    if (!find_constant("Random", random)) unknown(c);
    if (limit.is_number()) limit = RubyValue::integer(std::abs(integer_argument(c, 0)));
    if (limit.is_integer() && limit.i == 0) limit = {};
    return call_method({random, c.method, "rand", {&limit, 1}, nullptr, c.line});
  }
  case MethodId::m_loop: return loop(c);
  case MethodId::m_catch:
  case MethodId::m_throw: return catch_throw(c);
  case MethodId::m_method:
  case MethodId::m_send:
  case MethodId::m_public_send:
  case MethodId::m_private_send:
  case MethodId::m_respond_to_p:
  case MethodId::m_freeze:
  case MethodId::m_instance_variable_get:
  case MethodId::m_instance_variable_set:
  case MethodId::m_instance_variable_defined_p: return self_function(c);
  default: return named_function(c);
  }
}

/// A function that has no number: of the body of create_function, of the host, of the scope.
RubyValue Interpreter::named_function(const MethodCall& c) {
  if (c.name == "to_enum" || c.name == "enum_for") return enumerator_of(self_, c);
  if (RubyValue out; (defining_ && class_body_function(c, out)) || host_function(c, out)) return out;
  if (const std::optional<LogLevel> level = find_log_level(c.name); level && program_->self == Self::Scope && c.args.size() == 1) {
    logs.push_back({*level, to_s(c.args[0], c.line), host.scope_text()});
    return {};
  }
  if (c.method == MethodId::unknown && running_ != nullptr)
    not_rendered(c.line, c.name == "`" ? "a command" : fmt::format("{} '{}'", running_->parenthesised ? "function" : "name", c.name));
  unknown(c);
}

/// Methods that code calls on itself: send, method, its instance variables.
RubyValue Interpreter::self_function(const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_method: return method_object(self_, c);
  case MethodId::m_send:
  case MethodId::m_public_send:
  case MethodId::m_private_send:
    if (c.args.empty() || !(c.args[0].is_symbol() || c.args[0].is_string())) unknown(c);
    return call_named(self_, c.args[0].text(), {self_, c.method, c.name, c.args.subspan(1), c.block, c.line, c.keywords, true});
  case MethodId::m_respond_to_p:
    need(c, 1);
    if (!self_.is(RubyKind::Instance) || !(c.args[0].is_symbol() || c.args[0].is_string())) unknown(c);
    if (methods_.contains(c.args[0].text())) return RubyValue::boolean(true);
    // Puppet's class for functions has few methods beside those of every object, and none that begins like these.
    if (known_method(RubyClass::TrueClass, c.args[0].text()).presence != Presence::Missing || c.args[0].text().starts_with("call") ||
        c.args[0].text().starts_with("closure") || c.args[0].text().starts_with("loader"))
      unknown(c);
    return RubyValue::boolean(false);
  case MethodId::m_freeze: return self_;
  case MethodId::m_instance_variable_get:
  case MethodId::m_instance_variable_set:
  case MethodId::m_instance_variable_defined_p: {
    if (c.args.empty() || !(c.args[0].is_symbol() || c.args[0].is_string()) || !c.args[0].text().starts_with('@')) unknown(c);
    const std::string_view name = c.args[0].text().substr(1);
    RubyValue out;
    if (c.method == MethodId::m_instance_variable_defined_p) return RubyValue::boolean(find_instance_variable(name, out));
    if (c.method == MethodId::m_instance_variable_get) return instance_variable(name);
    need(c, 2);
    if (program_->self != Self::Template) unknown(c);
    set_instance_variable(name, c.args[1]);
    return c.args[1];
  }
  default: unknown(c);
  }
}

/// Whether a text is a number as Float() takes it: digits, of which _ may stand between two.
static bool is_float_text(std::string_view s) {
  size_t i = 0;
  auto digits = [&] {
    const size_t begin = i;
    while (i < s.size() && (is_digit(s[i]) || (s[i] == '_' && i > begin && is_digit(s[i - 1]) && i + 1 < s.size() && is_digit(s[i + 1]))))
      ++i;
    return i > begin;
  };
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
  if (!digits() && (i >= s.size() || s[i] != '.')) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return i == s.size();
}

/// Whether the last argument is `exception: false`; such a call gives nil where the other raises.
static bool without_exception(Core& core, const MethodCall& c) {
  if (!c.keywords) return false;
  const auto& options = c.args.back().h->entries();
  if (options.size() != 1 || options[0].first.text() != "exception") core.not_rendered(c.line, "options of a conversion");
  return !options[0].second.truthy();
}

RubyValue Interpreter::to_float(const MethodCall& c) {
  const bool quiet = without_exception(*this, c);
  if (c.args.size() != (c.keywords ? 2u : 1u)) unknown(c);
  const RubyValue& v = c.args[0];
  if (v.is_number()) return RubyValue::floating(v.number());
  if (!v.is_string()) {
    if (quiet) return {};
    wrong_type(c, v, "can't convert {} into Float");
  }
  std::string_view s = v.s->text;
  auto blank = [](char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); };
  while (!s.empty() && blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && blank(s.back())) s.remove_suffix(1);
  if (!is_float_text(s)) {
    std::string_view digits = s;
    if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
    const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if (hexadecimal || s.find('\0') != s.npos) not_rendered(c.line, "Float() of this text");
    if (quiet) return {};
    throw RubyError{c.line, fmt::format("invalid value for Float(): {}", inspected(v.s->text)), RubyClass::ArgumentError};
  }
  std::string digits;
  for (char ch : s)
    if (ch != '_' && !(ch == '+' && digits.empty())) digits += ch;
  double d = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), d).ec != std::errc()) not_rendered(c.line, "a number beyond Float");
  return RubyValue::floating(d);
}

/// Integer(), with a base or `exception: false`.
RubyValue Interpreter::integer_of(const MethodCall& c) {
  const bool quiet = without_exception(*this, c);
  const size_t n = c.args.size() - (c.keywords ? 1 : 0);
  if (n == 1) {
    if (!quiet) return to_integer(c.args[0], c.line);
    try {
      return to_integer(c.args[0], c.line);
    } catch (const RubyError&) { return {}; }
  }
  if (n != 2 || !c.args[0].is_string() || !c.args[1].is_integer()) unknown(c);
  const int64_t base = c.args[1].i;
  std::string text = c.args[0].s->text;
  std::erase(text, '_');
  if (text != c.args[0].s->text || base < 2 || base > 36) unknown(c);
  std::string_view s = text;
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  const char kind = s.size() > 2 && s[0] == '0' ? static_cast<char>(s[1] | 0x20) : '\0';
  if ((kind == 'x' && base == 16) || (kind == 'b' && base == 2) || (kind == 'o' && base == 8)) s.remove_prefix(2);
  int64_t value = 0;
  const auto read = std::from_chars(s.data(), s.data() + s.size(), value, static_cast<int>(base));
  if (read.ec == std::errc::result_out_of_range) not_rendered(c.line, "an integer of more than 64 bits");
  if (read.ec == std::errc() && read.ptr == s.data() + s.size() && !s.starts_with('-'))
    return RubyValue::integer(negative ? -value : value);
  if (s.find_first_of(" \t\n\r") != std::string_view::npos) unknown(c);
  if (quiet) return {};
  throw RubyError{c.line, fmt::format("invalid value for Integer(): {}", inspected(text)), RubyClass::ArgumentError};
}

/// require: Ruby's own libraries make no difference; a file of the site's own is run.
RubyValue Interpreter::require(const MethodCall& c) {
  need(c, 1);
  std::string name(string_argument(c, 0));
  if (is_harmless_library(name)) return RubyValue::boolean(false);
  if (c.name == "require_relative" && !name.starts_with('/')) {
    if (path_.empty()) unknown(c);
    name = fmt::format("{}/{}", path_.substr(0, path_.rfind('/')), name);
  }
  const RubyHost::RubyFile file = host.find_ruby_file(name);
  if (file.program == nullptr) not_rendered(c.line, fmt::format("require '{}'", name));
  if (!required_.insert(file.path).second) return RubyValue::boolean(false);
  if (!file.program->problems.empty()) not_rendered(c.line, fmt::format("the file {}, {}", file.path, file.program->problems[0]));
  const Restore restore(*this);
  const std::string_view path = std::exchange(path_, host.keep(file.path));
  program_ = file.program;
  required_programs_.insert(program_);
  self_ = RubyValue::instance();
  nesting_ = nullptr;
  environ_ = make_environ(nullptr, program_->slots);
  const bool within = std::exchange(loading_, true);
  eval(program_->body);
  within ? void() : end_loading();
  path_ = path;
  return RubyValue::boolean(true);
}

/// raise: again, a message, a class, an exception, or a class and a message; a backtrace behind it does not matter.
void Interpreter::raise(const MethodCall& c) {
  if (c.args.empty()) {
    if (rescued_ == nullptr) throw RubyError{c.line, "unhandled exception", RubyClass::RuntimeError, nullptr, program_->library};
    throw RubyError(*rescued_);
  }
  if (c.keywords) not_rendered(c.line, "raise with options");
  need(c, 1, 3);
  const RubyValue& what = c.args[0];
  auto thrown = [&](const RubyValue& object) {
    const std::string message = object.exception->module != nullptr ? to_s(object, c.line) : object.exception->message;
    throw RubyError{c.line, message, object.exception->class_, object.exception, program_->library, false, object.exception->unworded};
  };
  if (what.is_string() && c.args.size() == 1) throw RubyError{c.line, what.s->text, RubyClass::RuntimeError, nullptr, program_->library};
  if (what.is(RubyKind::Exception)) {
    if (c.args.size() > 1) {
      if (what.exception->module != nullptr) not_rendered(c.line, "raise of an exception with another message");
      thrown(heap.exception(what.exception->class_, to_s(c.args[1], c.line)));
    }
    thrown(what);
  }
  if (what.is(RubyKind::Module) && is_exception(what.module->base))
    thrown(call_module({what, MethodId::m_new, "new", c.args.size() > 1 ? c.args.subspan(1, 1) : std::span<const RubyValue>(), nullptr,
                        c.line, false, true}));
  if (!what.is(RubyKind::Class) || !is_exception(what.class_)) unknown(c);
  if (c.args.size() == 1) throw RubyError{c.line, std::string(class_name(what.class_)), what.class_, nullptr, program_->library};
  if (c.args[1].is_nil()) throw RubyError{c.line, std::string(class_name(what.class_)), what.class_, nullptr, program_->library};
  throw RubyError{c.line, to_s(c.args[1], c.line), what.class_, nullptr, program_->library};
}

/// loop: StopIteration ends it.
RubyValue Interpreter::loop(const MethodCall& c) {
  need(c, 0);
  try {
    for (;;) yield(c, std::span<const RubyValue>());
  } catch (const RubyError& error) {
    if (error.class_ != RubyClass::StopIteration) throw;
    if (error.object == nullptr) return {};
    const auto result = error.object->instance_variables.find("result");
    return result == error.object->instance_variables.end() ? RubyValue() : result->second;
  }
}

RubyValue Interpreter::catch_throw(const MethodCall& c) {
  if (c.method == MethodId::m_throw) {
    need(c, 1, 2);
    throw ThrowJump{c.args[0], c.args.size() > 1 ? c.args[1] : RubyValue()};
  }
  need(c, 0, 1);
  const RubyValue tag = c.args.empty() ? heap.symbol(fmt::format("catch {}", steps_)) : c.args[0];
  if (!tag.is_symbol() && !tag.is_nil() && !tag.is(RubyKind::True)) not_rendered(c.line, "a tag of catch that is no symbol");
  const Restore restore(*this);
  struct Catch {
    int& count;
    const int added;
    ~Catch() { count -= added; }
  } const known{catches_unknown_, tag.is_symbol() && tag.text() == "undefined_variable"};
  catches_unknown_ += known.added;
  try {
    return yield(c, tag);
  } catch (const ThrowJump& jump) {
    if (!ruby_eql(jump.tag, tag)) throw;
    return jump.value;
  }
}

/// Calls a method of the scope, of the function that runs, or of what code has defined.
RubyValue Interpreter::call_outside(const MethodCall& c) {
  if (c.self.is(RubyKind::Host)) return host_method(c);
  switch (c.self.kind) {
  case RubyKind::Object:
  case RubyKind::Exception: return call_object(c);
  case RubyKind::Module: return call_module(c);
  case RubyKind::Instance: return instance_method(c);
  default: return scope_method(c);
  }
}

/// A method of Ruby's own, whatever the code adds to its class.
RubyValue Interpreter::call_native(const MethodCall& c) {
  const bool was = std::exchange(extended, false);
  try {
    const RubyValue out = call_method(c);
    extended = was;
    return out;
  } catch (...) {
    extended = was;
    throw;
  }
}

/// Calls a method on a function of the 4.x API: one that the file defines, or one of Puppet's base class for functions.
RubyValue Interpreter::instance_method(const MethodCall& c) {
  if (auto own = methods_.find(c.name); own != methods_.end()) return call_defined(own->second, c);
  switch (c.method) {
  case MethodId::m_closure_scope:
    need(c, 0);
    if (given_scope_) { // the scope at hand is its caller's
      HostObject* scope = host.scope_object();
      if (scope == nullptr) not_rendered(c.line, "two scopes");
      const RubyValue compiler = host_method({RubyValue::of(scope), MethodId::unknown, "compiler", {}, nullptr, c.line});
      return host_method({compiler, MethodId::unknown, "topscope", {}, nullptr, c.line});
    }
    return RubyValue::scope();
  case MethodId::m_call_function:
    if (c.args.empty()) unknown(c);
    return call_function(c.args[0].is_symbol() ? c.args[0].text() : string_argument(c, 0), c.args.subspan(1), false, c.line, c.block,
                         given_scope_);
  default: unknown(c);
  }
}

} // namespace pupc::compiler::ruby
