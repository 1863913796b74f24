// T.new(…): values made from other values, by the reference's rules for each type.
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"
#include "compiler/types/object_type.h"
#include "compiler/types/semver_range.h"
#include "compiler/types/string_format.h"
#include "compiler/types/time_parse.h"
#include "compiler/types/value_text.h"

#include <charconv>
#include <cmath>

namespace pupc {
namespace {

[[noreturn]] void fail(std::string message) { throw_error(ErrorCode::evaluation_error, {}, std::move(message), PositionStyle::None); }

class Maker {
public:
  Maker(TypeContext& c, const Type* t, std::span<const Value> a) : ctx(c), arena(c.arena), type(t), args(a) {}

  Value run() {
    switch (type->kind) {
    case TypeKind::TypeAlias: return new_instance(ctx, resolve_alias(ctx, type), args);
    case TypeKind::Optional:
    case TypeKind::NotUndef: {
      const Type* inner = type_cast<WrapperType>(type).inner;
      if (inner == nullptr) return first();
      if (type->kind == TypeKind::Optional && args.size() == 1 && args[0].is_undef()) return Value::undef();
      return new_instance(ctx, inner, args);
    }
    case TypeKind::Unit: return first();
    case TypeKind::Integer: return integer();
    case TypeKind::Float: return number_from_args(true);
    case TypeKind::Numeric: return number_from_args(false);
    case TypeKind::Boolean: return boolean();
    case TypeKind::String: {
      need(1, 2);
      return Value::string(arena.copy(args.size() == 1 ? to_display_string(ctx, args[0]) : format_value(ctx, args[0], args[1])));
    }
    case TypeKind::Array:
    case TypeKind::Tuple: return array();
    case TypeKind::Hash:
    case TypeKind::Struct: return hash();
    case TypeKind::Sensitive: {
      need(1, 1);
      return args[0].is(Kind::Sensitive) ? args[0] : Value::sensitive(arena, args[0]);
    }
    case TypeKind::Binary: return binary();
    case TypeKind::SemVer: return semver();
    case TypeKind::SemVerRange: return semver_range();
    case TypeKind::Timestamp: return timestamp();
    case TypeKind::Timespan: return timespan();
    case TypeKind::Regexp: {
      need(1, 2);
      if (!args[0].is_string()) mismatch("parameter 'pattern'", types::string(), args[0]);
      try {
        return Value::of(ctx.regexes.get(args[0].str()));
      } catch (const RegexError& e) {
        fail(fmt::format("{}: /{}/", e.message, args[0].str()));
      }
    }
    case TypeKind::Uri: {
      need(1, 1);
      if (args[0].is(Kind::Uri)) return args[0];
      if (!args[0].is_string()) mismatch("parameter 'from'", types::string(), args[0]);
      return Value::uri(args[0].str());
    }
    case TypeKind::Type: {
      need(1, 1);
      if (!args[0].is_string()) mismatch("parameter 'type_string'", types::non_empty_string(), args[0]);
      return Value::type(parse_type(ctx, args[0].str()));
    }
    case TypeKind::Init: {
      const auto& init = type_cast<InitType>(type);
      if (init.inner == nullptr) fail("Creation of new instance of type 'Init' is not supported");
      std::vector<Value> all(args.begin(), args.end());
      all.insert(all.end(), init.arguments.begin(), init.arguments.end());
      if (all.size() == 1 && is_instance(ctx, init.inner, all[0])) return all[0];
      return new_instance(ctx, init.inner, all);
    }
    case TypeKind::Deferred: return deferred();
    default: fail(fmt::format("Creation of new instance of type '{}' is not supported", type->to_string()));
    }
  }

private:
  TypeContext& ctx;
  Arena& arena;
  const Type* type;
  std::span<const Value> args;

