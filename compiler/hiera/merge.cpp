#include "compiler/hiera/merge.h"

#include "catalog/base/stack.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/hiera/errors.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_data(const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef:
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::String: return true;
  case Kind::List: return std::all_of(v.list->items().begin(), v.list->items().end(), is_data);
  case Kind::Hash:
    return std::all_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return e.key.is_string() && is_data(e.value); });
  default: return false;
  }
}

bool is_scalar(const Value& v) {
  switch (v.kind) {
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::String:
  case Kind::Regex:
  case Kind::Timestamp:
  case Kind::Timespan:
  case Kind::SemVer: return true;
  default: return false;
  }
}

void assert_type(TypeContext& types, std::string_view subject, std::string_view type, const Value& v) {
  const Type* t = parse_type(types, type);
  if (is_instance(types, t, v)) return;
  throw_puppet_error(describe_mismatch(types, fmt::format("{} has wrong type,", subject), t, v));
}

/// Checks both values with `quick` first. Types are needed only for the message, and for values that are not plain data.
void assert_elements(TypeContext& types, const Value& higher, const Value& lower, bool (*quick)(const Value&), std::string_view type) {
  if (!quick(higher)) assert_type(types, "The first element of the merge", type, higher);
  if (!quick(lower)) assert_type(types, "The second element of the merge", type, lower);
}

void flatten(const Value& v, ListBuilder& out) {
  check_native_stack();
  if (!v.is_list()) {
    out.add(v);
    return;
  }
  for (const Value& item : v.items()) flatten(item, out);
}

/// Adds the values that `out` does not contain yet.
void add_new(ListBuilder& out, std::unordered_map<uint64_t, std::vector<Value>>& seen, std::span<const Value> values) {
  for (const Value& v : values) {
    auto& bucket = seen[hash_of(v)];
    if (std::any_of(bucket.begin(), bucket.end(), [&](const Value& known) { return eql(known, v); })) continue;
    bucket.push_back(v);
    out.add(v);
  }
}

} // namespace

MergeStrategy MergeStrategy::from(TypeContext& types, const Value& merge) {
  MergeStrategy s;
  s.given = merge;
  if (!merge.truthy()) return s;
  Value name = merge;
  const Hash* options = nullptr;
  if (merge.is_hash()) {
    const Value* strategy = merge.hash->find("strategy");
    if (!strategy || strategy->is_undef())
      throw_argument_error("The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'");
    name = *strategy;
    if (merge.hash->size > 1) options = merge.hash;
  }
  std::string_view text = name.is_string() ? name.str() : std::string_view();
  std::string options_type;
  auto plain = [&](std::string_view key) { return fmt::format("Struct[{{strategy=>Optional[Pattern[/{}/]]}}]", key); };
  if (text == "first" || text == "default") {
    options_type = plain(text);
  } else if (text == "unique") {
    s.form = Form::Unique;
    options_type = plain(text);
  } else if (text == "hash") {
    s.form = Form::Hash;
    options_type = plain(text);
  } else if (text == "deep") {
    s.form = Form::Deep;
    options_type = "Struct[{strategy=>Optional[Pattern[/deep/]],knockout_prefix=>Optional[String],merge_debug=>Optional[Boolean],"
                   "merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]";
  } else if (text == "reverse_deep" || text == "unconstrained_deep") {
    s.form = Form::Deep;
    s.reversed = text == "reverse_deep";
    options_type = "Hash[String[1],Any]";
  } else {
    throw_argument_error(fmt::format("Unknown merge strategy: '{}'", ruby_to_s(types, name)));
  }
  if (!options) return s;
  assert_type(types, "The merge options", options_type, Value::of(options));
  if (const Value* v = options->find("knockout_prefix"); v && v->is_string()) {
    s.options.knockout_prefix = v->str();
    if (s.options.knockout_prefix.empty() && s.form == Form::Deep) {
      // The gem raises this error only when it merges. Raise it at once: there is no use in waiting.
      throw_argument_error("knockout_prefix cannot be an empty string in deep_merge!");
    }
  }
  if (const Value* v = options->find("sort_merged_arrays")) s.options.sort_merged_arrays = v->truthy();
  if (const Value* v = options->find("merge_hash_arrays")) s.options.merge_hash_arrays = v->truthy();
  return s;
}

std::string_view MergeStrategy::name() const {
  switch (form) {
  case Form::First: return "first";
  case Form::Unique: return "unique";
  case Form::Hash: return "hash";
  case Form::Deep: return reversed ? "reverse_deep" : "deep";
  }
  return {};
}

Value MergeStrategy::merge(TypeContext& types, const Value& higher, const Value& lower) const {
  Arena& arena = types.arena;
  switch (form) {
  case Form::First: return higher;
  case Form::Unique: {
    auto acceptable = [](const Value& v) { return is_scalar(v) || (v.is_list() && is_data(v)); };
    assert_elements(types, higher, lower, acceptable, "Variant[Scalar,Array[Data]]");
    ListBuilder out(arena), all(arena);
    std::unordered_map<uint64_t, std::vector<Value>> seen;
    flatten(higher, all);
    flatten(lower, all);
    add_new(out, seen, all.items());
    return out.finish();
  }
  case Form::Hash: {
    auto acceptable = [](const Value& v) { return v.is_hash() && is_data(v); };
    assert_elements(types, higher, lower, acceptable, "Hash[String,Data]");
    HashBuilder out(arena, *lower.hash);
    for (const auto& e : higher.hash->entries()) out.set(e.key, e.value);
    return out.finish();
  }
  case Form::Deep: return reversed ? deep_merge(types, lower, higher, options) : deep_merge(types, higher, lower, options);
  }
  return higher;
}

Value MergeStrategy::convert(Arena& arena, const Value& value) const {
  if (form != Form::Unique) return value;
  ListBuilder out(arena);
  flatten(value, out);
  return out.finish();
}

Value MergeStrategy::single(Arena& arena, const Value& value) const {
  if (form != Form::Unique || !value.is_list()) return value;
  ListBuilder out(arena);
  std::unordered_map<uint64_t, std::vector<Value>> seen;
  add_new(out, seen, value.items());
  return out.finish();
}

} // namespace pupc::compiler
