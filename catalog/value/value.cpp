#include "catalog/value/value.h"

#include "catalog/base/stack.h"
#include "catalog/base/text_hash.h"
#include "catalog/value/frozen.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"

#include <bit>

namespace pupc::catalog {
namespace {

constexpr size_t index_threshold = 8;

uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

uint64_t hash_bytes(std::string_view s) { return mix(hash_of_text(s)); }

uint32_t index_size_for(size_t n) { return static_cast<uint32_t>(std::bit_ceil(n * 2)); }

} // namespace

Value Value::sensitive(Arena& a, Value v) {
  Value r;
  r.kind = Kind::Sensitive;
  r.inner = a.make<Value>(v);
  return r;
}

std::string to_string(const ResourceRef& ref) {
  std::string out;
  out.reserve(ref.type.size() + ref.title.size() + 2);
  out.append(ref.type).append("[").append(ref.title).append("]");
  return out;
}

namespace {
bool same_pattern(const Regex& a, const Regex& b) {
  return &a == &b || (a.source() == b.source() && a.ignore_case() == b.ignore_case() && a.extended() == b.extended() &&
                      a.multi_line() == b.multi_line());
}
} // namespace

bool eql(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
  case Kind::Undef:
  case Kind::Default: return true;
  case Kind::Bool: return a.b == b.b;
  case Kind::Int:
  case Kind::Timestamp:
  case Kind::Timespan: return a.i == b.i;
  case Kind::Float: return a.d == b.d;
  case Kind::String:
  case Kind::Binary:
  case Kind::Uri: return a.str() == b.str();
  case Kind::Regex: return same_pattern(*a.regex, *b.regex);
  case Kind::List: {
    auto x = a.items(), y = b.items();
    if (x.size() != y.size()) return false;
    check_native_stack();
    for (size_t i = 0; i < x.size(); ++i)
      if (!eql(x[i], y[i])) return false;
    return true;
  }
  case Kind::Hash: {
    check_native_stack();
    if (a.hash->size != b.hash->size) return false;
    for (const auto& e : a.hash->entries()) {
      const Value* other = b.hash->find(e.key);
      if (other == nullptr || !eql(e.value, *other)) return false;
    }
    return true;
  }
  case Kind::Type:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return a.opaque == b.opaque || a.opaque->equals(*b.opaque);
  case Kind::Ref: return a.ref->type == b.ref->type && a.ref->title == b.ref->title;
  case Kind::Sensitive: return eql(*a.inner, *b.inner);
  case Kind::Deferred: {
    if (a.deferred->name != b.deferred->name) return false;
    auto items = [](const List* l) { return l ? l->items() : std::span<const Value>(); };
    auto x = items(a.deferred->arguments), y = items(b.deferred->arguments);
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
      if (!eql(x[i], y[i])) return false;
    return true;
  }
  case Kind::SemVer: return compare(*a.semver, *b.semver) == 0 && a.semver->build == b.semver->build;
  case Kind::SemVerRange: return same_range(*a.semver_range, *b.semver_range);
  }
  return false;
}

uint64_t hash_of(const Value& v) {
  uint64_t seed = static_cast<uint64_t>(v.kind) * 0x9E3779B97F4A7C15ull;
  switch (v.kind) {
  case Kind::Undef:
  case Kind::Default: return mix(seed);
  case Kind::Bool: return mix(seed + v.b + 1);
  case Kind::Int:
  case Kind::Timestamp:
  case Kind::Timespan: return mix(seed ^ static_cast<uint64_t>(v.i));
  case Kind::Float: return mix(seed ^ std::bit_cast<uint64_t>(v.d == 0 ? 0.0 : v.d));
  case Kind::String:
  case Kind::Binary:
  case Kind::Uri: return hash_bytes(v.str()) ^ seed;
  case Kind::Regex: return hash_bytes(v.regex->source()) ^ seed;
  case Kind::List:
    check_native_stack();
    for (const auto& e : v.items()) seed = mix(seed * 31 + hash_of(e));
    return seed;
  case Kind::Hash: {
    check_native_stack();
    uint64_t sum = 0; // a sum, because equal hashes may differ in order
    for (const auto& e : v.hash->entries()) sum += mix(hash_of(e.key) * 31 + hash_of(e.value));
    return mix(seed + sum);
  }
  case Kind::Type:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: return v.opaque->hash() ^ seed;
  case Kind::Ref: return mix(hash_bytes(v.ref->type) * 31 + hash_bytes(v.ref->title)) ^ seed;
  case Kind::Sensitive: return mix(seed + hash_of(*v.inner));
  case Kind::Deferred: return hash_bytes(v.deferred->name) ^ seed;
  case Kind::SemVer: return mix(seed + v.semver->major * 1000003 + v.semver->minor * 1009 + v.semver->patch);
  case Kind::SemVerRange: return hash_bytes(comparators_of(*v.semver_range)) ^ seed;
  }
  return seed;
}

