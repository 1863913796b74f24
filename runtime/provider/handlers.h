#pragma once
// One function for each type that pupc can apply, defined in the type's folder.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Whether the native handler of the type implements that provider of Puppet. All other providers come from modules.
bool is_native_provider(std::string_view type, std::string_view provider);
/// Throws ResourceError with Puppet's message when a resource of a native type names a provider that neither Puppet nor a module has.
void check_provider(const ManagedResource& resource, const RunSettings& settings);
/// Throws ResourceError with Puppet's message when an attribute of a native type has a value that the table of types does not allow
/// (catalog/schema/native_types.def). Deferred values are left for later.
void check_values(const TypeHandler& handler, const ManagedResource& resource);
/// Checks and normalises a resource's attributes: the provider, the allowed values, and what the type does by itself
/// (TypeHandler::prepare). Throws ResourceError.
void prepare_resource(TypeHandler& handler, ManagedResource& resource, RunContext& run);
/// The provider of Puppet that the native handler of a type stands for; empty when Puppet has none there or the machine decides.
std::string_view native_provider(std::string_view type);

std::unique_ptr<TypeHandler> make_anchor_handler();
std::unique_ptr<TypeHandler> make_archive_handler();
std::unique_ptr<TypeHandler> make_augeas_handler();
std::unique_ptr<TypeHandler> make_concat_file_handler();
std::unique_ptr<TypeHandler> make_concat_fragment_handler();
std::unique_ptr<TypeHandler> make_cron_handler();
std::unique_ptr<TypeHandler> make_exec_handler();
std::unique_ptr<TypeHandler> make_file_handler();
std::unique_ptr<TypeHandler> make_file_line_handler();
std::unique_ptr<TypeHandler> make_filebucket_handler();
std::unique_ptr<TypeHandler> make_group_handler();
std::unique_ptr<TypeHandler> make_host_handler();
std::unique_ptr<TypeHandler> make_ini_setting_handler();
std::unique_ptr<TypeHandler> make_ini_subsetting_handler();
std::unique_ptr<TypeHandler> make_mailalias_handler();
/// The handler of a type that nobody implements: its resources fail when they are evaluated, all others go on.
std::unique_ptr<TypeHandler> make_missing_type_handler();
std::unique_ptr<TypeHandler> make_mount_handler();
std::unique_ptr<TypeHandler> make_node_attribute_handler();
std::unique_ptr<TypeHandler> make_notify_handler();
/// Puppet reads all providers of packages with the first package of a catalog. They leave variables in its environment for all that it
/// starts from then on, so that nothing that a package brings asks a question.
void leave_package_environment();
std::unique_ptr<TypeHandler> make_package_handler();
std::unique_ptr<TypeHandler> make_schedule_handler();
std::unique_ptr<TypeHandler> make_resources_handler();
std::unique_ptr<TypeHandler> make_script_handler();
std::unique_ptr<TypeHandler> make_tidy_handler();
std::unique_ptr<TypeHandler> make_service_handler();
std::unique_ptr<TypeHandler> make_ssh_authorized_key_handler();
std::unique_ptr<TypeHandler> make_sshkey_handler();
std::unique_ptr<TypeHandler> make_user_handler();
std::unique_ptr<TypeHandler> make_vcsrepo_handler();
std::unique_ptr<TypeHandler> make_yumrepo_handler();

} // namespace pupc::runtime
