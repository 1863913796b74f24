// archive: fetches a file from a local path or with curl, checks its digest and extracts it.
#include "catalog/base/text.h"
#include "catalog/value/digest.h"
#include "runtime/provider/archive/archive_members.h"
#include "runtime/provider/exec/shell_command.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Whether the text contains a word of 5 to 128 lower-case hexadecimal digits.
bool has_digest(std::string_view text) {
  size_t run = 0;
  bool word = false; // whether the current word consists of hexadecimal digits so far
  for (size_t i = 0; i <= text.size(); ++i) {
    const unsigned char c = i < text.size() ? static_cast<unsigned char>(text[i]) : ' ';
    if (std::isalnum(c) || c == '_') {
      if (run == 0) word = true;
      ++run;
      word = word && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    } else {
      if (run >= 5 && run <= 128 && word) return true;
      run = 0;
    }
  }
  return false;
}

std::optional<DigestAlgorithm> digest_of(const std::string& type) {
  if (type == "md5") return DigestAlgorithm::Md5;
  if (type == "sha1") return DigestAlgorithm::Sha1;
  if (type == "sha2" || type == "sha256") return DigestAlgorithm::Sha256;
  if (type == "sha384") return DigestAlgorithm::Sha384;
  if (type == "sha512") return DigestAlgorithm::Sha512;
  return std::nullopt;
}

class ArchiveHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    auto refuse = [&](const char* attribute, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
    };
    if (!r.name("path").starts_with('/')) refuse("path", fmt::format("archive path must be absolute: {}", r.name("path")));
    auto check_sum = [&](const char* attribute, const char* values) {
      const std::string sum = r.text(attribute);
      if (!r.has(attribute) || sum.empty() || sum == "undef" || sum == "true" || sum == "false" || has_digest(sum)) return;
      refuse(attribute, fmt::format("Invalid value \"{}\". {}Valid values match /\\b[0-9a-f]{{5,128}}\\b/.", sum, values));
    };
    check_sum("checksum", "Valid values are true, false, undef, , . ");
    check_sum("digest_string", "");
    // Older modules use these attribute names.
    for (const auto& [old, now] : {std::pair("url", "source"), std::pair("target", "extract_path"), std::pair("digest_string", "checksum"),
                                   std::pair("digest_type", "checksum_type"), std::pair("digest_url", "checksum_url")}) {
      if (!r.has(old)) continue;
      if (r.has(now) && r.text(old) != r.text(now) && std::string_view(old) == "url")
        throw ResourceError(fmt::format("invalid parameter: url ({}) and source ({}) are mutually exclusive.", r.text(old), r.text(now)));
      r.set(now, r.get(old), r.sensitive(old));
    }
    if (r.has("extract_path") && !r.text("extract_path").starts_with('/'))
      refuse("extract_path", fmt::format("archive extract_path must be absolute: {}", r.text("extract_path")));
    const std::string type = r.text("checksum_type", "none");
    if (type != "none" && !digest_of(type))
      refuse("checksum_type", fmt::format("Invalid value \"{}\". Valid values are none, md5, sha1, sha2, sha256, sha384, sha512. ", type));
    if (const ManagedAttribute* password = r.find("password")) r.set("password", password->value, true);
  }
  std::string key(const ManagedResource& r) const override { return r.name("path"); }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    const std::string path = r.name("path");
    out.push_back({AutoRelation::Require, "file", path.substr(0, std::max<size_t>(path.rfind('/'), 1))});
    if (r.has("extract_path")) out.push_back({AutoRelation::Require, "file", r.text("extract_path")});
    for (const char* aws : {"/root/.aws/config", "/root/.aws/credentials"}) out.push_back({AutoRelation::Require, "file", aws});
    out.push_back({AutoRelation::Require, "exec", "install_gsutil"});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    // When the file that `creates` names exists, the archive itself may be gone.
    const bool file = run.system.stat(r.name("path")).has_value();
    p.exists = extracted(r, run) && !file ? true : checksum_matches(r, run, r.name("path"));
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    if (r.has("creates"))
      p.set("creates",
            r.truth("extract", false) && !extracted(r, run) ? string_value(run.arena, "archive not extracted") : r.get("creates"));
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext& run) override {
    std::vector<PropertyChange> changes = PropertyHandler::plan(r, p, run);
    for (PropertyChange& c : changes) {
      if (c.property != "ensure") continue;
      if (wanted(r) == "absent") {
        c.message = fmt::format("remove archive: {} ", r.name("path"));
      } else if (digest_of(r.text("checksum_type", "none")) && run.system.stat(r.name("path"))) {
        const std::string type = r.text("checksum_type");
        c.message = fmt::format("replace archive: {} from ({}){} to ({}){}", r.name("path"), type, digest(r, run, r.name("path")), type,
                                r.text("checksum"));
      } else {
        c.message = fmt::format("download archive from {} to {} {} {}", r.text("source"), r.name("path"),
                                r.truth("extract", false) ? "and extracted in " + r.text("extract_path") : "",
                                r.truth("cleanup", true) ? "with cleanup" : "without cleanup");
      }
    }
    return changes;
  }

