#include "catalog/json/catalog_reader.h"

#include "catalog/base/stack.h"
#include "catalog/graph/tags.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_values.h"
#include "catalog/json/rich_data.h"
#include "catalog/schema/native_types.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

std::string_view text_of(const Value* v) { return v != nullptr && v->is_string() ? v->str() : std::string_view(); }

Value decode_base64(std::string_view text, Arena& arena) {
  static const auto table = [] {
    std::array<int8_t, 256> t{};
    t.fill(-1);
    const std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < digits.size(); ++i) t[static_cast<unsigned char>(digits[i])] = static_cast<int8_t>(i);
    return t;
  }();
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    int8_t d = table[static_cast<unsigned char>(c)];
    if (d < 0) continue;
    bits = bits << 6 | static_cast<uint32_t>(d);
    if (++count == 4) {
      out += {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
      bits = 0;
      count = 0;
    }
  }
  if (count == 3) out += {static_cast<char>(bits >> 10), static_cast<char>(bits >> 2)};
  if (count == 2) out += static_cast<char>(bits >> 4);
  return Value::binary(arena.copy(out));
}

Value read_object(const Hash& h, std::string_view type, Arena& arena) {
  const Value* inner = h.find("__pvalue");
  if (type == "Default") return Value::default_value();
  if (type == "Sensitive") return Value::sensitive(arena, inner == nullptr ? Value::undef() : read_rich_value(*inner, arena));
  if (type == "Binary" && inner != nullptr && inner->is_string()) return decode_base64(inner->str(), arena);
  if (type == "Hash" && inner != nullptr && inner->is_list()) {
    HashBuilder out(arena);
    auto items = inner->items();
    for (size_t i = 0; i + 1 < items.size(); i += 2) out.set(read_rich_value(items[i], arena), read_rich_value(items[i + 1], arena));
    return out.finish();
  }
  if (type == "Deferred") {
    auto* d = arena.make<DeferredData>();
    d->name = text_of(h.find("name"));
    d->arguments = nullptr;
    if (const Value* arguments = h.find("arguments"); arguments != nullptr && arguments->is_list()) {
      ListBuilder list(arena);
      for (const Value& a : arguments->items()) list.add(read_rich_value(a, arena));
      d->arguments = list.finish_list();
    }
    return Value::of(static_cast<const DeferredData*>(d));
  }
  // A run only needs the texts of times, versions and patterns. The mark records their kind, so that they can be written back.
  if (inner != nullptr && inner->is_string())
    for (uint16_t kind = 0; kind < std::size(read_text_kinds); ++kind)
      if (read_text_kinds[kind] == type) {
        Value text = *inner;
        text.flags |= read_text_flag;
        text.aux = kind;
        return text;
      }
  HashBuilder out(arena);
  for (const HashEntry& e : h.entries()) out.set(e.key, read_rich_value(e.value, arena));
  Value object = out.finish();
  object.flags |= read_hash_flag;
  return object;
}

/// Documents of format 1 say nothing about the kind. Only a run then knows whether a type is one of a module or a define.
ResourceKind kind_of(std::string_view name, bool native) {
  if (name == "compilable_type") return ResourceKind::CompilableType;
  if (name == "defined_type") return ResourceKind::CodeUnit;
  if (name == "class") return ResourceKind::Class;
  return native ? ResourceKind::CompilableType : ResourceKind::Unknown;
}

bool read_resource(const Value& v, Catalog& catalog, std::string& problem) {
  if (!v.is_hash()) {
    problem = "a resource is no object";
    return false;
  }
  const Hash& h = *v.hash;
  Arena& arena = catalog.arena();
  std::string_view type = text_of(h.find("type")), title = text_of(h.find("title"));
  if (type.empty()) {
    problem = "a resource has no type";
    return false;
  }
  if (title.empty()) {
    problem = fmt::format("a resource of type {} has no title", type);
    return false;
  }
  std::string key = downcase_name(type);
  const ResourceTypeInfo* info = find_native_type(key);
  const ResourceKind kind = kind_of(text_of(h.find("kind")), info != nullptr);
  TypeId id = catalog.type_id(arena.copy(key), kind == ResourceKind::CompilableType ? info : nullptr);
  ResourceId r = catalog.add(id, title, kind);
  if (r == no_resource) {
    problem = fmt::format("{}[{}] occurs twice", type, title);
    return false;
  }
  if (const Value* file = h.find("file"); file != nullptr && file->is_string()) catalog[r].file = catalog.file_index(file->str());
  if (const Value* line = h.find("line"); line != nullptr && line->is_int()) catalog[r].line = static_cast<uint32_t>(line->i);
  bool kind_seen = false; // whether `kind` stands before `exported`
  for (const HashEntry& e : h.entries()) {
    if (e.key.str() == "kind") kind_seen = true;
    if (e.key.str() == "exported") catalog[r].set(Resource::exported_last, kind_seen);
  }
  if (const Value* exported = h.find("exported"); exported != nullptr && exported->truthy()) catalog[r].set(Resource::exported, true);
  if (const Value* tags = h.find("tags"); tags != nullptr && tags->is_list())
    for (const Value& t : tags->items())
      if (t.is_string()) catalog.add_tag(r, catalog.tag_id(t.str()));
  const auto listed = [&](const char* list, std::string_view wanted) {
    const Value* names = h.find(list);
    return names != nullptr && names->is_list() &&
           std::any_of(names->items().begin(), names->items().end(), [&](const Value& n) { return n.is_string() && n.str() == wanted; });
  };
  const Value* parameters = h.find("parameters");
  if (parameters == nullptr || !parameters->is_hash()) return true;
  for (const HashEntry& e : parameters->hash->entries()) {
    Param p;
    p.name = intern(e.key.str());
    p.value = read_rich_value(e.value, arena);
    if (listed("sensitive_parameters", e.key.str())) p.flags |= Param::sensitive;
    if (listed("guards", e.key.str())) p.flags |= Param::guard;
    if (p.value.is(Kind::Sensitive)) {
      p.value = p.value.unwrap();
      p.flags |= Param::sensitive;
    }
    // A document has this parameter beside an equal title only if the title is a symbol, as in Puppet's Stage[main].
    bool names = p.name == sym::name || (info != nullptr && p.name == info->namevar());
    if (names && p.value.is_string() && p.value.str() == title) catalog[r].set(Resource::symbol_title, true);
    catalog.set_param(r, p);
  }
  return true;
}

