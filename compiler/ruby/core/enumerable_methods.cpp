// Methods of everything enumerable (arrays, hashes, ranges, enumerators), and of enumerators.
#include "compiler/ruby/core/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pupc::compiler::ruby {

static RubyValue enumerable_answer(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);
static RubyValue sum_of_floats(Core& core, const MethodCall& c, const std::vector<RubyValue>& items, size_t i, RubyValue v, double sum);
static RubyValue enumerable_extreme(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);
static RubyValue enumerable_order(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);
static RubyValue enumerable_part(Core& core, const MethodCall& c, const std::vector<RubyValue>& items);

RubyValue make_enumerator(Core& core, const MethodCall& c, std::vector<RubyValue> items) {
  return RubyValue::of(&core.enumerators.emplace_back(RubyEnumerator{c.self, std::move(items), 0, c.method}));
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

RubyValue sorted(Core& core, const MethodCall& c, std::vector<RubyValue> items) {
  std::vector<RubyValue> spare(items.size());
  merge_sort(items, 0, items.size(), spare, [&](const RubyValue& a, const RubyValue& b) {
    if (c.block == nullptr) return core.compare(a, b, c.line);
    RubyValue order = core.yield(c, a, b);
    if (!order.is_number()) core.not_rendered(c.line, "a sort by something else than numbers");
    return order.number() < 0 ? -1 : order.number() > 0 ? 1 : 0;
  });
  return core.list(std::move(items));
}

RubyValue sorted_by(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  std::vector<RubyValue> pairs;
  for (const RubyValue& item : items) pairs.push_back(core.list({core.yield(c, item), item}));
  std::vector<RubyValue> spare(pairs.size());
  merge_sort(pairs, 0, pairs.size(), spare,
             [&](const RubyValue& a, const RubyValue& b) { return core.compare(a.a->items[0], b.a->items[0], c.line); });
  std::vector<RubyValue> out;
  for (const RubyValue& pair : pairs) out.push_back(pair.a->items[1]);
  return core.list(std::move(out));
}

/// The methods that arrays, hashes, ranges and enumerators share. They walk `items`, a copy from the start of the call. Here: those that
/// pass each element to a block; what the others do follows by kind.
RubyValue enumerable_method(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  bool lazy = c.block == nullptr; // without a block most methods return an enumerator
  switch (c.method) {
  case MethodId::m_to_a:
  case MethodId::m_entries: core.need(c, 0); return core.list(items);
  case MethodId::m_each_entry:
  case MethodId::m_reverse_each: {
    core.need(c, 0);
    std::vector<RubyValue> all = items;
    if (c.method == MethodId::m_reverse_each) std::reverse(all.begin(), all.end());
    if (lazy) return make_enumerator(core, c, std::move(all));
    for (const RubyValue& item : all) core.yield(c, item);
    return c.self;
  }
  case MethodId::m_each_with_index: {
    core.need(c, 0);
    if (lazy) {
      std::vector<RubyValue> pairs;
      for (size_t i = 0; i < items.size(); ++i) pairs.push_back(core.list({items[i], RubyValue::integer(static_cast<int64_t>(i))}));
      return make_enumerator(core, c, std::move(pairs));
    }
    for (size_t i = 0; i < items.size(); ++i) core.yield(c, items[i], RubyValue::integer(static_cast<int64_t>(i)));
    return c.self;
  }
  case MethodId::m_each_with_object:
    core.need(c, 1);
    if (lazy) core.unknown(c);
    for (const RubyValue& item : items) core.yield(c, item, c.args[0]);
    return c.args[0];
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_flat_map:
  case MethodId::m_collect_concat:
  case MethodId::m_filter_map: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    std::vector<RubyValue> out;
    for (const RubyValue& item : items) {
      RubyValue v = core.yield(c, item);
      if (c.method == MethodId::m_map || c.method == MethodId::m_collect)
        out.push_back(v);
      else if (c.method == MethodId::m_filter_map) {
        if (v.truthy()) out.push_back(v);
      } else if (v.is_array())
        out.insert(out.end(), v.a->items.begin(), v.a->items.end());
      else
        out.push_back(v);
    }
    return core.list(std::move(out));
  }
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_find_all:
  case MethodId::m_reject: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    std::vector<RubyValue> out;
    for (const RubyValue& item : items)
      if (core.yield(c, item).truthy() != (c.method == MethodId::m_reject)) out.push_back(item);
    return core.list(std::move(out));
  }
  case MethodId::m_partition: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    std::vector<RubyValue> yes, no;
    for (const RubyValue& item : items) (core.yield(c, item).truthy() ? yes : no).push_back(item);
    return core.list({core.list(std::move(yes)), core.list(std::move(no))});
  }
  case MethodId::m_find:
  case MethodId::m_detect:
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    for (const RubyValue& item : items)
      if (core.yield(c, item).truthy()) return item;
    return {};
  case MethodId::m_find_index:
    core.need(c, 0, 1);
    if (lazy && n == 0) return make_enumerator(core, c, items);
    for (size_t i = 0; i < items.size(); ++i)
      if (n == 1 ? core.equals(items[i], c.args[0]) : core.yield(c, items[i]).truthy()) return RubyValue::integer(static_cast<int64_t>(i));
    return {};
  default: return enumerable_answer(core, c, items);
  }
}

