// Functions that call a lambda for each element: each, map, filter, reduce, any, all, index, slice, step, reverse_each, tree_each,
// group_by, partition, with, then, lest. In most of them `break()` in the lambda ends the iteration and keeps the results so far, as in
// Puppet.
#include "catalog/value/ruby_equality.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"
#include "compiler/function/iteration.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/types/core_types.h"
#include "compiler/types/object_type.h"
#include "compiler/types/ruby_class.h"
#include "compiler/types/type_attributes.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

bool counts(const Value& v) { return v.is_int() || (v.is_type() && as_type(v)->kind == TypeKind::Integer); }

Value make_pair(Arena& arena, const Value& a, const Value& b) {
  Value pair[2] = {a, b};
  return make_list(arena, pair);
}

void characters_of(std::string_view s, std::vector<Value>& out) {
  for (size_t i = 0; i < s.size();) {
    auto c = static_cast<unsigned char>(s[i]);
    size_t n = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    n = std::min(n, s.size() - i);
    out.push_back(Value::string(s.substr(i, n)));
    i += n;
  }
}

namespace {

/// Reserves room for `last` + 1 numbers. Throws CompileError when no machine could hold the list.
void reserve_counted(uint64_t last, std::vector<Value>& out) {
  if (last >= 100'000'000)
    throw_error(ErrorCode::evaluation_error, {}, "The range has too many numbers to become a list", PositionStyle::None);
  out.reserve(static_cast<size_t>(last) + 1);
}

/// The numbers of an integer's count or of a finite integer range; nothing for anything else.
std::optional<Range> counted(TypeContext& types, const Value& v) {
  if (v.is_int()) return Range::of(0, v.i - 1);
  const Type* type = v.is_type() ? resolve_alias(types, as_type(v)) : nullptr;
  if (type == nullptr || type->kind != TypeKind::Integer || !type_cast<RangeType>(type).range.finite()) return std::nullopt;
  return type_cast<RangeType>(type).range;
}

} // namespace

bool elements_of_type(TypeContext& types, const Type* type, std::vector<Value>& out) {
  type = resolve_alias(types, type);
  if (type->kind == TypeKind::Integer && type_cast<RangeType>(type).range.finite()) {
    const Range& r = type_cast<RangeType>(type).range;
    reserve_counted(static_cast<uint64_t>(r.to) - static_cast<uint64_t>(r.from), out);
    for (int64_t i = r.from; i <= r.to; ++i) out.push_back(Value::integer(i));
    return true;
  }
  if (type->kind != TypeKind::Enum) return false;
  for (std::string_view v : type_cast<EnumType>(type).values) out.push_back(Value::string(v));
  return true;
}

namespace {

/// The element type of an iterator over a collection: the most detailed type that all elements have in common.
const Type* iteration_element_type(TypeContext& types, const Value& v) {
  auto all = [&](auto&& each) {
    std::vector<const Type*> list;
    each(list);
    return types::variant(types.arena, list);
  };
  switch (v.kind) {
  case Kind::List:
    if (v.list->size == 0) return types::unit();
    return all([&](std::vector<const Type*>& list) {
      for (const Value& item : v.items()) list.push_back(infer_detailed(types, item));
    });
  case Kind::Hash: {
    if (v.hash->size == 0) return iterable_element(types, types::empty_hash());
    const Type* pair[] = {all([&](std::vector<const Type*>& list) {
                            for (const auto& e : v.hash->entries()) list.push_back(infer_detailed(types, e.key));
                          }),
                          all([&](std::vector<const Type*>& list) {
                            for (const auto& e : v.hash->entries()) list.push_back(infer_detailed(types, e.value));
                          })};
    return types::tuple(types.arena, pair, Range::of(2, 2), true);
  }
  case Kind::String: return types::string_sized(types.arena, Range::of(1, 1));
  case Kind::Int: return v.i == 0 ? types::unit() : types::integer(types.arena, Range::of(0, v.i - 1));
  case Kind::Type: return resolve_alias(types, as_type(v));
  case Kind::Iterator: return as_iterator(v)->element_type;
  default: return nullptr;
  }
}

} // namespace

