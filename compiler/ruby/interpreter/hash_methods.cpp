// Methods of hashes.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

RubyValue Interpreter::hash_method(const MethodCall& c) {
  RubyHash& h = *c.self.h;
  size_t n = c.args.size();
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  auto pairs = [&] {
    std::vector<RubyValue> items;
    items_of(c.self, items, c.line);
    return items;
  };
  // Walk a copy: the block may change the hash.
  auto entries = [&] { return h.entries(); };
  // For the methods that pass key and value to the block as two arguments, so that a block with one parameter gets only the key.
  auto yield_pair = [&](const RubyValue& key, const RubyValue& value) { return yield(c, key, value); };
  auto made = [&](auto&& keep) {
    RubyValue out = heap_.hash();
    for (const auto& [key, value] : entries())
      if (keep(key, value)) out.h->set(key, value);
    return out;
  };
  switch (c.method) {
  case MethodId::Index: {
    need(c, 1);
    if (RubyValue* found = h.find(c.args[0])) return *found;
    if (h.fallback_proc != nullptr) {
      RubyValue both[] = {c.self, c.args[0]};
      return call_proc(*h.fallback_proc, both, c.line);
    }
    return h.fallback;
  }
  case MethodId::m_fetch: {
    need(c, 1, 2);
    if (RubyValue* found = h.find(c.args[0])) return *found;
    if (c.block != nullptr) return yield(c, c.args[0]);
    if (n == 2) return c.args[1];
    if (h.entries().size() <= 200) { // Ruby's message proposes keys that are alike
      std::vector<std::string> texts;
      std::vector<SpellingWord> words;
      for (const auto& [key, value] : h.entries()) texts.push_back(to_s(key, c.line));
      for (const std::string& text : texts) words.push_back({text});
      const std::string wanted = to_s(c.args[0], c.line);
      if (spelling_hint(wanted, words) != "" || std::find(texts.begin(), texts.end(), wanted) != texts.end())
        not_rendered(c.line, "a missing key, for which Ruby proposes another");
    } else {
      unknown(c);
    }
    throw RubyError{c.line, fmt::format("key not found: {}", inspect(c.args[0], c.line)), RubyClass::KeyError};
  }
  case MethodId::m_dig: {
    if (n == 0) unknown(c);
    RubyValue item = send(c.self, MethodId::Index, {c.args[0]}, c.line);
    if (n == 1 || item.is_nil()) return item;
    if (!item.is_array() && !item.is_hash()) unknown(c);
    return call_method({item, c.method, c.name, c.args.subspan(1), nullptr, c.line});
  }
  case MethodId::m_key_p:
  case MethodId::m_has_key_p:
  case MethodId::m_include_p:
  case MethodId::m_member_p: need(c, 1); return flag(h.find(c.args[0]) != nullptr);
  case MethodId::m_value_p:
  case MethodId::m_has_value_p:
    need(c, 1);
    for (const auto& [key, value] : h.entries())
      if (equals(value, c.args[0])) return flag(true);
    return flag(false);
  case MethodId::m_key:
    need(c, 1);
    for (const auto& [key, value] : h.entries())
      if (equals(value, c.args[0])) return key;
    return {};
  case MethodId::m_keys: {
    need(c, 0);
    std::vector<RubyValue> out;
    for (const auto& [key, value] : h.entries()) out.push_back(key);
    return list(std::move(out));
  }
  case MethodId::m_values: {
    need(c, 0);
    std::vector<RubyValue> out;
    for (const auto& [key, value] : h.entries()) out.push_back(value);
    return list(std::move(out));
  }
  case MethodId::m_values_at: {
    std::vector<RubyValue> out;
    for (const RubyValue& key : c.args) out.push_back(send(c.self, MethodId::Index, {key}, c.line));
    return list(std::move(out));
  }
  case MethodId::m_fetch_values: {
    std::vector<RubyValue> out;
    for (const RubyValue& key : c.args) out.push_back(send(c.self, MethodId::m_fetch, {key}, c.line, c.block));
    return list(std::move(out));
  }
  case MethodId::m_length:
  case MethodId::m_size: need(c, 0); return RubyValue::integer(static_cast<int64_t>(h.size()));
  case MethodId::m_empty_p: need(c, 0); return flag(h.size() == 0);
  case MethodId::m_to_h:
    need(c, 0);
    if (c.block == nullptr) return c.self;
    {
      RubyValue out = heap_.hash();
      for (const auto& [key, value] : entries()) {
        RubyValue pair = yield_pair(key, value);
        if (!pair.is_array()) not_a_pair(c, pair, "");
        if (pair.a->items.size() != 2) unknown(c);
        send(out, MethodId::IndexSet, {pair.a->items[0], pair.a->items[1]}, c.line);
      }
      return out;
    }
  case MethodId::m_to_hash: need(c, 0); return c.self;
  case MethodId::m_each:
  case MethodId::m_each_pair: {
    need(c, 0);
    if (c.block == nullptr) {
      MethodCall each = c;
      each.method = MethodId::m_each;
      return make_enumerator(each, pairs());
    }
    for (const RubyValue& pair : pairs()) yield(c, pair);
    return c.self;
  }
  case MethodId::m_each_key:
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    for (const auto& [key, value] : entries()) yield(c, key);
    return c.self;
  case MethodId::m_each_value:
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    for (const auto& [key, value] : entries()) yield(c, value);
    return c.self;
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_reject: {
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    return made(
        [&](const RubyValue& key, const RubyValue& value) { return yield_pair(key, value).truthy() != (c.method == MethodId::m_reject); });
  }
  case MethodId::m_compact: need(c, 0); return made([](const RubyValue&, const RubyValue& value) { return !value.is_nil(); });
  case MethodId::m_slice: {
    RubyValue out = heap_.hash();
    for (const RubyValue& key : c.args)
      if (RubyValue* found = h.find(key)) send(out, MethodId::IndexSet, {key, *found}, c.line);
    return out;
  }
  case MethodId::m_except:
    return made([&](const RubyValue& key, const RubyValue&) {
      return std::none_of(c.args.begin(), c.args.end(), [&](const RubyValue& u) { return ruby_eql(u, key); });
    });
  case MethodId::m_merge: {
    RubyValue out = heap_.hash();
    *out.h = h;
    out.h->frozen = false;
    return hash_change_method({out, MethodId::m_update, c.name, c.args, c.block, c.line});
  }
  case MethodId::m_invert: {
    need(c, 0);
    RubyValue out = heap_.hash();
    for (const auto& [key, value] : entries()) send(out, MethodId::IndexSet, {value, key}, c.line);
    return out;
  }
  case MethodId::m_transform_values:
  case MethodId::m_transform_keys: {
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    RubyValue out = heap_.hash();
    for (const auto& [key, value] : entries()) {
      if (c.method == MethodId::m_transform_values)
        out.h->set(key, yield(c, value));
      else
        send(out, MethodId::IndexSet, {yield(c, key), value}, c.line);
    }
    return out;
  }
  case MethodId::m_any_p: {
    if (n == 0 && c.block == nullptr) return flag(h.size() != 0);
    return enumerable_method(c, pairs());
  }
  case MethodId::m_count:
    if (n == 0 && c.block == nullptr) return RubyValue::integer(static_cast<int64_t>(h.size()));
    return enumerable_method(c, pairs());
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
  case MethodId::m_take:
  case MethodId::m_drop:
  case MethodId::m_take_while:
  case MethodId::m_drop_while:
  case MethodId::m_entries:
  case MethodId::m_uniq: return enumerable_method(c, pairs());
  default: return hash_change_method(c);
  }
}