/// Methods that make one answer of all elements.
static RubyValue enumerable_answer(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  auto truth = [&](const RubyValue& item) {
    if (n == 1) return core.case_equals(c.args[0], item, c.line);
    return c.block != nullptr ? core.yield(c, item).truthy() : item.truthy();
  };
  auto flag = [](bool b) { return RubyValue::boolean(b); };
  bool lazy = c.block == nullptr; // without a block most methods return an enumerator
  switch (c.method) {
  case MethodId::m_include_p:
  case MethodId::m_member_p:
    core.need(c, 1);
    for (const RubyValue& item : items)
      if (core.equals(item, c.args[0])) return flag(true);
    return flag(false);
  case MethodId::m_any_p:
    core.need(c, 0, 1);
    for (const RubyValue& item : items)
      if (truth(item)) return flag(true);
    return flag(false);
  case MethodId::m_all_p:
    core.need(c, 0, 1);
    for (const RubyValue& item : items)
      if (!truth(item)) return flag(false);
    return flag(true);
  case MethodId::m_none_p:
  case MethodId::m_one_p: {
    core.need(c, 0, 1);
    const size_t wanted = c.method == MethodId::m_none_p ? 0 : 1;
    size_t count = 0;
    for (const RubyValue& item : items)
      if (truth(item) && ++count > wanted) break; // the block isn't asked about the rest
    return flag(count == wanted);
  }
  case MethodId::m_count: {
    core.need(c, 0, 1);
    size_t count = 0;
    for (const RubyValue& item : items) count += n == 1 ? core.equals(item, c.args[0]) : lazy || core.yield(c, item).truthy();
    return RubyValue::integer(static_cast<int64_t>(count));
  }
  case MethodId::m_inject:
  case MethodId::m_reduce: {
    core.need(c, 0, 2);
    MethodId by = MethodId::unknown;
    size_t initial = n;
    if (lazy) {
      if (n == 0 || !c.args[n - 1].is_symbol()) core.unknown(c);
      by = find_method(c.args[n - 1].s->text);
      if (by == MethodId::unknown) core.unknown(c);
      initial = n - 1;
    }
    size_t i = 0;
    RubyValue memo;
    if (initial > 0)
      memo = c.args[0];
    else if (!items.empty())
      memo = items[i++];
    for (; i < items.size(); ++i) memo = lazy ? core.send(memo, by, {items[i]}, c.line) : core.yield(c, memo, items[i]);
    return memo;
  }
  case MethodId::m_sum: {
    core.need(c, 0, 1);
    RubyValue memo = n == 1 ? c.args[0] : RubyValue::integer(0);
    if (!memo.is_integer() && !memo.is_string() && !memo.is_array()) core.unknown(c);
    for (size_t i = 0; i < items.size(); ++i) {
      RubyValue v = lazy ? items[i] : core.yield(c, items[i]);
      if (v.is(RubyKind::Float) && memo.is_integer()) return sum_of_floats(core, c, items, i, v, static_cast<double>(memo.i));
      if (v.is_number() && !memo.is_number()) core.unknown(c);
      memo = core.send(memo, MethodId::Plus, {v}, c.line);
    }
    return memo;
  }
  default: return enumerable_extreme(core, c, items);
  }
}

/// Ruby's sum from the first float on, which is element i: it keeps what each addition loses (Kahan and Babuska).
static RubyValue sum_of_floats(Core& core, const MethodCall& c, const std::vector<RubyValue>& items, size_t i, RubyValue v, double sum) {
  double lost = 0;
  while (true) {
    if (!v.is_number()) core.not_rendered(c.line, "a sum of floats and others");
    const double x = v.number();
    if (!std::isfinite(x) || !std::isfinite(sum)) core.not_rendered(c.line, "a sum that is not finite");
    const double next = sum + x;
    lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
    if (++i == items.size()) return RubyValue::floating(sum + lost);
    v = c.block == nullptr ? items[i] : core.yield(c, items[i]);
  }
}

