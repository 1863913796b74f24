// Explains why a value or an argument list does not fit, in Puppet's words.
#include "compiler/types/mismatch.h"
#include "catalog/base/stack.h"
#include "compiler/types/alias_step.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace pupc::compiler {
namespace {

struct PathElement {
  enum class Kind : uint8_t { Subject, EntryValue, EntryKey, Parameter, Return, Block, Index, Variant, Signature } kind;
  std::string text;
  int64_t number = 0;

  bool operator==(const PathElement&) const = default;
  bool variant() const { return kind == Kind::Variant || kind == Kind::Signature; }
  std::string to_string() const {
    switch (kind) {
    case Kind::Subject:
    case Kind::Return:
    case Kind::Block: return text;
    case Kind::EntryValue: return "entry '" + text + "'";
    case Kind::EntryKey: return "key of entry '" + text + "'";
    case Kind::Parameter: return "parameter '" + text + "'";
    case Kind::Index: return "index " + std::to_string(number);
    case Kind::Variant: return "variant " + std::to_string(number);
    case Kind::Signature: return std::to_string(number + 1) + ".";
    }
    return {};
  }
};
using Path = std::vector<PathElement>;
using PK = PathElement::Kind;

Path with(const Path& p, PK kind, std::string text = {}, int64_t number = 0) {
  Path out = p;
  out.push_back({kind, std::move(text), number});
  return out;
}

enum class What : uint8_t {
  Type,
  Pattern,
  Size,
  Count,
  MissingKey,
  ExtraneousKey,
  MissingParameter,
  InvalidParameter,
  UnexpectedBlock,
  MissingBlock,
  Unresolved
};

struct Mismatch {
  What what;
  Path path;
  const Type* expected = nullptr;
  const Type* actual = nullptr;
  Range expected_size = {}, actual_size = {};
  std::string key = {};
};

class Describer {
public:
  /// `brief`: aliases of long types by their names alone.
  explicit Describer(TypeContext& c, bool brief = false) : ctx(c), arena(c.arena), brief_(brief) {}

  std::vector<Mismatch> describe(const Type* expected, const Type* actual, const Path& path) {
    check_native_stack();
    std::vector<const Type*> aliases;
    if (std::string_view unresolved = unresolved_in(expected, aliases); !unresolved.empty()) {
      Mismatch m{What::Unresolved, path};
      m.key = unresolved;
      return {m};
    }
    return describe_as(normalize(ctx, expected), expected, actual, path);
  }

  std::string format(const Mismatch& m, size_t skip = 0) const {
    Path p(m.path.begin() + static_cast<ptrdiff_t>(std::min(skip, m.path.size())), m.path.end());
    std::string variant, position;
    if (!p.empty() && p[0].kind == PK::Signature) {
      variant = " " + p[0].to_string();
      p.erase(p.begin());
    }
    for (const auto& e : p) position += " " + e.to_string();
    return variant + position + message(m);
  }

  static Mismatch chopped(Mismatch m, size_t at) {
    if (at < m.path.size()) m.path.erase(m.path.begin() + static_cast<ptrdiff_t>(at));
    return m;
  }

  std::vector<Mismatch> signature_arguments(const CallSignature& s, std::span<const Type* const> args, bool with_block, const Path& path) {
    const auto& callable = type_cast<CallableType>(s.callable);
    (void)with_block;
    if (callable.parameters == nullptr) return {};
    auto n = static_cast<int64_t>(args.size());
    const TupleType& params = *callable.parameters;
    Range size = params.types.empty() && !params.has_size ? Range::at_least(0) : params.size;
    if (!size.contains(n)) {
      Mismatch m{What::Count, path};
      m.expected_size = size;
      m.actual_size = Range::of(n, n);
      return {m};
    }
    for (size_t i = 0; i < args.size() && !params.types.empty(); ++i) {
      size_t k = std::min(i, params.types.size() - 1);
      if (is_assignable(ctx, params.types[k], args[i])) continue;
      std::string name = k < s.names.size() ? std::string(s.names[k]) : std::string();
      auto found = describe(params.types[k], args[i], with(path, PK::Parameter, name));
      if (!found.empty()) return found;
    }
    return {};
  }

