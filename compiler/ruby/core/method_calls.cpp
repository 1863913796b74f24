// Dispatch of calls, methods that every object has, functions without a receiver.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/syntax/ruby_tree.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "compiler/ruby/values/host_object.h"
#include "compiler/types/core_types.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

namespace pupc::compiler::ruby {

/// Whether the module is one that Puppet's times have: they are numbers.
static bool of_numeric_object(const RubyValue& v, RubyClass wanted) {
  if (!v.is(RubyKind::Foreign) || (wanted != RubyClass::Numeric && wanted != RubyClass::Comparable)) return false;
  const Kind kind = v.foreign->kind;
  return kind == Kind::Timestamp || kind == Kind::Timespan;
}

/// Whether calls of the class are found by their names, which have no numbers.
static bool knows_by_name(RubyClass c) {
  return c == RubyClass::Yaml || c == RubyClass::HieraConfig || c == RubyClass::File || c == RubyClass::ParserFunctions ||
         c == RubyClass::Math || c == RubyClass::Primitives || c == RubyClass::Puppet;
}

RubyValue Core::send(const RubyValue& self, MethodId method, std::initializer_list<RubyValue> args, uint32_t line, const RubyProc* block) {
  return call_method({self, method, method_name(method), std::span<const RubyValue>(args.begin(), args.size()), block, line});
}

static RubyValue exception_method(Core& core, const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_full_message: core.unknown(c);
  case MethodId::m_exception: core.need(c, 0); return c.self;
  case MethodId::m_message: core.need(c, 0); return core.str(core.to_s(c.self, c.line));
  default: core.unknown(c);
  }
}

static RubyValue nil_method(Core& core, const MethodCall& c) {
  switch (c.method) {
  case MethodId::m_to_a: core.need(c, 0); return core.list({});
  case MethodId::m_to_h: core.need(c, 0); return core.heap.hash();
  case MethodId::m_to_i: core.need(c, 0); return RubyValue::integer(0);
  case MethodId::m_to_f: core.need(c, 0); return RubyValue::floating(0);
  case MethodId::And: return RubyValue::boolean(false);
  case MethodId::Or: core.need(c, 1); return RubyValue::boolean(c.args[0].truthy());
  case MethodId::MatchOp: return {};
  default: core.unknown(c);
  }
}

/// Proc#arity: the number of arguments; negative where some may be left out.
int64_t arity_of(const Code& code, bool lambda) {
  int64_t required = 0, optional = 0, needed = 0, keywords = 0;
  bool splat = false;
  for (const Node* p : code.parameters) {
    required += p->type == NodeType::TargetLocal || p->type == NodeType::TargetMany;
    optional += p->type == NodeType::TargetDefault;
    splat |= p->type == NodeType::TargetSplat;
    keywords |= p->type == NodeType::TargetKeyword || p->type == NodeType::TargetKeywords;
    needed |= p->type == NodeType::TargetKeyword && p->as<OptionalParameter>().default_value == nullptr;
  }
  const int64_t least = required + needed, most = required + optional + keywords; // all keywords are one argument
  return !splat && (!lambda || least == most) ? least : -least - 1;
}

static RubyValue proc_method(Core& core, const MethodCall& c) {
  if (c.method == MethodId::m_call || c.method == MethodId::Index || c.name == "yield" || c.name == "===")
    return core.call_proc(*c.self.proc, c.args, c.line, c.keywords, c.block);
  if (c.method == MethodId::m_to_proc && c.args.empty()) return c.self;
  const RubyProc& proc = *c.self.proc;
  if (c.method == MethodId::m_lambda_p && c.args.empty() && !proc.of_host) return RubyValue::boolean(proc.lambda || proc.node == nullptr);
  if (c.method == MethodId::m_arity && c.args.empty() && proc.node != nullptr) return RubyValue::integer(arity_of(*proc.node, proc.lambda));
  if (RubyValue out; core.proc_question(c, out)) return out;
  core.unknown(c);
}

