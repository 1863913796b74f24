// Functions on arrays and hashes: length, size, empty, keys, values, flatten, unique, sort, dig, get, getvar.
#include "catalog/base/stack.h"
#include "catalog/value/semver.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"
#include "compiler/function/iteration.h"
#include "compiler/function/navigation.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/types/core_types.h"
#include "compiler/types/ruby_class.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

int64_t characters(std::string_view s) {
  int64_t n = 0;
  for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
  return n;
}

Value length(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_list()) return Value::integer(v.list->size);
  if (v.is_hash()) return Value::integer(v.hash->size);
  if (v.is_string()) return Value::integer(characters(v.str()));
  return Value::integer(v.len);
}

Value empty(FunctionCall& c) {
  const Value& v = c.args[0];
  switch (v.kind) {
  case Kind::List: return Value::boolean(v.list->size == 0);
  case Kind::Hash: return Value::boolean(v.hash->size == 0);
  case Kind::Sensitive: return Value::boolean(v.unwrap().str().empty());
  case Kind::Undef: return Value::boolean(true);
  default: return Value::boolean(v.str().empty());
  }
}
Value empty_number(FunctionCall& c) {
  LineColumn p = c.loc.position();
  c.warn_once(fmt::format("empty-from-{}-{}", c.loc.file ? c.loc.file->path() : "", p.line),
              "Calling function empty() with Numeric value is deprecated.", true);
  return Value::boolean(false);
}

Value keys(FunctionCall& c) {
  ListBuilder out(c.arena(), c.args[0].hash->size);
  for (const auto& e : c.args[0].hash->entries()) out.add(e.key);
  return out.finish();
}
Value values(FunctionCall& c) {
  ListBuilder out(c.arena(), c.args[0].hash->size);
  for (const auto& e : c.args[0].hash->entries()) out.add(e.value);
  return out.finish();
}

Value flatten(FunctionCall& c) {
  std::vector<Value> out;
  for (const Value& v : c.args) flatten_into(v, out);
  return make_list(c.arena(), out);
}

Value key_of(FunctionCall& c, const Value& item) {
  if (c.block == nullptr) return item;
  return c.call_block({item});
}
std::vector<Value> unique_of(FunctionCall& c, std::span<const Value> items) {
  HashBuilder seen(c.arena());
  std::vector<Value> out;
  for (const Value& item : items) {
    Value key;
    try {
      key = key_of(c, item);
    } catch (const BreakSignal&) {
      if (!counts(c.args[0])) throw;
      break;
    }
    if (seen.find(key) != nullptr) continue;
    seen.set(key, Value::boolean(true));
    out.push_back(item);
  }
  return out;
}
Value unique_string(FunctionCall& c) {
  std::vector<Value> chars;
  characters_of(c.args[0].str(), chars);
  std::string out;
  for (const Value& v : unique_of(c, chars)) out += v.str();
  return c.string(out);
}
Value unique_iterable(FunctionCall& c) {
  Elements e;
  elements_of(c, c.args[0], e);
  return make_list(c.arena(), unique_of(c, e.values));
}
/// Returns a hash from each list of keys that have equal values to the list of those values.
Value unique_hash(FunctionCall& c) {
  HashBuilder groups(c.arena());
  std::vector<std::pair<std::vector<Value>, std::vector<Value>>> found;
  for (const auto& e : c.args[0].hash->entries()) {
    Value key = key_of(c, e.value);
    const Value* at = groups.find(key);
    if (at == nullptr) {
      groups.set(key, Value::integer(static_cast<int64_t>(found.size())));
      found.emplace_back();
      at = groups.find(key);
    }
    auto& [ks, vs] = found[static_cast<size_t>(at->i)];
    ks.push_back(e.key);
    bool known = false;
    for (const Value& v : vs) known = known || eql(v, e.value);
    if (!known) vs.push_back(e.value);
  }
  HashBuilder out(c.arena());
  for (const auto& [ks, vs] : found) out.set(make_list(c.arena(), ks), make_list(c.arena(), vs));
  return out.finish();
}

