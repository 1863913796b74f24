// package: decides what to do with a package; a PackageProvider does it.
#include "runtime/provider/handlers.h"
#include "runtime/provider/other_systems.h"
#include "runtime/provider/package/package_provider.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pupc::runtime {
namespace {

struct Memory : HandlerData {
  PackageState state;
  std::string latest;
};

class PackageHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    const std::string ensure = r.text("ensure", "present");
    if (ensure == "installed" || ensure == "true") r.set("ensure", string_value(run.arena, "present"));
    if (ensure == "false") r.set("ensure", string_value(run.arena, "absent"));
    if (r.has("mark") && (ensure == "absent" || ensure == "purged"))
      throw ResourceError("You cannot use \"mark\" property while \"ensure\" is one of [\"absent\", \"purged\"]");
    const std::string given = r.text("provider");
    if (!given.empty() && !provider_named(given))
      throw ResourceError(fmt::format("Parameter provider failed on {}: Invalid package provider '{}'", r.reference(), given));
    if (is_of_other_systems("package", given)) {
      other_system_problem("package", given, run);
      return;
    }
    if (ensure == "disabled")
      throw ResourceError(
          fmt::format("Parameter ensure failed on {}: Provider {} must have features 'disableable' to set 'ensure' to 'disabled'",
                      r.reference(), provider_of(r, run).name()));
    if (ensure == "purged" && !given.empty() && !provider_named(given)->purgeable())
      throw ResourceError(fmt::format("Provider {} must have features 'purgeable' to set 'ensure' to 'purged'", given));
  }
  // It has two namevars, name and provider, so that a reference finds it by its title alone: the default `key`.
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    for (const char* name : {"responsefile", "adminfile", "source"})
      if (const std::string path = r.text(name); path.starts_with('/')) out.push_back({AutoRelation::Require, "file", path});
  }
  /// No provider here can reinstall, so `reinstall_on_refresh` does nothing, but the refresh is still logged.
  bool refreshable(const ManagedResource&) const override { return true; }
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    PackageProvider& p = provider_of(r, run);
    return p.suitable(run) ? "" : fmt::format("Provider {} is not functional on this host", p.name());
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    auto memory = std::make_shared<Memory>();
    PackageProvider& provider = provider_of(r, run);
    // What a list has found in pip, gem and npm is not asked for again: each answer takes a second.
    memory->state = r.memory ? held<const Memory>(r.memory).state : provider.query(r, run);
    r.memory.reset();
    Present p;
    p.exists = !memory->state.versions.empty();
    if (p.exists && provider.name() == "gem") {
      // Several versions of a gem may be installed side by side.
      ListBuilder versions(run.arena);
      for (const std::string& v : memory->state.versions) versions.add(string_value(run.arena, v));
      p.set("ensure", versions.finish());
    } else {
      p.set("ensure", string_value(run.arena, shown(memory->state)));
    }
    if (provider.holdable()) p.set("mark", string_value(run.arena, memory->state.held ? "hold" : "none"));
    if (r.text("ensure") == "latest" && p.exists) {
      try {
        memory->latest = provider.latest(r, run).value_or("");
      } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not get latest version: {}", e.what())); }
    }
    p.detail = memory;
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext& run) override {
    const Memory& m = held<const Memory>(p.detail);
    const std::string should = r.text("ensure", "present");
    if (!ensure_in_sync(r, m, should, run)) return {ensure_change(r, p, m, should, run)};
    if (p.exists && r.has("mark") && value_text(p.get("mark")) != r.text("mark"))
      return {property_change("mark", p.get("mark"), r.get("mark"))};
    return {};
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    const Memory& m = held<const Memory>(p.detail);
    PackageProvider& provider = provider_of(r, run);
    if (c.property == "mark") {
      provider.hold(r, r.text("mark") == "hold", run);
      return provider.mark_manual(r, run);
    }
    const std::string should = r.text("ensure", "present");
    if (should == "absent" || should == "purged") {
      provider.uninstall(r, m.state, should == "purged", run);
    } else if (should == "present") {
      provider.install(r, m.state, "", run);
    } else {
      try {
        provider.install(r, m.state, should == "latest" ? "" : should, run);
      } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not update: {}", e.what())); }
    }
    provider.forget(r);
  }

  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override { return listed("", run); }
  std::optional<std::vector<ManagedResource>> instances_for(const std::string& title, RunContext& run) override {
    return listed(title, run);
  }

