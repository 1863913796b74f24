#include "compiler/types/constructor.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>

namespace pupc::compiler {
namespace {

/// Owns the types in a set of constructors. Made once; afterwards all threads read them.
class TableContext : public TypeContext {
public:
  TableContext() : TypeContext(own_arena, own_regexes) {}
  const Type* load_type(std::string_view name) override {
    auto found = aliases.find(std::string(name));
    return found == aliases.end() ? nullptr : found->second;
  }
  bool resource_type_exists(std::string_view) override { return false; }

  Arena own_arena;
  RegexCache own_regexes;
  std::map<std::string, const Type*> aliases;
};

/// Makes the constructors of one kind of types: what is listed for other kinds is not read.
class Table {
public:
  explicit Table(TypeKind kind) : wanted(kind) {
    using enum ConstructorCode;
    set("new", TypeKind::Integer)
        .alias("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]")
        .alias(
            "Convertible",
            "Variant[Numeric, Boolean, Pattern[/\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\\z/], Timespan, Timestamp]")
        .alias("NamedArgs", "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]")
        .add("Convertible from, Radix radix?, Boolean abs?", integer_from_args)
        .add("NamedArgs hash_args", integer_from_hash)
        .refuse("Hash hash_args", integer_hash_error)
        .refuse("Any from, Integer radix?, Boolean abs?", integer_error);
    static constexpr const char* float_pattern =
        "Pattern[/\\A[+-]?\\s*(?:(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\\z/]";
    set("new_float", TypeKind::Float)
        .alias("Convertible", "Variant[Numeric, Boolean, ", float_pattern, ", Timespan, Timestamp]")
        .alias("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]")
        .add("Convertible from, Boolean abs?", float_from_args)
        .add("NamedArgs hash_args", float_from_hash)
        .refuse("Any from, Boolean abs?", float_error);
    set("new_numeric", TypeKind::Numeric)
        .alias("Convertible", "Variant[Integer, Float, Boolean, ", float_pattern, ", Timespan, Timestamp]")
        .alias("NamedArgs", "Struct[{from => Convertible, Optional[abs] => Boolean}]")
        .add("Convertible from, Boolean abs?", numeric_from_args)
        .add("NamedArgs hash_args", numeric_from_hash)
        .refuse("Any from, Boolean abs?", numeric_error);
    set("new_boolean", TypeKind::Boolean)
        .add("Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]] from", boolean_from_args)
        .refuse("Any from", boolean_error);
    set("new_string", TypeKind::String)
        .alias("Format", "Pattern[/^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$/]")
        .alias("ContainerFormat", "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, "
                                  "Optional[string_formats] => Hash[Type, Format]}]")
        .alias("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]")
        .alias("Convertible", "Any")
        .alias("Formats", "Variant[Default, String[1], TypeMap]")
        .add("Convertible from, Formats string_formats?", string_from_args);
    set("new_array", TypeKind::Array)
        .add("Variant[Array,Hash,Binary,Iterable] from, Boolean[false] wrap?", array_from_value)
        .add("Any from, Boolean[true] wrap", array_wrapped)
        .refuse("Any from, Boolean wrap?", array_error);
    set("new_hash", TypeKind::Hash)
        .alias("KeyValueArray", "Array[Tuple[Any,Any],1]")
        .alias("TreeArray", "Array[Tuple[Array,Any],1]")
        .alias("NewHashOption", "Enum[tree, hash_tree]")
        .add("TreeArray from, NewHashOption build_option?", hash_from_tree)
        .add("KeyValueArray from", hash_from_tuples)
        .add("Any from", hash_from_array);
    set("new_float", TypeKind::Regexp).add("String pattern, Boolean escape?", regexp_from_string); // Puppet's name
    set("new_type", TypeKind::Type).add("String[1] type_string", type_from_string);
    set("new_Sensitive", TypeKind::Sensitive).add("Sensitive value", same).add("Any value", sensitive_from_any);
    set("new_unit", TypeKind::Unit).add("Any from", same);
    set("new_Binary", TypeKind::Binary)
        .alias("ByteInteger", "Integer[0,255]")
        .alias("Base64Format", "Enum[\"%b\", \"%u\", \"%B\", \"%s\", \"%r\"]")
        .alias("StringHash", "Struct[{value => String, \"format\" => Optional[Base64Format]}]")
        .alias("ArrayHash", "Struct[{value => Array[ByteInteger]}]")
        .alias("BinaryArgsHash", "Variant[StringHash, ArrayHash]")
        .add("String str, Base64Format format?", binary_from_string)
        .add("Array[ByteInteger] byte_array", binary_from_array)
        .add("BinaryArgsHash hash_args", binary_from_hash);
    set("new_error", TypeKind::Uri) // Puppet's name
        .add("String[1] uri", uri_from_string)
        .add("Struct[{Optional[scheme] => String[1], Optional[userinfo] => String[1], Optional[host] => String[1], Optional[port] => "
             "Integer[0], Optional[path] => String[1], "
             "Optional[query] => String[1], Optional[fragment] => String[1], Optional[opaque] => String[1]}] hash",
             uri_from_hash);
    set("new_timespan", TypeKind::Timespan)
        .alias("Formats", "Variant[String[2],Array[String[2], 1]]")
        .add("Variant[Integer,Float] seconds", timespan_from_seconds)
        .add("String[1] string, Formats format?", timespan_from_string)
        .add("Integer days, Integer hours, Integer minutes, Integer seconds, Integer milliseconds?, Integer microseconds?, Integer "
             "nanoseconds?",
             timespan_from_fields)
        .add("Struct[{string => String[1], Optional[format] => Formats}] hash_arg", timespan_from_hash)
        .add("Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, "
             "Optional[seconds] => Integer, "
             "Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}] hash_arg",
             timespan_from_hash);
    set("new_timestamp", TypeKind::Timestamp)
        .alias("Formats", "Variant[String[2],Array[String[2], 1]]")
        .add("", timestamp_now)
        .add("Variant[Integer,Float] seconds", timestamp_from_seconds)
        .add("String[1] string, Formats format?, String[1] timezone?", timestamp_from_string)
        .add("Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}] hash_arg", timestamp_from_hash);
    set("new_Version", TypeKind::SemVer)
        .alias("PositiveInteger", "Integer[0,default]")
        .alias("SemVerQualifier", "Pattern[/\\A(?<part>[0-9A-Za-z-]+)(?:\\.\\g<part>)*\\Z/]")
        .alias("SemVerPattern", "Pattern[/"
                                "\\A(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-"
                                "z-]+(?:\\.[0-9A-Za-z-]+)*))?\\Z/]")
        .alias("SemVerHash", "Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,Optional[prerelease]=>"
                             "SemVerQualifier,Optional[build]=>SemVerQualifier}]")
        .add("SemVerPattern str", semver_from_string)
        .add("PositiveInteger major, PositiveInteger minor, PositiveInteger patch, SemVerQualifier prerelease?, SemVerQualifier build?",
             semver_from_args)
        .add("SemVerHash hash_args", semver_from_hash)
        .refuse("String str", semver_error);
    set("new_VersionRange", TypeKind::SemVerRange)
        .alias("SemVerRangeString", "String[1]")
        .alias("SemVerRangeHash",
               "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]")
        .add("SemVerRangeString str", semver_range_from_string)
        .add("Variant[Default,SemVer] min, Variant[Default,SemVer] max, Boolean exclude_max?", semver_range_from_versions)
        .add("SemVerRangeHash hash_args", semver_range_from_hash);
  }

