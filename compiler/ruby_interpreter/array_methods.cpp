// Methods of arrays, of everything enumerable, of enumerators.
#include "compiler/ruby_interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pupc::ruby {

RubyValue Interpreter::make_enumerator(const MethodCall& c, std::vector<RubyValue> items) {
  return RubyValue::of(&enumerators_.emplace_back(RubyEnumerator{c.self, std::move(items), c.method}));
}

namespace {

/// Merge sort that makes its comparisons in the same order as the C library's sort, which Ruby uses: the block of `sort` can see that
/// order.
template <class Less>
void merge_sort(std::vector<RubyValue>& v, size_t begin, size_t end, std::vector<RubyValue>& spare, const Less& compare) {
  if (end - begin <= 1) return;
  size_t middle = begin + (end - begin) / 2;
  merge_sort(v, begin, middle, spare, compare);
  merge_sort(v, middle, end, spare, compare);
  size_t i = begin, j = middle, out = begin;
  while (i < middle && j < end) spare[out++] = compare(v[i], v[j]) <= 0 ? v[i++] : v[j++];
  while (i < middle) spare[out++] = v[i++];
  while (j < end) spare[out++] = v[j++];
  std::copy(spare.begin() + static_cast<ptrdiff_t>(begin), spare.begin() + static_cast<ptrdiff_t>(end),
            v.begin() + static_cast<ptrdiff_t>(begin));
}

} // namespace

RubyValue Interpreter::sorted(const MethodCall& c, std::vector<RubyValue> items) {
  std::vector<RubyValue> spare(items.size());
  merge_sort(items, 0, items.size(), spare, [&](const RubyValue& a, const RubyValue& b) {
    if (c.block == nullptr) return compare(a, b, c.line);
    RubyValue order = yield(c, a, b);
    if (!order.is_number()) not_rendered(c.line, "a sort by something else than numbers");
    return order.number() < 0 ? -1 : order.number() > 0 ? 1 : 0;
  });
  return list(std::move(items));
}

RubyValue Interpreter::sorted_by(const MethodCall& c, const std::vector<RubyValue>& items) {
  std::vector<RubyValue> pairs;
  for (const RubyValue& item : items) pairs.push_back(list({yield(c, item), item}));
  std::vector<RubyValue> spare(pairs.size());
  merge_sort(pairs, 0, pairs.size(), spare,
             [&](const RubyValue& a, const RubyValue& b) { return compare(a.a->items[0], b.a->items[0], c.line); });
  std::vector<RubyValue> out;
  for (const RubyValue& pair : pairs) out.push_back(pair.a->items[1]);
  return list(std::move(out));
}