/// What most of a few keys fail at. `len` is a part of texts alone, and 0 of all others.
static bool may_equal(const Value& a, const Value& b) { return a.kind == b.kind && a.len == b.len; }

const Value* Hash::find(const Value& key) const {
  if (index_mask == 0) {
    for (uint32_t i = 0; i < size; ++i)
      if (may_equal(data[i].key, key) && eql(data[i].key, key)) return &data[i].value;
    return nullptr;
  }
  for (uint32_t slot = static_cast<uint32_t>(hash_of(key)) & index_mask;; slot = (slot + 1) & index_mask) {
    uint32_t n = index[slot];
    if (n == 0) return nullptr;
    if (eql(data[n - 1].key, key)) return &data[n - 1].value;
  }
}

const List* ListBuilder::finish_list() {
  auto span = arena_.copy_span<Value>(items_);
  return arena_.make<List>(List{static_cast<uint32_t>(span.size()), span.data()});
}
Value ListBuilder::finish() { return Value::of(finish_list()); }

Value make_list(Arena& arena, std::span<const Value> items) {
  auto span = arena.copy_span<Value>(items);
  return Value::of(arena.make<List>(List{static_cast<uint32_t>(span.size()), span.data()}));
}

HashBuilder::HashBuilder(Arena& arena, const Hash& from) : arena_(arena) {
  entries_.assign(from.entries().begin(), from.entries().end());
  reindex();
}

void HashBuilder::reindex() {
  index_.clear();
  if (entries_.size() <= index_threshold) return;
  index_.assign(index_size_for(entries_.size()) * 2, 0);
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  for (size_t i = 0; i < entries_.size(); ++i) {
    uint32_t slot = static_cast<uint32_t>(hash_of(entries_[i].key)) & mask;
    while (index_[slot] != 0) slot = (slot + 1) & mask;
    index_[slot] = static_cast<uint32_t>(i + 1);
  }
}

const Value* HashBuilder::find(const Value& key) const {
  if (index_.empty()) {
    for (const auto& e : entries_)
      if (may_equal(e.key, key) && eql(e.key, key)) return &e.value;
    return nullptr;
  }
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  for (uint32_t slot = static_cast<uint32_t>(hash_of(key)) & mask;; slot = (slot + 1) & mask) {
    uint32_t n = index_[slot];
    if (n == 0) return nullptr;
    if (eql(entries_[n - 1].key, key)) return &entries_[n - 1].value;
  }
}

void HashBuilder::set(Value key, Value value) {
  if (const Value* present = find(key)) {
    *const_cast<Value*>(present) = value;
    return;
  }
  entries_.push_back({frozen_text(key), value});
  if (index_.empty() || entries_.size() * 2 > index_.size()) {
    reindex();
    return;
  }
  uint32_t mask = static_cast<uint32_t>(index_.size() - 1);
  uint32_t slot = static_cast<uint32_t>(hash_of(key)) & mask;
  while (index_[slot] != 0) slot = (slot + 1) & mask;
  index_[slot] = static_cast<uint32_t>(entries_.size());
}

bool HashBuilder::erase(const Value& key) {
  for (size_t i = 0; i < entries_.size(); ++i)
    if (eql(entries_[i].key, key)) {
      entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
      reindex();
      return true;
    }
  return false;
}

const Hash* HashBuilder::finish_hash() {
  auto span = arena_.copy_span<HashEntry>(entries_);
  auto* h = arena_.make<Hash>(Hash{static_cast<uint32_t>(span.size()), 0, span.data(), nullptr});
  if (span.size() > index_threshold) {
    uint32_t n = index_size_for(span.size());
    auto* index = arena_.make_array<uint32_t>(n);
    std::fill_n(index, n, 0u);
    for (size_t i = 0; i < span.size(); ++i) {
      uint32_t slot = static_cast<uint32_t>(hash_of(span[i].key)) & (n - 1);
      while (index[slot] != 0) slot = (slot + 1) & (n - 1);
      index[slot] = static_cast<uint32_t>(i + 1);
    }
    h->index = index;
    h->index_mask = n - 1;
  }
  return h;
}
Value HashBuilder::finish() { return Value::of(finish_hash()); }

} // namespace pupc::catalog