  std::vector<Mismatch> signature_block(const CallSignature& s, const Type* block, const Path& path) {
    const auto& callable = type_cast<CallableType>(s.callable);
    if (block != nullptr) {
      if (callable.block == nullptr) return {Mismatch{What::UnexpectedBlock, path}};
      return describe(callable.block, block, with(path, PK::Block, "block"));
    }
    if (callable.block == nullptr || is_assignable(ctx, callable.block, types::undef())) return {};
    return {Mismatch{What::MissingBlock, path}};
  }

  std::vector<Mismatch> merge(size_t varying, What size_class, const std::vector<std::vector<Mismatch>>& groups) {
    std::vector<Mismatch> all;
    for (const auto& g : groups) all.insert(all.end(), g.begin(), g.end());
    for (What what : {size_class, What::MissingBlock, What::UnexpectedBlock, What::Type}) {
      std::vector<Mismatch> mine;
      for (const auto& m : all)
        if (is_a(m, what)) mine.push_back(m);
      if (mine.size() != groups.size() || mine.empty()) continue;
      bool same_path = true;
      Mismatch merged = mine[0];
      for (size_t i = 1; i < mine.size() && same_path; ++i) {
        same_path = canonical(merged.path) == canonical(mine[i].path);
        if (same_path) merged = merge_two(merged, mine[i]);
      }
      if (same_path) {
        all = {merged};
        break;
      }
    }
    std::vector<Mismatch> unique;
    for (const auto& m : all) {
      bool known = false;
      for (const auto& u : unique) known = known || same(u, m);
      if (!known) unique.push_back(m);
    }
    if (unique.size() == 1) return {chopped(unique[0], varying)};
    return unique;
  }

private:
  TypeContext& ctx;
  Arena& arena;
  const bool brief_;

  static bool is_a(const Mismatch& m, What what) {
    if (what == What::Type) return m.what == What::Type || m.what == What::Pattern;
    if (what == What::Size) return m.what == What::Size || m.what == What::Count;
    return m.what == what;
  }
  static Path canonical(const Path& p) {
    Path out;
    for (const auto& e : p)
      if (!e.variant()) out.push_back(e);
    return out;
  }
  /// Puppet compares mismatches about blocks by their paths. All other mismatches are never equal, because Puppet's == has a bug.
  static bool same(const Mismatch& a, const Mismatch& b) {
    return a.what == b.what && (a.what == What::MissingBlock || a.what == What::UnexpectedBlock) && canonical(a.path) == canonical(b.path);
  }
  Mismatch merge_two(const Mismatch& a, const Mismatch& b) {
    Mismatch m = a;
    if (a.what == What::Type || a.what == What::Pattern) {
      const Type* both[] = {a.expected, b.expected};
      m.expected = normalize(ctx, types::variant(arena, both));
    } else if (a.what == What::Size || a.what == What::Count) {
      int64_t from_a = a.expected_size.from_open ? 0 : a.expected_size.from, from_b = b.expected_size.from_open ? 0 : b.expected_size.from;
      m.expected_size = Range::at_least(std::min(from_a, from_b));
      if (!a.expected_size.to_open && !b.expected_size.to_open)
        m.expected_size = Range::of(std::min(from_a, from_b), std::max(a.expected_size.to, b.expected_size.to));
    }
    return m;
  }

  Mismatch mismatch(What what, const Path& path, const Type* expected, const Type* actual) {
    Mismatch m{what, path};
    m.expected = normalize(ctx, expected);
    m.actual = normalize(ctx, actual);
    return m;
  }
  static Mismatch size_mismatch(const Path& path, Range expected, Range actual, What what = What::Size) {
    Mismatch m{what, path};
    m.expected_size = expected;
    m.actual_size = actual;
    return m;
  }
  static Mismatch key_mismatch(What what, const Path& path, std::string_view key) {
    Mismatch m{what, path};
    m.key = key;
    return m;
  }

