// Methods of arrays that leave the array as it is.
#include "compiler/ruby/core/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pupc::compiler::ruby {

static RubyValue element(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  core.need(c, 1, 2);
  int64_t count = static_cast<int64_t>(items.size());
  auto part = [&](int64_t from, int64_t length) -> RubyValue {
    if (from < 0) from += count;
    if (from < 0 || from > count || length < 0) return {};
    auto begin = items.begin() + static_cast<ptrdiff_t>(from);
    return core.list(std::vector<RubyValue>(begin, begin + static_cast<ptrdiff_t>(std::min(length, count - from))));
  };
  if (c.args.size() == 2) {
    const int64_t from = core.integer_argument(c, 0);
    return part(from, core.integer_argument(c, 1));
  }
  if (c.args[0].is(RubyKind::Range)) {
    const RubyRange& r = *c.args[0].r;
    if (!r.first.is_integer() || !(r.last.is_integer() || r.last.is_nil())) core.unknown(c);
    int64_t from = r.first.i < 0 ? r.first.i + count : r.first.i;
    int64_t last = r.last.is_nil() ? -1 : r.last.i;
    if (last < 0) last += count;
    if (from < 0 || from > count) return {};
    return part(from, std::max<int64_t>(0, last - from + (r.exclusive && !r.last.is_nil() ? 0 : 1)));
  }
  int64_t i = core.integer_argument(c, 0);
  if (i < 0) i += count;
  return i < 0 || i >= count ? RubyValue() : items[static_cast<size_t>(i)];
}

RubyValue array_method(Core& core, const MethodCall& c) {
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  switch (c.method) {
  case MethodId::m_each:
    core.need(c, 0);
    if (c.block == nullptr) return make_enumerator(core, c, v);
    for (size_t i = 0; i < v.size(); ++i) {
      RubyValue item = v[i];
      core.yield(c, item);
    }
    return c.self;
  case MethodId::m_each_index:
    core.need(c, 0);
    if (c.block == nullptr) core.unknown(c);
    for (size_t i = 0; i < v.size(); ++i) core.yield(c, RubyValue::integer(static_cast<int64_t>(i)));
    return c.self;
  case MethodId::m_to_a:
  case MethodId::m_to_ary: core.need(c, 0); return c.self;
  case MethodId::m_length:
  case MethodId::m_size: core.need(c, 0); return RubyValue::integer(static_cast<int64_t>(v.size()));
  case MethodId::m_empty_p: core.need(c, 0); return RubyValue::boolean(v.empty());
  case MethodId::Index:
  case MethodId::m_slice: return element(core, c, v);
  case MethodId::m_dig: {
    if (n == 0) core.unknown(c);
    if (c.args[0].is(RubyKind::Range)) core.not_convertible(c, c.args[0], "Integer");
    RubyValue item = core.send(c.self, MethodId::Index, {c.args[0]}, c.line);
    if (n == 1 || item.is_nil()) return item;
    if (!item.is_array() && !item.is_hash()) core.unknown(c);
    return core.call_method({item, c.method, c.name, c.args.subspan(1), nullptr, c.line});
  }
  case MethodId::m_fetch: {
    core.need(c, 1, 2);
    int64_t i = core.integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i >= 0 && i < static_cast<int64_t>(v.size())) return v[static_cast<size_t>(i)];
    if (c.block != nullptr) return core.yield(c, c.args[0]);
    if (n == 2) return c.args[1];
    const auto size = static_cast<int64_t>(v.size());
    throw RubyError{c.line, fmt::format("index {} outside of array bounds: {}...{}", i < 0 ? i - size : i, -size, size),
                    RubyClass::IndexError};
  }
  case MethodId::m_values_at: {
    std::vector<RubyValue> out;
    for (const RubyValue& i : c.args) {
      if (i.is(RubyKind::Range)) core.unknown(c);
      out.push_back(core.send(c.self, MethodId::Index, {i}, c.line));
    }
    return core.list(std::move(out));
  }
  case MethodId::m_last: {
    core.need(c, 0, 1);
    if (n == 0) return v.empty() ? RubyValue() : v.back();
    int64_t count = core.integer_argument(c, 0);
    if (count < 0) core.unknown(c);
    return core.list(
        std::vector<RubyValue>(v.end() - static_cast<ptrdiff_t>(std::min<size_t>(v.size(), static_cast<size_t>(count))), v.end()));
  }
  case MethodId::m_push:
  case MethodId::m_append:
  case MethodId::ShiftLeft:
  case MethodId::m_pop:
  case MethodId::m_shift:
  case MethodId::m_unshift:
  case MethodId::m_prepend:
  case MethodId::m_insert:
  case MethodId::m_concat:
  case MethodId::m_clear:
  case MethodId::m_replace:
  case MethodId::m_delete:
  case MethodId::m_delete_at:
  case MethodId::m_delete_if:
  case MethodId::m_keep_if:
  case MethodId::IndexSet:
  case MethodId::m_collect_bang:
  case MethodId::m_map_bang:
  case MethodId::m_select_bang:
  case MethodId::m_filter_bang:
  case MethodId::m_reject_bang:
  case MethodId::m_sort_bang:
  case MethodId::m_sort_by_bang:
  case MethodId::m_uniq_bang:
  case MethodId::m_compact_bang:
  case MethodId::m_flatten_bang:
  case MethodId::m_reverse_bang: return array_change_method(core, c);
  default: return array_copy_method(core, c);
  }
}