void elements_of(const FunctionCall& call, const Value& v, Elements& out) {
  switch (v.kind) {
  case Kind::List: out.values = v.items(); return;
  case Kind::Hash:
    out.hash_style = true;
    out.storage.reserve(v.hash->size);
    for (const auto& e : v.hash->entries()) out.storage.push_back(make_pair(call.arena(), e.key, e.value));
    break;
  case Kind::String: characters_of(v.str(), out.storage); break;
  case Kind::Int:
    if (v.i > 0) reserve_counted(static_cast<uint64_t>(v.i - 1), out.storage);
    for (int64_t i = 0; i < v.i; ++i) out.storage.push_back(Value::integer(i));
    break;
  case Kind::Iterator: {
    const IteratorValue* it = as_iterator(v);
    out.values = it->elements->items();
    out.hash_style = it->hash_style;
    return;
  }
  case Kind::Type:
    if (elements_of_type(call.types(), as_type(v), out.storage)) break;
    [[fallthrough]];
  default: call.fail(fmt::format("{}(): wrong argument type ({}; is not Iterable.", call.name, ruby_class_name(v)));
  }
  out.values = out.storage;
}

namespace {

/// The effect of break() in a lambda. In each, filter, map, reduce, slice and the lazy functions it ends the iteration. In all other
/// functions it passes on to the code around the call.
enum class OnBreak : uint8_t { Ends, Passes };

template <OnBreak Break> bool call_lambda(FunctionCall& c, std::initializer_list<Value> arguments, Value& result) {
  if (Break == OnBreak::Ends) return c.yield(arguments, result);
  result = c.call_block(arguments);
  return true;
}

/// Calls `visit` (element, whether it is an entry of a hash) for one element after the other until it returns false. Numbers are counted
/// without a list: a lambda may end a count that is longer than memory.
template <class Visit> void walk(FunctionCall& c, const Value& collection, Visit visit) {
  if (auto range = counted(c.types(), collection)) {
    for (int64_t i = range->from; i <= range->to; ++i)
      if (!visit(Value::integer(i), false) || i == INT64_MAX) return;
    return;
  }
  Elements e;
  elements_of(c, collection, e);
  for (const Value& item : e.values)
    if (!visit(item, e.hash_style)) return;
}

/// Calls the lambda with each element, until `visit` (element, result) returns false or the lambda breaks.
template <OnBreak Break = OnBreak::Ends, class Visit> void for_each_1(FunctionCall& c, const Value& collection, Visit visit) {
  walk(c, collection, [&](const Value& item, bool) {
    Value result;
    return call_lambda<Break>(c, {item}, result) && visit(item, result);
  });
}

/// The same with two arguments: key and value of a hash, index and element of anything else. `visit` gets both and the result.
template <OnBreak Break = OnBreak::Ends, class Visit> void for_each_2(FunctionCall& c, const Value& collection, Visit visit) {
  if (collection.is_hash()) {
    for (const auto& entry : collection.hash->entries()) {
      Value result;
      if (!call_lambda<Break>(c, {entry.key, entry.value}, result) || !visit(entry.key, entry.value, result)) return;
    }
    return;
  }
  int64_t i = 0;
  walk(c, collection, [&](const Value& item, bool entry) {
    Value a = Value::integer(i++), b = item;
    if (entry) {
      a = item.items()[0];
      b = item.items()[1];
    }
    Value result;
    return call_lambda<Break>(c, {a, b}, result) && visit(a, b, result);
  });
}

bool hash_style(const Value& v) {
  if (v.is_hash()) return true;
  const IteratorValue* it = as_iterator(v);
  return it != nullptr && it->hash_style;
}

Value each_1(FunctionCall& c) {
  for_each_1(c, c.args[0], [](const Value&, const Value&) { return true; });
  return c.args[0];
}
Value each_2(FunctionCall& c) {
  for_each_2(c, c.args[0], [](const Value&, const Value&, const Value&) { return true; });
  return c.args[0];
}

Value map_1(FunctionCall& c) {
  ListBuilder out(c.arena());
  for_each_1(c, c.args[0], [&](const Value&, const Value& r) {
    out.add(r);
    return true;
  });
  return out.finish();
}
Value map_2(FunctionCall& c) {
  ListBuilder out(c.arena());
  for_each_2(c, c.args[0], [&](const Value&, const Value&, const Value& r) {
    out.add(r);
    return true;
  });
  return out.finish();
}

Value filter_1(FunctionCall& c) {
  if (c.args[0].is_hash()) {
    HashBuilder out(c.arena());
    for_each_1<OnBreak::Passes>(c, c.args[0], [&](const Value& pair, const Value& r) {
      if (r.truthy()) out.set(pair.items()[0], pair.items()[1]);
      return true;
    });
    return out.finish();
  }
  ListBuilder out(c.arena());
  for_each_1(c, c.args[0], [&](const Value& item, const Value& r) {
    if (r.truthy()) out.add(item);
    return true;
  });
  return out.finish();
}
Value filter_2(FunctionCall& c) {
  if (hash_style(c.args[0])) {
    HashBuilder out(c.arena());
    for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value& k, const Value& v, const Value& r) {
      if (r.truthy()) out.set(k, v);
      return true;
    });
    return out.finish();
  }
  ListBuilder out(c.arena());
  for_each_2(c, c.args[0], [&](const Value&, const Value& v, const Value& r) {
    if (r.truthy()) out.add(v);
    return true;
  });
  return out.finish();
}