  /// The first unresolved type reference inside a type, also through aliases; empty when everything is resolved.
  std::string_view unresolved_in(const Type* t, std::vector<const Type*>& aliases) {
    if (t == nullptr) return {};
    check_native_stack();
    auto any_of = [&](std::span<const Type* const> list) -> std::string_view {
      for (const Type* one : list)
        if (auto r = unresolved_in(one, aliases); !r.empty()) return r;
      return {};
    };
    switch (t->kind) {
    case TypeKind::TypeReference: return type_cast<TypeReferenceType>(t).text;
    case TypeKind::Array: return unresolved_in(type_cast<ArrayType>(t).element, aliases);
    case TypeKind::Hash: {
      const Type* both[] = {type_cast<HashType>(t).key, type_cast<HashType>(t).value};
      return any_of(both);
    }
    case TypeKind::Tuple: return any_of(type_cast<TupleType>(t).types);
    case TypeKind::Variant: return any_of(type_cast<VariantType>(t).types);
    case TypeKind::Struct:
      for (const auto& e : type_cast<StructType>(t).elements)
        if (auto r = unresolved_in(e.value, aliases); !r.empty()) return r;
      return {};
    case TypeKind::Optional:
    case TypeKind::NotUndef:
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
    case TypeKind::Sensitive: return unresolved_in(type_cast<WrapperType>(t).inner, aliases);
    case TypeKind::TypeAlias:
      if (std::find(aliases.begin(), aliases.end(), t) != aliases.end()) return {};
      aliases.push_back(t);
      return unresolved_in(type_cast<TypeAliasType>(t).resolved, aliases);
    default: return {};
    }
  }

  std::vector<Mismatch> describe_as(const Type* expected, const Type* original, const Type* actual, const Path& path) {
    switch (expected->kind) {
    case TypeKind::Variant: return variant(type_cast<VariantType>(expected), original, actual, path);
    case TypeKind::Struct: return structure(type_cast<StructType>(expected), original, actual, path);
    case TypeKind::Hash: return hash(type_cast<HashType>(expected), original, actual, path);
    case TypeKind::Tuple: return tuple(type_cast<TupleType>(expected), original, actual, path, What::Size);
    case TypeKind::Array: return array(type_cast<ArrayType>(expected), original, actual, path);
    case TypeKind::Callable: return callable(type_cast<CallableType>(expected), original, actual, path);
    case TypeKind::Optional: {
      const Type* inner = type_cast<WrapperType>(expected).inner;
      if (actual->kind == TypeKind::Undef || inner == nullptr) return {};
      return describe_as(inner, original->kind == TypeKind::TypeAlias ? original : expected, actual, path);
    }
    case TypeKind::Pattern:
    case TypeKind::Enum: return {mismatch(What::Pattern, path, original, actual)};
    case TypeKind::TypeAlias: {
      const Type* named = expected; // for an alias of an alias Puppet's message names the inner one
      for (const Type* next = type_cast<TypeAliasType>(named).resolved;
           next != nullptr && next->kind == TypeKind::TypeAlias && next != expected; next = type_cast<TypeAliasType>(next).resolved)
        named = next;
      const AliasStep step(expected, actual);
      step.refuse_again();
      return describe_as(normalize(ctx, resolve_alias(ctx, expected)), named, actual, path);
    }
    case TypeKind::Data:
    case TypeKind::RichData:
      // In Puppet, Data and RichData are aliases of a Variant that accepts undef.
      if (actual->kind == TypeKind::Undef) return {};
      return variant(expected->kind == TypeKind::Data ? data_variant() : rich_data_variant(), expected, actual, path);
    default:
      return is_assignable(ctx, expected, actual) ? std::vector<Mismatch>{}
                                                  : std::vector<Mismatch>{mismatch(What::Type, path, original, actual)};
    }
  }

  const VariantType& data_variant() {
    const Type* list[] = {types::scalar_data(), types::hash(arena, types::string(), types::data()), types::array(arena, types::data())};
    return *arena.make<VariantType>(std::span<const Type* const>(arena.copy_span<const Type*>(std::span<const Type* const>(list))));
  }
  const VariantType& rich_data_variant() {
    const Type* list[] = {types::scalar(),
                          types::sem_ver_range(),
                          types::binary(),
                          types::sensitive_any(),
                          types::type_type(),
                          types::type_set(),
                          types::uri(),
                          types::object(),
                          types::default_type(),
                          types::hash(arena, types::rich_data_key(), types::rich_data()),
                          types::array(arena, types::rich_data())};
    return *arena.make<VariantType>(std::span<const Type* const>(arena.copy_span<const Type*>(std::span<const Type* const>(list))));
  }

