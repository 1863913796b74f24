// `new` of Array, Tuple, Hash and Struct.
#include "compiler/conversion/constructor_call.h"
#include "compiler/types/iterator.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The elements that iterating over a value yields: characters of a string, the numbers below an integer, the range or choices of a
/// type, an iterator's elements.
Value elements_of(const ConstructorCall& call, const Value& v) {
  ListBuilder out(call.arena());
  switch (v.kind) {
  case Kind::List: return v;
  case Kind::Iterator: return Value::of(as_iterator(v)->elements);
  case Kind::Hash:
    for (const auto& e : v.hash->entries()) {
      Value pair[] = {e.key, e.value};
      out.add(make_list(call.arena(), pair));
    }
    break;
  case Kind::Binary:
    for (char ch : v.str()) out.add(Value::integer(static_cast<unsigned char>(ch)));
    break;
  case Kind::String: {
    std::string_view s = v.str();
    for (size_t i = 0; i < s.size();) {
      size_t n = 1;
      while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xC0) == 0x80) ++n;
      out.add(Value::string(s.substr(i, n)));
      i += n;
    }
    break;
  }
  case Kind::Int:
    if (v.i > 100'000'000) call.fail("The Array would be too large");
    for (int64_t i = 0; i < v.i; ++i) out.add(Value::integer(i));
    break;
  case Kind::Type: {
    const Type* t = resolve_alias(call.ctx, as_type(v));
    if (t->kind == TypeKind::Integer) {
      Range r = type_cast<RangeType>(t).range;
      if (r.to - r.from > 100'000'000) call.fail("The Array would be too large");
      for (int64_t i = r.from; i <= r.to; ++i) {
        out.add(Value::integer(i));
        if (i == INT64_MAX) break;
      }
    } else if (t->kind == TypeKind::Enum) {
      for (std::string_view s : type_cast<EnumType>(t).values) out.add(Value::string(s));
    }
    break;
  }
  default: break;
  }
  return out.finish();
}

Value pairs_to_hash(const ConstructorCall& call, std::span<const Value> flat) {
  if (flat.size() % 2 != 0) call.fail("odd number of arguments for Hash");
  HashBuilder h(call.arena());
  for (size_t i = 0; i < flat.size(); i += 2) h.set(flat[i], flat[i + 1]);
  return h.finish();
}

/// Turns an array, and arrays nested in it, into hashes from index to element.
Value as_hash(Arena& arena, const Value& v) {
  if (!v.is_list()) return v;
  HashBuilder h(arena);
  int64_t i = 0;
  for (const Value& item : v.items()) h.set(Value::integer(i++), as_hash(arena, item));
  return h.finish();
}

Value put(const ConstructorCall& call, const Value& into, std::span<const Value> path, const Value& value) {
  if (into.is_list()) {
    std::vector<Value> items(into.items().begin(), into.items().end());
    if (!path[0].is_int()) call.fail("An Array in a tree is indexed by an Integer");
    int64_t at = path[0].i < 0 ? path[0].i + static_cast<int64_t>(items.size()) : path[0].i;
    if (at < 0 || at > 1'000'000) call.fail(fmt::format("The index {} of an Array in a tree is out of range", path[0].i));
    if (static_cast<size_t>(at) >= items.size()) items.resize(static_cast<size_t>(at) + 1);
    items[static_cast<size_t>(at)] = path.size() == 1 ? value : put(call, items[static_cast<size_t>(at)], path.subspan(1), value);
    return make_list(call.arena(), items);
  }
  if (!into.is_hash()) call.fail(fmt::format("In a tree a value of type {} cannot hold other values", type_name_of(call.ctx, into)));
  HashBuilder h(call.arena(), *into.hash);
  const Value* present = h.find(path[0]);
  h.set(path[0],
        path.size() == 1 ? value : put(call, present != nullptr ? *present : HashBuilder(call.arena()).finish(), path.subspan(1), value));
  return h.finish();
}

} // namespace

namespace constructors {

Value array_from_value(const ConstructorCall& c) { return elements_of(c, c[0]); }
Value array_wrapped(const ConstructorCall& c) { return c[0].is_list() ? c[0] : make_list(c.arena(), c.args.first(1)); }
std::string array_error(const ConstructorCall& c) {
  return fmt::format("Value of type {} cannot be converted to Array", generalize(c.ctx, infer(c.ctx, c[0]))->to_string());
}

Value hash_from_tuples(const ConstructorCall& c) {
  HashBuilder h(c.arena());
  for (const Value& pair : c[0].items()) h.set(pair.items()[0], pair.items()[1]);
  return h.finish();
}

Value hash_from_tree(const ConstructorCall& c) {
  if (c.args.size() == 1) return hash_from_tuples(c);
  bool all_hashes = c[1].str() == "hash_tree";
  Value root = HashBuilder(c.arena()).finish();
  for (const Value& pair : c[0].items()) {
    const Value& value = pair.items()[1];
    auto path = pair.items()[0].items();
    if (!path.empty()) {
      root = put(c, root, path, all_hashes ? as_hash(c.arena(), value) : value);
      continue;
    }
    // This entry is the root: merge its entries into the result.
    HashBuilder merged(c.arena(), *root.hash);
    if (value.is_list()) {
      int64_t i = 0;
      for (const Value& item : value.items()) merged.set(Value::integer(i++), item);
    } else if (value.is_hash()) {
      for (const auto& e : value.hash->entries()) merged.set(e.key, e.value);
    } else {
      c.fail(fmt::format("no implicit conversion of {} into Hash", type_name_of(c.ctx, value)));
    }
    root = merged.finish();
  }
  return root;
}

Value hash_from_array(const ConstructorCall& c) {
  const Value& v = c[0];
  if (v.is_hash()) return v;
  if (v.is_list()) return pairs_to_hash(c, v.items());
  if (is_instance(c.ctx, types::iterable_any(), v)) return pairs_to_hash(c, elements_of(c, v).items());
  c.fail(fmt::format("Value of type {} cannot be converted to Hash", generalize(c.ctx, infer(c.ctx, v))->to_string()));
}

} // namespace constructors
} // namespace pupc::compiler