/// A null `first` means: start with the first element.
Value reduce_values(FunctionCall& c, const Value* first) {
  Value memo = first != nullptr ? *first : Value::undef();
  bool begun = first != nullptr;
  walk(c, c.args[0], [&](const Value& item, bool) {
    Value result = item;
    if (begun && !c.yield({memo, item}, result)) return false;
    begun = true;
    memo = result;
    return true;
  });
  return memo;
}
Value reduce_plain(FunctionCall& c) { return reduce_values(c, nullptr); }
Value reduce_with_memo(FunctionCall& c) { return reduce_values(c, &c.args[1]); }

/// Runs `run`. If the elements are counted numbers, a break() in the lambda ends Puppet's own loop, as if there were no more elements.
template <class Run> void until_break(FunctionCall& c, Run run) {
  if (!counts(c.args[0])) return run();
  try {
    run();
  } catch (const BreakSignal&) {}
}

// For all and any, every value but undef and false counts as true.
Value all_1(FunctionCall& c) {
  bool all = true;
  until_break(c, [&] { for_each_1<OnBreak::Passes>(c, c.args[0], [&](const Value&, const Value& r) { return all = r.truthy(); }); });
  return Value::boolean(all);
}
Value all_2(FunctionCall& c) {
  bool all = true;
  until_break(
      c, [&] { for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value&, const Value&, const Value& r) { return all = r.truthy(); }); });
  return Value::boolean(all);
}
Value any_1(FunctionCall& c) {
  bool any = false;
  until_break(c, [&] { for_each_1<OnBreak::Passes>(c, c.args[0], [&](const Value&, const Value& r) { return !(any = r.truthy()); }); });
  return Value::boolean(any);
}
Value any_2(FunctionCall& c) {
  bool any = false;
  until_break(c, [&] {
    for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value&, const Value&, const Value& r) { return !(any = r.truthy()); });
  });
  return Value::boolean(any);
}

Value index_1(FunctionCall& c) {
  Value found;
  until_break(c, [&] {
    int64_t i = 0;
    walk(c, c.args[0], [&](const Value& item, bool entry) {
      bool here = c.call_block({entry ? item.items()[1] : item}).truthy();
      if (here) found = entry ? item.items()[0] : Value::integer(i);
      ++i;
      return !here;
    });
  });
  return found;
}
Value index_2(FunctionCall& c) {
  Value found;
  until_break(c, [&] {
    for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value& k, const Value&, const Value& r) {
      if (r.truthy()) found = k;
      return !r.truthy();
    });
  });
  return found;
}
int64_t characters_in(std::string_view s) {
  int64_t n = 0;
  for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
  return n;
}
Value index_string(FunctionCall& c) {
  std::string_view text = c.args[0].str();
  size_t at = std::string_view::npos;
  if (c.args[1].is_string()) {
    at = text.find(c.args[1].str());
  } else {
    auto m = c.args[1].regex->search(text);
    if (m.matched) at = static_cast<size_t>(m.groups[0].begin);
  }
  return at == std::string_view::npos ? Value::undef() : Value::integer(characters_in(text.substr(0, at)));
}
Value index_value(FunctionCall& c) {
  Value found;
  int64_t i = 0;
  walk(c, c.args[0], [&](const Value& item, bool entry) {
    bool here = ruby_equal(entry ? item.items()[1] : item, c.args[1]);
    if (here) found = entry ? item.items()[0] : Value::integer(i);
    ++i;
    return !here;
  });
  return found;
}