  std::vector<Mismatch> variant(const VariantType& expected, const Type* original, const Type* actual, const Path& path) {
    std::vector<std::vector<Mismatch>> groups;
    std::vector<const Type*> list(expected.types.begin(), expected.types.end());
    if (original->kind == TypeKind::Optional) list.insert(list.begin(), types::undef());
    bool alias = named_alias(original);
    for (size_t i = 0; i < list.size(); ++i) {
      auto d = describe(list[i], actual, with(path, PK::Variant, {}, static_cast<int64_t>(i)));
      if (d.empty()) return {};
      groups.push_back(std::move(d));
    }
    auto merged = merge(path.size(), What::Size, groups);
    if (alias && merged.size() == 1) return {mismatch(What::Type, path, original, actual)};
    return merged;
  }

  static Range sized(const TupleType& t) { return t.types.empty() && !t.has_size ? Range::at_least(0) : t.size; }

  std::vector<Mismatch> array(const ArrayType& expected, const Type* original, const Type* actual, const Path& path) {
    std::vector<Mismatch> out;
    if (actual->kind == TypeKind::Tuple) {
      const auto& t = type_cast<TupleType>(actual);
      if (!expected.size.contains(sized(t))) return {size_mismatch(path, expected.size, sized(t))};
      for (size_t i = 0; i < t.types.size(); ++i)
        if (!is_assignable(ctx, expected.element, t.types[i])) {
          auto d = describe(expected.element, t.types[i], with(path, PK::Index, {}, static_cast<int64_t>(i)));
          out.insert(out.end(), d.begin(), d.end());
        }
      return out;
    }
    if (actual->kind == TypeKind::Array) {
      const auto& a = type_cast<ArrayType>(actual);
      if (expected.has_size && !expected.size.contains(a.size)) return {size_mismatch(path, expected.size, a.size)};
      return {mismatch(What::Type, path, original, types::array(arena, a.element))};
    }
    return {mismatch(What::Type, path, original, actual)};
  }

  std::vector<Mismatch> hash(const HashType& expected, const Type* original, const Type* actual, const Path& path) {
    std::vector<Mismatch> out;
    if (actual->kind == TypeKind::Struct) {
      const auto& elements = type_cast<StructType>(actual).elements;
      int64_t required = 0;
      for (const auto& e : elements) required += e.optional ? 0 : 1;
      Range size = Range::of(required, static_cast<int64_t>(elements.size()));
      if (!expected.size.contains(size)) return {size_mismatch(path, expected.size, size)};
      for (const auto& e : elements) {
        auto add = [&](const Type* want, const Type* have, PK kind) {
          if (is_assignable(ctx, want, have)) return;
          auto d = describe(want, have, with(path, kind, std::string(e.name)));
          out.insert(out.end(), d.begin(), d.end());
        };
        add(expected.key, e.key, PK::EntryKey);
        add(expected.value, e.value, PK::EntryValue);
      }
      return out;
    }
    if (actual->kind == TypeKind::Hash) {
      const auto& h = type_cast<HashType>(actual);
      if (expected.has_size && !expected.size.contains(h.size)) return {size_mismatch(path, expected.size, h.size)};
      return {mismatch(What::Type, path, original, types::hash(arena, h.key, h.value))};
    }
    return {mismatch(What::Type, path, original, actual)};
  }

  std::vector<Mismatch> structure(const StructType& expected, const Type* original, const Type* actual, const Path& path) {
    std::vector<Mismatch> out;
    if (actual->kind == TypeKind::Struct) {
      const auto& other = type_cast<StructType>(actual);
      for (const auto& e : expected.elements) {
        const StructElement* mine = other.find(e.name);
        if (mine == nullptr) {
          if (!e.optional) out.push_back(key_mismatch(What::MissingKey, path, e.name));
          continue;
        }
        if (is_assignable(ctx, e.value, mine->value)) continue;
        auto d = describe(e.value, mine->value, with(path, PK::EntryValue, std::string(e.name)));
        out.insert(out.end(), d.begin(), d.end());
      }
      for (const auto& e : other.elements)
        if (expected.find(e.name) == nullptr) out.push_back(key_mismatch(What::ExtraneousKey, path, e.name));
      return out;
    }
    if (actual->kind == TypeKind::Hash) {
      const auto& h = type_cast<HashType>(actual);
      int64_t required = 0;
      for (const auto& e : expected.elements) required += e.optional ? 0 : 1;
      Range size = Range::of(required, static_cast<int64_t>(expected.elements.size()));
      if (!size.contains(h.size)) return {size_mismatch(path, size, h.size)};
      return {mismatch(What::Type, path, original, types::hash(arena, h.key, h.value))};
    }
    return {mismatch(What::Type, path, original, actual)};
  }

