// The gem's algorithm changes arrays in place and relies on two names for one array. Values are immutable here, so the algorithm works on
// trees of its own.
#include "catalog/base/stack.h"
#include "catalog/value/regex.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/hiera/errors.h"
#include "compiler/hiera/merge.h"
#include "compiler/types/ruby_class.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

struct Tree;
struct TreeEntry {
  Value key;
  Tree* value;
};

struct Tree {
  enum class Form : uint8_t { Scalar, Array, Hash } form = Form::Scalar;
  Value scalar;
  std::vector<Tree*> items;
  std::vector<TreeEntry> entries;
  std::unordered_map<uint64_t, std::vector<uint32_t>> index; // positions of entries, by hash of the key

  bool falsy() const { return form == Form::Scalar && !scalar.truthy(); }
  bool is_nil() const { return form == Form::Scalar && scalar.is_undef(); }
  bool is_string() const { return form == Form::Scalar && scalar.is_string(); }

  Tree** find(const Value& key) {
    auto it = index.find(hash_of(key));
    if (it == index.end()) return nullptr;
    for (uint32_t i : it->second)
      if (eql(entries[i].key, key)) return &entries[i].value;
    return nullptr;
  }
  void set(const Value& key, Tree* value) {
    if (Tree** slot = find(key)) {
      *slot = value;
      return;
    }
    index[hash_of(key)].push_back(static_cast<uint32_t>(entries.size()));
    entries.push_back({key, value});
  }
};

bool same(const Tree& a, const Tree& b) {
  check_native_stack();
  if (&a == &b) return true;
  if (a.form != b.form) return false;
  switch (a.form) {
  case Tree::Form::Scalar: return eql(a.scalar, b.scalar);
  case Tree::Form::Array:
    return a.items.size() == b.items.size() &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), [](const Tree* x, const Tree* y) { return same(*x, *y); });
  case Tree::Form::Hash:
    if (a.entries.size() != b.entries.size()) return false;
    for (const auto& e : a.entries) {
      Tree** other = const_cast<Tree&>(b).find(e.key);
      if (!other || !same(*e.value, **other)) return false;
    }
    return true;
  }
  return false;
}

uint64_t hash_tree(const Tree& t) {
  check_native_stack();
  switch (t.form) {
  case Tree::Form::Scalar: return hash_of(t.scalar);
  case Tree::Form::Array: {
    uint64_t h = 0xA5A5;
    for (const Tree* i : t.items) h = h * 1099511628211ull + hash_tree(*i);
    return h;
  }
  case Tree::Form::Hash: {
    uint64_t h = 0x5A5A;
    for (const auto& e : t.entries) h += hash_of(e.key) * 31 + hash_tree(*e.value); // order does not matter
    return h;
  }
  }
  return 0;
}

class Merger {
public:
  Merger(TypeContext& types, const DeepMergeOptions& options) : types_(types), arena_(types.arena), options_(options) {
    if (!options.knockout_prefix.empty()) knockout_.emplace("^" + options.knockout_prefix);
  }

  Tree* tree(const Value& v) {
    Tree* t = make();
    if (v.is_list()) {
      t->form = Tree::Form::Array;
      for (const Value& item : v.items()) t->items.push_back(tree(item));
    } else if (v.is_hash()) {
      t->form = Tree::Form::Hash;
      for (const auto& e : v.hash->entries()) t->set(e.key, tree(e.value));
    } else {
      t->scalar = v;
    }
    return t;
  }

  Value value(const Tree& t) {
    switch (t.form) {
    case Tree::Form::Scalar: return t.scalar;
    case Tree::Form::Array: {
      ListBuilder list(arena_, t.items.size());
      for (const Tree* i : t.items) list.add(value(*i));
      return list.finish();
    }
    case Tree::Form::Hash: {
      HashBuilder hash(arena_, t.entries.size());
      for (const auto& e : t.entries) hash.set(e.key, value(*e.value));
      return hash.finish();
    }
    }
    return Value::undef();
  }