/// The methods that arrays, hashes, ranges and enumerators share. They walk `items`, a copy from the start of the call.
RubyValue Interpreter::enumerable_method(const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  auto truth = [&](const RubyValue& item) {
    if (n == 1) return case_equals(c.args[0], item, c.line);
    return c.block != nullptr ? yield(c, item).truthy() : item.truthy();
  };
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  bool lazy = c.block == nullptr; // without a block most methods return an enumerator
  switch (c.method) {
  case MethodId::m_to_a:
  case MethodId::m_entries: need(c, 0); return list(items);
  case MethodId::m_each_entry:
  case MethodId::m_reverse_each: {
    need(c, 0);
    std::vector<RubyValue> all = items;
    if (c.method == MethodId::m_reverse_each) std::reverse(all.begin(), all.end());
    if (lazy) return make_enumerator(c, std::move(all));
    for (const RubyValue& item : all) yield(c, item);
    return c.self;
  }
  case MethodId::m_each_with_index: {
    need(c, 0);
    if (lazy) {
      std::vector<RubyValue> pairs;
      for (size_t i = 0; i < items.size(); ++i) pairs.push_back(list({items[i], RubyValue::integer(static_cast<int64_t>(i))}));
      return make_enumerator(c, std::move(pairs));
    }
    for (size_t i = 0; i < items.size(); ++i) yield(c, items[i], RubyValue::integer(static_cast<int64_t>(i)));
    return c.self;
  }
  case MethodId::m_each_with_object:
    need(c, 1);
    if (lazy) unknown(c);
    for (const RubyValue& item : items) yield(c, item, c.args[0]);
    return c.args[0];
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_flat_map:
  case MethodId::m_collect_concat:
  case MethodId::m_filter_map: {
    need(c, 0);
    if (lazy) return make_enumerator(c, items);
    std::vector<RubyValue> out;
    for (const RubyValue& item : items) {
      RubyValue v = yield(c, item);
      if (c.method == MethodId::m_map || c.method == MethodId::m_collect)
        out.push_back(v);
      else if (c.method == MethodId::m_filter_map) {
        if (v.truthy()) out.push_back(v);
      } else if (v.is_array())
        out.insert(out.end(), v.a->items.begin(), v.a->items.end());
      else
        out.push_back(v);
    }
    return list(std::move(out));
  }
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_find_all:
  case MethodId::m_reject: {
    need(c, 0);
    if (lazy) return make_enumerator(c, items);
    std::vector<RubyValue> out;
    for (const RubyValue& item : items)
      if (yield(c, item).truthy() != (c.method == MethodId::m_reject)) out.push_back(item);
    return list(std::move(out));
  }
  case MethodId::m_partition: {
    need(c, 0);
    if (lazy) unknown(c);
    std::vector<RubyValue> yes, no;
    for (const RubyValue& item : items) (yield(c, item).truthy() ? yes : no).push_back(item);
    return list({list(std::move(yes)), list(std::move(no))});
  }
  case MethodId::m_find:
  case MethodId::m_detect:
    need(c, 0);
    if (lazy) unknown(c);
    for (const RubyValue& item : items)
      if (yield(c, item).truthy()) return item;
    return {};
  case MethodId::m_find_index:
    need(c, 0, 1);
    if (lazy && n == 0) unknown(c);
    for (size_t i = 0; i < items.size(); ++i)
      if (n == 1 ? equals(items[i], c.args[0]) : yield(c, items[i]).truthy()) return RubyValue::integer(static_cast<int64_t>(i));
    return {};
  case MethodId::m_include_p:
  case MethodId::m_member_p:
    need(c, 1);
    for (const RubyValue& item : items)
      if (equals(item, c.args[0])) return flag(true);
    return flag(false);
  case MethodId::m_any_p:
    need(c, 0, 1);
    for (const RubyValue& item : items)
      if (truth(item)) return flag(true);
    return flag(false);
  case MethodId::m_all_p:
    need(c, 0, 1);
    for (const RubyValue& item : items)
      if (!truth(item)) return flag(false);
    return flag(true);
  case MethodId::m_none_p:
  case MethodId::m_one_p: {
    need(c, 0, 1);
    size_t count = 0;
    for (const RubyValue& item : items) count += truth(item);
    return flag(count == (c.method == MethodId::m_none_p ? 0 : 1));
  }
  case MethodId::m_count: {
    need(c, 0, 1);
    size_t count = 0;
    for (const RubyValue& item : items) count += n == 1 ? equals(item, c.args[0]) : lazy || yield(c, item).truthy();
    return RubyValue::integer(static_cast<int64_t>(count));
  }
  case MethodId::m_inject:
  case MethodId::m_reduce: {
    need(c, 0, 2);
    MethodId by = MethodId::unknown;
    size_t initial = n;
    if (lazy) {
      if (n == 0 || !c.args[n - 1].is_symbol()) unknown(c);
      by = find_method(c.args[n - 1].s->text);
      if (by == MethodId::unknown) unknown(c);
      initial = n - 1;
    }
    size_t i = 0;
    RubyValue memo;
    if (initial > 0)
      memo = c.args[0];
    else if (!items.empty())
      memo = items[i++];
    for (; i < items.size(); ++i) memo = lazy ? send(memo, by, {items[i]}, c.line) : yield(c, memo, items[i]);
    return memo;
  }
  case MethodId::m_sum: {
    need(c, 0, 1);
    RubyValue memo = n == 1 ? c.args[0] : RubyValue::integer(0);
    if (!memo.is_integer() && !memo.is_string() && !memo.is_array()) unknown(c);
    for (const RubyValue& item : items) {
      RubyValue v = lazy ? item : yield(c, item);
      if (v.is(RubyKind::Float)) not_rendered(c.line, "a sum of floats");
      if (v.is_number() && !memo.is_number()) unknown(c);
      memo = send(memo, MethodId::Plus, {v}, c.line);
    }
    return memo;
  }
  case MethodId::m_min:
  case MethodId::m_max: {
    bool least = c.method == MethodId::m_min;
    need(c, 0, 1);
    if (n == 1 && c.self.is(RubyKind::Range)) unknown(c);
    if (n == 1 && !c.args[0].is_nil()) {
      int64_t wanted = integer_argument(c, 0);
      if (wanted < 0 || !lazy) unknown(c); // Ruby compares in another order, which a block or an error shows
      for (const RubyValue& item : items)
        if (int order = 0; !comparable(item, items[0], order)) unknown(c);
      RubyValue all = sorted(c, items);
      std::vector<RubyValue>& v = all.a->items;
      if (!least) std::reverse(v.begin(), v.end());
      if (v.size() > static_cast<size_t>(wanted)) v.resize(static_cast<size_t>(wanted));
      return all;
    }
    if (items.empty()) return {};
    RubyValue best = items[0];
    for (size_t i = 1; i < items.size(); ++i) {
      int order = 0;
      if (lazy) {
        order = c.self.is_array() ? -compare(best, items[i], c.line) : compare(items[i], best, c.line);
      } else {
        RubyValue v = yield(c, items[i], best);
        if (!v.is_number()) unknown(c);
        order = v.number() < 0 ? -1 : v.number() > 0 ? 1 : 0;
      }
      if (least ? order < 0 : order > 0) best = items[i];
    }
    return best;
  }
  case MethodId::m_min_by:
  case MethodId::m_max_by: {
    need(c, 0);
    if (lazy) unknown(c);
    if (items.empty()) return {};
    RubyValue best = items[0];
    RubyValue best_key = yield(c, best);
    for (size_t i = 1; i < items.size(); ++i) {
      RubyValue key = yield(c, items[i]);
      int order = compare(key, best_key, c.line);
      if (c.method == MethodId::m_min_by ? order < 0 : order > 0) {
        best = items[i];
        best_key = key;
      }
    }
    return best;
  }
  case MethodId::m_minmax:
    need(c, 0);
    if (!lazy) unknown(c);
    return list({enumerable_method({c.self, MethodId::m_min, "min", {}, nullptr, c.line}, items),
                 enumerable_method({c.self, MethodId::m_max, "max", {}, nullptr, c.line}, items)});
  case MethodId::m_sort: need(c, 0); return sorted(c, items);
  case MethodId::m_sort_by:
    need(c, 0);
    if (lazy) return make_enumerator(c, items);
    return sorted_by(c, items);
  case MethodId::m_group_by: {
    need(c, 0);
    if (lazy) unknown(c);
    RubyValue hash = heap_.hash();
    for (const RubyValue& item : items) {
      RubyValue key = yield(c, item);
      RubyValue* group = hash.h->find(key);
      if (group == nullptr) {
        send(hash, MethodId::IndexSet, {key, list({})}, c.line);
        group = hash.h->find(key);
      }
      group->a->items.push_back(item);
    }
    return hash;
  }
  case MethodId::m_tally: {
    need(c, 0);
    RubyValue hash = heap_.hash();
    for (const RubyValue& item : items) {
      RubyValue* count = hash.h->find(item);
      if (count != nullptr)
        ++count->i;
      else
        send(hash, MethodId::IndexSet, {item, RubyValue::integer(1)}, c.line);
    }
    return hash;
  }
  case MethodId::m_to_h: {
    need(c, 0);
    RubyValue hash = heap_.hash();
    size_t at = 0;
    for (const RubyValue& item : items) {
      RubyValue pair = lazy ? item : yield(c, item);
      if (!pair.is_array()) not_a_pair(c, pair, c.self.is_array() ? fmt::format(" at {}", at) : "");
      if (pair.a->items.size() != 2) unknown(c);
      ++at;
      send(hash, MethodId::IndexSet, {pair.a->items[0], pair.a->items[1]}, c.line);
    }
    return hash;
  }
  case MethodId::m_zip: {
    if (!lazy) unknown(c);
    std::vector<std::vector<RubyValue>> others(n);
    for (size_t i = 0; i < n; ++i)
      if (!items_of(c.args[i], others[i], c.line)) unknown(c);
    std::vector<RubyValue> out;
    for (size_t i = 0; i < items.size(); ++i) {
      std::vector<RubyValue> row{items[i]};
      for (auto& other : others) row.push_back(i < other.size() ? other[i] : RubyValue());
      out.push_back(list(std::move(row)));
    }
    return list(std::move(out));
  }
  case MethodId::m_each_slice:
  case MethodId::m_each_cons: {
    need(c, 1);
    int64_t size = integer_argument(c, 0);
    if (size <= 0) unknown(c);
    size_t width = static_cast<size_t>(size);
    bool slices = c.method == MethodId::m_each_slice;
    std::vector<RubyValue> out;
    for (size_t i = 0; slices ? i < items.size() : i + width <= items.size(); i += slices ? width : 1)
      out.push_back(list(std::vector<RubyValue>(items.begin() + static_cast<ptrdiff_t>(i),
                                                items.begin() + static_cast<ptrdiff_t>(std::min(i + width, items.size())))));
    if (lazy) return make_enumerator(c, std::move(out));
    for (const RubyValue& item : out) yield(c, item);
    return c.self; // as Ruby 3.1; earlier versions return nil
  }
  case MethodId::m_first: {
    need(c, 0, 1);
    if (n == 0) return items.empty() ? RubyValue() : items[0];
    int64_t count = integer_argument(c, 0);
    if (count < 0) unknown(c);
    return list(std::vector<RubyValue>(items.begin(),
                                       items.begin() + static_cast<ptrdiff_t>(std::min<size_t>(items.size(), static_cast<size_t>(count)))));
  }
  case MethodId::m_take:
  case MethodId::m_drop: {
    need(c, 1);
    int64_t count = integer_argument(c, 0);
    if (count < 0) unknown(c);
    auto middle = items.begin() + static_cast<ptrdiff_t>(std::min<size_t>(items.size(), static_cast<size_t>(count)));
    return list(c.method == MethodId::m_take ? std::vector<RubyValue>(items.begin(), middle) : std::vector<RubyValue>(middle, items.end()));
  }
  case MethodId::m_take_while:
  case MethodId::m_drop_while: {
    need(c, 0);
    if (lazy) unknown(c);
    size_t i = 0;
    while (i < items.size() && yield(c, items[i]).truthy()) ++i;
    auto middle = items.begin() + static_cast<ptrdiff_t>(i);
    return list(c.method == MethodId::m_take_while ? std::vector<RubyValue>(items.begin(), middle)
                                                   : std::vector<RubyValue>(middle, items.end()));
  }
  case MethodId::m_uniq: {
    need(c, 0);
    RubyValue seen = heap_.hash();
    std::vector<RubyValue> out;
    for (const RubyValue& item : items) {
      RubyValue key = lazy ? item : yield(c, item);
      if (seen.h->find(key) != nullptr) continue;
      seen.h->set(key, item);
      out.push_back(item);
    }
    return list(std::move(out));
  }
  default: unknown(c);
  }
}

