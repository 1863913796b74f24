// script and its short forms bash, python, …: an interpreter runs a text.
#include "runtime/provider/handlers.h"
#include "runtime/provider/script/script_run.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class ScriptHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    auto bad = [&](std::string_view name, std::string_view why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", name, r.reference(), why));
    };
    if (!r.has("code")) throw ResourceError(fmt::format("Validation of {} failed: a script needs 'code'", r.reference()));
    if (r.type == "script" && !r.has("interpreter"))
      throw ResourceError(fmt::format("Validation of {} failed: a script needs an 'interpreter'", r.reference()));
    if (r.has("cwd") && !r.text("cwd").starts_with('/')) bad("cwd", "cwd must be a fully qualified path");
    for (const std::string& c : r.texts("creates"))
      if (!c.starts_with('/')) bad("creates", "creates must be a fully qualified path");
    tell_warnings(r, read_command_settings(r), told_, run);
  }

  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    for (std::string_view name : {"cwd", "interpreter"})
      if (r.text(name).starts_with('/')) out.push_back({AutoRelation::Require, "file", r.text(name)});
    std::string user = r.text("user");
    if (!user.empty() && user.find_first_not_of("0123456789") != std::string::npos) out.push_back({AutoRelation::Require, "user", user});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    p.exists = !wanted(r, false, run);
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& present, RunContext& run) override {
    if (present.exists) return {};
    ListBuilder should(run.arena);
    for (const std::string& code : returns(r)) should.add(string_value(run.arena, code));
    PropertyChange c = property_change("returns", Value::string("notrun"), should.finish());
    c.message = "executed successfully";
    c.event_name = "executed_command";
    return {c};
  }

  void apply(ManagedResource& r, const Present&, PropertyChange&, RunContext& run) override { execute(r, run); }
  bool refreshable(const ManagedResource&) const override { return true; }
  void refresh(ManagedResource& r, RunContext& run) override {
    if (wanted(r, true, run)) execute(r, run);
  }

private:
  static std::vector<std::string> returns(const ManagedResource& r) {
    auto codes = r.texts("returns");
    return codes.empty() ? std::vector<std::string>{"0"} : codes;
  }
  static bool wanted(ManagedResource& r, bool refreshing, RunContext& run) {
    if (!refreshing && r.truth("refreshonly", false)) return false;
    for (const std::string& path : r.texts("creates"))
      if (run.system.stat(path)) return false;
    return true;
  }
  static void execute(ManagedResource& r, RunContext& run) {
    Script script = read_script(r, run);
    CommandResult result = run_script(script, run);
    if (result.timed_out) throw ResourceError("Command exceeded timeout");
    const auto codes = returns(r);
    const bool good = std::find(codes.begin(), codes.end(), std::to_string(result.status)) != codes.end();
    const std::string logoutput = r.text("logoutput", "on_failure");
    if (logoutput == "true" || (logoutput == "on_failure" && !good)) {
      if (script.sensitive)
        run.log(r.loglevel, r, "[output redacted]", "returns");
      else
        for (size_t at = 0; at < result.output.size();) {
          size_t end = std::min(result.output.find('\n', at), result.output.size());
          run.log(r.loglevel, r, std::string_view(result.output).substr(at, end - at), "returns");
          at = end + 1;
        }
    }
    if (good) return;
    std::string expected;
    for (const std::string& code : codes) expected += (expected.empty() ? "" : ",") + code;
    throw ResourceError(fmt::format("'{}' returned {} instead of one of [{}]", script.interpreter, result.status, expected));
  }

  std::set<std::string> told_; // variables of `environment` without a value
};

/// node_attribute: sets an attribute of the node for all later resources. It changes nothing on the machine, so it acts under noop too.
class NodeAttributeHandler final : public TypeHandler {
public:
  Present retrieve(ManagedResource& r, RunContext& run) override {
    run.set_node_attribute(r.name("name"), r.get("value"));
    return {};
  }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}
};

} // namespace

std::unique_ptr<TypeHandler> make_script_handler() { return std::make_unique<ScriptHandler>(); }
std::unique_ptr<TypeHandler> make_node_attribute_handler() { return std::make_unique<NodeAttributeHandler>(); }

} // namespace pupc::runtime
