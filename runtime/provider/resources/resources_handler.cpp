// resources: purges instances that no resource of the catalog manages, for types that can list their instances.
#include "runtime/provider/handlers.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class ResourcesHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    const std::string type = r.name("name");
    if (make_type_handler(type, run.settings) == nullptr)
      throw ResourceError(fmt::format("Parameter name failed on {}: Could not find resource type '{}'", r.reference(), type));
    static constexpr std::string_view without_ensure[] = {"augeas",    "exec",     "filebucket", "notify",
                                                          "resources", "schedule", "stage",      "tidy"};
    if (r.truth("purge", false) && std::find(std::begin(without_ensure), std::end(without_ensure), type) != std::end(without_ensure))
      throw ResourceError(
          fmt::format("Parameter purge failed on {}: Purging is only supported on types that accept 'ensure'", r.reference()));
  }

  std::vector<ManagedResource> generate(ManagedResource& r, RunContext& run) override {
    std::vector<ManagedResource> out;
    if (!r.truth("purge", false)) return out;
    const std::string type = r.name("name");
    auto handler = make_type_handler(type, run.settings);
    ManagedResource any;
    any.type = type;
    if (!handler->unsuitable(any, run).empty()) return out; // where no provider works there are no instances
    auto all = handler->instances(run);
    if (!all)
      throw ResourceError(fmt::format("Purging resources of type {} is not supported, since they cannot be queried from the system", type));
    for (ManagedResource& instance : *all) {
      if (run.find(type, instance.title) != nullptr || !wanted(r, type, instance, run)) continue;
      if (type == "service") {
        run.log(LogLevel::Err, r, fmt::format("The 'ensure' attribute on {} resources does not accept 'absent' as a value", type), "");
        continue;
      }
      for (std::string_view name : {"noop", "schedule", "audit", "loglevel", "tag"})
        if (r.has(name)) instance.set(name, r.get(name));
      if (type == "user" && r.text("unless_system_user", "true") != "false" && !r.has("audit")) {
        ListBuilder looked_at(run.arena); // by which Puppet knew that it is no user of the system
        looked_at.add(Value::string("uid"));
        instance.set("audit", looked_at.finish());
      }
      instance.set("ensure", Value::string("absent"));
      out.push_back(std::move(instance));
    }
    return out;
  }

  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}

private:
  /// The lowest uid that does not belong to a system user.
  static int64_t first_user(RunContext& run) {
    try {
      const std::string text = run.system.read_file("/etc/login.defs");
      for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size());
        long long value = 0;
        if (std::sscanf(text.substr(at, end - at).c_str(), " UID_MIN %lld", &value) == 1) return value;
        at = end + 1;
      }
    } catch (const SystemError&) { // without the file, use Puppet's default
    }
    return 500;
  }

  static bool wanted(const ManagedResource& r, std::string_view type, const ManagedResource& instance, RunContext& run) {
    if (type != "user") return true;
    std::string system_user = r.text("unless_system_user", "true");
    if (system_user == "false") return true;
    for (std::string_view name : {"root", "nobody", "bin", "noaccess", "daemon", "sys"})
      if (instance.title == name) return false;
    auto user = run.system.user_by_name(instance.title);
    if (!user) return false;
    for (const std::string& uid : r.texts("unless_uid"))
      if (uid == std::to_string(user->uid)) return false;
    const int64_t limit = system_user == "true" ? first_user(run) - 1 : std::atoll(system_user.c_str());
    return user->uid > limit;
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_resources_handler() { return std::make_unique<ResourcesHandler>(); }

} // namespace pupc::runtime
