// ssh_authorized_key: lines of users' authorized_keys.
#include "runtime/provider/commands.h"
#include "runtime/provider/file_label.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"
#include "runtime/provider/sshkey/key_type.h"

#include <cctype>

namespace pupc {
namespace {

constexpr std::string_view key_types[] = {"ssh-dss", "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ecdsa-sk", "ed25519-sk",
                                          "sk-ecdsa-sha2-nistp256@openssh.com", "sk-ssh-ed25519@openssh.com", "ssh-rsa-cert-v01@openssh.com",
                                          "ssh-ed25519-cert-v01@openssh.com", "ssh-dss-cert-v01@openssh.com", "ecdsa-sha2-nistp256-cert-v01@openssh.com",
                                          "ecdsa-sha2-nistp384-cert-v01@openssh.com", "ecdsa-sha2-nistp521-cert-v01@openssh.com"};

/// Options separated by commas; quoted values may have commas and escaped quotes in them.
std::vector<std::string> parse_options(std::string_view text) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (text[i] == ',' && !quoted)
      out.emplace_back();
    else if (quoted || (text[i] != ' ' && text[i] != '\t'))
      out.back() += text[i];
  }
  return out;
}

class SshAuthorizedKeyHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    auto refuse = [&](const char* attribute, const std::string& why) { throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why)); };
    if (r.has("type")) {
      const std::string type = ssh_key_type(r.text("type"));
      if (std::find(std::begin(key_types), std::end(key_types), type) == std::end(key_types)) refuse("type", fmt::format("Invalid value \"{}\". ", r.text("type")));
      r.set("type", string_value(run.arena, type));
    }
    if (r.text("key").find_first_of(" \t\r\n") != std::string::npos) refuse("key", fmt::format("Key must not contain whitespace: {}", r.text("key")));
    for (const std::string& o : r.texts("options")) {
      size_t end = 0;
      while (end < o.size() && (isalnum(static_cast<unsigned char>(o[end])) || o[end] == '-' || o[end] == '_')) ++end;
      const bool valued = end + 2 < o.size() && o[end] == '=' && o[end + 1] == '"' && o.back() == '"';
      if (o != "absent" && (end == 0 || (end != o.size() && !valued)))
        refuse("options", fmt::format("Option {} is not valid. A single option must either be of the form 'option' or 'option=\"value\"'. Multiple options must be "
                                      "provided as an array",
                                      o));
    }
    if (!r.has("target") && !r.has("user")) throw ResourceError("Attribute 'user' or 'target' is mandatory");
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    if (r.has("user")) out.push_back({AutoRelation::Require, "user", r.text("user")});
  }

protected:
  std::string_view type_name() const override { return "ssh_authorized_key"; }
  std::string default_target(RunContext&) const override { return {}; }
  std::string target_of(const ManagedResource& r, RunContext& run) const override {
    if (r.has("target") && r.text("target") != "absent") return r.text("target");
    const auto user = run.system.user_by_name(r.text("user"));
    return user ? user->home + "/.ssh/authorized_keys" : "";
  }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"type", "key", "options"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "options"; }
  uint32_t new_file_mode() const override { return 0600; }

  /// Keys without a comment are named by their file, as purging does.
  std::vector<FileEntry> parse(const std::string& content) const override {
    std::vector<FileEntry> entries = ParsedFileHandler::parse(content);
    int unnamed = 0;
    for (FileEntry& e : entries)
      if (e.record && e.record->at("name")[0].empty()) {
        (*e.record)["name"] = {fmt::format("{}:unnamed-{}", target_, ++unnamed)};
        (*e.record)["unnamed"] = {};
      }
    return entries;
  }
  std::string read_target(const ManagedResource* r, const std::string& target, RunContext& run) override {
    target_ = target;
    return ParsedFileHandler::read_target(r, target, run);
  }

  /// [options] type key [name]: the type is the first word that is one, outside of quotes.
  std::optional<RecordFields> parse_line(const std::string& line) const override {
    for (size_t at = 0; at < line.size();) {
      const size_t begin = line.find_first_not_of(" \t", at);
      if (begin == std::string::npos) return std::nullopt;
      size_t end = begin;
      bool quoted = false;
      for (; end < line.size() && (quoted || (line[end] != ' ' && line[end] != '\t')); ++end)
        if (line[end] == '"' && (end == 0 || line[end - 1] != '\\')) quoted = !quoted;
      const std::string word = line.substr(begin, end - begin);
      if (std::find(std::begin(key_types), std::end(key_types), word) != std::end(key_types)) {
        const auto rest = words_of(std::string_view(line).substr(end));
        if (rest.empty()) return std::nullopt;
        RecordFields f{{"type", {word}}, {"key", {rest[0]}}};
        const size_t key_at = line.find(rest[0], end);
        f["name"] = {std::string(trimmed(std::string_view(line).substr(key_at + rest[0].size())))};
        const std::string_view options = trimmed(std::string_view(line).substr(0, begin));
        if (!options.empty()) f["options"] = parse_options(options);
        return f;
      }
      at = end;
    }
    return std::nullopt;
  }
  std::string format(const RecordFields& f) const override {
    if (!f.contains("type")) throw ResourceError("Field 'type' is required");
    if (!f.contains("key")) throw ResourceError("Field 'key' is required");
    std::string out;
    if (auto it = f.find("options"); it != f.end() && !it->second.empty()) out = join_text(it->second, ",") + " ";
    out += f.at("type")[0] + " " + f.at("key")[0];
    if (!f.contains("unnamed")) out += " " + f.at("name")[0];
    return out;
  }

  void flush(ManagedResource& r, const Present& p, RunContext& run) override {
    const std::string user = r.text("user");
    if (user.empty()) throw ResourceError("Cannot write SSH authorized keys without user");
    if (!run.system.user_by_name(user)) throw ResourceError(fmt::format("User '{}' does not exist", user));
    // The user may have come during this run.
    if (work_of(p).target.empty()) work_of(p).target = target_of(r, run);
    ParsedFileHandler::flush(r, p, run);
  }

  /// The file is the user's; a directory of another user is left alone, as the reference writes with the user's rights.
  void write_target(const ManagedResource& r, const std::string& target, const std::string& content, RunContext& run) override {
    const User user = *run.system.user_by_name(r.text("user"));
    const std::string directory = target.substr(0, target.rfind('/'));
    const bool as_user = r.truth("drop_privileges", true);
    if (as_user && !exists(run.system, directory)) {
      run.system.make_directory(directory, 0700);
      run.system.set_owner(directory, user.uid, user.gid, false);
    }
    const auto status = run.system.stat(directory);
    if (as_user && status && user.uid != 0 && status->uid != user.uid && !(status->mode & 0002)) {
      const auto file = run.system.stat(target);
      if (!file || file->uid != user.uid) throw ResourceError(fmt::format("Permission denied @ rb_sysopen - {}", target));
    }
    const auto file = run.system.stat(target);
    run.system.write_file(target, content, 0600, user.uid, file ? file->gid : user.gid);
    restore_label(run.system, target);
  }

private:
  std::string target_; // that was read last
};

} // namespace

std::unique_ptr<TypeHandler> make_ssh_authorized_key_handler() { return std::make_unique<SshAuthorizedKeyHandler>(); }

} // namespace pupc