/// Methods that make another array, or a text, of the elements.
RubyValue array_copy_method(Core& core, const MethodCall& c) {
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  switch (c.method) {
  case MethodId::m_pack: return pack(core, c);
  case MethodId::m_join: {
    core.need(c, 0, 1);
    if (v.empty()) return core.str("");
    std::string separator;
    if (n == 1 && !c.args[0].is_nil()) separator = std::string(core.string_argument(c, 0));
    if (std::any_of(v.begin(), v.end(), [](const RubyValue& item) { return item.is(RubyKind::Bytes); }))
      return join_bytes(core, c, v, separator);
    std::string out;
    bool first = true;
    int depth = 0;
    auto add = [&](auto&& self, const std::vector<RubyValue>& items) -> void {
      if (++depth > 100) core.unknown(c);
      for (const RubyValue& item : items) {
        if (item.is_array()) {
          // An empty list inside still counts as a field.
          if (item.a->items.empty()) {
            if (!first) out += separator;
            first = false;
          } else {
            self(self, item.a->items);
          }
          continue;
        }
        if (!first) out += separator;
        first = false;
        out += core.to_s(item, c.line);
      }
      --depth;
    };
    add(add, v);
    return core.str(std::move(out));
  }
  case MethodId::m_reverse: {
    core.need(c, 0);
    return core.list(std::vector<RubyValue>(v.rbegin(), v.rend()));
  }
  case MethodId::m_rotate: {
    core.need(c, 0, 1);
    std::vector<RubyValue> out = v;
    const int64_t by = n == 1 ? core.integer_argument(c, 0) : 1;
    if (!out.empty()) {
      int64_t size = static_cast<int64_t>(out.size());
      std::rotate(out.begin(), out.begin() + static_cast<ptrdiff_t>(((by % size) + size) % size), out.end());
    }
    return core.list(std::move(out));
  }
  case MethodId::m_compact: {
    core.need(c, 0);
    std::vector<RubyValue> out;
    for (const RubyValue& item : v)
      if (!item.is_nil()) out.push_back(item);
    return core.list(std::move(out));
  }
  case MethodId::m_flatten: {
    core.need(c, 0, 1);
    int64_t levels = n == 1 && !c.args[0].is_nil() ? core.integer_argument(c, 0) : -1;
    std::vector<RubyValue> out;
    int depth = 0;
    auto add = [&](auto&& self, const std::vector<RubyValue>& items, int64_t level) -> void {
      if (++depth > 1000) core.unknown(c);
      for (const RubyValue& item : items)
        if (item.is_array() && level != 0)
          self(self, item.a->items, level - 1);
        else
          out.push_back(item);
      --depth;
    };
    add(add, v, levels);
    return core.list(std::move(out));
  }
  case MethodId::m_index: return enumerable_method(core, {c.self, MethodId::m_find_index, c.name, c.args, c.block, c.line}, v);
  case MethodId::m_rindex:
    core.need(c, 1);
    for (size_t i = v.size(); i-- > 0;)
      if (core.equals(v[i], c.args[0])) return RubyValue::integer(static_cast<int64_t>(i));
    return {};
  default: return array_combination(core, c);
  }
}

