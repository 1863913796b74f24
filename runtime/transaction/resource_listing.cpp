#include "runtime/transaction/resource_listing.h"

#include "catalog/graph/tags.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/time_format.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/handlers.h"
#include "runtime/transaction/provider_name.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

using Names = std::vector<std::string>;

bool is_shown(std::string_view name, const Value& value) {
  if (value.is_undef() || (value.is_list() && value.items().empty())) return false;
  const std::string text = value_text(value);
  // A file that is no link has no target.
  return !text.empty() && (text != "absent" || name == "ensure") && (text != "notlink" || name != "target");
}

void put_in_order(ListedResource& resource) {
  std::sort(resource.attributes.begin(), resource.attributes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first != "ensure", std::string_view(a.first)) < std::pair(b.first != "ensure", std::string_view(b.first));
  });
}

/// Properties that Puppet's types have, by which resources are looked at.
Names properties_of(const std::string& type) {
  Names out;
  if (const ResourceTypeInfo* known = find_native_type(type))
    for (const ResourceTypeInfo::Attribute& a : known->attributes())
      if (a.kind == AttributeKind::Property) out.emplace_back(a.name.str());
  return out;
}

/// A resource of which everything is looked at.
void look_at_all(RunContext& run, ManagedResource& r) {
  r.printed_type = capitalize_segments(r.type);
  r.path = "/" + r.reference();
  if (const size_t at = r.title.rfind('@'); r.type == "sshkey" && at != std::string::npos && !r.has("name")) {
    r.set("name", string_value(run.arena, r.title.substr(0, at))); // listed ones have both in their title
    r.set("type", string_value(run.arena, r.title.substr(at + 1)));
  }
  ListBuilder all(run.arena);
  all.add(Value::string("all"));
  r.set("audit", all.finish());
}

/// Of a resource that manages little: `ensure` is looked at all the same (but of a service), as is what has a default.
bool is_always_looked_at(std::string_view type, std::string_view property) {
  if (property == "ensure") return type != "service";
  return (property == "returns" && type == "exec") || property == "target" || (property == "user" && type == "ssh_authorized_key");
}

/// What the handler says of a resource now. `managed_only`: but for ensure only what the resource gives is told.
ListedResource look(RunContext& run, TypeHandler& handler, ManagedResource& r, const Names& more, bool managed_only) {
  if (const std::string why = handler.unsuitable(r, run); !why.empty()) throw ResourceError(why);
  const Present present = handler.retrieve(r, run);
  ListedResource out;
  out.type = r.type;
  const std::string key = handler.key(r);
  out.title = r.type == "sshkey" ? key : r.title; // whose title its type of key belongs to
  for (const std::string& name : properties_of(r.type)) {
    Value value = present.get(name);
    if (name == "user" && value.is_undef()) value = r.get(name); // a key stands in its user's file, not with its user
    if (name == "ensure" && value.is_undef()) value = Value::string(present.exists ? "present" : "absent");
    if (managed_only && !r.has(name) && !is_always_looked_at(r.type, name)) continue;
    if (value.kind == Kind::Timestamp) value = string_value(run.arena, local_time_text(value.i));
    if ((present.exists || name == "ensure") && is_shown(name, value)) out.attributes.emplace_back(name, value);
  }
  Names parameters = more;
  if (r.type == "sshkey") parameters.insert(parameters.end(), {"name", "type"});
  for (const std::string& name : parameters)
    if (const std::string text = name == "name" && r.type == "sshkey" ? key.substr(0, key.rfind('@')) : r.text(name); !text.empty())
      out.attributes.emplace_back(name, string_value(run.arena, text));
  if (!r.has("provider") || more.empty())
    if (const std::string provider = provider_name(r, run); !provider.empty())
      out.attributes.emplace_back("provider", string_value(run.arena, provider));
  put_in_order(out);
  out.attributes.erase(
      std::unique(out.attributes.begin(), out.attributes.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
      out.attributes.end());
  return out;
}

/// What the types without a way to list say. Throws ResourceError.
[[noreturn]] void cannot_list(RunContext& run, const std::string& type) {
  ManagedResource r;
  r.type = type;
  const std::string provider = provider_name(r, run);
  if (provider.empty()) throw ResourceError(fmt::format("{} has no providers and has not overridden 'instances'", type));
  if (type == "ini_setting" || type == "ini_subsetting")
    throw ResourceError("Ini_settings only support collecting instances when a file path is hard coded");
  throw ResourceError(fmt::format(
      "To support listing resources of this type the '{}' provider needs to implement an 'instances' class method returning the "
      "current set of resources. We recommend porting your module to the simpler Resource API instead: "
      "https://puppet.com/search/docs?keys=resource+api",
      provider));
}

ListedResource of_foreign(const std::string& type, const Value& answer) {
  ListedResource one;
  one.type = type;
  one.title = value_text(*answer.hash->find("title"));
  one.described = answer.hash->find("described")->truthy();
  for (const HashEntry& e : answer.hash->find("attributes")->hash->entries()) one.attributes.emplace_back(e.key.str(), e.value);
  if (!one.described) put_in_order(one);
  return one;
}

/// Whether no provider of a native type works here, so that it has no instances.
bool is_unsuitable(RunContext& run, TypeHandler& handler, const std::string& type) {
  ManagedResource any;
  any.type = type;
  return !handler.unsuitable(any, run).empty();
}

/// How a type is managed: by pupc, by a module's Ruby (the second is true), else throws.
std::pair<std::unique_ptr<TypeHandler>, bool> handler_for(RunContext& run, const std::string& type) {
  if (auto handler = make_type_handler(type, run.settings)) return {std::move(handler), make_type_handler(type) == nullptr};
  if (find_native_type(type) != nullptr || type == "stage") cannot_list(run, type);
  throw ResourceError(fmt::format("Could not find type {}", type));
}

} // namespace