/// The identifier of the code. puppetserver writes one of digits only as a number, which may have more digits than a value keeps: then the
/// document is read once more, with the digits as they stand there.
std::optional<std::string> code_id_of(const Hash& document, std::string_view text, bool wrapped) {
  const Value* code = document.find("code_id");
  if (code == nullptr) return std::nullopt;
  if (code->is_string()) return std::string(code->str());
  if (code->is_int()) return std::to_string(code->i);
  if (!code->is_float()) return std::nullopt;
  Arena arena;
  const Value exact = read_json_values(text, arena, {.big_integers = true}).value;
  code = (wrapped ? *exact.hash->find("data") : exact).hash->find("code_id");
  return code->is_string() ? std::optional<std::string>(code->str()) : std::nullopt;
}

} // namespace

Value read_rich_value(const Value& json, Arena& arena) {
  check_native_stack();
  if (json.is_list()) {
    ListBuilder out(arena);
    for (const Value& v : json.items()) out.add(read_rich_value(v, arena));
    return out.finish();
  }
  if (!json.is_hash()) return json;
  const Hash& h = *json.hash;
  if (const Value* type = h.find("__ptype"); type != nullptr && type->is_string()) return read_object(h, type->str(), arena);
  HashBuilder out(arena);
  for (const HashEntry& e : h.entries()) out.set(e.key, read_rich_value(e.value, arena));
  return out.finish();
}

bool read_catalog(std::string_view text, Catalog& catalog, std::string& problem, StaticFiles* files) {
  Value root;
  JsonError error;
  if (!parse_json(text, catalog.arena(), root, error)) {
    problem = fmt::format("{} (line: {}, column: {})", error.message, error.line, error.column);
    return false;
  }
  const Value* data = root.is_hash() ? root.hash->find("data") : nullptr;
  const bool wrapped = data != nullptr && data->is_hash();
  if (wrapped) root = *data;
  const Value* resources = root.is_hash() ? root.hash->find("resources") : nullptr;
  if (resources == nullptr || !resources->is_list()) {
    problem = "the document is no catalog: it has no list of resources";
    return false;
  }
  const Hash& h = *root.hash;
  catalog.name = text_of(h.find("name"));
  catalog.environment = text_of(h.find("environment"));
  catalog.uuid = text_of(h.find("catalog_uuid"));
  catalog.code_id = code_id_of(h, text, wrapped);
  if (files != nullptr) {
    if (const Value* found = h.find("metadata")) files->metadata = *found;
    if (const Value* found = h.find("recursive_metadata")) files->recursive = *found;
  }
  if (const Value* version = h.find("version")) {
    if (version->is_int())
      catalog.version = version->i;
    else
      catalog.version_text = text_of(version);
  }
  if (const Value* classes = h.find("classes"); classes != nullptr && classes->is_list())
    for (const Value& c : classes->items())
      if (c.is_string()) catalog.add_class(c.str());
  if (const Value* tags = h.find("tags"); tags != nullptr && tags->is_list())
    for (const Value& t : tags->items())
      if (t.is_string()) catalog.add_own_tag(catalog.tag_id(t.str()));
  for (const Value& r : resources->items())
    if (!read_resource(r, catalog, problem)) return false;
  auto find = [&](std::string_view reference) {
    std::string_view type, title;
    if (!split_reference(reference, type, title)) return no_resource;
    TypeId id = catalog.find_type(downcase_name(type));
    return id == Catalog::no_type ? no_resource : catalog.find(id, title);
  };
  if (const Value* edges = h.find("edges"); edges != nullptr && edges->is_list())
    for (const Value& e : edges->items()) {
      if (!e.is_hash()) continue;
      ResourceId from = find(text_of(e.hash->find("source"))), to = find(text_of(e.hash->find("target")));
      if (from == no_resource || to == no_resource) {
        problem = fmt::format("an edge names {}, which is not in the catalog",
                              text_of(e.hash->find(from == no_resource ? "source" : "target")));
        return false;
      }
      catalog.add_edge(from, to);
    }
  return true;
}

} // namespace pupc::catalog
