// Values of the language as Ruby's, and back.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/stack.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/frozen.h"
#include "catalog/value/semver_range.h"
#include "compiler/ruby/values/host_object.h"
#include "compiler/types/runtime_object.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler::ruby {

/// Code that changes texts in place gets one object for each text of Puppet's, as in Ruby.
RubyValue Interpreter::text_from_puppet(const Value& v) {
  RubyValue text = str(std::string(v.str()));
  text.s->frozen = is_frozen(v);
  text.s->outside = true;
  if (!program_->changes_texts || is_frozen(v) || v.len == 0) return text;
  auto [known, fresh] = texts_.try_emplace(v.s, v, text.s);
  return !fresh && known->second.first.len == v.len ? RubyValue::of(known->second.second) : text;
}

/// The library's Date of a day YYYY-MM-DD.
RubyValue Interpreter::date_from(const std::string& day) {
  RubyValue date;
  if (!find_constant("Date", date)) not_rendered(1, "a date");
  const RubyValue text = str(day);
  const RubyValue made = call_method({date, MethodId::unknown, "iso8601", {&text, 1}, nullptr, 1});
  if (made.is(RubyKind::Object)) made.object->instance_variables.emplace("__of_data", text);
  return made;
}

/// The library's version or range of versions (`of`: Version, VersionRange) that a text has.
RubyValue Interpreter::version_from(std::string_view of, const std::string& text) {
  RubyValue class_;
  if (!find_constant(fmt::format("SemanticPuppet::{}", of), class_)) not_rendered(1, "a version");
  const RubyValue argument = str(text);
  return call_method({class_, MethodId::unknown, "parse", {&argument, 1}, nullptr, 1});
}

/// A version, range of versions or date of the library's as the language's; nothing for another object.
std::optional<Value> Interpreter::library_object_to_puppet(const RubyObject& object, uint32_t line) {
  if (!object.class_->library) return std::nullopt;
  Arena& arena = host.arena();
  if (const auto day = object.instance_variables.find("__of_data"); day != object.instance_variables.end()) // goes back as it came
    return ruby_date(arena, arena.copy(day->second.text()));
  const auto text = [&] { return object_text(RubyValue::of(const_cast<RubyObject*>(&object)), false, line); };
  if (object.class_->name == "SemanticPuppet::Version") {
    const std::optional<SemVer> version = parse_semver(arena.copy(text())); // its parts are of that text
    if (!version) not_rendered(line, "a version that the language does not have");
    return Value::of(arena.make<SemVer>(*version));
  }
  if (object.class_->name == "SemanticPuppet::VersionRange")
    if (const SemVerRange* range = parse_semver_range(arena, arena.copy(text()))) return Value::of(range);
  return std::nullopt;
}

RubyValue Interpreter::from_puppet(const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: return {};
  case Kind::Default: return heap.symbol("default");
  case Kind::Bool: return RubyValue::boolean(v.b);
  case Kind::Int: return RubyValue::integer(v.i);
  case Kind::Float: return RubyValue::floating(v.d);
  case Kind::String:
    if (is_bytes_text(v)) {
      if (!is_ascii(v.str())) not_rendered(1, "a text of bytes");
      return heap.bytes(std::string(v.str()));
    }
    return text_from_puppet(v);
  case Kind::Regex: return RubyValue::of(v.regex);
  case Kind::List: {
    auto known = converted_.find(v.list);
    if (known != converted_.end()) return known->second;
    std::vector<RubyValue> items;
    items.reserve(v.list->size);
    for (const Value& item : v.items()) items.push_back(from_puppet(item));
    RubyValue made = list(std::move(items));
    made.a->frozen = is_frozen(v);
    converted_values_.emplace_back(v, made);
    made.a->origin.set(v);
    return converted_[v.list] = made;
  }
  case Kind::Hash: {
    const auto [known, fresh] = converted_.try_emplace(v.hash);
    if (!fresh) return known->second;
    RubyValue hash = heap.hash();
    hash.h->wrap(*v.hash, *this);
    hash.h->frozen = is_frozen(v);
    converted_values_.emplace_back(v, hash);
    hash.h->origin.set(v);
    return known->second = hash;
  }
  case Kind::SemVer: return version_from("Version", to_string(*v.semver));
  case Kind::SemVerRange: return version_from("VersionRange", std::string(v.semver_range->text));
  default: {
    if (const auto* object = as_runtime_object(v); object != nullptr && object->is_symbol()) return heap.symbol(object->symbol);
    if (const auto* object = as_runtime_object(v); object != nullptr && object->is_date()) return date_from(object->to_string());
    Value* copy = static_cast<Value*>(host.arena().allocate(sizeof(Value), alignof(Value)));
    *copy = v;
    return RubyValue::foreign_value(copy);
  }
  }
}

