// ssh_authorized_key: lines of users' authorized_keys.
#include "runtime/provider/file/filebucket.h"
#include "runtime/provider/file_label.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/ssh_authorized_key/authorized_line.h"
#include "runtime/provider/sshkey/key_type.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr std::string_view key_types[] = {"ssh-dss",
                                          "ssh-ed25519",
                                          "ssh-rsa",
                                          "ecdsa-sha2-nistp256",
                                          "ecdsa-sha2-nistp384",
                                          "ecdsa-sha2-nistp521",
                                          "ecdsa-sk",
                                          "ed25519-sk",
                                          "sk-ecdsa-sha2-nistp256@openssh.com",
                                          "sk-ssh-ed25519@openssh.com",
                                          "ssh-rsa-cert-v01@openssh.com",
                                          "ssh-ed25519-cert-v01@openssh.com",
                                          "ssh-dss-cert-v01@openssh.com",
                                          "ecdsa-sha2-nistp256-cert-v01@openssh.com",
                                          "ecdsa-sha2-nistp384-cert-v01@openssh.com",
                                          "ecdsa-sha2-nistp521-cert-v01@openssh.com"};

/// Splits options at commas; quoted values may contain commas and escaped quotes. As in Puppet, everything after the first malformed
/// option is lost.
std::vector<std::string> parse_options(std::string_view text) {
  static const Regex option(R"([-a-z0-9A-Z_]+=".*?[^\\]"|[-a-z0-9A-Z_]+)");
  std::vector<std::string> out;
  auto skip = [&](std::string_view what, size_t at) { return std::min(text.find_first_not_of(what, at), text.size()); };
  for (size_t at = 0; at < text.size();) {
    at = skip(" \t", at);
    const MatchResult m = option.search(text, at);
    if (!m.matched || static_cast<size_t>(m.groups[0].begin) != at) break;
    const auto end = static_cast<size_t>(m.groups[0].end);
    out.emplace_back(text.substr(at, end - at));
    at = end;
    if (const size_t comma = skip(" \t", end); comma < text.size() && text[comma] == ',') at = skip(" \t", comma + 1);
  }
  return out;
}

/// Whether the directories on the path to the file belong to this process's user and nobody else may write to them.
bool only_root_can_change(const std::string& target, RunContext& run) {
  for (std::string directory = target.substr(0, target.rfind('/')); directory.rfind('/') != 0 && directory.rfind('/') != std::string::npos;
       directory.resize(directory.rfind('/'))) {
    const auto status = run.system.stat(directory);
    if (!status || status->type != FileType::Directory || status->uid != run.system.effective_uid() || (status->mode & 0022) != 0)
      return false;
  }
  return true;
}

class SshAuthorizedKeyHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    auto refuse = [&](const char* attribute, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
    };
    if (r.has("type")) {
      const std::string type = ssh_key_type(r.text("type"));
      if (std::find(std::begin(key_types), std::end(key_types), type) == std::end(key_types))
        refuse("type", fmt::format("Invalid value \"{}\". ", r.text("type")));
      r.set("type", string_value(run.arena, type));
    }
    if (r.text("key").find_first_of(" \t\r\n") != std::string::npos)
      refuse("key", fmt::format("Key must not contain whitespace: {}", r.text("key")));
    for (const std::string& o : r.texts("options")) {
      size_t end = 0;
      while (end < o.size() && (isalnum(static_cast<unsigned char>(o[end])) || o[end] == '-' || o[end] == '_')) ++end;
      const bool valued = end + 2 < o.size() && o[end] == '=' && o[end + 1] == '"' && o.back() == '"';
      if (o != "absent" && (end == 0 || (end != o.size() && !valued)))
        refuse("options", fmt::format("Option {} is not valid. A single option must either be of the form 'option' or 'option=\"value\"'. "
                                      "Multiple options must be "
                                      "provided as an array",
                                      o));
    }
    if (!r.has("target") && !r.has("user")) throw ResourceError("Attribute 'user' or 'target' is mandatory");
    if (!r.has("options")) {
      without_options_.insert(&r);
      r.set("options", string_value(run.arena, "absent"));
    }
  }
  void prefetch(std::span<ManagedResource* const> resources, RunContext& run) override {
    for (const ManagedResource* r : resources)
      if (r->truth("drop_privileges", true)) user_of_[target_of(*r, run)] = r->text("user");
    ParsedFileHandler::prefetch(resources, run);
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
    static constexpr std::string_view names[] = {"type", "key", "target", "options"};
    return names;
  }
  std::span<const std::string_view> reasons_to_exist() const override {
    static constexpr std::string_view names[] = {"type", "key", "target", "options", "user"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "options"; }
  bool in_line(std::string_view property) const override { return property != "target"; }
  std::optional<RecordField> wanted_field(const ManagedResource& r, std::string_view property, RunContext& run) const override {
    if (property == "options" && without_options_.contains(&r)) return RecordField::none();
    return ParsedFileHandler::wanted_field(r, property, run);
  }

  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override {
    PropertyChange c = ParsedFileHandler::describe(r, property, is, should, run);
    if (property != "options" || value_text(is) != "absent") return c;
    c.is_text = "['absent']"; // the property is always a list
    c.message = fmt::format("options changed {} to {}", c.is_text, c.should_text);
    return c;
  }

  /// Names keys without a comment after their file, as purging does.
  void after_reading(Records& records, const std::string& target) override {
    int unnamed = 0;
    for (auto& record : records) {
      if (record->is_text || !record->kind.empty() || record->text("name") != "") continue;
      record->name_is_made = true;
      record->set("name", fmt::format("{}:unnamed-{}", target, ++unnamed));
    }
  }

  /// Parses a line "[options] type key [name]", or a key of SSH protocol 1.
  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex first_protocol(R"(^(?:(.+) )?(\d+) (\d+) (\d+)(?: (.+))?$)");
    const size_t begin = line.find_first_not_of(" \t\r\n\f\v");
    if (begin == std::string::npos || line[begin] == '#') return FileRecord::text_line(line);
    FileRecord f;
    if (const auto groups = groups_of(authorized_key_line(), line)) {
      const auto options = (*groups)[0];
      f.set("options", options ? RecordField::of(parse_options(*options)) : RecordField::none());
      f.set("type", *(*groups)[1]);
      f.set("key", *(*groups)[2]);
      f.set("name", (*groups)[3].value_or(""));
      return f;
    }
    if (const auto groups = groups_of(first_protocol, line)) {
      static constexpr const char* names[] = {"options", "bits", "exponent", "modulus", "name"};
      for (size_t i = 0; i < 5; ++i)
        if ((*groups)[i]) f.set(names[i], *(*groups)[i]);
      f.kind = "key_v1";
      return f;
    }
    return std::nullopt;
  }
  std::string to_line(const FileRecord& record) const override {
    static constexpr std::string_view fields[] = {"options", "type", "key", "name"},
                                      first_protocol[] = {"options", "bits", "exponent", "modulus", "name"}, optional[] = {"options"};
    FileRecord f = record;
    if (f.name_is_made) f.set("name", "");
    const std::string line = f.kind.empty() ? join_fields(f, fields, optional, " ") : join_fields(f, first_protocol, optional, " ");
    return line.substr(std::min(line.find_first_not_of(" \t\r\n\f\v"), line.size()));
  }

  void flush(ManagedResource& r, const Present& p, RunContext& run) override {
    const std::string user = r.text("user");
    if (user.empty()) throw ResourceError("Cannot write SSH authorized keys without user");
    if (!run.system.user_by_name(user)) throw ResourceError(fmt::format("User '{}' does not exist", user));
    if (!r.truth("drop_privileges", true) && !only_root_can_change(target_of(r, run), run))
      throw ResourceError("drop_privileges is false but the target path is not trusted");
    ParsedFileHandler::flush(r, p, run);
  }

  /// Reads a target that a user controls with that user's rights: a link must not disclose root's files.
  std::optional<std::string> read_target(const std::string& target, RunContext& run) override {
    const auto user = owner_of(target, run);
    if (!user) return ParsedFileHandler::read_target(target, run);
    try {
      return check_encoding(read_keys(target, *user, run));
    } catch (const std::exception& e) { could_not("read", target, e.what(), run); }
  }
  void back_up_target(const std::string& target, RunContext& run) override {
    const auto user = owner_of(target, run);
    if (!user) return ParsedFileHandler::back_up_target(target, run);
    if (run.settings.bucket_directory.empty()) return;
    try {
      if (const auto content = read_keys(target, *user, run)) keep_content_in_bucket(run, target, *content, run.settings.bucket_directory);
    } catch (const SystemError& e) { could_not("read", target, e.what(), run); }
  }

  /// As Puppet, writes with the user's rights unless drop_privileges is false.
  void write_target(const ManagedResource& r, const std::string& target, const std::string& content, RunContext& run) override {
    const User user = *run.system.user_by_name(r.text("user"));
    if (!r.truth("drop_privileges", true)) {
      run.system.write_file(target, content, 0600, user.uid, user.gid);
    } else {
      std::string failure; // of the writing itself: could_not logs it as well
      try {
        failure = act_as(run, user, [&](System& system) { return write_keys(target, content, user, system); });
      } catch (const SystemError& e) { throw ResourceError(e.what()); }
      if (!failure.empty()) could_not("write", target, failure, run);
    }
    restore_label(run.system, target);
  }