static RubyValue foreign_method(Core& core, const MethodCall& c) {
  if (c.method == MethodId::m_unwrap && c.args.empty() && c.self.foreign->is(Kind::Sensitive))
    return core.from_puppet(c.self.foreign->unwrap());
  if ((c.self.foreign->is(Kind::Timestamp) || c.self.foreign->is(Kind::Timespan)) && c.name == "format") {
    core.need(c, 1, 2);
    std::vector<Value> args{*c.self.foreign};
    for (const RubyValue& arg : c.args) args.push_back(core.to_puppet(arg, c.line));
    return core.from_puppet(core.host.call_function("strftime", args, false));
  }
  if (c.self.foreign->is(Kind::Timestamp) && c.args.empty() && (c.method == MethodId::m_to_i || c.method == MethodId::m_to_f)) {
    constexpr int64_t second = 1'000'000'000;
    const int64_t n = c.self.foreign->i, whole = n / second - (n % second < 0);
    return c.method == MethodId::m_to_i ? RubyValue::integer(whole) : RubyValue::floating(static_cast<double>(n) / second);
  }
  const Type* type = as_type(*c.self.foreign);
  while (type != nullptr && type->kind == TypeKind::TypeAlias) type = static_cast<const TypeAliasType*>(type)->resolved;
  if (c.method != MethodId::m_each || !c.args.empty() || type == nullptr || type->kind != TypeKind::Enum) core.unknown(c);
  std::vector<RubyValue> values;
  for (const std::string_view value : static_cast<const EnumType*>(type)->values) values.push_back(core.str(std::string(value)));
  if (c.block != nullptr)
    for (const RubyValue& value : values) core.yield(c, value);
  return make_enumerator(core, {core.list(values), c.method, c.name, {}, nullptr, c.line}, values);
}

RubyValue Core::yield(const MethodCall& c, std::span<const RubyValue> args) {
  if (c.block == nullptr) unknown(c);
  return call_proc(*c.block, args, c.line);
}

RubyValue Core::call_method(const MethodCall& c) {
  switch (c.self.kind) {
  case RubyKind::Instance:
  case RubyKind::Object:
  case RubyKind::Module:
  case RubyKind::Host: return call_outside(c);
  case RubyKind::Exception:
    if (c.self.exception->module != nullptr) return call_outside(c);
    break;
  default: break;
  }
  RubyValue out;
  if ((extended || c.method == MethodId::unknown) && !c.self.is(RubyKind::Bytes) && call_extension(c, out, c.method != MethodId::unknown))
    return out;
  try {
    return native_method(c);
  } catch (const LibraryCall& call) {
    if (call.call != &c || c.self.is(RubyKind::Bytes) || !call_extension(c, out)) not_rendered(c.line, fmt::format("method '{}'", c.name));
    return out;
  }
}

/// Texts see bytes that are ASCII as texts; of others they know what Plus does.
static bool takes_bytes(const MethodCall& c) {
  const bool textual = c.self.is_string() || c.self.is_symbol() || c.self.is(RubyKind::Regexp);
  return textual && c.method != MethodId::Plus &&
         std::any_of(c.args.begin(), c.args.end(), [](const RubyValue& v) { return v.is(RubyKind::Bytes); });
}

RubyValue Core::with_texts(const MethodCall& c) {
  std::vector<RubyValue> args(c.args.begin(), c.args.end());
  for (RubyValue& arg : args) {
    if (!arg.is(RubyKind::Bytes)) continue;
    const std::string_view text = text_of_bytes(*this, arg, c.line);
    if (c.method == MethodId::Eq || c.method == MethodId::NotEq || c.method == MethodId::m_eql_p || c.method == MethodId::m_equal_p)
      continue;
    if (!is_ascii(text)) not_rendered(c.line, "bytes beside a text");
    arg = str(std::string(text));
  }
  MethodCall call = c;
  call.args = args;
  try {
    return native_method(call, false);
  } catch (const LibraryCall&) { throw LibraryCall{&c}; }
}