  const char* function_name() const {
    switch (type->kind) {
    case TypeKind::Integer: return "new";
    case TypeKind::Float: return "new_float";
    case TypeKind::Numeric: return "new_numeric";
    case TypeKind::Boolean: return "new_boolean";
    case TypeKind::String: return "new_string";
    case TypeKind::Array:
    case TypeKind::Tuple: return "new_array";
    case TypeKind::Hash:
    case TypeKind::Struct: return "new_hash";
    case TypeKind::Sensitive: return "new_Sensitive";
    case TypeKind::Binary: return "new_Binary";
    case TypeKind::SemVer: return "new_Version";
    case TypeKind::SemVerRange: return "new_VersionRange";
    case TypeKind::Timestamp: return "new_timestamp";
    case TypeKind::Timespan: return "new_timespan";
    case TypeKind::Type: return "new_type";
    default: return "new";
    }
  }
  void need(size_t min, size_t max) {
    if (args.size() >= min && args.size() <= max) return;
    std::string count = min == max ? std::to_string(min) : args.size() < min ? fmt::format("between {} and {}", min, max) : fmt::format("between {} and {}", min, max);
    fail(fmt::format("'{}' expects {} argument{}, got {}", function_name(), count, min == max && min == 1 ? "" : "s", args.empty() ? "none" : std::to_string(args.size())));
  }
  [[noreturn]] void mismatch(std::string_view subject, const Type* expected, const Value& v) {
    fail(fmt::format("'{}' {}", function_name(), describe_mismatch(ctx, subject, expected, v)));
  }
  Value first() {
    need(1, 1);
    return args[0];
  }
  [[noreturn]] void cannot_convert(const Value& v, std::string_view to) {
    if (v.is_string()) fail(fmt::format("The string '{}' cannot be converted to {}", v.str(), to));
    fail(fmt::format("Value of type {} cannot be converted to {}", generalize(ctx, infer(ctx, v))->to_string(), to));
  }

  /// Arguments given by name in a hash: {from => …, radix => …, abs => …}.
  struct Named {
    Value from, radix, abs;
  };
  bool named(Named& n) {
    if (args.size() != 1 || !args[0].is_hash()) return false;
    const Hash& h = *args[0].hash;
    const Value* from = h.find("from");
    if (from == nullptr) return false;
    n.from = *from;
    if (const Value* v = h.find("radix")) n.radix = *v;
    if (const Value* v = h.find("abs")) n.abs = *v;
    return true;
  }