RubyValue Interpreter::element(const MethodCall& c, const std::vector<RubyValue>& items) {
  need(c, 1, 2);
  int64_t count = static_cast<int64_t>(items.size());
  auto part = [&](int64_t from, int64_t length) -> RubyValue {
    if (from < 0) from += count;
    if (from < 0 || from > count || length < 0) return {};
    auto begin = items.begin() + static_cast<ptrdiff_t>(from);
    return list(std::vector<RubyValue>(begin, begin + static_cast<ptrdiff_t>(std::min(length, count - from))));
  };
  if (c.args.size() == 2) {
    const int64_t from = integer_argument(c, 0);
    return part(from, integer_argument(c, 1));
  }
  if (c.args[0].is(RubyKind::Range)) {
    const RubyRange& r = *c.args[0].r;
    if (!r.first.is_integer() || !(r.last.is_integer() || r.last.is_nil())) unknown(c);
    int64_t from = r.first.i < 0 ? r.first.i + count : r.first.i;
    int64_t last = r.last.is_nil() ? -1 : r.last.i;
    if (last < 0) last += count;
    if (from < 0 || from > count) return {};
    return part(from, std::max<int64_t>(0, last - from + (r.exclusive && !r.last.is_nil() ? 0 : 1)));
  }
  int64_t i = integer_argument(c, 0);
  if (i < 0) i += count;
  return i < 0 || i >= count ? RubyValue() : items[static_cast<size_t>(i)];
}