RubyValue Core::native_method(const MethodCall& c, bool check) {
  if (check && takes_bytes(c)) return with_texts(c);
  if (RubyValue out; c.self.is(RubyKind::Bytes) && bytes_method(*this, c, out)) return out;
  if (c.self.is(RubyKind::Foreign))
    if (const NativeObject* context = as_native_object(*c.self.foreign)) {
      RubyValue out;
      return c.method != MethodId::unknown && object_method(c, out) ? out : context_method(*this, *context, c);
    }
  if (c.method == MethodId::unknown && c.self.is(RubyKind::Scope)) return call_outside(c);
  if (RubyValue out; c.method == MethodId::unknown && c.self.is(RubyKind::Proc) && proc_question(c, out)) return out;
  if (c.method == MethodId::unknown && !(c.self.is(RubyKind::Class) && knows_by_name(c.self.class_))) unknown(c);
  RubyValue out;
  if (object_method(c, out)) return out;
  switch (c.self.kind) {
  case RubyKind::Nil: return nil_method(*this, c);
  case RubyKind::True:
  case RubyKind::False:
    if (c.args.size() == 1 && c.method == MethodId::And) return RubyValue::boolean(c.self.truthy() && c.args[0].truthy());
    if (c.args.size() == 1 && c.method == MethodId::Or) return RubyValue::boolean(c.self.truthy() || c.args[0].truthy());
    if (c.args.size() == 1 && c.method == MethodId::Xor) return RubyValue::boolean(c.self.truthy() != c.args[0].truthy());
    unknown(c);
  case RubyKind::Integer:
  case RubyKind::Big:
  case RubyKind::Float: return number_method(*this, c);
  case RubyKind::Bytes:
    if (!is_ascii(c.self.bytes->text)) unknown(c);
    return call_method({str(c.self.bytes->text), c.method, c.name, c.args, c.block, c.line, c.keywords});
  case RubyKind::Symbol: return symbol_method(*this, c);
  case RubyKind::String: return string_method(*this, c);
  case RubyKind::Array: return array_method(*this, c);
  case RubyKind::Hash: return hash_method(*this, c);
  case RubyKind::Range: return range_method(*this, c);
  case RubyKind::Regexp: return regexp_method(*this, c);
  case RubyKind::Match: return match_method(*this, c);
  case RubyKind::Proc: return proc_method(*this, c);
  case RubyKind::Class:
    if (c.self.class_ == RubyClass::Math) return math_method(*this, c);
    if (c.self.class_ == RubyClass::Primitives) return primitive_method(*this, c);
    if ((c.self.class_ == RubyClass::Class || c.self.class_ == RubyClass::Module || c.self.class_ == RubyClass::Object) &&
        c.method == MethodId::m_new)
      return make_class(c);
    return class_method(*this, c);
  case RubyKind::Scope: return call_outside(c);
  case RubyKind::Enumerator: return enumerator_method(*this, c);
  case RubyKind::Foreign: return foreign_method(*this, c);
  case RubyKind::Exception: return exception_method(*this, c);
  case RubyKind::Address: return address_method(*this, c);
  case RubyKind::Object:
  case RubyKind::Module:
  case RubyKind::Host:
  case RubyKind::Instance: break;
  }
  unknown(c);
}