private:
  std::set<const ManagedResource*> without_options_; // resources that must not have options
  std::map<std::string, std::string> user_of_;       // target -> user, for targets written with dropped privileges

  std::optional<User> owner_of(const std::string& target, RunContext& run) const {
    const auto it = user_of_.find(target);
    return it == user_of_.end() || run.system.effective_uid() != 0 ? std::nullopt : run.system.user_by_name(it->second);
  }

  [[noreturn]] static void could_not(const char* what, const std::string& target, const std::string& why, RunContext& run) {
    const std::string message = fmt::format("Puppet::Util::FileType::FileTypeFlat could not {} {}: {}", what, target, why);
    run.log(LogLevel::Err, message);
    throw ResourceError(message);
  }

  /// Writes the keys; runs in the user's process. Returns the message of a failed write. Throws SystemError for failures before and after
  /// it.
  static std::string write_keys(const std::string& target, const std::string& content, const User& user, System& system) {
    const std::string directory = target.substr(0, target.rfind('/'));
    if (!exists(system, directory)) system.make_directory(directory, 0700);
    try {
      const auto file = exists(system, target) ? system.stat(target) : std::nullopt;
      if (file && !system.writable(target)) throw SystemError(EACCES, target);
      const auto entry = system.lstat(target);
      // Replace a file of the user's own. Write into a file that belongs to someone else or has other hard links, as Puppet does.
      const bool own = !file ||
                       (entry && entry->type == FileType::File && file->uid == user.uid && file->gid == user.gid && file->links == 1);
      if (own && (!file || system.writable(directory)))
        system.write_file(target, content, file ? file->mode : 0600, std::nullopt, std::nullopt);
      else
        system.overwrite_file(target, content);
    } catch (const SystemError& e) { return SystemError(e.error, target, "rb_sysopen").what(); }
    system.set_mode(target, 0600);
    return {};
  }
};

} // namespace

const Regex& authorized_key_line() {
  static const Regex pattern([] {
    std::vector<std::string> types;
    for (const std::string_view t : key_types) types.emplace_back(t);
    return R"(^(?:(.+)\s+)?()" + join_text(types, "|") + R"()\s+([^ ]+)\s*(.*)$)";
  }());
  return pattern;
}

std::optional<std::string> authorized_key_name(std::string_view line) {
  const auto groups = groups_of(authorized_key_line(), line);
  return groups ? std::optional((*groups)[3].value_or("")) : std::nullopt;
}

std::optional<std::string> read_keys(const std::string& path, const User& user, RunContext& run) {
  const std::string answer = act_as(run, user, [&](System& system) {
    try {
      return system.stat(path) ? "+" + system.read_file(path) : std::string("-");
    } catch (const SystemError& e) {
      if (e.error != EACCES) throw;
      return std::string("?");
    }
  });
  if (answer[0] == '+') return answer.substr(1);
  // The user may not read the file, but nobody except root can change it: root may read it safely.
  if (answer[0] == '?' && run.system.safe_from_others(path)) return read_if_there(run, path);
  if (answer[0] == '?') throw SystemError(EACCES, path, "rb_sysopen");
  return std::nullopt;
}

std::unique_ptr<TypeHandler> make_ssh_authorized_key_handler() { return std::make_unique<SshAuthorizedKeyHandler>(); }

} // namespace pupc::runtime
