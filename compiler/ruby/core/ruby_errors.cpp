// The errors of Ruby itself: methods that a receiver lacks, arguments of the wrong number or class.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/values/known_methods.h"

#include <fmt/format.h>

#include <cmath>

namespace pupc::compiler::ruby {
namespace {

/// How messages of conversions name a value's class; "" when the interpreter does not know it.
std::string_view described(const RubyValue& v) {
  switch (v.kind) {
  case RubyKind::Nil: return "nil";
  case RubyKind::True: return "true";
  case RubyKind::False: return "false";
  case RubyKind::Class: return "Class";
  default: return class_name(class_of(v));
  }
}

} // namespace

void Core::not_rendered(uint32_t line, std::string reason) { throw NeedsRuby{line, std::move(reason)}; }

void Core::unworded(uint32_t line, RubyClass error, std::string reason) {
  throw RubyError{line, std::move(reason), error, nullptr, true, false, true};
}

void Core::raise_about(uint32_t line, RubyClass error, std::string message, std::string_view about, const RubyValue& what,
                       const RubyValue& receiver) {
  RubyException& object = *heap.exception(error, message).exception;
  object.instance_variables.emplace("__known", RubyValue::boolean(true));
  object.instance_variables.emplace(about, what);
  object.instance_variables.emplace("receiver", receiver);
  throw RubyError{line, std::move(message), error, &object};
}

/// What a method does not know of kinds that its class has beside the usual one is left to Ruby.
void Core::no_special(const RubyValue& v, uint32_t line) {
  if (v.is(RubyKind::Bytes)) not_rendered(line, "a text of bytes");
  if (v.is(RubyKind::Big)) not_rendered(line, "an integer of more than 64 bits");
}

/// Raises Ruby's error where it is certain that Ruby raises one for this call: NoMethodError, or ArgumentError for the number of arguments.
/// Else the code needs Ruby.
void Core::unknown(const MethodCall& c) {
  for (const RubyValue& arg : c.args) no_special(arg, c.line);
  if (c.self.is(RubyKind::Bytes)) not_rendered(c.line, fmt::format("method '{}' of bytes", c.name));
  if (has_extension(c)) throw LibraryCall{&c};
  const KnownMethod known = c.function || c.keywords ? KnownMethod{} : known_method(class_of(c.self), c.name);
  if (known.presence == Presence::Missing || known.presence == Presence::Private) {
    std::string receiver = inspect(c.self, c.line);
    if (receiver.size() > 65) not_rendered(c.line, "an error that shows an object's address");
    if (!receiver.starts_with('#')) receiver += fmt::format(":{}", class_name(class_of(c.self)));
    std::optional<std::string> hint = method_hint(class_of(c.self), c.name);
    if (!hint) not_rendered(c.line, fmt::format("method '{}', for which Ruby proposes others", c.name));
    raise_about(c.line, RubyClass::NoMethodError,
                known.presence == Presence::Missing ? fmt::format("undefined method `{}' for {}{}", c.name, receiver, *hint)
                                                    : fmt::format("private method `{}' called for {}{}", c.name, receiver, *hint),
                "name", heap.symbol(c.name), c.self);
  }
  if (known.arity && *known.arity != c.args.size())
    throw RubyError{c.line, fmt::format("wrong number of arguments (given {}, expected {})", c.args.size(), *known.arity),
                    RubyClass::ArgumentError};
  if (c.method == MethodId::unknown) not_rendered(c.line, fmt::format("method '{}'", c.name));
  RubyClass k = class_of(c.self);
  std::string_view of = c.self.is_nil() ? "nil" : k == RubyClass::Other ? "this object" : class_name(k);
  not_rendered(c.line, fmt::format("method '{}' of {}{}{}", c.name, of, c.args.empty() ? "" : " with these arguments",
                                   c.block != nullptr ? " and a block" : ""));
}

void Core::need(const MethodCall& c, size_t least, size_t most) {
  if (c.args.size() < least || c.args.size() > most) unknown(c);
}

/// Whether the call is one of a method of Ruby's core: these convert their arguments by one rule.
static bool of_core(const MethodCall& c) { return !c.function && (c.self.kind <= RubyKind::Match || c.self.is(RubyKind::Proc)); }

/// Raises the TypeError of Ruby's implicit conversions.
void Core::not_convertible(const MethodCall& c, const RubyValue& v, std::string_view wanted) {
  no_special(v, c.line);
  const std::string_view from = described(v);
  if (!of_core(c) || from.empty()) unknown(c);
  if (v.is_nil() && wanted == "Integer") throw RubyError{c.line, "no implicit conversion from nil to integer", RubyClass::TypeError};
  throw RubyError{c.line, fmt::format("no implicit conversion of {} into {}", from, wanted), RubyClass::TypeError};
}

/// Raises a TypeError whose text names the class of a value: `text` holds {}.
void Core::wrong_type(const MethodCall& c, const RubyValue& v, std::string_view text) {
  no_special(v, c.line);
  const std::string_view from = described(v);
  if (from.empty()) unknown(c);
  throw RubyError{c.line, fmt::format(fmt::runtime(text), from), RubyClass::TypeError};
}

/// Raises the TypeError of arithmetic with a value that is no number.
void Core::not_coercible(const MethodCall& c, const RubyValue& v) {
  if (v.kind >= RubyKind::Range) unknown(c);
  const bool shown = v.kind <= RubyKind::False || v.is_symbol();
  throw RubyError{c.line,
                  fmt::format("{} can't be coerced into {}", shown ? inspect(v, c.line) : std::string(class_name(class_of(v))),
                              class_name(class_of(c.self))),
                  RubyClass::TypeError};
}

/// Raises the TypeError of to_h for an element that is no pair. `place` is "" or " at 2".
void Core::not_a_pair(const MethodCall& c, const RubyValue& v, std::string_view place) {
  const std::string_view from = class_name(class_of(v));
  if (from.empty() || !(c.self.is_array() || c.self.is_hash())) unknown(c);
  throw RubyError{c.line, fmt::format("wrong element type {}{} (expected array)", from, place), RubyClass::TypeError};
}

/// Raises the ArgumentError of a comparison: it shows numbers, nil, true, false and symbols themselves, of other values the class.
void Core::not_comparable(const RubyValue& a, const RubyValue& b, uint32_t line) {
  no_special(a, line);
  no_special(b, line);
  const std::string_view from = class_name(class_of(a));
  const bool shown = b.kind <= RubyKind::Symbol;
  if (from.empty() || (!shown && class_name(class_of(b)).empty())) not_rendered(line, "a comparison of values that have no order");
  throw RubyError{line,
                  fmt::format("comparison of {} with {} failed", from, shown ? inspect(b, line) : std::string(class_name(class_of(b)))),
                  RubyClass::ArgumentError};
}

int64_t Core::integer_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size()) unknown(c);
  if (c.args[i].is(RubyKind::Float) && std::fabs(c.args[i].d) < 1e15) return static_cast<int64_t>(c.args[i].d);
  if (c.args[i].is(RubyKind::Float)) unknown(c);
  if (!c.args[i].is_integer()) not_convertible(c, c.args[i], "Integer");
  return c.args[i].i;
}