Value slice(FunctionCall& c) {
  auto size = static_cast<size_t>(c.args[1].i);
  Elements e;
  elements_of(c, c.args[0], e);
  size_t serving = 1;
  if (c.block != nullptr) {
    auto [required, maximum] = c.block_arity();
    bool open = maximum < 0 || maximum != required; // Ruby's arity is negative for optional and captured parameters
    serving = open ? size : static_cast<size_t>(required);
    if (serving == 0) c.fail("slice(): block must define at least one parameter. Block has 0.");
    if (serving != 1 && serving != size) {
      std::string names;
      for (const Parameter& p : c.block->node->as<Lambda>().parameters) names.append(names.empty() ? "" : ", ").append(p.name.str());
      c.fail(fmt::format("slice(): block must define one parameter, or the same number of parameters as the given size of the slice ({}). "
                         "Block has {}; {}",
                         size, serving, names));
    }
  }
  ListBuilder out(c.arena());
  for (size_t i = 0; i < e.values.size(); i += size) {
    auto part = e.values.subspan(i, std::min(size, e.values.size() - i));
    if (c.block == nullptr) {
      out.add(make_list(c.arena(), part));
      continue;
    }
    Value result;
    if (serving == 1) {
      if (!c.yield({make_list(c.arena(), part)}, result)) break;
    } else {
      std::vector<Value> filled(part.begin(), part.end());
      // Fill up a short last slice: with undef, or with empty arrays when slicing a hash.
      Value filler = c.args[0].is_hash() ? make_list(c.arena(), {}) : Value::undef();
      filled.resize(size, filler);
      if (!c.yield(filled, result)) break;
    }
  }
  return c.block != nullptr ? c.args[0] : out.finish();
}

Value make_iterator(FunctionCall& c, const Value& over, std::vector<Value> items, bool pairs) {
  auto* it = c.arena().make<IteratorValue>();
  it->element_type = iteration_element_type(c.types(), over);
  // For a range of integers the element type is the range between its ends.
  if (it->element_type != nullptr && it->element_type->kind == TypeKind::Integer && !items.empty()) {
    auto [least, most] = std::minmax_element(items.begin(), items.end(), [](const Value& a, const Value& b) { return a.i < b.i; });
    if (!over.is_list()) it->element_type = types::integer(c.arena(), Range::of(least->i, most->i));
  }
  if (const IteratorValue* from = as_iterator(over); from != nullptr && !from->runtime_class.empty())
    it->element_type = builtin_type("Any");
  if (it->element_type != nullptr) it->shown_type = generalize(c.types(), it->element_type);
  it->elements = make_list(c.arena(), items).list;
  it->hash_style = pairs;
  return Value::opaque_of(Kind::Iterator, it);
}

std::vector<Value> stepped(FunctionCall& c) {
  Elements e;
  elements_of(c, c.args[0], e);
  std::vector<Value> items;
  for (size_t i = 0; i < e.values.size(); i += static_cast<size_t>(c.args[1].i)) items.push_back(e.values[i]);
  return items;
}
Value step(FunctionCall& c) { return make_iterator(c, c.args[0], stepped(c), false); }
Value step_block(FunctionCall& c) {
  for (const Value& v : stepped(c)) {
    Value result;
    if (!c.yield({v}, result)) break;
  }
  return Value::undef();
}

std::vector<Value> reversed(FunctionCall& c) {
  Elements e;
  elements_of(c, c.args[0], e);
  return {e.values.rbegin(), e.values.rend()};
}
Value reverse_each(FunctionCall& c) { return make_iterator(c, c.args[0], reversed(c), false); }
Value reverse_each_block(FunctionCall& c) {
  for (const Value& v : reversed(c)) {
    Value result;
    if (!c.yield({v}, result)) break;
  }
  return Value::undef();
}