RubyValue Interpreter::array_method(const MethodCall& c) {
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  auto other = [&](size_t i) -> const std::vector<RubyValue>& { return array_argument(c, i); };
  switch (c.method) {
  case MethodId::m_each:
    need(c, 0);
    if (c.block == nullptr) return make_enumerator(c, v);
    for (size_t i = 0; i < v.size(); ++i) {
      RubyValue item = v[i];
      yield(c, item);
    }
    return c.self;
  case MethodId::m_each_index:
    need(c, 0);
    if (c.block == nullptr) unknown(c);
    for (size_t i = 0; i < v.size(); ++i) yield(c, RubyValue::integer(static_cast<int64_t>(i)));
    return c.self;
  case MethodId::m_to_a:
  case MethodId::m_to_ary: need(c, 0); return c.self;
  case MethodId::m_length:
  case MethodId::m_size: need(c, 0); return RubyValue::integer(static_cast<int64_t>(v.size()));
  case MethodId::m_empty_p: need(c, 0); return flag(v.empty());
  case MethodId::Index:
  case MethodId::m_slice: return element(c, v);
  case MethodId::m_dig: {
    if (n == 0) unknown(c);
    if (c.args[0].is(RubyKind::Range)) not_convertible(c, c.args[0], "Integer");
    RubyValue item = send(c.self, MethodId::Index, {c.args[0]}, c.line);
    if (n == 1 || item.is_nil()) return item;
    if (!item.is_array() && !item.is_hash()) unknown(c);
    return call_method({item, c.method, c.name, c.args.subspan(1), nullptr, c.line});
  }
  case MethodId::m_fetch: {
    need(c, 1, 2);
    int64_t i = integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i >= 0 && i < static_cast<int64_t>(v.size())) return v[static_cast<size_t>(i)];
    if (c.block != nullptr) return yield(c, c.args[0]);
    if (n == 2) return c.args[1];
    const auto size = static_cast<int64_t>(v.size());
    throw RubyError{c.line, fmt::format("index {} outside of array bounds: {}...{}", i < 0 ? i - size : i, -size, size),
                    RubyClass::IndexError};
  }
  case MethodId::m_values_at: {
    std::vector<RubyValue> out;
    for (const RubyValue& i : c.args) {
      if (i.is(RubyKind::Range)) unknown(c);
      out.push_back(send(c.self, MethodId::Index, {i}, c.line));
    }
    return list(std::move(out));
  }
  case MethodId::m_last: {
    need(c, 0, 1);
    if (n == 0) return v.empty() ? RubyValue() : v.back();
    int64_t count = integer_argument(c, 0);
    if (count < 0) unknown(c);
    return list(std::vector<RubyValue>(v.end() - static_cast<ptrdiff_t>(std::min<size_t>(v.size(), static_cast<size_t>(count))), v.end()));
  }
  case MethodId::m_join: {
    need(c, 0, 1);
    if (v.empty()) return str("");
    std::string separator;
    if (n == 1 && !c.args[0].is_nil()) separator = std::string(string_argument(c, 0));
    std::string out;
    bool first = true;
    int depth = 0;
    auto add = [&](auto&& self, const std::vector<RubyValue>& items) -> void {
      if (++depth > 100) unknown(c);
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
        out += to_s(item, c.line);
      }
      --depth;
    };
    add(add, v);
    return str(std::move(out));
  }
  case MethodId::m_reverse: {
    need(c, 0);
    return list(std::vector<RubyValue>(v.rbegin(), v.rend()));
  }
  case MethodId::m_rotate: {
    need(c, 0, 1);
    std::vector<RubyValue> out = v;
    const int64_t by = n == 1 ? integer_argument(c, 0) : 1;
    if (!out.empty()) {
      int64_t size = static_cast<int64_t>(out.size());
      std::rotate(out.begin(), out.begin() + static_cast<ptrdiff_t>(((by % size) + size) % size), out.end());
    }
    return list(std::move(out));
  }
  case MethodId::m_compact: {
    need(c, 0);
    std::vector<RubyValue> out;
    for (const RubyValue& item : v)
      if (!item.is_nil()) out.push_back(item);
    return list(std::move(out));
  }
  case MethodId::m_flatten: {
    need(c, 0, 1);
    int64_t levels = n == 1 && !c.args[0].is_nil() ? integer_argument(c, 0) : -1;
    std::vector<RubyValue> out;
    int depth = 0;
    auto add = [&](auto&& self, const std::vector<RubyValue>& items, int64_t level) -> void {
      if (++depth > 1000) unknown(c);
      for (const RubyValue& item : items)
        if (item.is_array() && level != 0)
          self(self, item.a->items, level - 1);
        else
          out.push_back(item);
      --depth;
    };
    add(add, v, levels);
    return list(std::move(out));
  }
  case MethodId::m_index: return enumerable_method({c.self, MethodId::m_find_index, c.name, c.args, c.block, c.line}, v);
  case MethodId::m_rindex:
    need(c, 1);
    for (size_t i = v.size(); i-- > 0;)
      if (equals(v[i], c.args[0])) return RubyValue::integer(static_cast<int64_t>(i));
    return {};
  case MethodId::Plus: {
    need(c, 1);
    std::vector<RubyValue> out = v;
    out.insert(out.end(), other(0).begin(), other(0).end());
    return list(std::move(out));
  }
  case MethodId::Minus:
  case MethodId::m_difference: {
    std::vector<RubyValue> out = v;
    if (c.method == MethodId::Minus) need(c, 1);
    for (size_t i = 0; i < n; ++i) {
      const auto& unwanted = other(i);
      std::erase_if(out, [&](const RubyValue& item) {
        return std::any_of(unwanted.begin(), unwanted.end(), [&](const RubyValue& u) { return ruby_eql(item, u); });
      });
    }
    return list(std::move(out));
  }
  case MethodId::And:
  case MethodId::m_intersection:
  case MethodId::Or:
  case MethodId::m_union: {
    need(c, 1);
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
    return enumerable_method({c.self, MethodId::m_uniq, "uniq", {}, nullptr, c.line}, all);
  }
  case MethodId::Times: {
    need(c, 1);
    if (c.args[0].is_string()) return array_method({c.self, MethodId::m_join, "join", c.args, nullptr, c.line});
    int64_t times = integer_argument(c, 0);
    if (times < 0 || times * static_cast<int64_t>(v.size()) > 1'000'000) unknown(c);
    std::vector<RubyValue> out;
    for (int64_t i = 0; i < times; ++i) out.insert(out.end(), v.begin(), v.end());
    return list(std::move(out));
  }
  case MethodId::m_transpose: {
    need(c, 0);
    std::vector<RubyValue> out;
    for (size_t i = 0; i < v.size(); ++i) {
      if (!v[i].is_array() || v[i].a->items.size() != v[0].a->items.size()) unknown(c);
      if (i == 0)
        for (size_t j = 0; j < v[0].a->items.size(); ++j) out.push_back(list({}));
      for (size_t j = 0; j < v[i].a->items.size(); ++j) out[j].a->items.push_back(v[i].a->items[j]);
    }
    return list(std::move(out));
  }
  case MethodId::m_assoc:
    need(c, 1);
    for (const RubyValue& item : v)
      if (item.is_array() && !item.a->items.empty() && equals(item.a->items[0], c.args[0])) return item;
    return {};
  case MethodId::m_product: {
    need(c, 1);
    std::vector<RubyValue> out;
    if (c.block != nullptr) unknown(c);
    other(0);
    for (const RubyValue& a : v)
      for (const RubyValue& b : other(0)) out.push_back(list({a, b}));
    return list(std::move(out));
  }
  case MethodId::m_sum: {
    bool floats = std::any_of(v.begin(), v.end(), [](const RubyValue& item) { return item.is(RubyKind::Float); });
    if (floats) unknown(c);
    return enumerable_method(c, v);
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
  case MethodId::m_reverse_bang: return array_change_method(c);
  default: {
    std::vector<RubyValue> items = v; // a copy: the block may change the list
    return enumerable_method(c, items);
  }
  }
}