std::string_view Core::string_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size()) unknown(c);
  if (c.args[i].is(RubyKind::Bytes) && !c.args[i].bytes->renamed && is_ascii(c.args[i].bytes->text)) return c.args[i].bytes->text;
  if (!c.args[i].is_string()) not_convertible(c, c.args[i], "String");
  return c.args[i].s->text;
}

const std::vector<RubyValue>& Core::array_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size()) unknown(c);
  if (!c.args[i].is_array()) not_convertible(c, c.args[i], "Array");
  return c.args[i].a->items;
}

RubyHash& Core::hash_argument(const MethodCall& c, size_t i) {
  if (i >= c.args.size()) unknown(c);
  if (!c.args[i].is_hash()) not_convertible(c, c.args[i], "Hash");
  return *c.args[i].h;
}

void Core::check_changeable(const MethodCall& c) {
  bool frozen = c.self.is_string() ? c.self.s->frozen : c.self.is_array() ? c.self.a->frozen : c.self.is_hash() && c.self.h->frozen;
  if (frozen)
    throw RubyError{c.line, fmt::format("can't modify frozen {}: {}", class_name(class_of(c.self)), inspect(c.self, c.line)),
                    RubyClass::FrozenError};
  const Origin* const origin = c.self.is_array() ? &c.self.a->origin : c.self.is_hash() ? &c.self.h->origin : nullptr;
  changed |= c.self.is_string() ? c.self.s->outside : origin == nullptr || origin->outside;
  if (c.self.is_string() ? c.self.s->kept : origin != nullptr && origin->kept) change_kept(c.line, "a constant that is changed in place");
  if (undoes) before_change(c.self);
}

} // namespace pupc::compiler::ruby
