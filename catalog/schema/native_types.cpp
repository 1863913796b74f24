// Tables of the native types' attributes and namevars. runtime/provider implements their meaning when a catalog is applied.
// tools/conformance/resource_types.py compares the tables with Puppet. The types are those of Puppet 8.11 and of the modules in
// puppet-agent 8.11.
#include "catalog/schema/native_types.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

namespace pupc::catalog {
namespace {

constexpr AttributeSchema property(std::string_view name) { return {name, AttributeKind::Property}; }
constexpr AttributeSchema parameter(std::string_view name) { return {name, AttributeKind::Parameter}; }
constexpr AttributeSchema namevar(std::string_view name) { return {name, AttributeKind::Parameter, true}; }

// -- Puppet's own types

constexpr AttributeSchema component_attributes[] = {
    namevar("name"),
};
constexpr AttributeSchema exec_attributes[] = {
    property("returns"),  namevar("command"),     parameter("path"),      parameter("user"),        parameter("group"),
    parameter("cwd"),     parameter("logoutput"), parameter("refresh"),   parameter("environment"), parameter("umask"),
    parameter("timeout"), parameter("tries"),     parameter("try_sleep"), parameter("refreshonly"), parameter("creates"),
    parameter("unless"),  parameter("onlyif"),    parameter("provider"),
};
constexpr AttributeSchema file_attributes[] = {
    property("ensure"),
    property("content"),
    property("checksum_value"),
    property("target"),
    property("owner"),
    property("group"),
    property("mode"),
    property("type"),
    property("seluser"),
    property("selrole"),
    property("seltype"),
    property("selrange"),
    property("ctime"),
    property("mtime"),
    namevar("path"),
    parameter("backup"),
    parameter("recurse"),
    parameter("recurselimit"),
    parameter("max_files"),
    parameter("replace"),
    parameter("force"),
    parameter("ignore"),
    parameter("links"),
    parameter("purge"),
    parameter("sourceselect"),
    parameter("show_diff"),
    parameter("staging_location"),
    parameter("validate_cmd"),
    parameter("validate_replacement"),
    parameter("provider"),
    parameter("checksum"),
    parameter("source"),
    parameter("source_permissions"),
    parameter("selinux_ignore_defaults"),
};
constexpr AttributeSchema filebucket_attributes[] = {
    namevar("name"),
    parameter("server"),
    parameter("port"),
    parameter("path"),
};
constexpr AttributeSchema group_attributes[] = {
    property("ensure"),
    property("gid"),
    property("members"),
    property("attributes"),
    parameter("auth_membership"),
    namevar("name"),
    parameter("allowdupe"),
    parameter("ia_load_module"),
    parameter("attribute_membership"),
    parameter("system"),
    parameter("forcelocal"),
    parameter("provider"),
};
constexpr AttributeSchema notify_attributes[] = {
    property("message"),
    parameter("withpath"),
    namevar("name"),
};
constexpr AttributeSchema package_attributes[] = {
    property("ensure"),
    property("package_settings"),
    property("flavor"),
    property("mark"),
    namevar("name"),
    namevar("provider"),
    namevar("command"),
    parameter("source"),
    parameter("instance"),
    parameter("status"),
    parameter("adminfile"),
    parameter("responsefile"),
    parameter("configfiles"),
    parameter("category"),
    parameter("platform"),
    parameter("root"),
    parameter("vendor"),
    parameter("description"),
    parameter("allowcdrom"),
    parameter("enable_only"),
    parameter("install_only"),
    parameter("install_options"),
    parameter("uninstall_options"),
    parameter("allow_virtual"),
    parameter("reinstall_on_refresh"),
};
constexpr AttributeSchema resources_attributes[] = {
    namevar("name"),
    parameter("purge"),
    parameter("unless_system_user"),
    parameter("unless_uid"),
};
constexpr AttributeSchema schedule_attributes[] = {
    namevar("name"), parameter("range"), parameter("periodmatch"), parameter("period"), parameter("repeat"), parameter("weekday"),
};
constexpr AttributeSchema service_attributes[] = {
    property("ensure"),      property("enable"),     property("logonaccount"), property("flags"),     parameter("logonpassword"),
    parameter("binary"),     parameter("hasstatus"), namevar("name"),          parameter("path"),     parameter("pattern"),
    parameter("restart"),    parameter("start"),     parameter("status"),      parameter("stop"),     parameter("control"),
    parameter("hasrestart"), parameter("manifest"),  parameter("timeout"),     parameter("provider"),
};
constexpr AttributeSchema stage_attributes[] = {
    namevar("name"),
};
constexpr AttributeSchema tidy_attributes[] = {
    namevar("path"),  parameter("recurse"), parameter("max_files"), parameter("matches"), parameter("backup"),
    parameter("age"), parameter("size"),    parameter("type"),      parameter("rmdirs"),
};
constexpr AttributeSchema user_attributes[] = {
    property("ensure"),
    property("home"),
    property("uid"),
    property("gid"),
    property("comment"),
    property("shell"),
    property("password"),
    property("password_min_age"),
    property("password_max_age"),
    property("password_warn_days"),
    property("groups"),
    property("expiry"),
    property("roles"),
    property("auths"),
    property("profiles"),
    property("keys"),
    property("project"),
    property("attributes"),
    property("salt"),
    property("iterations"),
    property("loginclass"),
    namevar("name"),
    parameter("membership"),
    parameter("system"),
    parameter("allowdupe"),
    parameter("managehome"),
    parameter("role_membership"),
    parameter("auth_membership"),
    parameter("profile_membership"),
    parameter("key_membership"),
    parameter("ia_load_module"),
    parameter("attribute_membership"),
    parameter("forcelocal"),
    parameter("purge_ssh_keys"),
    parameter("provider"),
};
constexpr AttributeSchema whit_attributes[] = {
    namevar("name"),
};
// -- types of the modules that come with puppet-agent

constexpr AttributeSchema augeas_attributes[] = {
    property("returns"), namevar("name"),        parameter("context"),  parameter("onlyif"),     parameter("changes"),
    parameter("root"),   parameter("load_path"), parameter("force"),    parameter("type_check"), parameter("lens"),
    parameter("incl"),   parameter("show_diff"), parameter("provider"),
};
constexpr AttributeSchema cron_attributes[] = {
    property("ensure"),  property("command"), property("special"),   property("minute"),      property("hour"),
    property("weekday"), property("month"),   property("monthday"),  property("environment"), property("user"),
    property("target"),  namevar("name"),     parameter("provider"),
};
constexpr AttributeSchema host_attributes[] = {
    property("ensure"), property("ip"),  property("host_aliases"), property("comment"),
    property("target"), namevar("name"), parameter("provider"),
};
constexpr AttributeSchema mailalias_attributes[] = {
    property("ensure"), property("recipient"), property("file"), property("target"), namevar("name"), parameter("provider"),
};
constexpr AttributeSchema mount_attributes[] = {
    property("ensure"), property("device"), property("blockdevice"), property("fstype"), property("options"),   property("pass"),
    property("atboot"), property("dump"),   property("target"),      namevar("name"),    parameter("remounts"), parameter("provider"),
};
constexpr AttributeSchema selboolean_attributes[] = {
    property("value"),
    namevar("name"),
    parameter("persistent"),
    parameter("provider"),
};
constexpr AttributeSchema selmodule_attributes[] = {
    property("ensure"),        property("syncversion"),    namevar("name"),
    parameter("selmoduledir"), parameter("selmodulepath"), parameter("provider"),
};
constexpr AttributeSchema ssh_authorized_key_attributes[] = {
    property("ensure"),    property("type"),    property("key"), property("user"),
    property("target"),    property("options"), namevar("name"), parameter("drop_privileges"),
    parameter("provider"),
};
constexpr AttributeSchema sshkey_attributes[] = {
    property("ensure"), property("key"), property("host_aliases"), property("target"),
    namevar("type"),    namevar("name"), parameter("provider"),
};
constexpr AttributeSchema yumrepo_attributes[] = {
    property("ensure"),
    property("descr"),
    property("mirrorlist"),
    property("baseurl"),
    property("enabled"),
    property("gpgcheck"),
    property("payload_gpgcheck"),
    property("repo_gpgcheck"),
    property("gpgkey"),
    property("mirrorlist_expire"),
    property("include"),
    property("exclude"),
    property("gpgcakey"),
    property("includepkgs"),
    property("enablegroups"),
    property("module_hotfixes"),
    property("failovermethod"),
    property("keepalive"),
    property("retries"),
    property("http_caching"),
    property("timeout"),
    property("metadata_expire"),
    property("protect"),
    property("priority"),
    property("minrate"),
    property("throttle"),
    property("bandwidth"),
    property("cost"),
    property("proxy"),
    property("proxy_username"),
    property("proxy_password"),
    property("s3_enabled"),
    property("sslcacert"),
    property("sslverify"),
    property("sslclientcert"),
    property("sslclientkey"),
    property("metalink"),
    property("skip_if_unavailable"),
    property("assumeyes"),
    property("deltarpm_percentage"),
    property("deltarpm_metadata_percentage"),
    property("username"),
    property("password"),
    namevar("name"),
    parameter("target"),
    parameter("provider"),
};
constexpr AttributeSchema zfs_attributes[] = {
    property("ensure"),
    property("aclinherit"),
    property("aclmode"),
    property("acltype"),
    property("atime"),
    property("canmount"),
    property("checksum"),
    property("compression"),
    property("copies"),
    property("dedup"),
    property("devices"),
    property("exec"),
    property("logbias"),
    property("mountpoint"),
    property("nbmand"),
    property("overlay"),
    property("primarycache"),
    property("quota"),
    property("readonly"),
    property("recordsize"),
    property("refquota"),
    property("refreservation"),
    property("relatime"),
    property("reservation"),
    property("secondarycache"),
    property("setuid"),
    property("shareiscsi"),
    property("sharenfs"),
    property("sharesmb"),
    property("snapdir"),
    property("sync"),
    property("version"),
    property("volsize"),
    property("vscan"),
    property("xattr"),
    property("zoned"),
    namevar("name"),
    parameter("provider"),
};
constexpr AttributeSchema zone_attributes[] = {
    property("ensure"),        property("ip"),        property("iptype"),    property("autoboot"),     property("path"),
    property("pool"),          property("shares"),    property("dataset"),   property("inherit"),      namevar("name"),
    parameter("id"),           parameter("clone"),    parameter("sysidcfg"), parameter("create_args"), parameter("install_args"),
    parameter("realhostname"), parameter("provider"),
};
constexpr AttributeSchema zpool_attributes[] = {
    property("ensure"),      property("disk"),  property("mirror"), property("raidz"),      property("spare"),
    property("log"),         property("cache"), property("ashift"), property("autoexpand"), property("failmode"),
    property("raid_parity"), property("force"), namevar("pool"),    parameter("provider"),
};

// -- pupc's own: script resources and the run-time writer of node attributes (runtime/guard/README.md)

constexpr AttributeSchema script_attributes[] = {
    property("returns"), namevar("name"),          parameter("interpreter"), parameter("flags"),       parameter("code"),
    parameter("cwd"),    parameter("environment"), parameter("user"),        parameter("group"),       parameter("umask"),
    parameter("path"),   parameter("creates"),     parameter("timeout"),     parameter("refreshonly"), parameter("logoutput"),
};
constexpr AttributeSchema batch_attributes[] = {
    property("returns"),  namevar("name"),          parameter("interpreter"), parameter("flags"),
    parameter("code"),    parameter("cwd"),         parameter("environment"), parameter("user"),
    parameter("group"),   parameter("umask"),       parameter("path"),        parameter("creates"),
    parameter("timeout"), parameter("refreshonly"), parameter("logoutput"),   parameter("architecture"),
};
constexpr AttributeSchema powershell_script_attributes[] = {
    property("returns"),
    namevar("name"),
    parameter("interpreter"),
    parameter("flags"),
    parameter("code"),
    parameter("cwd"),
    parameter("environment"),
    parameter("user"),
    parameter("group"),
    parameter("umask"),
    parameter("path"),
    parameter("creates"),
    parameter("timeout"),
    parameter("refreshonly"),
    parameter("logoutput"),
    parameter("architecture"),
    parameter("convert_boolean_return"),
};
constexpr AttributeSchema node_attribute_attributes[] = {namevar("name"), parameter("value")};

// -- title patterns that are not just the namevar

constexpr uint8_t multi_line = TitlePatternSchema::multi_line;
constexpr std::string_view name_only[] = {"name"};
constexpr std::string_view path_only[] = {"path"};
constexpr std::string_view name_and_type[] = {"name", "type"};
constexpr TitlePatternSchema file_titles[] = {{R"(^(/|.+:/|.*[^/])/*\Z)", multi_line, path_only}};
constexpr TitlePatternSchema package_titles[] = {{"(.*)", multi_line, name_only}};
constexpr TitlePatternSchema sshkey_titles[] = {{"^(.*?)@(.*)$", 0, name_and_type}, {"^([^@]+)$", 0, name_only}};

// -- the table, sorted by name

using enum TypeOrigin;

constexpr TypeSchema type(std::string_view name, TypeOrigin origin, std::span<const AttributeSchema> attributes) {
  return {.name = name, .origin = origin, .attributes = attributes};
}
constexpr TypeSchema titled(TypeSchema schema, std::span<const TitlePatternSchema> titles) {
  schema.title_patterns = titles;
  schema.own_title_patterns = true;
  return schema;
}
// Several resources may name the same thing, because it is an action and not a state.
constexpr TypeSchema repeatable(TypeSchema schema) {
  schema.isomorphic = false;
  return schema;
}

constexpr TypeSchema types[] = {
    type("augeas", CoreModule, augeas_attributes),
    type("bash", Extension, script_attributes),
    type("batch", Extension, batch_attributes),
    type("component", Core, component_attributes),
    type("cron", CoreModule, cron_attributes),
    type("csh", Extension, script_attributes),
    repeatable(type("exec", Core, exec_attributes)),
    titled(type("file", Core, file_attributes), file_titles),
    type("filebucket", Core, filebucket_attributes),
    type("group", Core, group_attributes),
    type("host", CoreModule, host_attributes),
    type("ksh", Extension, script_attributes),
    type("mailalias", CoreModule, mailalias_attributes),
    type("mount", CoreModule, mount_attributes),
    type("node_attribute", Extension, node_attribute_attributes),
    type("notify", Core, notify_attributes),
    titled(type("package", Core, package_attributes), package_titles),
    type("perl", Extension, script_attributes),
    type("powershell_script", Extension, powershell_script_attributes),
    type("python", Extension, script_attributes),
    type("resources", Core, resources_attributes),
    type("ruby", Extension, script_attributes),
    type("schedule", Core, schedule_attributes),
    type("script", Extension, script_attributes),
    type("selboolean", CoreModule, selboolean_attributes),
    type("selmodule", CoreModule, selmodule_attributes),
    type("service", Core, service_attributes),
    type("ssh_authorized_key", CoreModule, ssh_authorized_key_attributes),
    titled(type("sshkey", CoreModule, sshkey_attributes), sshkey_titles),
    type("stage", Core, stage_attributes),
    repeatable(type("tidy", Core, tidy_attributes)),
    type("user", Core, user_attributes),
    type("whit", Core, whit_attributes),
    type("yumrepo", CoreModule, yumrepo_attributes),
    type("zfs", CoreModule, zfs_attributes),
    type("zone", CoreModule, zone_attributes),
    type("zpool", CoreModule, zpool_attributes),
    type("zsh", Extension, script_attributes),
};
static_assert(std::is_sorted(std::begin(types), std::end(types), [](const TypeSchema& a, const TypeSchema& b) { return a.name < b.name; }));

constexpr std::string_view script_types[] = {"bash", "batch", "csh", "ksh", "perl", "powershell_script", "python", "ruby", "script", "zsh"};

// Made on first use, because a compile needs few types.
struct Cell {
  std::once_flag once;
  std::unique_ptr<const ResourceTypeInfo> info;
};

} // namespace

const ResourceTypeInfo* find_native_type(std::string_view name) {
  const TypeSchema* found = std::lower_bound(std::begin(types), std::end(types), name,
                                             [](const TypeSchema& t, std::string_view n) { return t.name < n; });
  if (found == std::end(types) || found->name != name) return nullptr;
  static std::array<Cell, std::size(types)> cells;
  Cell& cell = cells[static_cast<size_t>(found - types)];
  std::call_once(cell.once, [&] { cell.info = std::make_unique<const ResourceTypeInfo>(*found); });
  return cell.info.get();
}

std::vector<std::string_view> native_type_names() {
  std::vector<std::string_view> names;
  for (const auto& t : types) names.push_back(t.name);
  return names;
}

bool is_script_type(std::string_view name) { return std::binary_search(std::begin(script_types), std::end(script_types), name); }

} // namespace pupc::catalog