struct TreeOptions {
  bool breadth_first = false;
  bool include_root = true;
  bool include_containers = true;
  bool include_values = true;
  bool include_references = false; // also attributes of the kind reference
  const Type* container_type = nullptr;
};

TreeOptions tree_options(FunctionCall& c) {
  TreeOptions o;
  if (!c.given(1)) return o;
  const Hash& h = *c.args[1].hash;
  auto flag = [&](const char* key, bool& into) {
    if (const Value* v = h.find(key); v != nullptr && !v->is_undef()) into = v->b;
  };
  if (const Value* v = h.find("order"); v != nullptr && !v->is_undef()) o.breadth_first = v->str() == "breadth_first";
  flag("include_root", o.include_root);
  flag("include_containers", o.include_containers);
  flag("include_values", o.include_values);
  if (const Value* v = h.find("container_type")) o.container_type = as_type(*v);
  flag("include_refs", o.include_references);
  if (o.container_type != nullptr && !is_assignable(c.types(), parse_type(c.types(), "Variant[Array, Hash, Object]"), o.container_type))
    c.fail(fmt::format("Only Array, Hash, and Object types can be used as container types. Got {}", o.container_type->to_string()));
  if (!o.include_containers && !o.include_values) c.fail("Options 'include_containers' and 'include_values' cannot both be false");
  return o;
}

// Each value comes with its whole path: without a limit the paths of a deep structure could fill the memory.
constexpr size_t max_tree_depth = 10000;

struct TreeNode {
  std::vector<Value> path;
  Value value;
};

bool tree_container(FunctionCall& c, const TreeOptions& o, const Value& v) {
  bool holds = v.is_list() || v.is_hash() || v.is(Kind::Object) || v.is(Kind::Deferred) || v.is_type();
  return holds && (o.container_type == nullptr || is_instance(c.types(), o.container_type, v));
}

/// The children of a node. An object (a type, too) has its own attributes as children, but not those of its parents.
void tree_children(FunctionCall& c, const TreeOptions& o, const TreeNode& n, std::vector<TreeNode>& out) {
  auto add = [&](const Value& key, const Value& value) {
    TreeNode child{n.path, value};
    child.path.push_back(key);
    out.push_back(std::move(child));
  };
  if (n.value.is_list()) {
    int64_t i = 0;
    for (const Value& v : n.value.items()) add(Value::integer(i++), v);
  } else if (n.value.is_hash()) {
    for (const auto& e : n.value.hash->entries()) add(e.key, e.value);
  } else if (n.value.is_type()) {
    for (const auto& [name, value] : type_attributes(c.arena(), as_type(n.value))) add(Value::string(name), value);
  } else if (n.value.is(Kind::Deferred)) {
    add(Value::string("name"), Value::string(n.value.deferred->name));
    add(Value::string("arguments"), n.value.deferred->arguments != nullptr ? Value::of(n.value.deferred->arguments) : Value::undef());
  } else {
    for (const ObjectAttribute& a : as_object(n.value)->type->attributes) {
      Value value;
      if (a.kind == ObjectAttribute::Kind::Reference && !o.include_references) continue;
      if (object_attribute(n.value, a.name, value)) add(c.string(a.name), value);
    }
  }
}