  std::vector<Mismatch> tuple(const TupleType& expected, const Type* original, const Type* actual, const Path& path, What size_class) {
    if (expected.equals(*actual) || (expected.types.empty() && actual->kind == TypeKind::Array)) return {};
    std::vector<Mismatch> out;
    auto add = [&](const Type* want, const Type* have, size_t index) {
      if (is_assignable(ctx, want, have)) return;
      auto d = describe(want, have, with(path, PK::Index, {}, static_cast<int64_t>(index)));
      out.insert(out.end(), d.begin(), d.end());
    };
    if (actual->kind == TypeKind::Tuple) {
      const auto& t = type_cast<TupleType>(actual);
      if (!sized(expected).contains(sized(t))) return {size_mismatch(path, sized(expected), sized(t), size_class)};
      for (size_t i = 0; i < t.types.size() && !expected.types.empty(); ++i) {
        size_t k = std::min(i, expected.types.size() - 1);
        add(expected.types[k], t.types[i], k);
      }
      return out;
    }
    if (actual->kind == TypeKind::Array) {
      const auto& a = type_cast<ArrayType>(actual);
      if (!sized(expected).contains(a.size)) return {size_mismatch(path, sized(expected), a.size, size_class)};
      for (size_t i = 0; i < expected.types.size(); ++i) add(expected.types[i], a.element, i);
      return out;
    }
    return {mismatch(What::Type, path, original, actual)};
  }

  std::vector<Mismatch> callable(const CallableType& expected, const Type* original, const Type* actual, const Path& path) {
    if (actual->kind != TypeKind::Callable) return {mismatch(What::Type, path, original, actual)};
    const auto& other = type_cast<CallableType>(actual);
    if (expected.parameters == nullptr && expected.returns == nullptr) return {};
    if (expected.parameters != nullptr && other.parameters != nullptr) {
      auto d = tuple(*expected.parameters, expected.parameters, other.parameters, path, What::Count);
      if (!d.empty()) return d;
    }
    const Type *want = expected.returns == nullptr ? types::any() : expected.returns,
               *have = other.returns == nullptr ? types::any() : other.returns;
    if (!is_assignable(ctx, want, have)) return {mismatch(What::Type, with(path, PK::Return, "return"), want, have)};
    const Type *this_block = expected.block == nullptr ? types::undef() : expected.block,
               *that_block = other.block == nullptr ? types::undef() : other.block;
    if (is_assignable(ctx, that_block, this_block)) return {};
    return {mismatch(What::Type, with(path, PK::Block, "block"), this_block, that_block)};
  }

  // -- texts

  static std::string range_text(const Range& r, const char* zero) {
    int64_t min = r.from_open ? 0 : r.from;
    if (!r.to_open && min == r.to) return min == 0 ? zero : std::to_string(min);
    if (min == 0) return r.to_open ? "unlimited" : fmt::format("at most {}", r.to);
    return r.to_open ? fmt::format("at least {}", min) : fmt::format("between {} and {}", min, r.to);
  }

  std::string message(const Mismatch& m) const {
    switch (m.what) {
    case What::MissingKey: return fmt::format(" expects a value for key '{}'", m.key);
    case What::MissingParameter: return fmt::format(" expects a value for parameter '{}'", m.key);
    case What::ExtraneousKey: return fmt::format(" unrecognized key '{}'", m.key);
    case What::InvalidParameter: return fmt::format(" has no parameter named '{}'", m.key);
    case What::UnexpectedBlock: return " does not expect a block";
    case What::MissingBlock: return " expects a block";
    case What::Unresolved: return fmt::format(" references an unresolved type '{}'", m.key);
    case What::Size: return fmt::format(" expects size to be {}, got {}", range_text(m.expected_size, "0"), range_text(m.actual_size, "0"));
    case What::Count: {
      int64_t min = m.expected_size.from_open ? 0 : m.expected_size.from;
      bool open = m.expected_size.to_open;
      int64_t max = m.expected_size.to;
      bool one = (min == 1 && (open || max == 1)) || (min == 0 && !open && max == 1);
      return fmt::format(" expects {} argument{}, got {}", range_text(m.expected_size, "no"), one ? "" : "s",
                         range_text(m.actual_size, "none"));
    }
    case What::Pattern: return pattern_text(m);
    case What::Type: return type_text(m);
    }
    return {};
  }