RubyValue Interpreter::array_change_method(const MethodCall& c) {
  check_changeable(c);
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  // Runs x! as x and stores the result in place. With `nil_when_same` the result is nil when nothing changed.
  auto in_place = [&](MethodId plain, bool nil_when_same) -> RubyValue {
    RubyValue made = call_method({c.self, plain, method_name(plain), c.args, c.block, c.line});
    if (!made.is_array()) unknown(c);
    bool same = made.a->items.size() == v.size();
    if (plain == MethodId::m_flatten) same = std::none_of(v.begin(), v.end(), [](const RubyValue& item) { return item.is_array(); });
    v = made.a->items;
    return same && nil_when_same ? RubyValue() : c.self;
  };
  switch (c.method) {
  case MethodId::ShiftLeft: need(c, 1); [[fallthrough]];
  case MethodId::m_push:
  case MethodId::m_append: v.insert(v.end(), c.args.begin(), c.args.end()); return c.self;
  case MethodId::m_unshift:
  case MethodId::m_prepend: v.insert(v.begin(), c.args.begin(), c.args.end()); return c.self;
  case MethodId::m_pop:
  case MethodId::m_shift: {
    need(c, 0);
    if (v.empty()) return {};
    RubyValue item = c.method == MethodId::m_pop ? v.back() : v.front();
    v.erase(c.method == MethodId::m_pop ? v.end() - 1 : v.begin());
    return item;
  }
  case MethodId::m_insert: {
    if (n < 2) unknown(c);
    int64_t at = integer_argument(c, 0);
    if (at < 0) at += static_cast<int64_t>(v.size()) + 1;
    if (at < 0 || at > static_cast<int64_t>(v.size())) unknown(c);
    v.insert(v.begin() + static_cast<ptrdiff_t>(at), c.args.begin() + 1, c.args.end());
    return c.self;
  }
  case MethodId::m_concat: {
    std::vector<RubyValue> more;
    for (size_t i = 0; i < n; ++i) more.insert(more.end(), array_argument(c, i).begin(), array_argument(c, i).end());
    v.insert(v.end(), more.begin(), more.end());
    return c.self;
  }
  case MethodId::m_clear:
    need(c, 0);
    v.clear();
    return c.self;
  case MethodId::m_replace: {
    need(c, 1);
    std::vector<RubyValue> with = array_argument(c, 0);
    v = std::move(with);
    return c.self;
  }
  case MethodId::m_delete: {
    need(c, 1);
    if (c.block != nullptr) unknown(c);
    RubyValue found;
    RubyValue unwanted = c.args[0];
    std::erase_if(v, [&](const RubyValue& item) {
      if (!equals(item, unwanted)) return false;
      found = item;
      return true;
    });
    return found;
  }
  case MethodId::m_delete_at: {
    need(c, 1);
    int64_t i = integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i < 0 || i >= static_cast<int64_t>(v.size())) return {};
    RubyValue item = v[static_cast<size_t>(i)];
    v.erase(v.begin() + static_cast<ptrdiff_t>(i));
    return item;
  }
  case MethodId::IndexSet: {
    need(c, 2);
    if (c.args[0].is(RubyKind::Range)) unknown(c);
    int64_t i = integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i < 0 || i > 1'000'000) unknown(c);
    if (i >= static_cast<int64_t>(v.size())) v.resize(static_cast<size_t>(i) + 1);
    v[static_cast<size_t>(i)] = c.args[1];
    return c.args[1];
  }
  case MethodId::m_collect_bang:
  case MethodId::m_map_bang: return in_place(MethodId::m_map, false);
  case MethodId::m_select_bang:
  case MethodId::m_filter_bang: return in_place(MethodId::m_select, true);
  case MethodId::m_keep_if: return in_place(MethodId::m_select, false);
  case MethodId::m_reject_bang: return in_place(MethodId::m_reject, true);
  case MethodId::m_delete_if: return in_place(MethodId::m_reject, false);
  case MethodId::m_sort_bang: return in_place(MethodId::m_sort, false);
  case MethodId::m_sort_by_bang: return in_place(MethodId::m_sort_by, false);
  case MethodId::m_uniq_bang: return in_place(MethodId::m_uniq, true);
  case MethodId::m_compact_bang: return in_place(MethodId::m_compact, true);
  case MethodId::m_flatten_bang: return in_place(MethodId::m_flatten, true);
  case MethodId::m_reverse_bang: return in_place(MethodId::m_reverse, false);
  default: unknown(c);
  }
}