/// The list or hash of Puppet's that the object was made from, as long as the code has changed nothing in place. Null for a new object.
const Value* Interpreter::unchanged_source(const Origin& origin) const {
  return changed || origin.value.is_undef() ? nullptr : &origin.value;
}

/// Whether a value that was made from one of Puppet's surely is as that one, with all its parts: then Puppet's stands for it again. Code
/// that changes one entry of a large hash often has looked at all the others.
static bool is_as_made(const RubyValue& ruby, const Value& v) {
  check_native_stack();
  switch (ruby.kind) {
  case RubyKind::Nil: return v.is_undef();
  case RubyKind::True:
  case RubyKind::False: return v.is_bool() && v.b == ruby.is(RubyKind::True);
  case RubyKind::Integer: return v.is_int() && v.i == ruby.i;
  case RubyKind::String: return v.is_string() && !is_frozen(v) && !ruby.s->frozen && v.str() == ruby.s->text;
  case RubyKind::Array:
    return v.is_list() && !is_frozen(v) && ruby.a->origin.value.is_list() && ruby.a->origin.value.list == v.list &&
           std::equal(ruby.a->items.begin(), ruby.a->items.end(), v.items().begin(), v.items().end(), is_as_made);
  case RubyKind::Hash:
    return v.is_hash() && !is_frozen(v) && ruby.h->stands_for_another() && ruby.h->origin.value.is_hash() &&
           ruby.h->origin.value.hash == v.hash && ruby.h->all_touched(is_as_made);
  default: return false;
  }
}

Value Interpreter::to_puppet(const RubyValue& v, uint32_t line) {
  check_native_stack();
  if (!writes_document && known_singleton(v) != nullptr) not_rendered(line, "a value with methods of its own for a function");
  Arena& arena = host.arena();
  switch (v.kind) {
  case RubyKind::Nil: return Value::undef();
  case RubyKind::True: return Value::boolean(true);
  case RubyKind::False: return Value::boolean(false);
  case RubyKind::Integer: return Value::integer(v.i);
  case RubyKind::Float: return Value::floating(v.d);
  case RubyKind::String: {
    const Value text = Value::string(arena.copy(v.s->text));
    return v.s->frozen ? frozen_text(text) : text;
  }
  case RubyKind::Bytes:
    if (v.bytes->renamed || !is_ascii(v.bytes->text)) not_rendered(line, "bytes for a function");
    return bytes_text(Value::string(arena.copy(v.bytes->text)));
  case RubyKind::Regexp: // the program, whose pattern it may be, can end before the value
    return Value::of(host.regexes().get(v.regex->source(), v.regex->ignore_case(), v.regex->extended(), v.regex->multi_line()));
  case RubyKind::Foreign: return *v.foreign;
  case RubyKind::Symbol:
    if (v.s->text == "undef") return Value::undef();
    if (v.s->text == "default") return Value::default_value();
    return ruby_symbol(arena, v.s->text);
  case RubyKind::Array: {
    if (const Value* same = unchanged_source(v.a->origin)) return *same;
    ListBuilder items(arena, v.a->items.size());
    for (const RubyValue& item : v.a->items) items.add(to_puppet(item, line));
    return items.finish();
  }
  case RubyKind::Hash: {
    if (const Value* same = unchanged_source(v.h->origin)) return *same;
    if (const Value* same = untouched_source(*v.h)) return *same;
    if (singletons_.empty() && v.h->stands_for_another() && is_as_made(v, v.h->origin.value)) return v.h->origin.value;
    HashBuilder hash(arena, v.h->entries().size());
    for (auto& [key, value] : v.h->entries()) hash.set(to_puppet(key, line), to_puppet(value, line));
    return hash.finish();
  }
  case RubyKind::Object:
    if (const std::optional<Value> known = library_object_to_puppet(*v.object, line)) return *known;
    break;
  case RubyKind::Host:
    if (const std::optional<Value> known = v.host->value()) return *known;
    break;
  default: break;
  }
  not_rendered(line, "a value that the language does not have as an argument of a function");
}