  static const Type* contained(const Type* t) {
    switch (t->kind) {
    case TypeKind::Optional:
    case TypeKind::NotUndef:
    case TypeKind::Type:
    case TypeKind::Iterable:
    case TypeKind::Iterator:
    case TypeKind::Sensitive: return type_cast<WrapperType>(t).inner;
    default: return nullptr;
    }
  }
  static std::string short_name(const Type* t) {
    const Type* inner = contained(t);
    if (inner != nullptr && inner->kind != TypeKind::Any) return fmt::format("{}[{}]", type_base_name(t), type_base_name(inner));
    return std::string(type_base_name(t));
  }
  static std::string article(const std::string& name) {
    bool vowel = !name.empty() && std::string_view("aeiouyAEIOUY").find(name[0]) != std::string_view::npos && name[0] != 'y' &&
                 name[0] != 'Y';
    return (vowel ? "an " : "a ") + name;
  }

  std::string text_of(const Type* t) const { return brief_ ? brief_text(t) : type_to_string_expanded(t); }

  std::string pattern_text(const Mismatch& m) const {
    const Type* e = m.expected;
    std::string prefix;
    if (e->kind == TypeKind::Optional) {
      e = type_cast<WrapperType>(e).inner;
      prefix = "an undef value or ";
    }
    bool literal = m.actual->kind == TypeKind::String && type_cast<StringType>(m.actual).has_value;
    std::string actual = literal ? "'" + std::string(type_cast<StringType>(m.actual).value) + "'" : short_name(m.actual);
    return fmt::format(" expects {}a match for {}, got {}", prefix, text_of(e), actual);
  }

  static bool specialization(const Type* e, const Type* a) {
    return (e->kind == TypeKind::Struct && a->kind == TypeKind::Hash) || (e->kind == TypeKind::Tuple && a->kind == TypeKind::Array);
  }
  static bool named_alias(const Type* t) {
    return t->kind == TypeKind::TypeAlias || t->kind == TypeKind::Data || t->kind == TypeKind::RichData || t->kind == TypeKind::RichDataKey;
  }
  static bool object_kind(const Type* t) {
    return t->kind == TypeKind::Object || t->kind == TypeKind::Error || t->kind == TypeKind::Deferred;
  }
  static bool same_class(const Type* e, const Type* a) { return e->kind == a->kind || (object_kind(e) && object_kind(a)); }
  static bool fully_detailed(const Type* e, const Type* a) {
    return same_class(e, a) || named_alias(e) || named_alias(a) || specialization(e, a);
  }
  bool assignable_to_default(const Type* e, const Type* a) const {
    e = resolve_alias(ctx, e);
    if (e->kind == TypeKind::Data || e->kind == TypeKind::RichData) return false; // a Variant without members accepts nothing
    const Type* plain = default_of(e);
    return is_assignable(ctx, plain, a);
  }
  static const Type* default_of(const Type* e) {
    switch (e->kind) {
    case TypeKind::Variant: return types::variant();
    case TypeKind::Resource: return types::resource();
    case TypeKind::Class: return types::class_any();
    default: {
      const Type* plain = builtin_type(type_base_name(e));
      return plain == nullptr ? e : plain;
    }
    }
  }
  std::string detailed_actual(std::span<const Type* const> e, const Type* a) const {
    bool detailed = false, assignable = false;
    const Type* general = generalize(ctx, a);
    for (const Type* one : e) {
      one = resolve_alias(ctx, one);
      detailed = detailed || (same_class(one, a) && !named_alias(one)) || specialization(one, a);
      assignable = assignable || is_assignable(ctx, one, general);
    }
    return detailed || assignable ? text_of(a) : std::string(type_base_name(a));
  }