protected:
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"creates"};
    return names;
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext&) override {
    PropertyChange c = property_change(property, is, should);
    c.should_text = fmt::format("extracting in {} to create {}", r.text("extract_path"), value_text(should));
    c.message = fmt::format("creates changed {} to {}", c.is_text, c.should_text);
    return c;
  }

  void create(ManagedResource& r, const Present&, RunContext& run) override {
    if (!checksum_matches(r, run, r.name("path"))) fetch(r, run);
    extract(r, run);
    if (extracted(r, run) && r.truth("cleanup", true)) remove(r, run);
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override { remove(r, run); }
  void set(ManagedResource& r, const Present&, std::string_view, RunContext& run) override { extract(r, run); }

private:
  static void remove(const ManagedResource& r, RunContext& run) {
    if (run.system.lstat(r.name("path"))) run.system.remove_file(r.name("path"));
  }
  static bool extracted(const ManagedResource& r, RunContext& run) {
    return r.has("creates") && run.system.stat(r.text("creates")).has_value();
  }
  static std::string digest(const ManagedResource& r, RunContext& run, const std::string& path) {
    Digest sum(*digest_of(r.text("checksum_type")));
    run.system.read_parts(path, [&](std::string_view part) { sum.add(part); });
    return sum.hex();
  }
  static std::string expected(const ManagedResource& r, RunContext& run) {
    const std::string given = r.text("checksum");
    if (!given.empty() && given != "true" && given != "false") return given;
    if (!r.has("checksum_url")) return {};
    // Take the first long hexadecimal word of the answer.
    const std::string answer = run_tool_checked(run, curl(r, r.text("checksum_url"), ""), secrets(r, r.text("checksum_url")));
    for (size_t i = 0; i < answer.size(); ++i) {
      size_t end = i;
      while (end < answer.size() && isxdigit(static_cast<unsigned char>(answer[end]))) ++end;
      if (end - i >= 32) return answer.substr(i, end - i);
      i = end;
    }
    return {};
  }
  static bool checksum_matches(const ManagedResource& r, RunContext& run, const std::string& path) {
    if (!run.system.stat(path)) return false;
    if (!digest_of(r.text("checksum_type", "none"))) return !is_planted(r, run, path);
    return digest(r, run, path) == expected(r, run);
  }

  /// Whether a user whom the resource does not name may have put the file there. Without a checksum only the file's place shows that it
  /// is the wanted one, so such a file must not count as present.
  static bool is_planted(const ManagedResource& r, RunContext& run, const std::string& path) {
    if (run.system.safe_from_others(path)) return false;
    const auto status = run.system.lstat(path);
    const auto around = run.system.stat(path.substr(0, std::max<size_t>(path.rfind('/'), 1)));
    const auto user = r.has("user") ? run.system.user_by_name(r.text("user")) : std::nullopt;
    auto known = [&](uint32_t uid) { return uid == 0 || uid == run.system.effective_uid() || (user && uid == user->uid); };
    const bool closed = around && known(around->uid) && (around->mode & 0022) == 0;
    return !closed && status && !known(status->uid);
  }

  static ToolOptions secrets(const ManagedResource& r, const std::string& source) {
    ToolOptions options;
    options.sensitive = r.sensitive("download_options");
    // Pass secrets on standard input as a curl configuration: other users can read command lines.
    auto setting = [&](const char* name, const std::string& value) {
      options.input += fmt::format("{} = \"", name);
      // curl reads line by line: what follows a line break as such would be an option of its own.
      for (const char c : value) {
        if (c == '\0') throw ResourceError(fmt::format("{} holds a NUL character", name));
        options.input += c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      }
      options.input += "\"\n";
    };
    if (r.has("username")) setting("user", r.text("username") + (r.has("password") ? ":" + r.text("password") : ""));
    if (r.sensitive("source") && source == r.text("source")) setting("url", source);
    for (const auto& [attribute, name] : {std::pair("cookie", "cookie"), std::pair("proxy_server", "proxy")})
      if (r.has(attribute) && r.sensitive(attribute)) setting(name, r.text(attribute));
    return options;
  }
  static std::vector<std::string> curl(const ManagedResource& r, const std::string& source, const std::string& to) {
    std::vector<std::string> argv{"curl"};
    if (!r.sensitive("source") || source != r.text("source")) argv.push_back(source);
    if (!to.empty()) argv.insert(argv.end(), {"-o", to});
    argv.insert(argv.end(), {"-fsSLg", "--max-redirs", "5"});
    if (source.starts_with("https:")) argv.insert(argv.end(), {"--proto-redir", "=https"}); // a plain-http answer could be forged
    if (!secrets(r, source).input.empty()) argv.insert(argv.end(), {"--config", "-"});
    if (r.has("cookie") && !r.sensitive("cookie")) argv.insert(argv.end(), {"--cookie", r.text("cookie")});
    if (r.has("proxy_server") && !r.sensitive("proxy_server")) argv.insert(argv.end(), {"--proxy", r.text("proxy_server")});
    if (r.truth("allow_insecure", false)) argv.emplace_back("--insecure");
    for (const std::string& o : r.texts("download_options")) argv.push_back(o);
    return argv;
  }

  static void fetch(const ManagedResource& r, RunContext& run) {
    const std::string path = r.name("path");
    make_parents(path, run);
    if (r.has("temp_dir") && !exists(run.system, r.text("temp_dir")))
      throw ResourceError(fmt::format("Temporary directory {} doesn't exist", r.text("temp_dir")));
    // Nobody else can enter this directory: the file that is moved is the file that was verified.
    const PrivateDirectory directory(run.system, temporary_parent(r, run));
    const std::string part = directory.path() + "/" + last_name(r.text("filename", path));
    download(r, part, run);
    if (const auto status = run.system.stat(part); status && (status->mode & 0022) != 0) run.system.set_mode(part, status->mode & ~0022U);
    verify(r, part, run);
    move(part, path, run);
  }

  static std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

  /// `temp_dir`, or the usual temporary directory when other users could replace files in `temp_dir`.
  static std::string temporary_parent(const ManagedResource& r, RunContext& run) {
    const std::string usual = temporary_directory(run.system), wanted = r.text("temp_dir", usual);
    if (wanted == usual) return usual;
    try {
      const PrivateDirectory probe(run.system, wanted);
      return wanted;
    } catch (const SystemError& e) {
      if (e.error != EPERM) throw;
      run.log(LogLevel::Warning, r, fmt::format("Other users can change temp_dir {}; using {}", wanted, usual));
      return usual;
    }
  }

  static void download(const ManagedResource& r, const std::string& part, RunContext& run) {
    if (!r.has("source")) throw ResourceError("Unable to fetch archive, the source parameter is nil.");
    std::string source = r.text("source");
    const bool of_module = source.starts_with("puppet:///modules/");
    if (of_module) {
      const auto file = module_file(source, std::string_view(source).substr(18), run);
      if (!file) throw ResourceError(fmt::format("Could not retrieve source {}", source));
      source = *file;
    }
    if (source.starts_with("file://")) source = source.substr(7);
    if (source.starts_with('/')) {
      const auto status = run.system.stat(source);
      if (!status) throw ResourceError(fmt::format("Source file: {} does not exists.", source));
      // A file of this machine is copied with its mode, a module's content is written anew.
      copy_file(run.system, source, part, of_module ? 0644 : status->mode & 0755, std::nullopt, std::nullopt);
    } else if (source.starts_with("http") || source.starts_with("ftp")) {
      run_tool_checked(run, curl(r, source, part), secrets(r, source));
    } else {
      throw ResourceError(fmt::format("Source file: {} does not exists.", source));
    }
  }

  static void verify(const ManagedResource& r, const std::string& part, RunContext& run) {
    if (!r.truth("checksum_verify", true) || !digest_of(r.text("checksum_type", "none"))) return;
    const std::string actual = digest(r, run, part), wanted_digest = expected(r, run);
    if (actual != wanted_digest)
      throw ResourceError(fmt::format("Download file checksum mismatch (expected: {} actual: {})", wanted_digest, actual));
  }

  static void move(const std::string& part, const std::string& path, RunContext& run) {
    try {
      run.system.rename(part, path);
    } catch (const SystemError& e) {
      if (e.error != EXDEV) throw;
      const auto status = run.system.stat(part);
      copy_file(run.system, part, path, status ? status->mode : 0644, std::nullopt, std::nullopt);
      run.system.remove_file(part);
    }
  }

  static void make_parents(const std::string& path, RunContext& run) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const std::string directory = path.substr(0, slash);
      if (!run.system.stat(directory)) run.system.make_directory(directory, 0755);
    }
  }

  /// The command that extracts the archive at `path`. The suffix of `named`, the archive's own name, decides which tool it uses.
  static std::string extract_command(const ManagedResource& r, const std::string& path, const std::string& named) {
    const std::string quoted = shell_quoted(path);
    auto flags = [&](const char* usual, const char* tool) -> std::string {
      const Value given = r.get("extract_flags");
      if (given.is_hash()) {
        const Value* one = given.hash->find(tool);
        return one ? value_text(*one) : "";
      }
      const std::string text = r.text("extract_flags");
      return text.empty() || text == "undef" ? usual : text;
    };
    std::string command = r.text("extract_command");
    if (const size_t at = command.find("%s"); at != std::string::npos) return command.replace(at, 2, quoted);
    if (!command.empty())
      return command + " " + (r.has("extract_flags") && r.text("extract_flags") != "undef" ? r.text("extract_flags") : "undef") + " " +
             quoted;
    auto ends = [&](std::initializer_list<std::string_view> suffixes) {
      return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view s) { return named.ends_with(s); });
    };
    if (ends({".tar"})) return "tar " + flags("xf", "tar") + " " + quoted;
    if (ends({".tgz", ".tar.gz"})) return "tar " + flags("xzf", "tar") + " " + quoted;
    if (ends({".tbz", ".tar.bz2"})) return "tar " + flags("xjf", "tar") + " " + quoted;
    if (ends({".txz", ".tar.xz"})) return "unxz " + flags("-dc", "unxz") + " " + quoted + " | tar " + flags("xf", "tar") + " -";
    if (ends({".gz"})) return "gunzip " + flags("-d", "gunzip") + " " + quoted;
    if (ends({".zip", ".war", ".jar"})) return "unzip " + flags("-o", "zip") + " " + quoted;
    throw ResourceError(fmt::format("Unknown filetype: {}", named));
  }

  static void extract(const ManagedResource& r, RunContext& run) {
    if (!r.truth("extract", false)) return;
    if (!r.has("extract_path")) throw ResourceError("missing archive extract_path");
    const std::string path = r.name("path"), shown = extract_command(r, path, path);
    Command c;
    c.directory = r.text("extract_path");
    if (!run.system.stat(c.directory)) throw ResourceError(fmt::format("No such file or directory @ dir_chdir - {}", c.directory));
    CommandSettings who;
    who.user = r.text("user");
    who.group = r.text("group");
    prepare_identity(c, who, run);
    // If other users could change the archive after the check, verify and extract a copy that they cannot reach.
    std::optional<PrivateDirectory> safe;
    std::string used = path;
    if (!run.system.safe_from_others(path)) {
      safe.emplace(run.system, temporary_directory(run.system), c.uid);
      used = safe->path() + "/" + last_name(path);
      copy_file(run.system, path, used, 0600, c.uid, std::nullopt);
      verify(r, used, run);
    } else if (c.uid || c.gid) {
      run.system.set_mode(path, 0644);
    }
    if (!path.ends_with(".gz") || path.ends_with(".tar.gz"))
      check_archive_members(used, {path, c.directory, r.text("extract_command").empty()}, run);
    c.shell = extract_command(r, used, path);
    const CommandResult result = run.system.run(c);
    const bool secret = r.sensitive("extract_command") || r.sensitive("extract_flags"); // what it prints may be a part of it
    if (result.status != 0)
      throw ResourceError(fmt::format("Execution of '{}' returned {}: {}", secret ? "[redacted]" : shown, result.status,
                                      !result.not_prepared.empty() ? std::string_view(result.not_prepared)
                                      : secret                     ? "[output redacted]"
                                                                   : trimmed(result.output)));
    if (safe) bring_beside(safe->path(), used, path, run);
  }

  /// Copies the files that a command such as gunzip made beside its copy of the archive to the archive's own directory. If the command
  /// removed its copy, the archive is removed too.
  static void bring_beside(const std::string& directory, const std::string& copy, const std::string& path, RunContext& run) {
    for (const std::string& name : run.system.list_directory(directory)) {
      const std::string made = directory + "/" + name;
      const auto status = run.system.lstat(made);
      if (made == copy || !status || status->type != FileType::File) continue;
      copy_file(run.system, made, path.substr(0, path.rfind('/') + 1) + name, 0644, status->uid, status->gid);
    }
    if (!run.system.lstat(copy) && run.system.lstat(path)) run.system.remove_file(path);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_archive_handler() { return std::make_unique<ArchiveHandler>(); }

} // namespace pupc::runtime
