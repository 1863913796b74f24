// Methods that change an array in place.
#include "compiler/ruby/core/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pupc::compiler::ruby {

/// pop(n) and shift(n).
static RubyValue take_several(Core& core, const MethodCall& c, std::vector<RubyValue>& v) {
  const int64_t wanted = core.integer_argument(c, 0);
  if (wanted < 0) core.unknown(c);
  const auto count = static_cast<ptrdiff_t>(std::min<uint64_t>(static_cast<uint64_t>(wanted), v.size()));
  const auto begin = c.method == MethodId::m_pop ? v.end() - count : v.begin();
  std::vector<RubyValue> taken(begin, begin + count);
  v.erase(begin, begin + count);
  return core.list(std::move(taken));
}

RubyValue array_change_method(Core& core, const MethodCall& c) {
  core.check_changeable(c);
  std::vector<RubyValue>& v = c.self.a->items;
  size_t n = c.args.size();
  // Runs x! as x and stores the result in place. With `nil_when_same` the result is nil when nothing changed.
  auto in_place = [&](MethodId plain, bool nil_when_same) -> RubyValue {
    RubyValue made = core.call_method({c.self, plain, method_name(plain), c.args, c.block, c.line});
    if (!made.is_array()) core.unknown(c);
    bool same = made.a->items.size() == v.size();
    if (plain == MethodId::m_flatten) same = std::none_of(v.begin(), v.end(), [](const RubyValue& item) { return item.is_array(); });
    v = made.a->items;
    return same && nil_when_same ? RubyValue() : c.self;
  };
  switch (c.method) {
  case MethodId::ShiftLeft: core.need(c, 1); [[fallthrough]];
  case MethodId::m_push:
  case MethodId::m_append: std::ranges::copy(c.args, std::back_inserter(v)); return c.self;
  case MethodId::m_unshift:
  case MethodId::m_prepend: v.insert(v.begin(), c.args.begin(), c.args.end()); return c.self;
  case MethodId::m_pop:
  case MethodId::m_shift: {
    core.need(c, 0, 1);
    if (n == 1) return take_several(core, c, v);
    if (v.empty()) return {};
    RubyValue item = c.method == MethodId::m_pop ? v.back() : v.front();
    v.erase(c.method == MethodId::m_pop ? v.end() - 1 : v.begin());
    return item;
  }
  case MethodId::m_insert: {
    if (n < 2) core.unknown(c);
    int64_t at = core.integer_argument(c, 0);
    if (at < 0) at += static_cast<int64_t>(v.size()) + 1;
    if (at < 0 || at > 1'000'000) core.unknown(c);
    if (at > static_cast<int64_t>(v.size())) v.resize(static_cast<size_t>(at));
    v.insert(v.begin() + static_cast<ptrdiff_t>(at), c.args.begin() + 1, c.args.end());
    return c.self;
  }
  case MethodId::m_concat: {
    std::vector<RubyValue> more;
    for (size_t i = 0; i < n; ++i) more.insert(more.end(), core.array_argument(c, i).begin(), core.array_argument(c, i).end());
    v.insert(v.end(), more.begin(), more.end());
    return c.self;
  }
  case MethodId::m_clear:
    core.need(c, 0);
    v.clear();
    return c.self;
  case MethodId::m_replace: {
    core.need(c, 1);
    std::vector<RubyValue> with = core.array_argument(c, 0);
    v = std::move(with);
    return c.self;
  }
  case MethodId::m_delete: {
    core.need(c, 1);
    if (c.block != nullptr) core.unknown(c);
    RubyValue found;
    RubyValue unwanted = c.args[0];
    std::erase_if(v, [&](const RubyValue& item) {
      if (!core.equals(item, unwanted)) return false;
      found = item;
      return true;
    });
    return found;
  }
  case MethodId::m_delete_at: {
    core.need(c, 1);
    int64_t i = core.integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i < 0 || i >= static_cast<int64_t>(v.size())) return {};
    RubyValue item = v[static_cast<size_t>(i)];
    v.erase(v.begin() + static_cast<ptrdiff_t>(i));
    return item;
  }
  case MethodId::IndexSet: {
    core.need(c, 2);
    if (c.args[0].is(RubyKind::Range)) core.unknown(c);
    int64_t i = core.integer_argument(c, 0);
    if (i < 0) i += static_cast<int64_t>(v.size());
    if (i < 0 || i > 1'000'000) core.unknown(c);
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
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
