// yumrepo: a section of a file in /etc/yum.repos.d.
#include "catalog/base/text.h"
#include "runtime/provider/file_label.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/ini_setting/ini_file.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <cctype>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr std::string_view settings[] = {"descr",
                                         "mirrorlist",
                                         "baseurl",
                                         "enabled",
                                         "gpgcheck",
                                         "payload_gpgcheck",
                                         "repo_gpgcheck",
                                         "gpgkey",
                                         "mirrorlist_expire",
                                         "include",
                                         "exclude",
                                         "gpgcakey",
                                         "includepkgs",
                                         "enablegroups",
                                         "failovermethod",
                                         "keepalive",
                                         "retries",
                                         "http_caching",
                                         "timeout",
                                         "metadata_expire",
                                         "protect",
                                         "priority",
                                         "minrate",
                                         "throttle",
                                         "bandwidth",
                                         "cost",
                                         "proxy",
                                         "proxy_username",
                                         "proxy_password",
                                         "s3_enabled",
                                         "username",
                                         "password",
                                         "sslcacert",
                                         "sslverify",
                                         "sslclientcert",
                                         "sslclientkey",
                                         "metalink",
                                         "skip_if_unavailable",
                                         "assumeyes",
                                         "deltarpm_percentage",
                                         "deltarpm_metadata_percentage",
                                         "module_hotfixes"};

/// Normalises the words for yes and no to "1" and "0".
std::string boolean(std::string_view given) {
  std::string text = ascii_lower(given);
  if (text == "true" || text == "yes" || text == "1") return "1";
  if (text == "false" || text == "no" || text == "0") return "0";
  return text;
}

class YumrepoHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    for (const char c : r.name("name"))
      if (isspace(static_cast<unsigned char>(c)) || c == '/')
        throw ResourceError(fmt::format("Parameter name failed on {}: Invalid repository name \"{}\"", r.reference(), r.name("name")));
    for (const char* secret : {"password", "proxy_password"})
      if (const ManagedAttribute* a = r.find(secret)) r.set(secret, a->value, true);
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    const IniFile file = read(r, run);
    p.exists = file.has_section(r.name("name"));
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    for (const std::string_view property : settings)
      if (auto value = file.get(r.name("name"), key_of(property))) p.set(property, string_value(run.arena, *value));
    return p;
  }

protected:
  std::span<const std::string_view> properties() const override { return settings; }
  std::span<const std::string_view> reasons_to_exist() const override { return properties(); }
  bool in_sync(const ManagedResource&, std::string_view, const Value& is, const Value& should, RunContext&) override {
    const std::string wanted = wanted_text(should);
    if (wanted == "absent") return is.is_undef();
    return !is.is_undef() && (value_text(is) == wanted || boolean(value_text(is)) == boolean(wanted));
  }
  void create(ManagedResource& r, const Present& p, RunContext& run) override {
    IniFile file = read(r, run);
    file.add_section(r.name("name"));
    for (const std::string_view property : settings)
      if (r.has(property)) change(file, r, property);
    static_cast<void>(p);
    write_keeping_status(run, path_of(r, run), file.text());
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    const std::string path = path_of(r, run);
    IniFile file = read(r, run);
    file.remove_section(r.name("name"));
    if (file.sections().empty())
      run.system.remove_file(path);
    else
      write(path, file, run);
  }
  void set(ManagedResource& r, const Present&, std::string_view property, RunContext& run) override {
    IniFile file = read(r, run);
    change(file, r, property);
    write(path_of(r, run), file, run);
  }

private:
  static void write(const std::string& path, const IniFile& file, RunContext& run) {
    write_keeping_status(run, path, file.text());
    restore_label(run.system, path);
  }
  static std::string_view key_of(std::string_view property) { return property == "descr" ? "name" : property; }
  static std::string wanted_text(const Value& v) {
    if (!v.is_list()) return value_text(v);
    std::vector<std::string> parts;
    for (const Value& i : v.items()) parts.push_back(value_text(i));
    return join_text(parts, " ");
  }
  static void change(IniFile& file, const ManagedResource& r, std::string_view property) {
    const std::string value = join_text(r.texts(property), " ");
    if (value == "absent")
      file.remove(r.name("name"), key_of(property));
    else
      file.set(r.name("name"), key_of(property), value);
  }
  /// The file of the repository: an absolute `target`, else the file that already has it, else `target` or a file with its name.
  static std::string path_of(const ManagedResource& r, RunContext& run) {
    const std::string directory = "/etc/yum.repos.d", name = r.name("name");
    const std::string target = r.text("target");
    if (target.starts_with('/')) return target;
    if (run.system.stat(directory))
      for (const std::string& file : run.system.list_directory(directory)) {
        if (!file.ends_with(".repo")) continue;
        if (IniFile(run.system.read_file(directory + "/" + file), {"=", "[", "]", " ", {}}).has_section(name))
          return directory + "/" + file;
      }
    return directory + "/" + (target.empty() ? name + ".repo" : target);
  }
  static IniFile read(const ManagedResource& r, RunContext& run) {
    return IniFile(read_if_there(run, path_of(r, run)).value_or(""), {"=", "[", "]", " ", {}});
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_yumrepo_handler() { return std::make_unique<YumrepoHandler>(); }

} // namespace pupc::runtime