/// All [path, value] pairs of a nested structure, in the order that the options ask for.
std::vector<Value> tree_pairs(FunctionCall& c) {
  TreeOptions o = tree_options(c);
  std::vector<Value> out;
  Value root = c.args[0];
  if (const IteratorValue* it = as_iterator(root)) root = Value::of(it->elements);
  std::vector<TreeNode> pending{{{}, root}};
  size_t head = 0; // breadth first reads here, depth first at the back
  while (head < pending.size()) {
    TreeNode n;
    if (o.breadth_first) {
      n = std::move(pending[head++]);
    } else {
      n = std::move(pending.back());
      pending.pop_back();
    }
    bool container = tree_container(c, o, n.value);
    bool is_root = n.path.empty();
    bool wanted = is_root ? o.include_root && o.include_containers : container ? o.include_containers : o.include_values;
    if (is_root && !container) wanted = false;
    if (wanted) out.push_back(make_pair(c.arena(), make_list(c.arena(), n.path), n.value));
    if (!container) continue;
    if (n.path.size() >= max_tree_depth) c.fail(fmt::format("the structure is nested more than {} levels deep", max_tree_depth));
    std::vector<TreeNode> children;
    tree_children(c, o, n, children);
    if (!o.breadth_first) std::reverse(children.begin(), children.end());
    for (auto& child : children) pending.push_back(std::move(child));
  }
  return out;
}
Value tree_each_1(FunctionCall& c) {
  for (const Value& pair : tree_pairs(c)) {
    Value result;
    if (!c.yield({pair.items()[1]}, result)) break;
  }
  return c.args[0];
}
Value tree_each_2(FunctionCall& c) {
  for (const Value& pair : tree_pairs(c)) {
    Value result;
    if (!c.yield({pair.items()[0], pair.items()[1]}, result)) break;
  }
  return c.args[0];
}
Value tree_each(FunctionCall& c) {
  auto* it = c.arena().make<IteratorValue>();
  it->elements = make_list(c.arena(), tree_pairs(c)).list;
  it->hash_style = false;
  it->runtime_class = tree_options(c).breadth_first ? "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator"
                                                    : "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator";
  return Value::opaque_of(Kind::Iterator, it);
}

/// Groups values by key, in the order in which the keys first appear.
Value grouped(FunctionCall& c, const std::vector<std::pair<Value, Value>>& keyed) {
  std::vector<std::vector<Value>> groups;
  HashBuilder positions(c.arena());
  std::vector<Value> keys;
  for (const auto& [key, item] : keyed) {
    const Value* at = positions.find(key);
    if (at == nullptr) {
      positions.set(key, Value::integer(static_cast<int64_t>(groups.size())));
      groups.emplace_back();
      keys.push_back(key);
      at = positions.find(key);
    }
    groups[static_cast<size_t>(at->i)].push_back(item);
  }
  HashBuilder out(c.arena());
  for (size_t i = 0; i < keys.size(); ++i) out.set(keys[i], make_list(c.arena(), groups[i]));
  return out.finish();
}
Value group_by_1(FunctionCall& c) {
  std::vector<std::pair<Value, Value>> keyed;
  for_each_1<OnBreak::Passes>(c, c.args[0], [&](const Value& item, const Value& r) {
    keyed.emplace_back(r, item);
    return true;
  });
  return grouped(c, keyed);
}
Value group_by_2(FunctionCall& c) {
  std::vector<std::pair<Value, Value>> keyed;
  bool pairs = c.args[0].is_hash();
  for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value& k, const Value& v, const Value& r) {
    keyed.emplace_back(r, pairs ? make_pair(c.arena(), k, v) : v);
    return true;
  });
  return grouped(c, keyed);
}

Value parted(FunctionCall& c, const std::vector<Value>& yes, const std::vector<Value>& no) {
  return make_pair(c.arena(), make_list(c.arena(), yes), make_list(c.arena(), no));
}
Value partition_1(FunctionCall& c) {
  std::vector<Value> yes, no;
  for_each_1<OnBreak::Passes>(c, c.args[0], [&](const Value& item, const Value& r) {
    (r.truthy() ? yes : no).push_back(item);
    return true;
  });
  return parted(c, yes, no);
}
Value partition_2(FunctionCall& c) {
  std::vector<Value> yes, no;
  bool pairs = c.args[0].is_hash();
  for_each_2<OnBreak::Passes>(c, c.args[0], [&](const Value& k, const Value& v, const Value& r) {
    (r.truthy() ? yes : no).push_back(pairs ? make_pair(c.arena(), k, v) : v);
    return true;
  });
  return parted(c, yes, no);
}

Value with(FunctionCall& c) { return c.call_block(c.args); }
Value then(FunctionCall& c) { return c.args[0].is_undef() ? Value::undef() : c.call_block({c.args[0]}); }
Value lest(FunctionCall& c) { return c.args[0].is_undef() ? c.call_block({}) : c.args[0]; }

