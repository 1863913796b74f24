// Methods of hashes.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/syntax/ruby_tree.h"
#include "compiler/ruby/values/spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

/// Whether a block has two plain parameters and nothing else.
static bool takes_two(const RubyProc& block) {
  return block.node != nullptr && !block.lambda && block.node->parameters.size() == 2 && block.node->plain;
}

RubyValue hash_method(Core& core, const MethodCall& c) {
  RubyHash& h = *c.self.h;
  size_t n = c.args.size();
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  auto pairs = [&] {
    std::vector<RubyValue> items;
    core.items_of(c.self, items, c.line);
    return items;
  };
  // Walk a copy: the block may change the hash.
  auto entries = [&] { return h.entries(); };
  // For the methods that pass key and value to the block as two arguments, so that a block with one parameter gets only the key.
  auto yield_pair = [&](const RubyValue& key, const RubyValue& value) { return core.yield(c, key, value); };
  auto made = [&](auto&& keep) {
    RubyValue out = core.heap.hash();
    for (const auto& [key, value] : entries())
      if (keep(key, value)) out.h->set(key, value);
    return out;
  };
  switch (c.method) {
  case MethodId::Index: {
    core.need(c, 1);
    if (RubyValue* found = h.find(c.args[0])) return *found;
    if (h.fallback_proc != nullptr) {
      RubyValue both[] = {c.self, c.args[0]};
      return core.call_proc(*h.fallback_proc, both, c.line);
    }
    return h.fallback;
  }
  case MethodId::m_fetch: {
    core.need(c, 1, 2);
    if (RubyValue* found = h.find(c.args[0])) return *found;
    if (c.block != nullptr) return core.yield(c, c.args[0]);
    if (n == 2) return c.args[1];
    if (h.entries().size() <= 200) { // Ruby's message proposes keys that are alike
      std::vector<std::string> texts;
      std::vector<SpellingWord> words;
      for (const auto& [key, value] : h.entries()) texts.push_back(core.to_s(key, c.line));
      for (const std::string& text : texts) words.push_back({text});
      const std::string wanted = core.to_s(c.args[0], c.line);
      if (spelling_hint(wanted, words) != "" || std::find(texts.begin(), texts.end(), wanted) != texts.end())
        core.not_rendered(c.line, "a missing key, for which Ruby proposes another");
    } else {
      core.unknown(c);
    }
    core.raise_about(c.line, RubyClass::KeyError, fmt::format("key not found: {}", core.inspect(c.args[0], c.line)), "key", c.args[0],
                     c.self);
  }
  case MethodId::m_dig: {
    if (n == 0) core.unknown(c);
    RubyValue item = core.send(c.self, MethodId::Index, {c.args[0]}, c.line);
    if (n == 1 || item.is_nil()) return item;
    if (!item.is_array() && !item.is_hash()) core.unknown(c);
    return core.call_method({item, c.method, c.name, c.args.subspan(1), nullptr, c.line});
  }
  case MethodId::m_key_p:
  case MethodId::m_has_key_p:
  case MethodId::m_include_p:
  case MethodId::m_member_p: core.need(c, 1); return flag(h.find(c.args[0]) != nullptr);
  case MethodId::m_value_p:
  case MethodId::m_has_value_p:
    core.need(c, 1);
    for (const auto& [key, value] : h.entries())
      if (core.equals(value, c.args[0])) return flag(true);
    return flag(false);
  case MethodId::m_key:
    core.need(c, 1);
    for (const auto& [key, value] : h.entries())
      if (core.equals(value, c.args[0])) return key;
    return {};
  case MethodId::m_keys: {
    core.need(c, 0);
    std::vector<RubyValue> out;
    for (const auto& [key, value] : h.entries()) out.push_back(key);
    return core.list(std::move(out));
  }
  case MethodId::m_values: {
    core.need(c, 0);
    std::vector<RubyValue> out;
    for (const auto& [key, value] : h.entries()) out.push_back(value);
    return core.list(std::move(out));
  }
  case MethodId::m_values_at: {
    std::vector<RubyValue> out;
    for (const RubyValue& key : c.args) out.push_back(core.send(c.self, MethodId::Index, {key}, c.line));
    return core.list(std::move(out));
  }
  case MethodId::m_fetch_values: {
    std::vector<RubyValue> out;
    for (const RubyValue& key : c.args) out.push_back(core.send(c.self, MethodId::m_fetch, {key}, c.line, c.block));
    return core.list(std::move(out));
  }
  case MethodId::m_length:
  case MethodId::m_size: core.need(c, 0); return RubyValue::integer(static_cast<int64_t>(h.size()));
  case MethodId::m_empty_p: core.need(c, 0); return flag(h.size() == 0);
  case MethodId::m_to_h:
    core.need(c, 0);
    if (c.block == nullptr) return c.self;
    {
      RubyValue out = core.heap.hash();
      for (const auto& [key, value] : entries()) {
        RubyValue pair = yield_pair(key, value);
        if (!pair.is_array()) core.not_a_pair(c, pair, "");
        if (pair.a->items.size() != 2) core.unknown(c);
        core.send(out, MethodId::IndexSet, {pair.a->items[0], pair.a->items[1]}, c.line);
      }
      return out;
    }
  case MethodId::m_to_hash: core.need(c, 0); return c.self;
  case MethodId::m_each:
  case MethodId::m_each_pair: {
    core.need(c, 0);
    if (c.block == nullptr) {
      MethodCall each = c;
      each.method = MethodId::m_each;
      return make_enumerator(core, each, pairs());
    }
    if (takes_two(*c.block)) { // which gets the parts of each pair
      for (const auto& [key, value] : entries()) yield_pair(key, value);
      return c.self;
    }
    for (const RubyValue& pair : pairs()) core.yield(c, pair);
    return c.self;
  }
  case MethodId::m_each_key:
    core.need(c, 0);
    if (c.block == nullptr) core.unknown(c);
    for (const auto& [key, value] : entries()) core.yield(c, key);
    return c.self;
  case MethodId::m_each_value:
    core.need(c, 0);
    if (c.block == nullptr) core.unknown(c);
    for (const auto& [key, value] : entries()) core.yield(c, value);
    return c.self;
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_reject: {
    core.need(c, 0);
    if (c.block == nullptr) core.unknown(c);
    return made(
        [&](const RubyValue& key, const RubyValue& value) { return yield_pair(key, value).truthy() != (c.method == MethodId::m_reject); });
  }
  case MethodId::m_compact: core.need(c, 0); return made([](const RubyValue&, const RubyValue& value) { return !value.is_nil(); });
  case MethodId::m_slice: {
    RubyValue out = core.heap.hash();
    for (const RubyValue& key : c.args)
      if (RubyValue* found = h.find(key)) core.send(out, MethodId::IndexSet, {key, *found}, c.line);
    return out;
  }
  case MethodId::m_except:
    return made([&](const RubyValue& key, const RubyValue&) {
      return std::none_of(c.args.begin(), c.args.end(), [&](const RubyValue& u) { return ruby_eql(u, key); });
    });
  case MethodId::m_merge: {
    RubyValue out = core.heap.hash();
    *out.h = h;
    out.h->frozen = false;
    return hash_change_method(core, {out, MethodId::m_update, c.name, c.args, c.block, c.line});
  }
  case MethodId::m_invert: {
    core.need(c, 0);
    RubyValue out = core.heap.hash();
    for (const auto& [key, value] : entries()) core.send(out, MethodId::IndexSet, {value, key}, c.line);
    return out;
  }
  case MethodId::m_transform_values:
  case MethodId::m_transform_keys: {
    core.need(c, 0);
    if (c.block == nullptr) core.unknown(c);
    RubyValue out = core.heap.hash();
    for (const auto& [key, value] : entries()) {
      if (c.method == MethodId::m_transform_values)
        out.h->set(key, core.yield(c, value));
      else
        core.send(out, MethodId::IndexSet, {core.yield(c, key), value}, c.line);
    }
    return out;
  }
  case MethodId::m_any_p: {
    if (n == 0 && c.block == nullptr) return flag(h.size() != 0);
    return enumerable_method(core, c, pairs());
  }
  case MethodId::m_count:
    if (n == 0 && c.block == nullptr) return RubyValue::integer(static_cast<int64_t>(h.size()));
    return enumerable_method(core, c, pairs());
  case MethodId::m_first:
  case MethodId::m_to_a:
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_flat_map:
  case MethodId::m_filter_map:
  case MethodId::m_each_with_index:
  case MethodId::m_each_with_object:
  case MethodId::m_find:
  case MethodId::m_detect:
  case MethodId::m_find_all:
  case MethodId::m_all_p:
  case MethodId::m_none_p:
  case MethodId::m_one_p:
  case MethodId::m_inject:
  case MethodId::m_reduce:
  case MethodId::m_sort:
  case MethodId::m_sort_by:
  case MethodId::m_min_by:
  case MethodId::m_max_by:
  case MethodId::m_group_by:
  case MethodId::m_partition:
  case MethodId::m_sum:
  case MethodId::m_zip:
  case MethodId::m_each_slice:
  case MethodId::m_each_cons:
  case MethodId::m_take:
  case MethodId::m_drop:
  case MethodId::m_take_while:
  case MethodId::m_drop_while:
  case MethodId::m_entries:
  case MethodId::m_uniq: return enumerable_method(core, c, pairs());
  default: return hash_change_method(core, c);
  }
}

