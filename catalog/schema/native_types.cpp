// Reads the table of native types. runtime/provider implements what they do when a catalog is applied.
#include "catalog/schema/native_types.h"

#include "catalog/schema/attribute_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <mutex>

namespace pupc::catalog {
namespace {

using enum TypeOrigin;

struct NativeType {
  std::string_view name;
  TypeOrigin origin;
  TypeManual manual;
};

// The table is read three times: the types, what the compiler knows of attributes, and all the rest of them.
constexpr NativeType types[] = {
#define TYPE(type, origin, summary, example) {#type, origin, {summary, example}},
#define PROPERTY(...)
#define PARAMETER(...)
#define NAMEVAR(...)
#include "catalog/schema/native_types.def"
#undef TYPE
#undef PROPERTY
#undef PARAMETER
#undef NAMEVAR
};
constexpr AttributeSchema schemas[] = {
#define TYPE(...)
#define PROPERTY(type, attribute, ...) {#attribute, AttributeKind::Property},
#define PARAMETER(type, attribute, ...) {#attribute, AttributeKind::Parameter},
#define NAMEVAR(type, attribute, ...) {#attribute, AttributeKind::Parameter, true},
#include "catalog/schema/native_types.def"
#undef PROPERTY
#undef PARAMETER
#undef NAMEVAR
};
constexpr NativeAttribute rows[] = {
#define PROPERTY(type, attribute, ...) {#type, #attribute, AttributeKind::Property, __VA_ARGS__},
#define PARAMETER(type, attribute, ...) {#type, #attribute, AttributeKind::Parameter, __VA_ARGS__},
#define NAMEVAR(type, attribute, ...) PARAMETER(type, attribute, __VA_ARGS__)
#include "catalog/schema/native_types.def"
#undef TYPE
#undef PROPERTY
#undef PARAMETER
#undef NAMEVAR
};
static_assert(std::size(rows) == std::size(schemas));
static_assert(std::is_sorted(std::begin(types), std::end(types), [](const NativeType& a, const NativeType& b) { return a.name < b.name; }));
static_assert(std::is_sorted(std::begin(rows), std::end(rows),
                             [](const NativeAttribute& a, const NativeAttribute& b) { return a.type < b.type; }));

constexpr std::string_view script_types[] = {"bash", "batch", "csh", "ksh", "perl", "powershell_script", "python", "ruby", "script", "zsh"};
static_assert(std::is_sorted(std::begin(script_types), std::end(script_types)));

// Title patterns that are not just the namevar.
constexpr uint8_t multi_line = TitlePatternSchema::multi_line;
constexpr std::string_view name_only[] = {"name"};
constexpr std::string_view path_only[] = {"path"};
constexpr std::string_view name_and_type[] = {"name", "type"};
constexpr TitlePatternSchema file_titles[] = {{R"(^(/|.+:/|.*[^/])/*\Z)", multi_line, path_only}};
constexpr TitlePatternSchema package_titles[] = {{"(.*)", multi_line, name_only}};
constexpr TitlePatternSchema sshkey_titles[] = {{"^(.*?)@(.*)$", 0, name_and_type}, {"^([^@]+)$", 0, name_only}};

std::span<const TitlePatternSchema> titles_of(std::string_view type) {
  if (type == "file") return file_titles;
  if (type == "package") return package_titles;
  if (type == "sshkey") return sshkey_titles;
  return {};
}

TypeSchema schema_of(const NativeType& type) {
  const std::span<const NativeAttribute> of_type = native_attributes(type.name);
  TypeSchema schema{.name = type.name, .origin = type.origin, .attributes = std::span(schemas + (of_type.data() - rows), of_type.size())};
  schema.title_patterns = titles_of(type.name);
  schema.own_title_patterns = !schema.title_patterns.empty();
  // Several resources may name the same thing, because it is an action and not a state.
  schema.isomorphic = type.name != "exec" && type.name != "tidy";
  return schema;
}

const NativeType* find_type(std::string_view name) {
  const NativeType* found = std::lower_bound(std::begin(types), std::end(types), name,
                                             [](const NativeType& t, std::string_view n) { return t.name < n; });
  return found == std::end(types) || found->name != name ? nullptr : found;
}

// Made on first use, because a compile needs few types.
struct Cell {
  std::once_flag once;
  std::unique_ptr<const ResourceTypeInfo> info;
};

} // namespace

const ResourceTypeInfo* find_native_type(std::string_view name) {
  const NativeType* found = find_type(name);
  if (found == nullptr) return nullptr;
  static std::array<Cell, std::size(types)> cells;
  Cell& cell = cells[static_cast<size_t>(found - types)];
  std::call_once(cell.once, [&] { cell.info = std::make_unique<const ResourceTypeInfo>(schema_of(*found)); });
  return cell.info.get();
}

std::vector<std::string_view> native_type_names() {
  std::vector<std::string_view> names;
  for (const NativeType& t : types) names.push_back(t.name);
  return names;
}

bool is_script_type(std::string_view name) { return std::binary_search(std::begin(script_types), std::end(script_types), name); }

std::span<const NativeAttribute> all_native_attributes() { return rows; }

std::span<const NativeAttribute> native_attributes(std::string_view type) {
  const bool script = is_script_type(type);
  const std::string_view name = script ? "script" : type;
  const auto* begin = std::partition_point(std::begin(rows), std::end(rows), [&](const NativeAttribute& a) { return a.type < name; });
  const auto* end = std::partition_point(begin, std::end(rows), [&](const NativeAttribute& a) { return a.type == name; });
  // The last two of `script` are only of the types for Windows.
  const size_t others = !script || type == "powershell_script" ? 0 : type == "batch" ? 1 : 2;
  return {begin, static_cast<size_t>(end - begin) - others};
}

const NativeAttribute* find_native_attribute(std::string_view type, std::string_view attribute) {
  const auto of_type = native_attributes(type);
  const auto found = std::ranges::find(of_type, attribute, &NativeAttribute::name);
  return found == of_type.end() ? nullptr : &*found;
}

TypeManual type_manual(std::string_view type) {
  const NativeType* found = find_type(type);
  if (found != nullptr && found->manual.summary.empty() && is_script_type(type)) found = find_type("script");
  return found == nullptr ? TypeManual() : found->manual;
}

std::string manual_values(const NativeAttribute& attribute) {
  if (!attribute.values.empty()) return std::string(attribute.values);
  return fmt::format("{}", fmt::join(allowed_values(attribute).names(), ", "));
}

} // namespace pupc::catalog