/// Methods that look for the least and the greatest element.
static RubyValue enumerable_extreme(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  bool lazy = c.block == nullptr;
  switch (c.method) {
  case MethodId::m_min:
  case MethodId::m_max: {
    bool least = c.method == MethodId::m_min;
    core.need(c, 0, 1);
    if (n == 1 && c.self.is(RubyKind::Range)) core.unknown(c);
    if (n == 1 && !c.args[0].is_nil()) {
      int64_t wanted = core.integer_argument(c, 0);
      if (wanted < 0 || !lazy) core.unknown(c); // Ruby compares in another order, which a block or an error shows
      for (const RubyValue& item : items)
        if (int order = 0; !core.comparable(item, items[0], order)) core.unknown(c);
      RubyValue all = sorted(core, c, items);
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
        order = c.self.is_array() ? -core.compare(best, items[i], c.line) : core.compare(items[i], best, c.line);
      } else {
        RubyValue v = core.yield(c, items[i], best);
        if (!v.is_number()) core.unknown(c);
        order = v.number() < 0 ? -1 : v.number() > 0 ? 1 : 0;
      }
      if (least ? order < 0 : order > 0) best = items[i];
    }
    return best;
  }
  case MethodId::m_min_by:
  case MethodId::m_max_by: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    if (items.empty()) return {};
    RubyValue best = items[0];
    RubyValue best_key = core.yield(c, best);
    for (size_t i = 1; i < items.size(); ++i) {
      RubyValue key = core.yield(c, items[i]);
      int order = core.compare(key, best_key, c.line);
      if (c.method == MethodId::m_min_by ? order < 0 : order > 0) {
        best = items[i];
        best_key = key;
      }
    }
    return best;
  }
  case MethodId::m_minmax:
    core.need(c, 0);
    if (!lazy) core.unknown(c);
    return core.list({enumerable_method(core, {c.self, MethodId::m_min, "min", {}, nullptr, c.line}, items),
                      enumerable_method(core, {c.self, MethodId::m_max, "max", {}, nullptr, c.line}, items)});
  default: return enumerable_order(core, c, items);
  }
}

/// Methods that sort, group and pair the elements.
static RubyValue enumerable_order(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  bool lazy = c.block == nullptr; // without a block most methods return an enumerator
  switch (c.method) {
  case MethodId::m_sort: core.need(c, 0); return sorted(core, c, items);
  case MethodId::m_sort_by:
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    return sorted_by(core, c, items);
  case MethodId::m_group_by: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    RubyValue hash = core.heap.hash();
    for (const RubyValue& item : items) {
      RubyValue key = core.yield(c, item);
      RubyValue* group = hash.h->find(key);
      if (group == nullptr) {
        core.send(hash, MethodId::IndexSet, {key, core.list({})}, c.line);
        group = hash.h->find(key);
      }
      group->a->items.push_back(item);
    }
    return hash;
  }
  case MethodId::m_tally: {
    core.need(c, 0);
    RubyValue hash = core.heap.hash();
    for (const RubyValue& item : items) {
      RubyValue* count = hash.h->find(item);
      if (count != nullptr)
        ++count->i;
      else
        core.send(hash, MethodId::IndexSet, {item, RubyValue::integer(1)}, c.line);
    }
    return hash;
  }
  case MethodId::m_to_h: {
    core.need(c, 0);
    RubyValue hash = core.heap.hash();
    size_t at = 0;
    for (const RubyValue& item : items) {
      RubyValue pair = lazy ? item : core.yield(c, item);
      if (!pair.is_array()) core.not_a_pair(c, pair, c.self.is_array() ? fmt::format(" at {}", at) : "");
      if (pair.a->items.size() != 2) core.unknown(c);
      ++at;
      core.send(hash, MethodId::IndexSet, {pair.a->items[0], pair.a->items[1]}, c.line);
    }
    return hash;
  }
  case MethodId::m_zip: {
    if (!lazy) core.unknown(c);
    std::vector<std::vector<RubyValue>> others(n);
    for (size_t i = 0; i < n; ++i)
      if (c.args[i].is_nil() || !core.items_of(c.args[i], others[i], c.line)) core.unknown(c);
    std::vector<RubyValue> out;
    for (size_t i = 0; i < items.size(); ++i) {
      std::vector<RubyValue> row{items[i]};
      for (auto& other : others) row.push_back(i < other.size() ? other[i] : RubyValue());
      out.push_back(core.list(std::move(row)));
    }
    return core.list(std::move(out));
  }
  default: return enumerable_part(core, c, items);
  }
}