  std::string type_text(const Mismatch& m) const {
    const Type* e = m.expected;
    bool optional = false;
    if (e->kind == TypeKind::Optional && type_cast<WrapperType>(e).inner != nullptr) {
      e = type_cast<WrapperType>(e).inner;
      optional = true;
    }
    bool is_variant = e->kind == TypeKind::Variant;
    std::vector<const Type*> list;
    if (is_variant)
      list.assign(type_cast<VariantType>(e).types.begin(), type_cast<VariantType>(e).types.end());
    else
      list.push_back(e);
    bool detailed = false;
    for (const Type* one : list) detailed = detailed || fully_detailed(one, m.actual) || assignable_to_default(one, m.actual);
    std::vector<std::string> names;
    std::string actual;
    if (detailed) {
      actual = detailed_actual(list, m.actual);
      for (const Type* one : list) names.push_back(text_of(one));
    } else {
      actual = short_name(m.actual);
      for (const Type* one : list) {
        std::string name = one->kind == TypeKind::ObjectExtension ? one->to_string() : short_name(one);
        bool known = false;
        for (const auto& n : names) known = known || n == name;
        if (!known || !is_variant) names.push_back(name);
      }
    }
    if (optional) names.insert(names.begin(), "Undef");
    if (names.size() == 1) return fmt::format(" expects {} value, got {}", article(names[0]), actual);
    std::string joined;
    if (names.size() == 2) {
      joined = names[0] + " or " + names[1];
    } else {
      for (size_t i = 0; i + 1 < names.size(); ++i) joined += (i == 0 ? "" : ", ") + names[i];
      joined += ", or " + names.back();
    }
    return fmt::format(" expects a value of type {}, got {}", joined, actual);
  }
};

std::string signature_text(const CallSignature& s) {
  const auto& c = type_cast<CallableType>(s.callable);
  std::string out;
  if (c.parameters != nullptr && !(c.parameters->size == Range::of(0, 0) && (c.parameters->has_size || c.parameters->types.empty()))) {
    const auto& t = *c.parameters;
    Range size = t.types.empty() && !t.has_size ? Range::at_least(0) : t.size;
    size_t n = s.names.empty() ? t.types.size() : s.names.size();
    for (size_t i = 0; i < n; ++i) {
      if (t.types.empty()) break;
      const Type* type = t.types[std::min(i, t.types.size() - 1)];
      const char* indicator = "";
      if (size.to_open && i + 1 == n) {
        indicator = size.from == static_cast<int64_t>(n) ? "+" : "*";
      } else if (static_cast<int64_t>(i) + 1 > size.from) {
        indicator = "?";
        if (type->kind == TypeKind::Optional && type_cast<WrapperType>(type).inner != nullptr) type = type_cast<WrapperType>(type).inner;
      }
      if (i > 0) out += ", ";
      out += fmt::format("{} {}{}", type->to_string(), i < s.names.size() ? s.names[i] : std::string_view(), indicator);
    }
  } else {
    return out;
  }
  // Puppet does not print a block whose type is an alias or a Variant.
  if (c.block != nullptr && (c.block->kind == TypeKind::Optional || c.block->kind == TypeKind::Callable)) {
    if (!out.empty()) out += ", ";
    if (c.block->kind == TypeKind::Optional)
      out += fmt::format("{} {}?", type_cast<WrapperType>(c.block).inner->to_string(), s.block_name);
    else
      out += fmt::format("{} {}", c.block->to_string(), s.block_name);
  }
  return out;
}

std::string joined(const Describer& d, const std::vector<Mismatch>& errors) {
  if (errors.empty()) return {};
  if (errors.size() == 1) {
    std::string text = d.format(errors[0]);
    size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? text : text.substr(begin);
  }
  std::string out;
  for (const auto& e : errors) out += (out.empty() ? "" : "\n ") + d.format(e);
  return out;
}

} // namespace

std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Type* actual) {
  Describer d(ctx);
  return joined(d, d.describe(expected, actual, Path{{PK::Subject, std::string(subject), 0}}));
}
std::string describe_mismatch(TypeContext& ctx, std::string_view subject, const Type* expected, const Value& actual) {
  return describe_mismatch(ctx, subject, expected, infer_detailed(ctx, actual));
}

