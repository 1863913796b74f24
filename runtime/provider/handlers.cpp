// The types that pupc can apply: one line for each, sorted by name.
#include "runtime/provider/handlers.h"

#include "catalog/schema/attribute_values.h"
#include "catalog/schema/native_types.h"
#include "runtime/provider/deferred.h"
#include "runtime/provider/foreign_types.h"
#include "runtime/provider/ini_setting/derived_type.h"
#include "runtime/provider/managed_resource.h"
#include "runtime/provider/other_systems.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace pupc::runtime {
namespace {

struct Entry {
  std::string_view type;
  std::unique_ptr<TypeHandler> (*make)();
};

constexpr Entry entries[] = {
    {"anchor", make_anchor_handler},
    {"archive", make_archive_handler},
    {"augeas", make_augeas_handler},
    {"bash", make_script_handler},
    {"batch", make_script_handler},
    {"concat_file", make_concat_file_handler},
    {"concat_fragment", make_concat_fragment_handler},
    {"cron", make_cron_handler},
    {"csh", make_script_handler},
    {"exec", make_exec_handler},
    {"file", make_file_handler},
    {"file_line", make_file_line_handler},
    {"filebucket", make_filebucket_handler},
    {"group", make_group_handler},
    {"host", make_host_handler},
    {"ini_setting", make_ini_setting_handler},
    {"ini_subsetting", make_ini_subsetting_handler},
    {"ksh", make_script_handler},
    {"mailalias", make_mailalias_handler},
    {"mount", make_mount_handler},
    {"node_attribute", make_node_attribute_handler},
    {"notify", make_notify_handler},
    {"package", make_package_handler},
    {"perl", make_script_handler},
    {"powershell_script", make_script_handler},
    {"python", make_script_handler},
    {"resources", make_resources_handler},
    {"ruby", make_script_handler},
    {"schedule", make_schedule_handler},
    {"script", make_script_handler},
    {"service", make_service_handler},
    {"ssh_authorized_key", make_ssh_authorized_key_handler},
    {"sshkey", make_sshkey_handler},
    {"tidy", make_tidy_handler},
    {"user", make_user_handler},
    {"vcsrepo", make_vcsrepo_handler},
    {"yumrepo", make_yumrepo_handler},
    {"zsh", make_script_handler},
};

} // namespace

std::unique_ptr<TypeHandler> make_type_handler(std::string_view type) {
  for (const Entry& e : entries)
    if (e.type == type) return e.make();
  return nullptr;
}

std::unique_ptr<TypeHandler> make_type_handler(std::string_view type, const RunSettings& settings) {
  // The module's provider reads and writes all files of repositories together, which the handler here does not.
  if (type == "yumrepo" && settings.foreign_types != nullptr)
    if (auto handler = settings.foreign_types->handler(type)) return handler;
  if (auto handler = make_type_handler(type)) return handler;
  if (auto derived = read_derived_ini_type(type, settings)) return make_derived_ini_handler(std::move(*derived), std::string(type));
  return settings.foreign_types == nullptr ? nullptr : settings.foreign_types->handler(type);
}

bool is_native_provider(std::string_view type, std::string_view provider) {
  struct Providers {
    std::string_view type;
    std::vector<std::string_view> names;
  };
  static const Providers several[] = {
      {"package", {"apt", "dpkg", "dnf", "yum", "rpm", "pip", "pip3", "gem", "puppet_gem", "npm"}},
      {"service", {"systemd", "debian", "redhat", "init", "base", "service"}},
      {"user", {"useradd"}},
      {"exec", {"posix", "shell", "windows"}},
      {"file", {"posix", "windows"}},
      {"group", {"groupadd"}},
      {"vcsrepo", {"git"}},
      {"archive", {"ruby", "curl", "wget", "faraday", "puppet"}},
  };
  for (const Providers& p : several)
    if (p.type == type) return std::find(p.names.begin(), p.names.end(), provider) != p.names.end();
  const std::string_view only = native_provider(type);
  return only.empty() || only == provider;
}

std::string_view native_provider(std::string_view type) {
  struct TypeProvider {
    std::string_view type, provider;
  };
  static constexpr TypeProvider providers[] = {
      {"archive", "ruby"},
      {"augeas", "augeas"},
      {"cron", "crontab"},
      {"exec", "posix"},
      {"file", "posix"},
      {"file_line", "ruby"},
      {"group", "groupadd"},
      {"host", "parsed"},
      {"ini_setting", "ruby"},
      {"ini_subsetting", "ruby"},
      {"mailalias", "aliases"},
      {"mount", "parsed"},
      {"ssh_authorized_key", "parsed"},
      {"sshkey", "parsed"},
      {"user", "useradd"},
      {"yumrepo", "inifile"},
  };
  const auto found = std::find_if(std::begin(providers), std::end(providers), [&](const TypeProvider& p) { return p.type == type; });
  return found == std::end(providers) ? std::string_view() : found->provider;
}

void check_provider(const ManagedResource& r, const RunSettings& settings) {
  const std::string provider = r.text("provider");
  if (provider.empty() || is_native_provider(r.type, provider) || is_of_other_systems(r.type, provider)) return;
  if (settings.foreign_types != nullptr && settings.foreign_types->has_provider(r.type, provider)) return;
  throw ResourceError(fmt::format("Parameter provider failed on {}: Invalid {} provider '{}'", r.reference(), r.type, provider));
}

void check_values(const TypeHandler& handler, const ManagedResource& r) {
  for (const NativeAttribute& known : native_attributes(r.type)) {
    if (known.allowed.empty()) continue;
    const ManagedAttribute* attribute = r.find(known.name);
    if (attribute == nullptr) continue;
    const AllowedValues& allowed = allowed_values(known);
    if (allowed.left_to_type()) continue;
    const Value whole = attribute->value.kind == Kind::Sensitive ? attribute->value.unwrap() : attribute->value;
    // A property may have several values, of which the first counts or all; a parameter has one.
    const bool several = whole.is_list() && known.kind == AttributeKind::Property;
    for (const Value& value : several ? whole.items() : std::span(&whole, 1))
      if (!has_deferred(value) && !allowed.allows(ruby_text(value))) {
        const bool secret = attribute->sensitive || attribute->value.kind == Kind::Sensitive;
        const std::string shown = secret ? "[redacted]" : inspected_text(value);
        throw ResourceError(fmt::format("Parameter {} failed on {}: {}", known.name, handler.shown_reference(r, known.name),
                                        allowed.refusal(shown, known.name)));
      }
  }
}

void prepare_resource(TypeHandler& handler, ManagedResource& r, RunContext& run) {
  check_provider(r, run.settings);
  if (!handler.checks_values()) check_values(handler, r);
  if (handler.prepares_deferred() || !has_deferred(r)) handler.prepare(r, run);
}

bool has_foreign_provider(const ManagedResource& resource, RunContext& run) {
  ForeignTypes* foreign = run.settings.foreign_types;
  if (foreign == nullptr) return false;
  const std::string provider = resource.text("provider");
  if (provider.empty()) return foreign->is_default(resource.type, run);
  return !is_native_provider(resource.type, provider) && foreign->has_provider(resource.type, provider);
}

std::vector<std::string_view> applicable_types() {
  std::vector<std::string_view> out;
  for (const Entry& e : entries) out.push_back(e.type);
  return out;
}

} // namespace pupc::runtime