#define HASH_2 "Hash[Any, Any] $hash, Callable[2,2] &block"
#define HASH_1 "Hash[Any, Any] $hash, Callable[1,1] &block"
#define ITERABLE_2 "Iterable $enumerable, Callable[2,2] &block"
#define ITERABLE_1 "Iterable $enumerable, Callable[1,1] &block"
const FunctionEntry iteration_table[] = {
    {"each",
     "Calls the lambda for every element (or index and element, or key and value) and returns the collection.",
     {{HASH_2, each_2}, {HASH_1, each_1}, {ITERABLE_2, each_2}, {ITERABLE_1, each_1}}},
    {"map",
     "Array of the lambda's results for every element (or index and element, or key and value).",
     {{HASH_2, map_2}, {HASH_1, map_1}, {ITERABLE_2, map_2}, {ITERABLE_1, map_1}}},
    {"filter",
     "The elements (of a hash: the entries) for which the lambda gives a true value.",
     {{HASH_2, filter_2}, {HASH_1, filter_1}, {ITERABLE_2, filter_2}, {ITERABLE_1, filter_1}}},
    {"reduce",
     "Combines all elements: the lambda gets the memo so far and the next element; the last memo is the result.",
     {{"Iterable $enumerable, Callable[2,2] &block", reduce_plain},
      {"Iterable $enumerable, Any $memo, Callable[2,2] &block", reduce_with_memo}}},
    {"all",
     "Whether the lambda gives a true value for all elements; true for none.",
     {{HASH_2, all_2}, {HASH_1, all_1}, {ITERABLE_2, all_2}, {ITERABLE_1, all_1}}},
    {"any",
     "Whether the lambda gives a true value for at least one element.",
     {{HASH_2, any_2}, {HASH_1, any_1}, {ITERABLE_2, any_2}, {ITERABLE_1, any_1}}},
    {"index",
     "Index or key of the first element that the lambda accepts, that equals a value, or where a text or pattern is found.",
     {{HASH_2, index_2},
      {HASH_1, index_1},
      {ITERABLE_2, index_2},
      {ITERABLE_1, index_1},
      {"String $str, Variant[String,Regexp] $match", index_string},
      {"Iterable $enumerable, Any $match", index_value}}},
    {"slice",
     "Slices of n elements: as arrays, or given to the lambda (as one array or as n parameters).",
     {{"Hash[Any, Any] $hash, Integer[1, default] $slice_size, Callable &block?", slice},
      {"Iterable $enumerable, Integer[1, default] $slice_size, Callable &block?", slice}}},
    {"step",
     "Every n-th element, the first included: as an iterator, or given to the lambda.",
     {{"Iterable $iterable, Integer[1] $step", step}, {"Iterable $iterable, Integer[1] $step, Callable[1,1] &block", step_block}}},
    {"reverse_each",
     "The elements from last to first: as an iterator, or given to the lambda.",
     {{"Iterable $iterable", reverse_each}, {"Iterable $iterable, Callable[1,1] &block", reverse_each_block}}},
    {"tree_each",
     "Every value of a nested structure with its path: as an iterator, or given to the lambda.",
     {{"Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options?, Callable[2,2] &block", tree_each_2},
      {"Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options?, Callable[1,1] &block", tree_each_1},
      {"Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options?", tree_each}}},
    {"group_by",
     "Hash from each result of the lambda to the elements that gave it.",
     {{"Collection $collection, Callable[1,1] &block", group_by_1},
      {"Array $array, Callable[2,2] &block", group_by_2},
      {"Collection $collection, Callable[2,2] &block", group_by_2}}},
    {"partition",
     "Two arrays: the elements for which the lambda gives a true value, and the rest.",
     {{"Collection $collection, Callable[1,1] &block", partition_1},
      {"Array $array, Callable[2,2] &block", partition_2},
      {"Collection $collection, Callable[2,2] &block", partition_2}}},
    {"with", "Calls the lambda with the arguments and returns its result.", {{"Any $arg*, Callable &block", with}}},
    {"then", "Calls the lambda with the argument unless it is undef.", {{"Any $arg, Callable[1,1] &block", then}}},
    {"lest", "The argument, or the lambda's result when the argument is undef.", {{"Any $arg, Callable[0,0] &block", lest}}},
};

} // namespace

FunctionTable iteration_functions() { return iteration_table; }

} // namespace pupc::compiler