/// Tries the methods that every object has. False: look among the methods of the receiver's kind.
bool Core::object_method(const MethodCall& c, RubyValue& out) {
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  size_t n = c.args.size();
  switch (c.method) {
  case MethodId::m_nil_p:
    if (n != 0) unknown(c);
    return answer(c.self.is_nil());
  case MethodId::Not: return answer(!c.self.truthy());
  case MethodId::Eq:
    if (n != 1) unknown(c);
    return answer(equals(c.self, c.args[0]));
  case MethodId::NotEq:
    if (n != 1) unknown(c);
    return answer(!equals(c.self, c.args[0]));
  case MethodId::CaseEq:
    if (n != 1) unknown(c);
    return answer(case_equals(c.self, c.args[0], c.line));
  case MethodId::m_eql_p:
    if (n != 1) unknown(c);
    return answer(ruby_eql(c.self, c.args[0]));
  case MethodId::m_is_a_p:
  case MethodId::m_kind_of_p:
  case MethodId::m_instance_of_p: {
    if (n == 1 && c.args[0].is(RubyKind::Module)) return answer(is_of_module(c.self, *c.args[0].module));
    if (n == 1 && c.args[0].is(RubyKind::Host)) return answer(c.args[0].host->has_instance(c.self));
    if (n != 1 || !c.args[0].is(RubyKind::Class)) unknown(c);
    RubyClass own = class_of(c.self);
    RubyClass wanted = c.args[0].class_;
    if (c.method != MethodId::m_instance_of_p && of_numeric_object(c.self, wanted)) return answer(true);
    if (own == RubyClass::Other && (wanted == RubyClass::Comparable || wanted == RubyClass::Enumerable || wanted == RubyClass::Object))
      unknown(c);
    return answer(c.method == MethodId::m_instance_of_p ? own == wanted : descends(own, wanted));
  }
  case MethodId::m_hash: {
    // Ruby's numbers differ in each process, so code can only compare them with one another.
    const RubyKind kind = c.self.kind;
    if (n != 0 || !(c.self.is_integer() || c.self.is_string() || c.self.is_nil() || kind == RubyKind::Symbol || kind == RubyKind::Float ||
                    kind == RubyKind::True || kind == RubyKind::False))
      unknown(c);
    out = RubyValue::integer(static_cast<int64_t>(std::hash<std::string>{}(inspect(c.self, c.line)) >> 2));
    return true;
  }
  case MethodId::m_class:
    if (n != 0 || class_of(c.self) == RubyClass::Other) unknown(c);
    out = RubyValue::of(class_of(c.self));
    return true;
  case MethodId::m_respond_to_p:
    if (n == 0 || n > 2 || (!c.args[0].is_symbol() && !c.args[0].is_string())) unknown(c);
    return answer(responds_to(c.self, c.args[0].text(), c.line));
  case MethodId::m_to_s:
    if (n != 0) return false; // Integer#to_s(2)
    out = c.self.is_string() ? c.self : str(to_s(c.self, c.line));
    return true;
  case MethodId::m_inspect:
    if (n != 0) unknown(c);
    out = str(inspect(c.self, c.line));
    return true;
  case MethodId::m_freeze:
    need(c, 0);
    if (c.self.is_string()) c.self.s->frozen = true;
    if (c.self.is_array()) c.self.a->frozen = true;
    if (c.self.is_hash()) c.self.h->frozen = true;
    out = c.self;
    return true;
  case MethodId::m_frozen_p:
    need(c, 0);
    if (c.self.is_string()) return answer(c.self.s->frozen);
    if (c.self.is_array()) return answer(c.self.a->frozen);
    if (c.self.is_hash()) return answer(c.self.h->frozen);
    if (c.self.kind <= RubyKind::Symbol) return answer(true);
    unknown(c);
  case MethodId::m_dup:
  case MethodId::m_clone:
    if (n != 0) unknown(c);
    if (c.self.is_string())
      out = str(c.self.s->text);
    else if (c.self.is_array())
      out = list(c.self.a->items);
    else if (c.self.is_hash()) {
      out = heap.hash();
      *out.h = *c.self.h;
      out.h->frozen = false;
    } else if (c.self.kind <= RubyKind::Symbol || c.self.is(RubyKind::Big))
      out = c.self;
    else
      unknown(c);
    if (c.method == MethodId::m_clone && c.self.is_string()) out.s->frozen = c.self.s->frozen;
    if (c.method == MethodId::m_clone && c.self.is_array()) out.a->frozen = c.self.a->frozen;
    if (c.method == MethodId::m_clone && c.self.is_hash()) out.h->frozen = c.self.h->frozen;
    return true;
  case MethodId::m_send:
  case MethodId::m_public_send:
  case MethodId::m_private_send: {
    if (n == 0 || !(c.args[0].is_symbol() || c.args[0].is_string())) unknown(c);
    out = call_named(c.self, c.args[0].text(),
                     {c.self, c.method, c.name, c.args.subspan(1), c.block, c.line, c.keywords, c.method != MethodId::m_public_send});
    return true;
  }
  case MethodId::m_extend:
  case MethodId::m_define_singleton_method: return change_singleton(c, out);
  case MethodId::m_method: out = method_of(c); return true;
  case MethodId::m_itself:
    need(c, 0);
    out = c.self;
    return true;
  case MethodId::m_tap:
    yield(c, c.self);
    out = c.self;
    return true;
  case MethodId::m_to_yaml:
  case MethodId::m_to_json: {
    const bool form = n == 1 && c.method == MethodId::m_to_yaml;
    if ((n != 0 && !form) || class_of(c.self) == RubyClass::Other || c.self.kind >= RubyKind::Range) unknown(c);
    out = document(*this, c, c.self, form ? yaml_options(*this, c, c.args[0]) : Value());
    return true;
  }
  case MethodId::m_yield_self:
  case MethodId::m_then: out = yield(c, c.self); return true;
  case MethodId::m_equal_p:
    if (n != 1) unknown(c);
    if (c.self.is(RubyKind::Big)) unknown(c);
    if (c.self.kind != c.args[0].kind) return answer(false);
    if (c.self.kind <= RubyKind::Symbol) return answer(ruby_eql(c.self, c.args[0]));
    if (c.self.kind == RubyKind::Foreign) { // only objects that Ruby made keep their identity on the way through pupc
      if (!c.self.foreign->is(Kind::Object) || !c.args[0].foreign->is(Kind::Object)) unknown(c);
      return answer(c.self.foreign->opaque == c.args[0].foreign->opaque);
    }
    return answer(c.self.s == c.args[0].s);
  case MethodId::NotMatchOp: {
    RubyValue found = send(c.self, MethodId::MatchOp, {c.args[0]}, c.line);
    return answer(!found.truthy());
  }
  case MethodId::Cmp: {
    if (n != 1) unknown(c);
    int order = 0;
    if (!comparable(c.self, c.args[0], order)) {
      if (c.self.is_array() || class_of(c.self) == RubyClass::Other) unknown(c);
      out = RubyValue();
    } else {
      out = RubyValue::integer(order);
    }
    return true;
  }
  default: return false;
  }
}