std::string brief_text(const Type* type) {
  constexpr size_t most = 80;
  std::string text = type_to_string_expanded(type);
  if (text.size() <= most) return text;
  return type->kind == TypeKind::TypeAlias ? std::string(type_base_name(type)) : type->to_string();
}

std::string describe_briefly(TypeContext& ctx, const Type* expected, const Value& actual) {
  Describer d(ctx, true);
  return joined(d, d.describe(expected, infer_detailed(ctx, actual), Path{}));
}

std::string describe_signatures(TypeContext& ctx, std::string_view function, std::span<const CallSignature> signatures,
                                std::span<const Value> args, const Type* block) {
  Describer d(ctx);
  std::vector<const Type*> arg_types;
  for (const Value& v : args) arg_types.push_back(infer_detailed(ctx, v));
  std::vector<std::vector<Mismatch>> errors;
  bool all_failed = true;
  for (size_t i = 0; i < signatures.size(); ++i) {
    errors.push_back(d.signature_arguments(signatures[i], arg_types, block != nullptr, Path{{PK::Signature, {}, static_cast<int64_t>(i)}}));
    all_failed = all_failed && !errors.back().empty();
  }
  if (!all_failed) {
    std::vector<std::vector<Mismatch>> blocks;
    size_t failed = 0;
    for (size_t i = 0; i < signatures.size(); ++i) {
      blocks.push_back(d.signature_block(signatures[i], block, Path{{PK::Signature, {}, static_cast<int64_t>(i)}}));
      failed += blocks.back().empty() ? 0 : 1;
    }
    if (failed == blocks.size()) {
      errors = blocks;
    } else if (failed > 0) {
      for (size_t i = 0; i < errors.size(); ++i)
        if (errors[i].empty()) errors[i] = blocks[i];
    }
  }
  if (errors.empty()) return {};
  std::string label = function == "lambda" ? "block" : fmt::format("'{}'", function);
  auto merged = d.merge(0, What::Count, errors);
  if (merged.size() == 1) return label + d.format(merged[0]);
  std::string out;
  if (signatures.size() == 1) {
    out = fmt::format("{} expects ({})", label, signature_text(signatures[0]));
    for (const auto& e : errors[0]) out += "\n  rejected:" + d.format(e, 1);
    return out;
  }
  out = fmt::format("The function {} was called with arguments it does not accept. It expects one of:", label);
  for (size_t i = 0; i < signatures.size(); ++i) {
    out += fmt::format("\n  ({})", signature_text(signatures[i]));
    for (const auto& e : errors[i]) out += "\n    rejected:" + d.format(e, 1);
  }
  return out;
}

std::string describe_parameters(TypeContext& ctx, std::string_view subject, std::span<const ParameterDescription> declared,
                                std::span<const HashEntry> given, bool missing_ok) {
  Describer d(ctx);
  std::vector<Mismatch> errors;
  for (const auto& g : given) {
    bool known = false;
    for (const auto& p : declared) known = known || p.name == g.key.str();
    if (known) continue;
    Mismatch m{What::InvalidParameter, {}};
    m.key = g.key.str();
    errors.push_back(m);
  }
  for (const auto& p : declared) {
    const Value* value = nullptr;
    for (const auto& g : given)
      if (g.key.str() == p.name) value = &g.value;
    if (value == nullptr) {
      if (missing_ok || p.optional) continue;
      Mismatch m{What::MissingParameter, {}};
      m.key = p.name;
      errors.push_back(m);
      continue;
    }
    if (p.type == nullptr) continue;
    const bool deferred = value->is(Kind::Deferred);
    if (deferred && (p.result == nullptr || is_assignable(ctx, generalize(ctx, p.type), generalize(ctx, p.result)))) continue;
    if (!deferred && is_instance(ctx, p.type, *value)) continue;
    auto found = d.describe(p.type, deferred ? p.result : infer_detailed(ctx, *value), Path{{PK::Parameter, std::string(p.name), 0}});
    errors.insert(errors.end(), found.begin(), found.end());
  }
  if (errors.empty()) return {};
  if (errors.size() == 1) return fmt::format("{}:{}", subject, d.format(errors[0]));
  std::string out = fmt::format("{}:\n ", subject);
  for (size_t i = 0; i < errors.size(); ++i) out += (i == 0 ? "" : "\n ") + d.format(errors[i]);
  return out;
}

} // namespace pupc::compiler
