// sshkey: lines of /etc/ssh/ssh_known_hosts.
#include "runtime/provider/commands.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"
#include "runtime/provider/sshkey/key_type.h"

namespace pupc {
namespace {

class SshkeyHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    // "name@type" is a title, too.
    const size_t at = r.title.rfind('@');
    if (!r.has("name")) r.set("name", string_value(run.arena, at == std::string::npos ? r.title : r.title.substr(0, r.title.find('@'))));
    if (!r.has("type") && at != std::string::npos) r.set("type", string_value(run.arena, r.title.substr(r.title.find('@') + 1)));
    r.set("type", string_value(run.arena, ssh_key_type(r.text("type"))));
    // The reference names the resource so in its log lines.
    const std::string end = "[" + r.title + "]";
    if (r.path.ends_with(end)) r.path = r.path.substr(0, r.path.size() - end.size()) + "[" + key(r) + "]";
    auto refuse = [&](const char* attribute, const char* why) { throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why)); };
    for (const std::string& a : r.texts("host_aliases")) {
      if (a.find_first_of(" \t\r\n") != std::string::npos) refuse("host_aliases", "Aliases cannot include whitespace");
      if (a.find(',') != std::string::npos) refuse("host_aliases", "Aliases must be provided as an array, not a comma-separated list");
    }
    if (r.text("name").find_first_of(" \t\r\n") != std::string::npos) refuse("name", "Resourcename cannot include whitespaces");
    if (r.text("name").find(',') != std::string::npos) refuse("name", "No comma in resourcename allowed. If you want to specify aliases use the host_aliases property");
  }
  std::string key(const ManagedResource& r) const override { return r.text("name", r.title) + "@" + r.text("type"); }

protected:
  std::string_view type_name() const override { return "sshkey"; }
  std::string default_target(RunContext&) const override { return "/etc/ssh/ssh_known_hosts"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"key", "host_aliases"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "host_aliases"; }
  bool belongs(const ManagedResource& r, const RecordFields& f) const override { return f.at("name")[0] == r.text("name") && f.at("type")[0] == r.text("type"); }
  std::string title_of(const RecordFields& f) const override { return f.at("name")[0] + "@" + f.at("type")[0]; }
  std::optional<RecordFields> parse_line(const std::string& line) const override {
    const auto words = words_of(line);
    if (words.size() < 3) return std::nullopt;
    auto names = split_text(words[0], ',');
    RecordFields f{{"name", {names[0]}}, {"type", {words[1]}}, {"key", {words[2]}}};
    f["host_aliases"] = {names.begin() + 1, names.end()};
    return f;
  }
  void complete(const ManagedResource& r, RecordFields& f, RunContext&) const override {
    f["name"] = {r.text("name")};
    f["type"] = {r.text("type")};
  }
  std::string format(const RecordFields& f) const override {
    if (!f.contains("key")) throw ResourceError("Field 'key' is required");
    std::string names = f.at("name")[0];
    if (auto it = f.find("host_aliases"); it != f.end())
      for (const std::string& a : it->second) names += "," + a;
    return names + " " + f.at("type")[0] + " " + f.at("key")[0];
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_sshkey_handler() { return std::make_unique<SshkeyHandler>(); }

} // namespace pupc