/// Methods that combine the array with others.
RubyValue array_combination(Core& core, const MethodCall& c) {
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  auto other = [&](size_t i) -> const std::vector<RubyValue>& { return core.array_argument(c, i); };
  switch (c.method) {
  case MethodId::Plus: {
    core.need(c, 1);
    std::vector<RubyValue> out = v;
    out.insert(out.end(), other(0).begin(), other(0).end());
    return core.list(std::move(out));
  }
  case MethodId::Minus:
  case MethodId::m_difference: {
    std::vector<RubyValue> out = v;
    if (c.method == MethodId::Minus) core.need(c, 1);
    for (size_t i = 0; i < n; ++i) {
      const auto& unwanted = other(i);
      std::erase_if(out, [&](const RubyValue& item) {
        return std::any_of(unwanted.begin(), unwanted.end(), [&](const RubyValue& u) { return ruby_eql(item, u); });
      });
    }
    return core.list(std::move(out));
  }
  case MethodId::And:
  case MethodId::m_intersection:
  case MethodId::Or:
  case MethodId::m_union: {
    core.need(c, 1);
    bool join = c.method == MethodId::Or || c.method == MethodId::m_union;
    std::vector<RubyValue> all = v;
    const auto& more = other(0);
    if (join) {
      all.insert(all.end(), more.begin(), more.end());
    } else {
      std::erase_if(all, [&](const RubyValue& item) {
        return std::none_of(more.begin(), more.end(), [&](const RubyValue& u) { return ruby_eql(item, u); });
      });
    }
    return enumerable_method(core, {c.self, MethodId::m_uniq, "uniq", {}, nullptr, c.line}, all);
  }
  case MethodId::Times: {
    core.need(c, 1);
    if (c.args[0].is_string()) return array_method(core, {c.self, MethodId::m_join, "join", c.args, nullptr, c.line});
    int64_t times = core.integer_argument(c, 0);
    if (times < 0 || times * static_cast<int64_t>(v.size()) > 1'000'000) core.unknown(c);
    std::vector<RubyValue> out;
    for (int64_t i = 0; i < times; ++i) out.insert(out.end(), v.begin(), v.end());
    return core.list(std::move(out));
  }
  case MethodId::m_transpose: {
    core.need(c, 0);
    std::vector<RubyValue> out;
    for (size_t i = 0; i < v.size(); ++i) {
      if (!v[i].is_array() || v[i].a->items.size() != v[0].a->items.size()) core.unknown(c);
      if (i == 0)
        for (size_t j = 0; j < v[0].a->items.size(); ++j) out.push_back(core.list({}));
      for (size_t j = 0; j < v[i].a->items.size(); ++j) out[j].a->items.push_back(v[i].a->items[j]);
    }
    return core.list(std::move(out));
  }
  case MethodId::m_assoc:
    core.need(c, 1);
    for (const RubyValue& item : v)
      if (item.is_array() && !item.a->items.empty() && core.equals(item.a->items[0], c.args[0])) return item;
    return {};
  case MethodId::m_product: {
    if (c.block != nullptr) core.unknown(c);
    std::vector<std::vector<RubyValue>> out;
    for (const RubyValue& a : v) out.push_back({a});
    for (size_t i = 0; i < n; ++i) {
      std::vector<std::vector<RubyValue>> longer;
      if (out.size() * (other(i).size() + 1) > 100'000) core.not_rendered(c.line, "a large product");
      for (const auto& begun : out)
        for (const RubyValue& b : other(i)) {
          longer.push_back(begun);
          longer.back().push_back(b);
        }
      out = std::move(longer);
    }
    std::vector<RubyValue> lists;
    for (auto& items : out) lists.push_back(core.list(std::move(items)));
    return core.list(std::move(lists));
  }
  default: {
    std::vector<RubyValue> items = v; // a copy: the block may change the list
    return enumerable_method(core, c, items);
  }
  }
}

} // namespace pupc::compiler::ruby