  static std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || (s.front() >= '\t' && s.front() <= '\r'))) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || (s.back() >= '\t' && s.back() <= '\r'))) s.remove_suffix(1);
    return s;
  }

  bool parse_int(std::string_view text, int radix, int64_t& out) {
    std::string_view s = trimmed(text);
    bool negative = s.starts_with('-');
    if (negative || s.starts_with('+')) s.remove_prefix(1);
    s = trimmed(s);
    auto prefix = [&](char lower, int base) {
      if (s.size() > 2 && s[0] == '0' && (s[1] | 0x20) == lower && (radix == 0 || radix == base)) {
        s.remove_prefix(2);
        radix = base;
        return true;
      }
      return false;
    };
    if (!prefix('x', 16) && !prefix('b', 2) && !prefix('o', 8)) {
      if (radix == 0 && s.size() > 1 && s[0] == '0') {
        radix = 8;
        s.remove_prefix(1);
      } else if (radix == 0) {
        radix = 10;
      }
    }
    uint64_t magnitude = 0;
    auto r = std::from_chars(s.data(), s.data() + s.size(), magnitude, radix);
    if (s.empty() || r.ptr != s.data() + s.size() || r.ec == std::errc::invalid_argument) return false;
    if (r.ec == std::errc::result_out_of_range || magnitude > static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0))
      fail(fmt::format("The string '{}' is too large for a 64-bit Integer", text));
    out = negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
    return true;
  }

  Value integer() {
    Named n;
    if (!named(n)) {
      if (args.empty() || args.size() > 3) need(1, 3);
      n.from = args[0];
      if (args.size() > 1) n.radix = args[1];
      if (args.size() > 2) n.abs = args[2];
    }
    int radix = 0;
    if (n.radix.is_int()) {
      if (n.radix.i != 2 && n.radix.i != 8 && n.radix.i != 10 && n.radix.i != 16)
        fail(fmt::format("Illegal radix: {}, expected 2, 8, 10, 16, or default", n.radix.i));
      radix = static_cast<int>(n.radix.i);
    }
    int64_t v = 0;
    switch (n.from.kind) {
    case Kind::Int: v = n.from.i; break;
    case Kind::Float:
      if (std::isnan(n.from.d) || std::isinf(n.from.d)) fail(format_float(n.from.d));
      if (!(n.from.d < 9223372036854775808.0 && n.from.d >= -9223372036854775808.0)) fail(fmt::format("The number {} is too large for a 64-bit Integer", format_float(n.from.d)));
      v = static_cast<int64_t>(n.from.d);
      break;
    case Kind::Bool: v = n.from.b ? 1 : 0; break;
    case Kind::Timestamp:
    case Kind::Timespan: v = n.from.i / 1000000000; break;
    case Kind::String: {
      std::string_view s = trimmed(n.from.str());
      if (radix == 0 && s.size() > 1 && s[0] == '0' && s.find_first_of("xXbB") == std::string_view::npos && s.find_first_of("89") != std::string_view::npos)
        fail(fmt::format("invalid value for Integer(): \"{}\"", n.from.str()));
      if (!parse_int(n.from.str(), radix, v)) {
        if (radix != 0) fail(fmt::format("invalid value for Integer(): \"{}\"", n.from.str()));
        cannot_convert(n.from, "Integer");
      }
      break;
    }
    default: cannot_convert(n.from, "Integer");
    }
    if (n.abs.is_bool() && n.abs.b && v < 0) v = -v;
    return Value::integer(v);
  }

  static bool decimal(std::string_view s) {
    size_t i = 0;
    auto digits = [&] {
      size_t begin = i;
      while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
      return i > begin;
    };
    if (!digits() || (i > 1 && s[0] == '0')) return false;
    if (i < s.size() && s[i] == '.') {
      ++i;
      if (!digits()) return false;
    }
    if (i < s.size() && (s[i] | 0x20) == 'e') {
      ++i;
      if (i < s.size() && s[i] == '-') ++i;
      if (!digits()) return false;
    }
    return i == s.size();
  }

  Value number_from_args(bool want_float) {
    Named n;
    if (!named(n)) {
      if (args.empty() || args.size() > 2) need(1, 2);
      n.from = args[0];
      if (args.size() > 1) n.abs = args[1];
    }
    std::string_view target = want_float ? "Float" : "Numeric";
    Value v;
    switch (n.from.kind) {
    case Kind::Int: v = want_float ? Value::floating(static_cast<double>(n.from.i)) : n.from; break;
    case Kind::Float: v = n.from; break;
    case Kind::Bool: v = want_float ? Value::floating(n.from.b ? 1.0 : 0.0) : Value::integer(n.from.b ? 1 : 0); break;
    case Kind::Timestamp:
    case Kind::Timespan: v = Value::floating(static_cast<double>(n.from.i) / 1e9); break;
    case Kind::String: {
      std::string_view s = n.from.str();
      bool negative = s.starts_with('-');
      if (negative || s.starts_with('+')) s.remove_prefix(1);
      s = trimmed(s);
      int64_t whole = 0;
      if (decimal(s) && (want_float || s.find_first_of(".eE") != std::string_view::npos)) {
        double d = 0;
        std::from_chars(s.data(), s.data() + s.size(), d);
        v = Value::floating(negative ? -d : d);
      } else if (!s.empty() && s[0] >= '0' && s[0] <= '9' && parse_int(s, 0, whole)) {
        if (negative) whole = -whole;
        v = want_float ? Value::floating(static_cast<double>(whole)) : Value::integer(whole);
      } else {
        cannot_convert(n.from, target);
      }
      break;
    }
    default: cannot_convert(n.from, target);
    }
    if (n.abs.is_bool() && n.abs.b) {
      if (v.is_int() && v.i < 0) v = Value::integer(-v.i);
      if (v.is_float()) v = Value::floating(std::fabs(v.d));
    }
    return v;
  }

  Value boolean() {
    need(1, 1);
    const Value& v = args[0];
    if (v.is_bool()) return v;
    if (v.is_int()) return Value::boolean(v.i != 0);
    if (v.is_float()) return Value::boolean(v.d != 0.0);
    if (v.is_string()) {
      std::string s(v.str());
      for (char& ch : s)
        if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
      if (s == "true" || s == "yes" || s == "y") return Value::boolean(true);
      if (s == "false" || s == "no" || s == "n") return Value::boolean(false);
    }
    cannot_convert(v, "Boolean");
  }

  Value array() {
    need(1, 2);
    const Value& v = args[0];
    bool wrap = args.size() > 1 && args[1].is_bool() && args[1].b;
    if (v.is_list()) return v;
    if (wrap) return make_list(arena, args.first(1));
    ListBuilder out(arena);
    switch (v.kind) {
    case Kind::Hash:
      for (const auto& e : v.hash->entries()) {
        Value pair[] = {e.key, e.value};
        out.add(make_list(arena, pair));
      }
      return out.finish();
    case Kind::Binary:
      for (char ch : v.str()) out.add(Value::integer(static_cast<unsigned char>(ch)));
      return out.finish();
    case Kind::String: {
      std::string_view s = v.str();
      for (size_t i = 0; i < s.size();) {
        size_t n = 1;
        while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xC0) == 0x80) ++n;
        out.add(Value::string(s.substr(i, n)));
        i += n;
      }
      return out.finish();
    }
    case Kind::Int:
      if (v.i < 0) break;
      for (int64_t i = 0; i < v.i; ++i) out.add(Value::integer(i));
      return out.finish();
    case Kind::Iterator: return Value::of(as_iterator(v)->elements);
    case Kind::Type: {
      const Type* t = resolve_alias(ctx, as_type(v));
      if (t->kind == TypeKind::Integer && type_cast<RangeType>(t).range.finite()) {
        for (int64_t i = type_cast<RangeType>(t).range.from; i <= type_cast<RangeType>(t).range.to; ++i) out.add(Value::integer(i));
        return out.finish();
      }
      if (t->kind == TypeKind::Enum) {
        for (std::string_view s : type_cast<EnumType>(t).values) out.add(Value::string(s));
        return out.finish();
      }
      break;
    }
    default: break;
    }
    fail(fmt::format("Value of type {} cannot be converted to Array", generalize(ctx, infer(ctx, v))->to_string()));
  }

  Value hash() {
    need(1, 2);
    const Value& v = args[0];
    if (v.is_hash()) return v;
    if (v.is_list()) {
      bool tree = args.size() > 1 && args[1].is_string();
      bool pairs = v.list->size > 0, paths = tree;
      for (const Value& item : v.items()) {
        pairs = pairs && item.is_list() && item.list->size == 2;
        paths = paths && item.is_list() && item.list->size == 2 && item.items()[0].is_list();
      }
      if (paths && v.list->size > 0) return tree_hash(v, args[1].str() == "hash_tree");
      HashBuilder h(arena);
      if (pairs) {
        for (const Value& item : v.items()) h.set(item.items()[0], item.items()[1]);
        return h.finish();
      }
      if (v.list->size % 2 != 0) fail("odd number of arguments for Hash");
      for (size_t i = 0; i < v.list->size; i += 2) h.set(v.items()[i], v.items()[i + 1]);
      return h.finish();
    }
    if (is_instance(ctx, types::iterable_any(), v)) {
      Value list = Maker(ctx, types::array(), args.first(1)).run();
      Value one[] = {list};
      return Maker(ctx, types::hash(), one).run();
    }
    fail(fmt::format("Value of type {} cannot be converted to Hash", generalize(ctx, infer(ctx, v))->to_string()));
  }

  /// A structure built from [path, value] pairs; arrays within become hashes by index when `all_hashes`.
  Value tree_hash(const Value& pairs, bool all_hashes) {
    Value root = HashBuilder(arena).finish();
    for (const Value& pair : pairs.items()) {
      Value value = pair.items()[1];
      auto path = pair.items()[0].items();
      if (path.empty()) {
        HashBuilder merged(arena, *root.hash);
        if (value.is_list()) {
          int64_t i = 0;
          for (const Value& item : value.items()) merged.set(Value::integer(i++), item);
        } else if (value.is_hash()) {
          for (const auto& e : value.hash->entries()) merged.set(e.key, e.value);
        }
        root = merged.finish();
      } else {
        root = put(root, path, all_hashes ? as_hash(value) : value);
      }
    }
    return root;
  }
  Value as_hash(const Value& v) {
    if (!v.is_list()) return v;
    HashBuilder h(arena);
    int64_t i = 0;
    for (const Value& item : v.items()) h.set(Value::integer(i++), as_hash(item));
    return h.finish();
  }
  Value put(const Value& into, std::span<const Value> path, const Value& value) {
    if (into.is_list()) {
      std::vector<Value> items(into.items().begin(), into.items().end());
      auto at = path[0].is_int() && path[0].i >= 0 ? static_cast<size_t>(path[0].i) : 0;
      if (at >= items.size()) items.resize(at + 1);
      items[at] = path.size() == 1 ? value : put(items[at], path.subspan(1), value);
      return make_list(arena, items);
    }
    HashBuilder h = into.is_hash() ? HashBuilder(arena, *into.hash) : HashBuilder(arena);
    const Value* present = h.find(path[0]);
    h.set(path[0], path.size() == 1 ? value : put(present != nullptr ? *present : HashBuilder(arena).finish(), path.subspan(1), value));
    return h.finish();
  }

  Value binary() {
    Value text;
    std::string_view format = "%B";
    if (args.size() == 1 && args[0].is_hash()) {
      if (const Value* v = args[0].hash->find("value")) text = *v;
      if (const Value* v = args[0].hash->find("format")) format = v->str();
    } else {
      need(1, 2);
      text = args[0];
      if (args.size() > 1) format = args[1].str();
    }
    if (text.is(Kind::Binary)) return text;
    if (text.is_list()) {
      std::string bytes;
      for (const Value& v : text.items()) {
        if (!v.is_int() || v.i < 0 || v.i > 255) fail("Array[Integer[0, 255]] expected for Binary");
        bytes += static_cast<char>(v.i);
      }
      return Value::binary(arena.copy(bytes));
    }
    if (!text.is_string()) mismatch("parameter 'str'", types::string(), text);
    if (format == "%s" || format == "%r") return Value::binary(text.str());
    std::string out;
    if (!decode_base64(text.str(), format == "%u", format == "%B", out)) fail("invalid base64");
    return Value::binary(arena.copy(out));
  }
  static bool decode_base64(std::string_view s, bool url, bool strict, std::string& out) {
    uint32_t bits = 0;
    int have = 0;
    size_t significant = 0;
    for (char ch : s) {
      int v = ch >= 'A' && ch <= 'Z'   ? ch - 'A'
              : ch >= 'a' && ch <= 'z' ? ch - 'a' + 26
              : ch >= '0' && ch <= '9' ? ch - '0' + 52
              : ch == (url ? '-' : '+') ? 62
              : ch == (url ? '_' : '/') ? 63
                                        : -1;
      if (ch == '=') {
        ++significant;
        continue;
      }
      if (v < 0) {
        if (strict && ch != '\n') return false;
        continue;
      }
      ++significant;
      bits = bits << 6 | static_cast<uint32_t>(v);
      have += 6;
      if (have >= 8) {
        have -= 8;
        out += static_cast<char>(bits >> have & 255);
      }
    }
    return !strict || significant % 4 == 0;
  }

  Value semver() {
    if (args.size() == 1 && args[0].is(Kind::SemVer)) return args[0];
    std::string text;
    auto part = [&](const Value* v, const char* separator) {
      if (v == nullptr || v->is_undef()) return;
      text += separator;
      text += v->is_int() ? std::to_string(v->i) : v->is_string() ? std::string(v->str()) : std::string("?");
    };
    if (args.size() == 1 && args[0].is_hash()) {
      const Hash& h = *args[0].hash;
      part(h.find("major"), "");
      part(h.find("minor"), ".");
      part(h.find("patch"), ".");
      part(h.find("prerelease"), "-");
      part(h.find("build"), "+");
    } else if (args.size() == 1 && args[0].is_string()) {
      text = args[0].str();
    } else if (args.size() >= 3 && args.size() <= 5) {
      static constexpr const char* separators[] = {"", ".", ".", "-", "+"};
      for (size_t i = 0; i < args.size(); ++i) part(&args[i], separators[i]);
    } else {
      need(1, 1);
    }
    std::string_view kept = arena.copy(text);
    auto v = parse_semver(kept);
    if (!v) fail(fmt::format("The string '{}' cannot be converted to a SemVer", text));
    return Value::of(arena.make<SemVer>(*v));
  }

  Value semver_range() {
    if (args.size() == 1 && args[0].is(Kind::SemVerRange)) return args[0];
    std::string text;
    auto bound = [&](const Value& v) -> std::string { return v.is(Kind::SemVer) ? to_string(*v.semver) : v.is_string() ? std::string(v.str()) : std::string(); };
    auto make = [&](const Value& min, const Value& max, bool exclude) {
      if (!min.is(Kind::Default)) text = ">=" + bound(min);
      if (!max.is(Kind::Default)) text += (text.empty() ? "" : " ") + std::string(exclude ? "<" : "<=") + bound(max);
    };
    if (args.size() == 1 && args[0].is_hash()) {
      const Value *min = args[0].hash->find("min"), *max = args[0].hash->find("max"), *exclude = args[0].hash->find("exclude_max");
      make(min ? *min : Value::default_value(), max ? *max : Value::default_value(), exclude != nullptr && exclude->truthy());
    } else if (args.size() >= 2) {
      make(args[0], args[1], args.size() > 2 && args[2].truthy());
    } else {
      need(1, 3);
      if (!args[0].is_string()) mismatch("parameter 'str'", types::non_empty_string(), args[0]);
      text = args[0].str();
    }
    const SemVerRange* r = parse_semver_range(arena, text);
    if (r == nullptr) fail(fmt::format("Unparsable version range: \"{}\"", text));
    return Value::of(r);
  }

  Value timestamp();
  Value timespan();

  Value deferred() {
    std::string_view name;
    const List* arguments = nullptr;
    if (args.size() == 1 && args[0].is_hash()) {
      const Value *n = args[0].hash->find("name"), *a = args[0].hash->find("arguments");
      if (n == nullptr || !n->is_string()) fail("Deferred initializer expects a value for key 'name'");
      name = n->str();
      if (a != nullptr && a->is_list()) arguments = a->list;
    } else {
      if (args.empty() || args.size() > 2) fail(fmt::format("'new_Deferred' expects between 1 and 2 arguments, got {}", args.empty() ? "none" : std::to_string(args.size())));
      if (!args[0].is_string()) mismatch("parameter 'name'", types::string(), args[0]);
      name = args[0].str();
      if (args.size() > 1) {
        if (!args[1].is_list()) mismatch("parameter 'arguments'", types::array(), args[1]);
        arguments = args[1].list;
      }
    }
    return Value::of(arena.make<DeferredData>(DeferredData{name, arguments}));
  }
};