/// Ruby's <=> of two array elements. Raises an error for values that have no order.
int natural_order(FunctionCall& c, const Value& a, const Value& b) {
  check_native_stack();
  if (a.is_string() && b.is_string()) {
    int r = a.str().compare(b.str());
    return r < 0 ? -1 : r > 0 ? 1 : 0;
  }
  if (a.is_int() && b.is_int()) return a.i < b.i ? -1 : a.i > b.i ? 1 : 0;
  if (a.is_number() && b.is_number()) {
    double x = a.is_int() ? static_cast<double>(a.i) : a.d, y = b.is_int() ? static_cast<double>(b.i) : b.d;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.is_list() && b.is_list()) {
    for (size_t i = 0; i < std::min(a.items().size(), b.items().size()); ++i)
      if (int r = natural_order(c, a.items()[i], b.items()[i]); r != 0) return r;
    return a.items().size() < b.items().size() ? -1 : a.items().size() > b.items().size() ? 1 : 0;
  }
  if ((a.is(Kind::Timestamp) || a.is(Kind::Timespan)) && a.kind == b.kind) return a.i < b.i ? -1 : a.i > b.i ? 1 : 0;
  if (a.is(Kind::SemVer) && b.is(Kind::SemVer)) return compare(*a.semver, *b.semver);
  if (a.kind == b.kind && eql(a, b)) return 0;
  c.fail(fmt::format("comparison of {} with {} failed", ruby_class_name(a), ruby_operand(c.types(), b)));
}
} // namespace

int order_of_result(FunctionCall& c, const Value& r, const Value& a, const Value& b) {
  if (r.is_int()) return r.i < 0 ? -1 : r.i > 0 ? 1 : 0;
  if (r.is_float()) return r.d < 0 ? -1 : r.d > 0 ? 1 : 0;
  if (r.is_string()) c.fail("comparison of String with 0 failed"); // Ruby's message names the result, not the elements
  if (r.is(Kind::Bool) || r.is_list() || r.is_hash())
    c.fail(fmt::format("undefined method `>' for {}:{}", ruby_inspect(c.types(), r), ruby_class_name(r)));
  c.fail(fmt::format("comparison of {} with {} failed", ruby_class_name(a), ruby_operand(c.types(), b)));
}