/// Methods that take some of the elements.
static RubyValue enumerable_part(Core& core, const MethodCall& c, const std::vector<RubyValue>& items) {
  size_t n = c.args.size();
  bool lazy = c.block == nullptr; // without a block most methods return an enumerator
  switch (c.method) {
  case MethodId::m_each_slice:
  case MethodId::m_each_cons: {
    core.need(c, 1);
    int64_t size = core.integer_argument(c, 0);
    if (size <= 0) core.unknown(c);
    size_t width = static_cast<size_t>(size);
    bool slices = c.method == MethodId::m_each_slice;
    std::vector<RubyValue> out;
    for (size_t i = 0; slices ? i < items.size() : i + width <= items.size(); i += slices ? width : 1)
      out.push_back(core.list(std::vector<RubyValue>(items.begin() + static_cast<ptrdiff_t>(i),
                                                     items.begin() + static_cast<ptrdiff_t>(std::min(i + width, items.size())))));
    if (lazy) return make_enumerator(core, c, std::move(out));
    for (const RubyValue& item : out) core.yield(c, item);
    return c.self; // as Ruby 3.1; earlier versions return nil
  }
  case MethodId::m_first: {
    core.need(c, 0, 1);
    if (n == 0) return items.empty() ? RubyValue() : items[0];
    int64_t count = core.integer_argument(c, 0);
    if (count < 0) core.unknown(c);
    return core.list(std::vector<RubyValue>(
        items.begin(), items.begin() + static_cast<ptrdiff_t>(std::min<size_t>(items.size(), static_cast<size_t>(count)))));
  }
  case MethodId::m_take:
  case MethodId::m_drop: {
    core.need(c, 1);
    int64_t count = core.integer_argument(c, 0);
    if (count < 0) core.unknown(c);
    auto middle = items.begin() + static_cast<ptrdiff_t>(std::min<size_t>(items.size(), static_cast<size_t>(count)));
    return core.list(c.method == MethodId::m_take ? std::vector<RubyValue>(items.begin(), middle)
                                                  : std::vector<RubyValue>(middle, items.end()));
  }
  case MethodId::m_take_while:
  case MethodId::m_drop_while: {
    core.need(c, 0);
    if (lazy) return make_enumerator(core, c, items);
    size_t i = 0;
    while (i < items.size() && core.yield(c, items[i]).truthy()) ++i;
    auto middle = items.begin() + static_cast<ptrdiff_t>(i);
    return core.list(c.method == MethodId::m_take_while ? std::vector<RubyValue>(items.begin(), middle)
                                                        : std::vector<RubyValue>(middle, items.end()));
  }
  case MethodId::m_uniq: {
    core.need(c, 0);
    RubyValue seen = core.heap.hash();
    std::vector<RubyValue> out;
    for (const RubyValue& item : items) {
      RubyValue key = lazy ? item : core.yield(c, item);
      if (seen.h->find(key) != nullptr) continue;
      seen.h->set(key, item);
      out.push_back(item);
    }
    return core.list(std::move(out));
  }
  default: core.unknown(c);
  }
}

/// Whether the method yields its elements one by one and returns its receiver.
static bool only_yields(MethodId method) {
  switch (method) {
  case MethodId::m_each:
  case MethodId::m_each_with_index:
  case MethodId::m_each_slice:
  case MethodId::m_each_cons:
  case MethodId::m_each_char:
  case MethodId::m_each_line:
  case MethodId::m_times:
  case MethodId::m_upto:
  case MethodId::m_downto:
  case MethodId::m_reverse_each: return true;
  default: return false;
  }
}

/// Methods of the enumerator that a method without a block returned: `each_with_index.map { }`, `map.with_index(1) { }`.
/// Whether a method without a block gives an enumerator of exactly the elements that it passes to a block.
static bool is_list_base(MethodId base) {
  switch (base) {
  case MethodId::m_each_entry:
  case MethodId::m_reverse_each:
  case MethodId::m_each_with_index:
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_reject:
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_flat_map:
  case MethodId::m_each_char:
  case MethodId::m_times: return true;
  default: return only_yields(base);
  }
}