bool Core::case_equals(const RubyValue& pattern_value, const RubyValue& v, uint32_t line) {
  switch (pattern_value.kind) {
  case RubyKind::Class: {
    if (v.is(RubyKind::Object)) return send(v, MethodId::m_is_a_p, {pattern_value}, line).truthy();
    RubyClass own = class_of(v);
    RubyClass wanted = pattern_value.class_;
    if (own == RubyClass::Other && !of_numeric_object(v, wanted) && (wanted == RubyClass::Comparable || wanted == RubyClass::Enumerable))
      not_rendered(line, "the class of this object");
    return of_numeric_object(v, wanted) || descends(own, wanted);
  }
  case RubyKind::Regexp:
    no_special(v.is(RubyKind::Big) ? RubyValue() : v, line);
    if (v.is_string() || v.is_symbol()) return matched(pattern_value.regex, v.text(), 0).truthy();
    last_match = {};
    return false;
  case RubyKind::Range: {
    int order = 0;
    const RubyRange& r = *pattern_value.r;
    if (!r.first.is_nil() && (!comparable(r.first, v, order) || order > 0)) return false;
    if (!r.last.is_nil() && (!comparable(v, r.last, order) || order > 0 || (order == 0 && r.exclusive))) return false;
    return true;
  }
  case RubyKind::Proc: return call_proc(*pattern_value.proc, {&v, 1}, line).truthy();
  case RubyKind::Module: return send(pattern_value, MethodId::CaseEq, {v}, line).truthy();
  case RubyKind::Object: return send(pattern_value, MethodId::CaseEq, {v}, line).truthy();
  case RubyKind::Host: return pattern_value.host->has_instance(v) || equals(pattern_value, v);
  case RubyKind::Address: return send(pattern_value, MethodId::m_include_p, {v}, line).truthy(); // a network has its addresses
  default: return equals(pattern_value, v);
  }
}