Value Maker::timestamp() {
  if (args.empty()) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return Value::timestamp(static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec);
  }
  Value text = args[0];
  std::vector<std::string_view> formats;
  std::string_view zone;
  auto add_formats = [&](const Value& v) {
    if (v.is_string()) formats.push_back(v.str());
    if (v.is_list())
      for (const Value& f : v.items()) formats.push_back(f.str());
  };
  if (text.is_hash()) {
    const Hash& h = *text.hash;
    if (const Value* f = h.find("format")) add_formats(*f);
    if (const Value* z = h.find("timezone")) zone = z->str();
    const Value* s = h.find("string");
    text = s != nullptr ? *s : Value::undef();
  } else {
    if (args.size() > 1) add_formats(args[1]);
    if (args.size() > 2 && args[2].is_string()) zone = args[2].str();
  }
  if (!text.is_string() || formats.empty()) return Value::timestamp(to_timestamp(ctx, text));
  for (std::string_view f : formats)
    if (auto ns = parse_timestamp(text.str(), f, zone)) return Value::timestamp(*ns);
  std::string shown;
  for (std::string_view f : formats) shown += (shown.empty() ? "" : ", ") + std::string(f);
  fail(formats.size() == 1 ? fmt::format("Unable to parse '{}' using format '{}'", text.str(), shown)
                           : fmt::format("Unable to parse '{}' using any of the formats {}", text.str(), shown));
}