/// Whether a method may end before it has passed all elements to its block: nobody knows how many it will pass.
static bool ends_early(MethodId base) {
  switch (base) {
  case MethodId::m_find:
  case MethodId::m_detect:
  case MethodId::m_find_index:
  case MethodId::m_take_while:
  case MethodId::m_drop_while: return true;
  default: return false;
  }
}

/// Whether with_index is here for enumerators of the method. The library has it for all others.
static bool indexes(const RubyEnumerator& e) {
  switch (e.base) {
  case MethodId::m_map:
  case MethodId::m_collect:
  case MethodId::m_flat_map: return true;
  case MethodId::m_select:
  case MethodId::m_filter:
  case MethodId::m_reject: return e.source.is_array();
  default: return only_yields(e.base);
  }
}

RubyValue enumerator_method(Core& core, const MethodCall& c) {
  const RubyEnumerator& e = *c.self.e;
  switch (c.method) {
  case MethodId::m_size:
    if (ends_early(e.base)) return {};
    if (e.source.is_hash() || e.source.is_array()) return RubyValue::integer(static_cast<int64_t>(e.items.size()));
    core.unknown(c);
  case MethodId::m_with_index:
  case MethodId::m_each_with_index: {
    core.need(c, 0, c.method == MethodId::m_with_index ? 1 : 0);
    int64_t first = c.args.empty() || c.args[0].is_nil() ? 0 : core.integer_argument(c, 0);
    if (c.block == nullptr) {
      if (e.base == MethodId::m_each && first == 0) break;
      if (!only_yields(e.base)) core.unknown(c);
      std::vector<RubyValue> pairs;
      for (size_t i = 0; i < e.items.size(); ++i)
        pairs.push_back(core.list({e.items[i], RubyValue::integer(first + static_cast<int64_t>(i))}));
      return make_enumerator(core, {c.self, MethodId::m_each_with_index, c.name, {}, nullptr, c.line}, std::move(pairs));
    }
    if (!indexes(e)) core.unknown(c);
    // Run the base method over the items and pass its block the index, too.
    std::vector<RubyValue> results;
    for (size_t i = 0; i < e.items.size(); ++i)
      results.push_back(core.yield(c, e.items[i], RubyValue::integer(first + static_cast<int64_t>(i))));
    std::vector<RubyValue> out;
    switch (e.base) {
    case MethodId::m_map:
    case MethodId::m_collect: return core.list(std::move(results));
    case MethodId::m_select:
    case MethodId::m_filter:
    case MethodId::m_reject:
      for (size_t i = 0; i < results.size(); ++i)
        if (results[i].truthy() != (e.base == MethodId::m_reject)) out.push_back(e.items[i]);
      return core.list(std::move(out));
    case MethodId::m_flat_map:
      for (const RubyValue& r : results)
        if (r.is_array())
          out.insert(out.end(), r.a->items.begin(), r.a->items.end());
        else
          out.push_back(r);
      return core.list(std::move(out));
    default: return e.source;
    }
  }
  case MethodId::m_each:
    if (c.block == nullptr) return c.self;
    if (e.source.is(RubyKind::Enumerator)) core.unknown(c); // with_index(1) without a block
    return core.send(e.source, e.base, {}, c.line, c.block);
  case MethodId::m_next:
    core.need(c, 0);
    if (!only_yields(e.base)) core.unknown(c);
    if (e.at >= e.items.size()) throw RubyError{c.line, "iteration reached an end", RubyClass::StopIteration};
    return e.items[c.self.e->at++];
  case MethodId::m_to_a:
  case MethodId::m_entries:
    if (c.args.empty() && c.block == nullptr && e.base != MethodId::unknown && is_list_base(e.base)) return core.list(e.items);
    break;
  default:
    if (c.name == "peek" && c.args.empty() && only_yields(e.base)) {
      if (e.at >= e.items.size()) throw RubyError{c.line, "iteration reached an end", RubyClass::StopIteration};
      return e.items[e.at];
    }
    if (c.name == "rewind" && c.args.empty()) {
      c.self.e->at = 0;
      return c.self;
    }
    break;
  }
  // Treat the enumerator as a list of its elements, but only if the base method passes exactly those to its block.
  if (!only_yields(e.base) && e.base != MethodId::m_map && e.base != MethodId::m_collect) core.unknown(c);
  return enumerable_method(core, c, e.items);
}

} // namespace pupc::compiler::ruby