/// Methods of the enumerator that a method without a block returned: `each_with_index.map { }`, `map.with_index(1) { }`.
RubyValue Interpreter::enumerator_method(const MethodCall& c) {
  const RubyEnumerator& e = *c.self.e;
  switch (c.method) {
  case MethodId::m_size:
    if (e.source.is_hash() || e.source.is_array()) return RubyValue::integer(static_cast<int64_t>(e.items.size()));
    unknown(c);
  case MethodId::m_with_index:
  case MethodId::m_each_with_index: {
    need(c, 0, c.method == MethodId::m_with_index ? 1 : 0);
    int64_t first = c.args.empty() || c.args[0].is_nil() ? 0 : integer_argument(c, 0);
    if (c.block == nullptr) {
      if (e.base != MethodId::m_each || first != 0) unknown(c);
      break;
    }
    // Run the base method over the items and pass its block the index, too.
    std::vector<RubyValue> results;
    for (size_t i = 0; i < e.items.size(); ++i)
      results.push_back(yield(c, e.items[i], RubyValue::integer(first + static_cast<int64_t>(i))));
    std::vector<RubyValue> out;
    switch (e.base) {
    case MethodId::m_each:
    case MethodId::m_each_with_index:
    case MethodId::m_each_slice:
    case MethodId::m_each_cons:
    case MethodId::m_each_char:
    case MethodId::m_each_line:
    case MethodId::m_times:
    case MethodId::m_reverse_each: return e.source;
    case MethodId::m_map:
    case MethodId::m_collect: return list(std::move(results));
    case MethodId::m_select:
    case MethodId::m_filter:
    case MethodId::m_reject:
      if (!e.source.is_array()) unknown(c);
      for (size_t i = 0; i < results.size(); ++i)
        if (results[i].truthy() != (e.base == MethodId::m_reject)) out.push_back(e.items[i]);
      return list(std::move(out));
    case MethodId::m_flat_map:
      for (const RubyValue& r : results)
        if (r.is_array())
          out.insert(out.end(), r.a->items.begin(), r.a->items.end());
        else
          out.push_back(r);
      return list(std::move(out));
    default: unknown(c);
    }
  }
  case MethodId::m_each:
    if (c.block == nullptr) return c.self;
    return send(e.source, e.base, {}, c.line, c.block);
  default: break;
  }
  // Treat the enumerator as a list of its elements, but only if the base method passes exactly those to its block.
  switch (e.base) {
  case MethodId::m_each:
  case MethodId::m_each_with_index:
  case MethodId::m_each_slice:
  case MethodId::m_each_cons:
  case MethodId::m_each_char:
  case MethodId::m_each_line:
  case MethodId::m_times:
  case MethodId::m_upto:
  case MethodId::m_downto:
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_reverse_each: break;
  default: unknown(c);
  }
  return enumerable_method(c, e.items);
}

} // namespace pupc::ruby