/// Ruby's <=>: sets `order`; false where Ruby returns nil.
bool Core::comparable(const RubyValue& a, const RubyValue& b, int& order) {
  auto sign = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
  if (a.is_integer() && b.is_integer()) {
    order = sign(a.i, b.i);
    return true;
  }
  if (a.is(RubyKind::Big) || b.is(RubyKind::Big)) {
    if (a.is(RubyKind::Float) || b.is(RubyKind::Float)) not_rendered(1, "a float beside an integer of more than 64 bits");
    if (!(a.is_integer() || a.is(RubyKind::Big)) || !(b.is_integer() || b.is(RubyKind::Big))) return false;
    order = compare_integers(a, b);
    return true;
  }
  if (a.is(RubyKind::Bytes) || b.is(RubyKind::Bytes)) {
    const RubyValue &x = a.is(RubyKind::Bytes) ? a : b, &y = a.is(RubyKind::Bytes) ? b : a;
    if (!y.is(RubyKind::Bytes) && !y.is_string()) return false;
    const std::string_view first = text_of_bytes(*this, x, 1), second = y.is_string() ? y.text() : text_of_bytes(*this, y, 1);
    if (y.is_string() && !(is_ascii(first) && is_ascii(second))) not_rendered(1, "bytes beside a text");
    order = sign(a.is(RubyKind::Bytes) ? first.compare(second) : second.compare(first), 0);
    return true;
  }
  if (a.is_number() && b.is_number()) {
    if (std::isnan(a.number()) || std::isnan(b.number())) return false;
    order = sign(a.number(), b.number());
    return true;
  }
  if (a.is(RubyKind::Object)) {
    const RubyValue answer = send(a, MethodId::Cmp, {b}, 1);
    if (!answer.is_number()) return false;
    order = sign(answer.number(), 0.0);
    return true;
  }
  if (a.is(RubyKind::Address) && (b.is_string() || b.is_integer())) not_rendered(1, "an address beside another value");
  if (a.kind != b.kind) return false;
  if (a.is(RubyKind::Address)) {
    const IpAddress &own = a.address->value, &other = b.address->value;
    order = sign(own.bytes, other.bytes);
    return own.family == other.family;
  }
  if (a.is_string() || a.is_symbol()) {
    order = sign(a.text().compare(b.text()), 0);
    return true;
  }
  if (a.is_array()) {
    size_t n = std::min(a.a->items.size(), b.a->items.size());
    for (size_t i = 0; i < n; ++i) {
      if (!comparable(a.a->items[i], b.a->items[i], order)) return false;
      if (order != 0) return true;
    }
    order = sign(a.a->items.size(), b.a->items.size());
    return true;
  }
  if (a.is(RubyKind::Class) || a.is(RubyKind::Foreign)) return false;
  if (equals(a, b)) {
    order = 0;
    return true;
  }
  return false;
}

int Core::compare(const RubyValue& a, const RubyValue& b, uint32_t line) {
  int order = 0;
  if (!comparable(a, b, order)) not_comparable(a, b, line);
  return order;
}

// ---------------------------------------------------------------------------------------------------------------------
// text forms

std::string Core::to_s(const RubyValue& v, uint32_t line) {
  switch (v.kind) {
  case RubyKind::Nil: return "";
  case RubyKind::True: return "true";
  case RubyKind::False: return "false";
  case RubyKind::Integer: return std::to_string(v.i);
  case RubyKind::Float: return format_float(v.d);
  case RubyKind::Big: return big_text(v);
  case RubyKind::Bytes:
    if (!is_ascii(text_of_bytes(*this, v, line))) not_rendered(line, "bytes as a text");
    return v.bytes->text;
  case RubyKind::Symbol:
  case RubyKind::String: return v.s->text;
  case RubyKind::Regexp: return regexp_to_s(*v.regex);
  case RubyKind::Range: return to_s(v.r->first, line) + (v.r->exclusive ? "..." : "..") + to_s(v.r->last, line);
  case RubyKind::Match: {
    auto all = v.match->result.groups[0];
    return v.match->text.substr(static_cast<size_t>(all.begin), static_cast<size_t>(all.end - all.begin));
  }
  case RubyKind::Class:
    if (v.class_ == RubyClass::Other) not_rendered(line, "the modules in Object");
    return std::string(class_name(v.class_));
  case RubyKind::Scope: return host.scope_text();
  case RubyKind::Foreign:
    switch (v.foreign->kind) {
    case Kind::Sensitive: return "Sensitive [value redacted]";
    case Kind::Type:
    case Kind::Timestamp:
    case Kind::Timespan:
    case Kind::Binary:
    case Kind::Uri: return host.text_of(*v.foreign);
    default:
      if (const auto* object = as_runtime_object(*v.foreign); object != nullptr && object->is_date()) return object->to_string();
      not_rendered(line, "an object as text");
    }
  case RubyKind::Array:
  case RubyKind::Hash: return inspect(v, line);
  case RubyKind::Exception:
    if (v.exception->unworded) not_rendered(line, v.exception->message);
    return v.exception->module != nullptr ? object_text(v, false, line) : v.exception->message;
  case RubyKind::Address: return address_text(v);
  case RubyKind::Object:
  case RubyKind::Module: return object_text(v, false, line);
  case RubyKind::Host:
    if (std::string text = v.host->text(); !text.empty()) return text;
    break;
  case RubyKind::Instance:
  case RubyKind::Proc:
  case RubyKind::Enumerator: break;
  }
  not_rendered(line, "an object as text");
}