Value Maker::timespan() {
  if (args.size() == 1 && args[0].is_hash()) {
    const Hash& h = *args[0].hash;
    if (const Value* s = h.find("string")) {
      const Value* f = h.find("format");
      Value inner[] = {*s, f ? *f : Value::undef()};
      return Maker(ctx, type, std::span<const Value>(inner, f != nullptr ? 2 : 1)).run();
    }
    static constexpr std::pair<const char*, int64_t> units[] = {{"days", 86400000000000}, {"hours", 3600000000000}, {"minutes", 60000000000}, {"seconds", 1000000000},
                                                                {"milliseconds", 1000000}, {"microseconds", 1000}, {"nanoseconds", 1}};
    int64_t total = 0;
    for (const auto& [name, unit] : units)
      if (const Value* v = h.find(name); v != nullptr && v->is_int()) total += v->i * unit;
    if (const Value* v = h.find("negative"); v != nullptr && v->truthy()) total = -total;
    return Value::timespan(total);
  }
  if (args.size() == 2 && args[0].is_string()) {
    std::vector<std::string_view> formats;
    if (args[1].is_string()) formats.push_back(args[1].str());
    if (args[1].is_list())
      for (const Value& f : args[1].items()) formats.push_back(f.str());
    for (std::string_view f : formats)
      if (auto ns = parse_timespan(args[0].str(), f)) return Value::timespan(*ns);
    fail(fmt::format("Unable to parse '{}' using any of the default formats", args[0].str()));
  }
  if (args.size() >= 4) {
    static constexpr int64_t units[] = {86400000000000, 3600000000000, 60000000000, 1000000000, 1000000, 1000, 1};
    int64_t total = 0;
    for (size_t i = 0; i < std::min<size_t>(args.size(), 7); ++i) {
      if (!args[i].is_int()) mismatch("parameter 'days'", types::integer(), args[i]);
      total += args[i].i * units[i];
    }
    return Value::timespan(total);
  }
  need(1, 1);
  return Value::timespan(to_timespan(ctx, args[0]));
}

} // namespace

Value new_instance(TypeContext& ctx, const Type* type, std::span<const Value> args) { return Maker(ctx, type, args).run(); }

} // namespace pupc