  /// The set, or null when the kind has none.
  const ConstructorSet* get() const { return made.list.empty() ? nullptr : &made; }

private:
  TypeKind wanted;
  bool listed = false; // what is listed here is of the wanted kind
  TableContext ctx;
  ConstructorSet made;

  Table& set(std::string_view function, TypeKind kind) {
    listed = kind == wanted;
    if (listed) made.function = function;
    return *this;
  }
  /// An alias of the type whose text has three parts.
  Table& alias(std::string_view name, std::string_view text, std::string_view middle = {}, std::string_view end = {}) {
    if (!listed) return *this;
    auto* t = ctx.arena.make<TypeAliasType>(name);
    t->resolved = normalize(ctx, parse_type(ctx, fmt::format("{}{}{}", text, middle, end)));
    ctx.aliases[std::string(name)] = t;
    return *this;
  }
  Table& add(std::string_view parameters, ConstructorCode code) { return add(parameters, code, false); }
  Table& refuse(std::string_view parameters, ConstructorCode code) { return add(parameters, code, true); }
  Table& add(std::string_view parameters, ConstructorCode code, bool refuses) {
    if (!listed) return *this;
    made.list.push_back(signature(parameters));
    made.list.back().code = code;
    made.list.back().refuses = refuses;
    return *this;
  }

  /// Reads a signature from "Type name, Type name?". A ? marks optional parameters.
  Constructor signature(std::string_view text) {
    Constructor c;
    std::vector<const Type*> types;
    size_t required = 0;
    int depth = 0;
    bool in_regex = false;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      char ch = i < text.size() ? text[i] : ',';
      if (ch == '/' && text[i - 1] != '\\') in_regex = !in_regex;
      if (in_regex) continue;
      depth += ch == '[' || ch == '{';
      depth -= ch == ']' || ch == '}';
      if (ch != ',' || depth > 0 || begin >= i) continue;
      std::string_view one = text.substr(begin, i - begin);
      begin = i + 2;
      size_t space = one.rfind(' ');
      std::string_view name = one.substr(space + 1);
      if (name.ends_with('?'))
        name.remove_suffix(1);
      else
        ++required;
      c.names.push_back(name);
      types.push_back(parse_type(ctx, one.substr(0, space)));
    }
    c.callable = callable_type(ctx.arena, types, static_cast<int64_t>(required), static_cast<int64_t>(types.size()));
    return c;
  }
};

} // namespace

const ConstructorSet* find_constructors(const Type* type) {
  // A run needs the constructors of few types, and has many to read for all.
  struct Made {
    std::once_flag once;
    std::unique_ptr<const Table> table;
  };
  static std::array<Made, 256> all; // by kinds
  const TypeKind kind = type->kind == TypeKind::Tuple ? TypeKind::Array : type->kind == TypeKind::Struct ? TypeKind::Hash : type->kind;
  Made& made = all[static_cast<uint8_t>(kind)];
  std::call_once(made.once, [&] { made.table = std::make_unique<const Table>(kind); });
  return made.table->get();
}

} // namespace pupc::compiler