private:
  /// The packages of the default provider, then those of other suitable ones, each under the first provider that has its name. With a
  /// title no more providers are asked when one has it.
  std::optional<std::vector<ManagedResource>> listed(const std::string& title, RunContext& run) {
    std::vector<ManagedResource> out;
    std::set<std::string> titles;
    std::set<std::string_view> sources;
    PackageProvider& usual = provider_for("", run);
    for (const char* one : {"", "apt", "dnf", "yum", "rpm", "gem", "npm", "pip", "pip3"}) {
      PackageProvider& provider = provider_for(one, run);
      if (!provider.suitable(run) || !sources.insert(provider.source()).second) continue;
      auto all = provider.all(run);
      if (!all && &provider == &usual) return std::nullopt;
      if (!all) continue;
      for (const auto& [name, state] : *all) {
        if (name.find(':') != std::string::npos || !titles.insert(name).second) continue;
        ManagedResource& r = out.emplace_back();
        r.type = "package";
        r.printed_type = "Package";
        r.title = name;
        r.set("ensure", string_value(run.arena, state.versions.empty() ? state.missing : state.versions[0]));
        if (&provider == &usual) continue;
        r.set("provider", string_value(run.arena, provider.name()));
        auto found = std::make_shared<Memory>();
        found->state = state;
        r.memory = std::move(found);
      }
      if (titles.contains(title)) break;
    }
    return out;
  }

  static std::string shown(const PackageState& s) { return s.versions.empty() ? s.missing : join_text(s.versions, ", "); }

  PackageProvider* provider_named(const std::string& name) {
    if (auto it = providers_.find(name); it != providers_.end()) return it->second.get();
    std::unique_ptr<PackageProvider> made;
    if (name == "apt" || name == "dpkg") made = make_apt_provider(name == "dpkg");
    if (name == "dnf" || name == "yum" || name == "rpm") made = make_dnf_provider(name);
    if (name == "pip" || name == "pip3") made = make_pip_provider(name);
    if (name == "gem" || name == "puppet_gem") made = make_gem_provider(name);
    if (name == "npm") made = make_npm_provider();
    if (is_of_other_systems("package", name)) made = make_other_systems_provider(name);
    if (!made) return nullptr;
    return (providers_[name] = std::move(made)).get();
  }
  PackageProvider& provider_for(const std::string& given, RunContext& run) {
    if (!given.empty()) return *provider_named(given);
    for (const char* name : {"apt", "dnf", "yum", "rpm"})
      if (provider_named(name)->suitable(run)) return *provider_named(name);
    return *provider_named("apt");
  }
  PackageProvider& provider_of(const ManagedResource& r, RunContext& run) { return provider_for(r.text("provider"), run); }

  bool ensure_in_sync(const ManagedResource& r, const Memory& m, const std::string& should, RunContext& run) {
    const bool there = !m.state.versions.empty();
    const auto& versions = m.state.versions;
    if (should == "present") return there;
    if (should == "absent") return !there;
    if (should == "purged") return !there && (m.state.missing == "purged" || !provider_of(r, run).purgeable());
    if (!there) return false;
    const std::string& wanted = should == "latest" ? m.latest : should;
    if (should == "latest" && m.latest.empty()) return false;
    if (std::find(versions.begin(), versions.end(), wanted) != versions.end()) return true;
    return should != "latest" && std::any_of(versions.begin(), versions.end(), [&](const std::string& version) {
             return provider_of(r, run).in_range(r, version, should).value_or(false);
           });
  }

  static PropertyChange ensure_change(const ManagedResource& r, const Present& p, const Memory& m, const std::string& should,
                                      RunContext& run) {
    const Value then = should == "latest" && !m.latest.empty() ? string_value(run.arena, m.latest) : string_value(run.arena, should);
    PropertyChange c = property_change("ensure", p.get("ensure"), then);
    c.event_name = should == "purged"   ? "package_purged"
                   : should == "absent" ? "package_removed"
                   : p.exists           ? "package_changed"
                                        : "package_installed";
    if (should == "purged")
      c.message = "purged";
    else if (should == "absent")
      c.message = "removed";
    else if (!p.exists)
      c.message = "created";
    else
      c.message = fmt::format("ensure changed {} to {}", c.is_text, c.should_text);
    static_cast<void>(r);
    return c;
  }

  std::map<std::string, std::unique_ptr<PackageProvider>> providers_;
};

} // namespace

std::unique_ptr<TypeHandler> make_package_handler() { return std::make_unique<PackageHandler>(); }

} // namespace pupc::runtime