std::vector<ListedResource> list_resources(RunContext& run, const std::string& type, const Names& more) {
  std::vector<ListedResource> out;
  const auto [handler, foreign] = handler_for(run, type);
  if (foreign) {
    const Value found = run.settings.foreign_types->list(type, "", more, run);
    for (const Value& resource : found.items()) out.push_back(of_foreign(type, resource));
  } else {
    if (type == "file")
      throw ResourceError(
          "Listing all file instances is not supported.  Please specify a file or directory, e.g. puppet resource file /etc");
    if (is_unsuitable(run, *handler, type)) return out;
    auto all = handler->instances(run);
    if (!all) cannot_list(run, type);
    for (ManagedResource& r : *all) {
      look_at_all(run, r);
      out.push_back(look(run, *handler, r, more, false));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const ListedResource& a, const ListedResource& b) { return a.title < b.title; });
  return out;
}

ListedResource find_resource(RunContext& run, const std::string& type, const std::string& title, const Names& more) {
  const auto [handler, foreign] = handler_for(run, type);
  if (foreign) return of_foreign(type, run.settings.foreign_types->list(type, title, more, run).items()[0]);
  // Of files there are too many to look among them.
  if (type != "file") {
    if (is_unsuitable(run, *handler, type)) throw ResourceError(fmt::format("No ability to determine if {} exists", type));
    auto all = handler->instances_for(title, run);
    if (!all) cannot_list(run, type);
    const auto found = std::find_if(all->begin(), all->end(), [&](const ManagedResource& r) { return r.title == title; });
    if (found != all->end()) {
      look_at_all(run, *found);
      return look(run, *handler, *found, more, false);
    }
  }
  ManagedResource r;
  r.type = type;
  r.title = title;
  look_at_all(run, r);
  handler->prepare(r, run);
  ManagedResource* one[] = {&r};
  handler->prefetch(one, run);
  return look(run, *handler, r, more, false);
}

ListedResource managed_resource(RunContext& run, ManagedResource& resource, const Names& more) {
  const auto [handler, foreign] = handler_for(run, resource.type);
  if (foreign || has_foreign_provider(resource, run))
    return of_foreign(resource.type, run.settings.foreign_types->show(resource, more, run));
  ManagedResource* one[] = {&resource};
  handler->prefetch(one, run);
  return look(run, *handler, resource, more, true);
}

std::string as_manifest(const ListedResource& resource) {
  if (resource.described) {
    std::string out = fmt::format("{} {{ {}: ", resource.type, display_text(resource.title));
    for (const auto& [name, value] : resource.attributes) out += fmt::format("\n  {} => {},", name, display_text(value));
    return out + "\n}";
  }
  size_t width = 0;
  for (const auto& [name, value] : resource.attributes) width = std::max(width, name.size());
  std::string title;
  for (const char c : resource.title) title += c == '\'' ? std::string("\\'") : std::string(1, c);
  std::string out = fmt::format("{} {{ '{}':\n", resource.type, title);
  for (const auto& [name, value] : resource.attributes) out += fmt::format("  {:<{}} => {},\n", name, width, display_text(value));
  return out + "}";
}

} // namespace pupc::runtime
