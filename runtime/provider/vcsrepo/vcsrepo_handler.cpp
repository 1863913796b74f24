// vcsrepo: git repositories.
#include "runtime/provider/handlers.h"
#include "runtime/provider/module_library.h"
#include "runtime/provider/system_tools.h"
#include "runtime/provider/vcsrepo/git_repository.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr std::string_view ensures[] = {"present", "bare", "mirror", "absent", "latest"};

class VcsrepoHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    if (!r.name("path").starts_with('/'))
      throw ResourceError(fmt::format("Parameter path failed on {}: Path must be absolute: {}", r.reference(), r.name("path")));
    const std::string provider = r.text("provider", "git");
    if (provider != "git")
      throw ResourceError(
          fmt::format("Parameter provider failed on {}: Provider '{}' is not supported by pupc: only git is", r.reference(), provider));
    const std::string ensure = r.text("ensure");
    if (r.has("ensure") && std::find(std::begin(ensures), std::end(ensures), ensure) == std::end(ensures))
      throw ResourceError(
          fmt::format("Parameter ensure failed on {}: Invalid value \"{}\". Valid values are present, bare, mirror, absent, latest. ",
                      r.reference(), ensure));
    if ((ensure == "bare" || ensure == "mirror") && r.has("revision"))
      throw ResourceError(fmt::format("Cannot set a revision ({}) on a bare repository", r.text("revision")));
    if ((ensure == "bare" || ensure == "mirror") && !r.has("provider"))
      throw ResourceError(
          fmt::format("Parameter ensure failed on {}: Provider dummy must have features 'bare_repositories' to set 'ensure' to '{}'",
                      r.reference(), ensure));
    GitRepository::check_addresses(r);
  }
  std::string key(const ManagedResource& r) const override { return r.name("path"); }
  /// Old releases of the module declare git as a command that their provider needs.
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    if (!r.has("provider") || find_tool(run, "git") || !library_has(run, "puppet/provider/vcsrepo/git.rb", "commands :git")) return {};
    return "Provider git is not functional on this host";
  }
  void autorelations(const ManagedResource&, RunContext&, std::vector<AutoRelation>& out) override {
    for (const char* p : {"git", "git-core", "mercurial", "subversion"}) out.push_back({AutoRelation::Require, "package", p});
  }
  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    if (!r.has("provider")) // the module's default provider is one that only tells this
      throw ResourceError("vcsrepo resource must have a provider, available: bzr, cvs, git, hg, p4, svn");
    GitRepository repository(r, run);
    const GitRepository::Kind kind = repository.kind();
    const std::string wanted = r.text("ensure", "present");
    std::string state = "absent";
    if (kind == GitRepository::Kind::Bare) state = "bare";
    if (kind == GitRepository::Kind::Mirror) state = "mirror";
    if (kind == GitRepository::Kind::WorkingCopy) {
      state = "present";
      if (wanted == "latest" || (r.has("revision") && wanted != "absent")) {
        repository.fetch();
        const std::string now = repository.revision("HEAD");
        p.set("revision", string_value(run.arena, now));
        if (wanted == "latest" && now == repository.latest()) state = "latest";
      }
    }
    p.exists = state != "absent";
    p.values.insert(p.values.begin(), {"ensure", string_value(run.arena, state)});
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext&) override {
    const std::string is = value_text(p.get("ensure")), should = r.text("ensure");
    const bool same = should.empty() || is == should || (should == "present" && is != "absent");
    if (!same) {
      PropertyChange c = property_change("ensure", p.get("ensure"), r.has("ensure") ? r.get("ensure") : Value::string("present"));
      if (is == "absent") c.message = "created";
      if (should == "absent") c.message = "removed";
      return {c};
    }
    const Value revision = p.get("revision");
    if (is != "absent" && r.has("revision") && !revision.is_undef() && should != "latest" && value_text(revision) != r.text("revision"))
      return {property_change("revision", revision, r.get("revision"))};
    return {};
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    GitRepository repository(r, run);
    const std::string wanted = r.text("ensure", "present"), is = value_text(p.get("ensure"));
    if (c.property == "revision") return repository.check_out(r.text("revision"));
    if (wanted == "absent") return repository.remove();
    if (is != "absent" && (wanted == "bare" || wanted == "mirror")) {
      if (is == "bare" || is == "mirror") return repository.set_mirror(wanted == "mirror");
      return repository.convert_to_bare();
    }
    if (wanted == "latest" && is != "absent" && !r.truth("force", false)) {
      if (is != "present") repository.convert_to_working_copy();
      const std::string target = r.has("revision") ? r.text("revision") : repository.branch();
      run.log(LogLevel::Notice, r, fmt::format("Updating to latest '{}' revision", target), "ensure");
      return repository.check_out(target);
    }
    // Old versions of the module tell it of both.
    if (wanted == "latest" || (wanted == "present" && tells_all(run)))
      run.log(LogLevel::Notice, r, fmt::format("Creating repository from {}", wanted), "ensure");
    repository.create();
  }

private:
  /// Whether a file of the module that the run uses has this text.
  static bool library_has(RunContext& run, std::string_view file, std::string_view wanted) {
    const auto text = library_text(run.settings, file);
    return text && text->find(wanted) != std::string::npos;
  }
  bool tells_all(RunContext& run) {
    if (!tells_all_) tells_all_ = library_has(run, "puppet/type/vcsrepo.rb", "Creating repository from present");
    return *tells_all_;
  }
  std::optional<bool> tells_all_;
};

} // namespace

std::unique_ptr<TypeHandler> make_vcsrepo_handler() { return std::make_unique<VcsrepoHandler>(); }

} // namespace pupc::runtime