std::string Core::inspect(const RubyValue& v, uint32_t line) {
  switch (v.kind) {
  case RubyKind::Nil: return "nil";
  case RubyKind::Object:
  case RubyKind::Module: return object_text(v, true, line);
  case RubyKind::Exception: {
    if (v.exception->module != nullptr && is_of_own_inspect(v)) return object_text(v, true, line);
    const std::string of = v.exception->module != nullptr ? v.exception->module->name : std::string(class_name(v.exception->class_));
    const std::string text = to_s(v, line);
    return text.empty() ? of : fmt::format("#<{}: {}>", of, text);
  }
  case RubyKind::Address: return inspect_address(v);
  case RubyKind::Symbol: return inspect_symbol(v.s->text);
  case RubyKind::String: return inspected(v.s->text);
  case RubyKind::Bytes: return inspect_bytes(text_of_bytes(*this, v, line));
  case RubyKind::Regexp: return inspect_regexp(*v.regex);
  case RubyKind::Range: {
    std::string first = v.r->first.is_nil() ? "" : inspect(v.r->first, line);
    return first + (v.r->exclusive ? "..." : "..") + (v.r->last.is_nil() ? "" : inspect(v.r->last, line));
  }
  case RubyKind::Array: {
    if (native_stack_low()) not_rendered(line, "nesting that is too deep");
    std::string out = "[";
    for (const RubyValue& item : v.a->items) {
      if (out.size() > 1) out += ", ";
      out += inspect(item, line);
    }
    return out + "]";
  }
  case RubyKind::Hash: {
    if (native_stack_low()) not_rendered(line, "nesting that is too deep");
    std::string out = "{";
    for (const auto& [key, value] : v.h->entries()) {
      if (out.size() > 1) out += ", ";
      out += inspect(key, line) + "=>" + inspect(value, line);
    }
    return out + "}";
  }
  case RubyKind::Match: {
    const RubyMatch& m = *v.match;
    std::string out = "#<MatchData " + inspect(group_text(m, 0), line);
    for (size_t i = 1; i < m.result.groups.size(); ++i) {
      std::string name = std::to_string(i);
      for (const auto& [known, number] : m.regex->names())
        if (static_cast<size_t>(number) == i) name = known;
      out += fmt::format(" {}:{}", name, inspect(group_text(m, i), line));
    }
    return out + ">";
  }
  case RubyKind::Foreign:
    if (v.foreign->is(Kind::Sensitive)) return "#<Sensitive [value redacted]>";
    break;
  case RubyKind::True:
  case RubyKind::False:
  case RubyKind::Integer:
  case RubyKind::Big:
  case RubyKind::Float:
  case RubyKind::Class: return to_s(v, line);
  default: break;
  }
  not_rendered(line, "inspect of an object");
}

/// The text of a match's group; nil when it has none.
RubyValue Core::group_text(const RubyMatch& m, size_t group) {
  if (group >= m.result.groups.size() || m.result.groups[group].begin < 0) return {};
  const MatchResult::Range& range = m.result.groups[group];
  return str(m.text.substr(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin)));
}

bool Core::responds_to(const RubyValue& v, std::string_view name, uint32_t line) {
  if (v.is(RubyKind::Foreign) && v.foreign->is(Kind::Sensitive)) {
    if (name == "unwrap") return true;
    const KnownMethod of_all = known_method(RubyClass::TrueClass, name);
    if (of_all.presence == Presence::Missing) return false;
  }
  const KnownMethod known = known_method(class_of(v), name);
  if (known.presence == Presence::Unsure) not_rendered(line, fmt::format("respond_to?(:{})", name));
  return known.presence == Presence::Public;
}

} // namespace pupc::compiler::ruby