  Tree* merge(Tree* source, Tree* dest) {
    if (source->is_nil()) return dest;
    if (dest->falsy()) return source;
    switch (source->form) {
    case Tree::Form::Hash: return merge_hash(source, dest);
    case Tree::Form::Array: return merge_array(source, dest);
    case Tree::Form::Scalar: return overwrite(source);
    }
    return dest;
  }

private:
  Tree* make() { return &trees_.emplace_back(); }

  /// Ruby's dup: both copies share the children.
  Tree* dup(const Tree& t) {
    Tree* copy = make();
    *copy = t;
    return copy;
  }

  Tree* merge_hash(Tree* source, Tree* dest) {
    for (size_t i = 0; i < source->entries.size(); ++i) {
      TreeEntry entry = source->entries[i];
      if (dest->form != Tree::Form::Hash) {
        dest = overwrite(source);
        continue;
      }
      Tree** slot = dest->find(entry.key);
      Tree* merged = slot && !(*slot)->falsy() ? merge(entry.value, *slot) : merge(entry.value, dup(*entry.value));
      dest->set(entry.key, merged);
    }
    return dest;
  }

  Tree* merge_array(Tree* source, Tree* dest) {
    if (knockout_ && has_string(*source, options_.knockout_prefix)) {
      if (dest->form == Tree::Form::Scalar && !dest->scalar.is_string()) {
        dest = make(); // Ruby's nil
      } else {
        dest->items.clear();
        dest->entries.clear();
        dest->index.clear();
        if (dest->form == Tree::Form::Scalar) dest->scalar = Value::string("");
      }
      std::erase_if(source->items, [&](const Tree* t) { return t->is_string() && t->scalar.str() == options_.knockout_prefix; });
    }
    if (dest->form != Tree::Form::Array) return overwrite(source);
    if (knockout_) knock_out(*source, *dest);
    if (options_.merge_hash_arrays && all_hashes(*source) && all_hashes(*dest)) {
      Tree* list = make();
      list->form = Tree::Form::Array;
      for (size_t i = 0; i < dest->items.size(); ++i) {
        Tree* from = i < source->items.size() ? source->items[i] : make();
        if (i >= source->items.size()) from->form = Tree::Form::Hash;
        list->items.push_back(merge(from, dest->items[i]));
      }
      for (size_t i = dest->items.size(); i < source->items.size(); ++i) list->items.push_back(source->items[i]);
      dest = list;
    } else {
      dest = united(*dest, *source);
    }
    if (options_.sort_merged_arrays)
      for (size_t i = 1; i < dest->items.size(); ++i)
        compare(*dest->items[i - 1], *dest->items[i]); // report the first pair that has no order
    if (options_.sort_merged_arrays)
      std::stable_sort(dest->items.begin(), dest->items.end(), [this](const Tree* a, const Tree* b) { return compare(*a, *b) < 0; });
    return dest;
  }

  static bool all_hashes(const Tree& t) {
    return std::all_of(t.items.begin(), t.items.end(), [](const Tree* i) { return i->form == Tree::Form::Hash; });
  }

  static bool has_string(const Tree& t, std::string_view s) {
    return std::any_of(t.items.begin(), t.items.end(), [&](const Tree* i) { return i->is_string() && i->scalar.str() == s; });
  }

  /// The text without the knockout prefixes at the starts of lines.
  std::string without_prefix(std::string_view s) const {
    std::string out;
    size_t at = 0;
    while (at <= s.size()) {
      MatchResult m = knockout_->search(s, at);
      if (!m.matched) break;
      auto [begin, end] = m.groups[0];
      out += s.substr(at, static_cast<size_t>(begin) - at);
      if (end == begin) { // only a prefix that is a pattern can match nothing; avoid an endless loop
        if (static_cast<size_t>(end) < s.size()) out += s[static_cast<size_t>(end)];
        at = static_cast<size_t>(end) + 1;
      } else {
        at = static_cast<size_t>(end);
      }
    }
    if (at < s.size()) out += s.substr(at);
    return out;
  }