RubyValue hash_change_method(Core& core, const MethodCall& c) {
  RubyHash& h = *c.self.h;
  switch (c.method) {
  case MethodId::m_default: {
    core.need(c, 0, 1);
    if (h.fallback_proc == nullptr) return h.fallback;
    if (c.args.empty()) return {};
    const RubyValue both[] = {c.self, c.args[0]};
    return core.call_proc(*h.fallback_proc, both, c.line);
  }
  case MethodId::m_default_set:
    core.need(c, 1);
    core.check_changeable(c);
    h.fallback_proc = nullptr;
    return h.fallback = c.args[0];
  case MethodId::IndexSet:
  case MethodId::m_store: {
    core.need(c, 2);
    core.check_changeable(c);
    RubyValue key = c.args[0];
    if (key.is_string() && !key.s->frozen && h.find(key) == nullptr) { // Ruby keeps a frozen copy of a text
      key = core.str(key.s->text);
      key.s->frozen = true;
    }
    h.set(key, c.args[1]);
    return c.args[1];
  }
  case MethodId::m_update:
  case MethodId::m_merge_bang:
    core.check_changeable(c);
    for (const RubyValue& arg : c.args) {
      if (!arg.is_hash()) core.not_convertible(c, arg, "Hash");
      auto more = arg.h->entries();
      for (const auto& [key, value] : more) {
        RubyValue* old = h.find(key);
        if (old != nullptr && c.block != nullptr) {
          RubyValue three[] = {key, *old, value};
          RubyValue v = core.yield(c, std::span<const RubyValue>(three));
          h.set(key, v);
        } else {
          h.set(key, value);
        }
      }
    }
    return c.self;
  case MethodId::m_delete: {
    core.need(c, 1);
    core.check_changeable(c);
    RubyValue removed;
    if (h.erase(c.args[0], removed)) return removed;
    return c.block != nullptr ? core.yield(c, c.args[0]) : RubyValue();
  }
  case MethodId::m_delete_if:
  case MethodId::m_reject_bang:
  case MethodId::m_keep_if:
  case MethodId::m_select_bang: {
    core.need(c, 0);
    core.check_changeable(c);
    bool drop = c.method == MethodId::m_delete_if || c.method == MethodId::m_reject_bang;
    std::vector<std::pair<RubyValue, RubyValue>> kept;
    for (const auto& [key, value] : std::vector(h.entries()))
      if (core.yield(c, key, value).truthy() != drop) kept.emplace_back(key, value);
    bool same = kept.size() == h.entries().size();
    h.entries() = std::move(kept);
    h.reindex();
    bool nil_when_same = c.method == MethodId::m_reject_bang || c.method == MethodId::m_select_bang;
    return same && nil_when_same ? RubyValue() : c.self;
  }
  case MethodId::m_clear:
    core.need(c, 0);
    core.check_changeable(c);
    h.clear();
    return c.self;
  case MethodId::m_shift: {
    core.need(c, 0);
    core.check_changeable(c);
    if (h.entries().empty()) return {};
    auto [key, value] = h.entries().front();
    RubyValue removed;
    h.erase(key, removed);
    return core.list({key, value});
  }
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
