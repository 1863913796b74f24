// sshkey: lines of /etc/ssh/ssh_known_hosts.
#include "catalog/base/split_text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/sshkey/key_type.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class SshkeyHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    // A title may have the form "name@type".
    const size_t at = r.title.rfind('@');
    if (!r.has("name")) r.set("name", string_value(run.arena, at == std::string::npos ? r.title : r.title.substr(0, r.title.find('@'))));
    if (!r.has("type") && at != std::string::npos) r.set("type", string_value(run.arena, r.title.substr(r.title.find('@') + 1)));
    r.set("type", string_value(run.arena, ssh_key_type(r.text("type"))));
    // Puppet's log lines name the resource by its key.
    const std::string end = "[" + r.title + "]";
    if (r.path.ends_with(end)) r.path = r.path.substr(0, r.path.size() - end.size()) + "[" + key(r) + "]";
    auto refuse = [&](const char* attribute, const char* why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, shown_reference(r, attribute), why));
    };
    for (const std::string& a : r.texts("host_aliases")) {
      if (a.find_first_of(" \t\r\n") != std::string::npos) refuse("host_aliases", "Aliases cannot include whitespace");
      if (a.find(',') != std::string::npos) refuse("host_aliases", "Aliases must be provided as an array, not a comma-separated list");
    }
    if (r.text("name").find_first_of(" \t\r\n") != std::string::npos) refuse("name", "Resourcename cannot include whitespaces");
    if (r.text("name").find(',') != std::string::npos)
      refuse("name", "No comma in resourcename allowed. If you want to specify aliases use the host_aliases property");
    if (!r.has("target") && !left_alone(r)) r.set("target", string_value(run.arena, default_target(run)));
  }
  /// By name and type, as far as Puppet has set them: it sets the type first, then the name.
  std::string shown_reference(const ManagedResource& r, std::string_view attribute) const override {
    const size_t at = std::min(r.title.find('@'), r.title.size());
    const std::string type = attribute == "type" ? "" : ssh_key_type(r.text("type", at < r.title.size() ? r.title.substr(at + 1) : ""));
    const std::string name = attribute == "type" || attribute == "name" ? "" : r.text("name", r.title.substr(0, at));
    return fmt::format("{}[{}@{}]", r.printed_type, name, type);
  }
  std::string key(const ManagedResource& r) const override { return r.text("name", r.title) + "@" + r.text("type"); }

protected:
  std::string_view type_name() const override { return "sshkey"; }
  std::string default_target(RunContext&) const override { return "/etc/ssh/ssh_known_hosts"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"key", "host_aliases", "target"};
    return names;
  }
  std::span<const std::string_view> key_fields() const override {
    static constexpr std::string_view names[] = {"name", "type"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "host_aliases"; }
  bool in_line(std::string_view property) const override { return property == "key"; }
  uint32_t new_file_mode() const override { return 0644; }
  std::string title_of(const FileRecord& f) const override { return f.text("name").value_or("") + "@" + f.text("type").value_or("absent"); }

  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex blanks(R"(\s+)");
    if (line.starts_with('#') || line.find_first_not_of(" \t\r\n\f\v") == std::string::npos) return FileRecord::text_line(line);
    const auto words = split_by(blanks, line);
    if (words[0].empty()) throw ResourceError("undefined method `split' for :absent:Symbol"); // Puppet's message for an indented line
    FileRecord f;
    f.set("type", words.size() > 1 ? RecordField::of(words[1]) : RecordField::none());
    f.set("key", words.size() > 2 ? RecordField::of(join_text({words.begin() + 2, words.end()}, " ")) : RecordField::none());
    auto names = catalog::split_text(words[0], ',');
    f.set("name", names[0]);
    f.set("host_aliases", RecordField::of(std::vector<std::string>(names.begin() + 1, names.end())));
    return f;
  }
  std::string to_line(const FileRecord& f) const override {
    static constexpr std::string_view fields[] = {"name", "type", "key"};
    FileRecord all = f;
    if (const RecordField* aliases = f.find("host_aliases"))
      for (const std::string& a : aliases->texts) all.fields["name"].texts[0] += "," + a;
    return join_fields(all, fields, {}, " ");
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_sshkey_handler() { return std::make_unique<SshkeyHandler>(); }

} // namespace pupc::runtime