RubyValue Interpreter::hash_change_method(const MethodCall& c) {
  RubyHash& h = *c.self.h;
  switch (c.method) {
  case MethodId::IndexSet:
  case MethodId::m_store: {
    need(c, 2);
    check_changeable(c);
    RubyValue key = c.args[0];
    if (key.is_string() && !key.s->frozen && h.find(key) == nullptr) { // Ruby keeps a frozen copy of a text
      key = str(key.s->text);
      key.s->frozen = true;
    }
    h.set(key, c.args[1]);
    return c.args[1];
  }
  case MethodId::m_update:
  case MethodId::m_merge_bang:
    check_changeable(c);
    for (const RubyValue& arg : c.args) {
      if (!arg.is_hash()) not_convertible(c, arg, "Hash");
      auto more = arg.h->entries();
      for (const auto& [key, value] : more) {
        RubyValue* old = h.find(key);
        if (old != nullptr && c.block != nullptr) {
          RubyValue three[] = {key, *old, value};
          RubyValue v = yield(c, std::span<const RubyValue>(three));
          h.set(key, v);
        } else {
          h.set(key, value);
        }
      }
    }
    return c.self;
  case MethodId::m_delete: {
    need(c, 1);
    check_changeable(c);
    RubyValue removed;
    if (h.erase(c.args[0], removed)) return removed;
    return c.block != nullptr ? yield(c, c.args[0]) : RubyValue();
  }
  case MethodId::m_delete_if:
  case MethodId::m_reject_bang:
  case MethodId::m_keep_if:
  case MethodId::m_select_bang: {
    need(c, 0);
    check_changeable(c);
    bool drop = c.method == MethodId::m_delete_if || c.method == MethodId::m_reject_bang;
    std::vector<std::pair<RubyValue, RubyValue>> kept;
    for (const auto& [key, value] : std::vector(h.entries()))
      if (yield(c, key, value).truthy() != drop) kept.emplace_back(key, value);
    bool same = kept.size() == h.entries().size();
    h.entries() = std::move(kept);
    h.reindex();
    bool nil_when_same = c.method == MethodId::m_reject_bang || c.method == MethodId::m_select_bang;
    return same && nil_when_same ? RubyValue() : c.self;
  }
  case MethodId::m_clear:
    need(c, 0);
    check_changeable(c);
    h.clear();
    return c.self;
  case MethodId::m_default_set: unknown(c);
  case MethodId::m_shift: {
    need(c, 0);
    check_changeable(c);
    if (h.entries().empty()) return {};
    auto [key, value] = h.entries().front();
    RubyValue removed;
    h.erase(key, removed);
    return list({key, value});
  }
  default: unknown(c);
  }
}

} // namespace pupc::compiler::ruby