namespace {

std::vector<Value> sorted(FunctionCall& c, std::span<const Value> items) {
  std::vector<Value> out(items.begin(), items.end());
  // A merge sort, because a lambda may return an inconsistent order, with which std::sort would run past the ends. The later element is the
  // first operand: the question is "b > a", because Ruby's messages name the elements in that order.
  std::stable_sort(out.begin(), out.end(), [&](const Value& b, const Value& a) {
    if (c.block == nullptr) return natural_order(c, a, b) > 0;
    return order_of_result(c, c.call_block({a, b}), a, b) > 0;
  });
  return out;
}
Value sort_array(FunctionCall& c) { return make_list(c.arena(), sorted(c, c.args[0].items())); }
Value sort_string(FunctionCall& c) {
  std::vector<Value> chars;
  characters_of(c.args[0].str(), chars);
  std::string out;
  for (const Value& v : sorted(c, chars)) out += v.str();
  return c.string(out);
}

Value dig(FunctionCall& c) {
  NavigationError error;
  Value out;
  if (!dig_into(c.types(), c.args[0], c.args.subspan(1), out, error)) c.fail(error.message);
  return out;
}

std::string generalized_name(FunctionCall& c, const Value& v) {
  std::string name = infer(c.types(), v)->to_string();
  return name.substr(0, name.find('['));
}
Value get_from(FunctionCall& c, const Value& from, std::string_view path, const Value& fallback) {
  if (from.is_undef()) return fallback;
  if (path.empty()) return from;
  std::vector<Value> keys;
  if (!split_navigation(c.arena(), path, keys)) c.fail("Syntax error in dotted-navigation string");
  if (!from.is_list() && !from.is_hash())
    c.fail(fmt::format("'dig' parameter 'data' expects a value of type Undef or Collection, got {}",
                       from.is_type() ? fmt::format("Type[{}]", type_base_name(as_type(from))) : generalized_name(c, from)));
  NavigationError error;
  Value out;
  if (!dig_into(c.types(), from, keys, out, error)) {
    if (c.block == nullptr) c.fail(error.message);
    Value r;
    r = c.call_block({error.to_value(c.types())});
    return r;
  }
  return out.is_undef() ? fallback : out;
}
Value get(FunctionCall& c) { return get_from(c, c.args[0], c.args[1].str(), c.arg(2)); }
Value getvar(FunctionCall& c) {
  std::string_view text = c.args[0].str();
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == ':')) ++end;
  std::string_view rest = text.substr(end);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
  } else if (!rest.empty()) {
    c.fail(fmt::format("First character after var name in get string must be a '.' - got {}", rest.substr(0, 1)));
  }
  Value v;
  if (!c.evaluator.lookup_variable(text.substr(0, end), c.frame, v)) return c.arg(1);
  return get_from(c, v, rest, c.arg(1));
}
Value getvar_mismatch(FunctionCall& c) { return c.string("The given string does not start with a valid variable name"); }

const FunctionEntry collection_table[] = {
    {"length",
     "Number of elements, entries, characters or bytes.",
     {{"Collection $arg", length}, {"String $arg", length}, {"Binary $arg", length}}},
    {"size", "Number of elements, entries, characters or bytes.", {{"Variant[Collection, String, Binary] $arg", length}}},
    {"empty",
     "Whether a collection, text or binary holds nothing; undef is empty.",
     {{"Collection $coll", empty},
      {"Sensitive[String] $str", empty},
      {"String $str", empty},
      {"Numeric $num", empty_number},
      {"Binary $bin", empty},
      {"Undef $x", empty}}},
    {"keys", "Keys of a hash, in order.", {{"Hash $hsh", keys}}},
    {"values", "Values of a hash, in order.", {{"Hash $hsh", values}}},
    {"flatten", "All arguments in one array, nested arrays spread out.", {{"Any $args*", flatten}}},
    {"unique",
     "Each value once (of a hash: keys grouped by equal value); a lambda may give what is compared.",
     {{"String $string, Callable[String] &block?", unique_string},
      {"Hash $hash, Callable[Any] &block?", unique_hash},
      {"Array $array, Callable[Any] &block?", unique_iterable},
      {"Iterable $iterable, Callable[Any] &block?", unique_iterable}}},
    {"sort",
     "Elements or characters in ascending order, or in the order a lambda gives (-1, 0, 1).",
     {{"String $string_value, Callable[2,2] &block?", sort_string}, {"Array $array_value, Callable[2,2] &block?", sort_array}}},
    {"dig",
     "Value found by following keys and indexes into nested data; undef when one is missing.",
     {{"Optional[Collection] $data, Any $arg*", dig}}},
    {"get",
     "Value found by a dotted path in nested data, or a default; a lambda handles a path that leads into no collection.",
     {{"Any $value, String $dotted_string, Any $default_value?, Callable[1,1] &block?", get}}},
    {"getvar",
     "Value of a variable given by name, with an optional dotted path into it, or a default.",
     {{"Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/] $get_string, Any $default_value?, Callable[1,1] &block?", getvar},
      {"String $get_string, Any $default_value?, Callable &block?", getvar_mismatch, true}},
     FunctionTrait::AsksNode},
};

} // namespace

FunctionTable collection_functions() { return collection_table; }

} // namespace pupc::compiler