  /// Ruby's source.delete_if, whose block deletes from dest. Source and dest may be the same array.
  void knock_out(Tree& source, Tree& dest) {
    size_t kept = 0;
    for (size_t i = 0; i < source.items.size(); ++i) {
      Tree* item = source.items[i];
      bool drop = false;
      if (item->is_string()) {
        std::string rest = without_prefix(item->scalar.str());
        if (rest != item->scalar.str()) {
          auto erase = [&](std::string_view text) {
            std::erase_if(dest.items, [&](const Tree* t) { return t->is_string() && t->scalar.str() == text; });
          };
          erase(rest);
          erase(item->scalar.str());
          drop = true;
        }
      }
      if (!drop) {
        if (kept < source.items.size()) source.items[kept] = item;
        ++kept;
      }
    }
    if (kept < source.items.size()) source.items.resize(kept);
  }

  /// Ruby's `a | b`: no duplicates, in the order of first appearance.
  Tree* united(const Tree& a, const Tree& b) {
    Tree* out = make();
    out->form = Tree::Form::Array;
    std::unordered_map<uint64_t, std::vector<Tree*>> seen;
    auto add = [&](Tree* t) {
      auto& bucket = seen[hash_tree(*t)];
      if (std::any_of(bucket.begin(), bucket.end(), [&](const Tree* known) { return same(*known, *t); })) return;
      bucket.push_back(t);
      out->items.push_back(t);
    };
    for (Tree* t : a.items) add(t);
    for (Tree* t : b.items) add(t);
    return out;
  }

  Tree* overwrite(Tree* source) {
    if (!knockout_) return source;
    if (source->is_string()) {
      if (without_prefix(source->scalar.str()) == source->scalar.str()) return source;
      Tree* empty = make(); // a knocked out text only deletes
      empty->scalar = Value::string("");
      return empty;
    }
    if (source->form == Tree::Form::Array)
      std::erase_if(source->items, [&](const Tree* t) { return t->is_string() && knockout_->matches(t->scalar.str()); });
    return source;
  }

  /// Ruby's <=>. Throws when two values have no order.
  int compare(const Tree& a, const Tree& b) {
    if (a.form == Tree::Form::Scalar && b.form == Tree::Form::Scalar) {
      const Value &x = a.scalar, &y = b.scalar;
      if (x.is_string() && y.is_string()) return x.str().compare(y.str());
      if (x.is_int() && y.is_int()) return x.i < y.i ? -1 : x.i > y.i;
      if (x.is_number() && y.is_number()) {
        double l = x.is_int() ? static_cast<double>(x.i) : x.d, r = y.is_int() ? static_cast<double>(y.i) : y.d;
        if (l == l && r == r) return l < r ? -1 : l > r;
      }
      if (eql(x, y)) return 0;
    } else if (a.form == Tree::Form::Array && b.form == Tree::Form::Array) {
      for (size_t i = 0; i < a.items.size() && i < b.items.size(); ++i)
        if (int c = compare(*a.items[i], *b.items[i])) return c;
      return a.items.size() < b.items.size() ? -1 : a.items.size() > b.items.size();
    } else if (same(a, b)) {
      return 0;
    }
    throw_argument_error(fmt::format("comparison of {} with {} failed", ruby_class_name(value(a)), ruby_operand(types_, value(b))));
  }

  TypeContext& types_;
  Arena& arena_;
  const DeepMergeOptions& options_;
  std::optional<Regex> knockout_;
  std::deque<Tree> trees_;
};

} // namespace

Value deep_merge(TypeContext& types, const Value& source, const Value& dest, const DeepMergeOptions& options) {
  try {
    Merger merger(types, options);
    return merger.value(*merger.merge(merger.tree(source), merger.tree(dest)));
  } catch (const RegexError& error) { // like the gem, read the prefix as a pattern
    throw_argument_error(error.message);
  }
}

} // namespace pupc::compiler