static bool is_part_of(const Value& whole, const Value& part) {
  if (whole.kind == part.kind && (part.is_list() ? whole.list == part.list : whole.hash == part.hash)) return true;
  if (whole.is_list()) return std::any_of(whole.items().begin(), whole.items().end(), [&](const Value& v) { return is_part_of(v, part); });
  return whole.is_hash() && std::any_of(whole.hash->entries().begin(), whole.hash->entries().end(),
                                        [&](const HashEntry& e) { return is_part_of(e.value, part); });
}

/// Whether a value that stands for one of Puppet's surely is as that one. Makes nothing, as most values are asked in vain.
static bool surely_equal(const RubyValue& ruby, const Value& v) {
  check_native_stack();
  switch (ruby.kind) {
  case RubyKind::Nil: return v.is_undef();
  case RubyKind::True:
  case RubyKind::False: return v.is(Kind::Bool) && v.b == ruby.is(RubyKind::True);
  case RubyKind::Integer: return v.is_int() && v.i == ruby.i;
  case RubyKind::String: return v.is_string() && v.str() == ruby.s->text;
  case RubyKind::Array:
    return v.is_list() && v.list->size == ruby.a->items.size() &&
           std::equal(ruby.a->items.begin(), ruby.a->items.end(), v.items().begin(), surely_equal);
  case RubyKind::Hash:
    if (!v.is_hash() || ruby.h->size() != v.hash->size) return false;
    if (ruby.h->stands_for_another()) return ruby.h->origin.value.is_hash() && ruby.h->origin.value.hash == v.hash;
    return std::equal(ruby.h->entries().begin(), ruby.h->entries().end(), v.hash->entries().begin(),
                      [](const auto& a, const HashEntry& b) { return surely_equal(a.first, b.key) && surely_equal(a.second, b.value); });
  default: return false;
  }
}

/// Whether the code has changed something in place that Puppet's code sees, too. Lists and hashes that a function of the 3.x API gets are
/// copies; its texts are not.
bool Interpreter::has_changed_outside() {
  for (const auto& [source, ruby] : std::vector(converted_values_)) {
    if (ruby.is_hash() && ruby.h->stands_for_another()) continue;
    if ((singletons_.empty() && surely_equal(ruby, source)) || eql(to_puppet(ruby, 1), source)) continue;
    if (std::none_of(copies_.begin(), copies_.end(), [&, &part = source](const Value& copy) { return is_part_of(copy, part); }))
      return true;
  }
  return std::any_of(texts_.begin(), texts_.end(), [](const auto& text) { return text.second.first.str() != text.second.second->text; });
}

bool Interpreter::is_changeable(const Value& v) const {
  return v.is_list() || v.is_hash() || (v.is_string() && program_->changes_texts && !is_frozen(v));
}

/// Stores texts, lists and hashes that a template changed in place back into their variables: in Puppet, both are the same object.
void Interpreter::give_back_changed() {
  std::vector<std::pair<std::string_view, Value>> changes;
  for (const auto& [name, ruby] : read_) {
    Value before;
    if (!host.lookup_variable(name, before)) continue;
    if (Value after = to_puppet(ruby, 1); !eql(before, after)) changes.emplace_back(name, after);
  }
  for (const auto& [name, after] : changes) host.change_variable(name, after);
}

const Value* Interpreter::untouched_source(const RubyHash& hash) const {
  return hash.origin.value.is_undef() || !hash.untouched() ? nullptr : &hash.origin.value;
}

} // namespace pupc::compiler::ruby
