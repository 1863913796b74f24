#include "runtime/provider/system_tools.h"

#include "catalog/base/split_text.h"
#include "catalog/base/text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fmt/format.h>

namespace pupc::runtime {

std::optional<std::string> find_tool(RunContext& run, std::string_view name) {
  if (auto found = run.system.which(name)) return found;
  static const std::vector<std::string> more{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"};
  return run.system.which(name, &more);
}

void set_tool_environment(Command& command, bool callers_locale) {
  command.unset = {"HOME", "USER", "LOGNAME"};
  if (callers_locale) return;
  for (const char* name : {"LC_MESSAGES", "LANGUAGE", "LC_COLLATE", "LC_CTYPE", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"})
    command.unset.emplace_back(name);
  command.environment = {{"LANG", "C"}, {"LC_ALL", "C"}};
}

CommandResult run_tool(RunContext& run, std::vector<std::string> argv, const ToolOptions& options) {
  if (argv[0].find('/') == std::string::npos) {
    auto path = find_tool(run, argv[0]);
    if (!path) throw ResourceError(fmt::format("Could not find command '{}'", argv[0]));
    argv[0] = *path;
  }
  Command c;
  c.argv = std::move(argv);
  c.input = options.input;
  c.merge_output = options.merge_output;
  set_tool_environment(c, options.callers_locale);
  c.environment.insert(c.environment.end(), options.environment.begin(), options.environment.end());
  c.directory = options.directory;
  c.uid = options.uid;
  c.gid = options.gid;
  return run.system.run(c);
}

std::string run_tool_checked(RunContext& run, std::vector<std::string> argv, const ToolOptions& options) {
  const std::string bare = argv[0];
  if (argv[0].find('/') == std::string::npos)
    if (auto path = find_tool(run, argv[0])) argv[0] = *path;
  std::vector<std::string> words = argv;
  if (options.named_bare) words[0] = bare;
  const std::string shown = options.sensitive ? "[redacted]" : join_text(words, " ");
  const CommandResult r = run_tool(run, argv, options);
  if (r.not_started)
    throw ResourceError(fmt::format("Could not execute posix command: {}", std::string(SystemError(r.error, argv[0]).what())));
  if (r.status != 0)
    throw ResourceError(
        fmt::format("Execution of '{}' returned {}: {}", shown, r.status, options.sensitive ? "[redacted]" : trimmed(r.output)));
  return r.output;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
        std::isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string act_as(RunContext& run, const User& user, const std::function<std::string(System&)>& work) {
  if (run.system.effective_uid() != 0) return work(run.system); // only root can become another user
  try {
    return run.system.as_user(user, work);
  } catch (const SystemError&) { throw; } catch (const std::runtime_error& e) {
    throw ResourceError(e.what());
  }
}

PrivateDirectory::~PrivateDirectory() {
  try {
    remove_tree(system_, path_);
  } catch (const SystemError&) { // the directory's user has already removed it
  }
}

std::string temporary_directory(System& system) { return system.environment("TMPDIR").value_or("/tmp"); }

void remove_tree(System& system, const std::string& path) {
  const auto status = system.lstat(path);
  if (!status) return;
  if (status->type != FileType::Directory) return system.remove_file(path);
  for (const std::string& name : system.list_directory(path)) remove_tree(system, path + "/" + name);
  system.remove_directory(path);
}

std::optional<std::string> module_file(const std::string& source, std::string_view reference, RunContext& run) {
  for (const std::string& part : catalog::split_text(reference, '/'))
    if (part == "..")
      throw ResourceError(
          fmt::format("Could not retrieve file metadata for {}: Cannot find file: Invalid relative path '{}'", source, reference));
  return run.settings.module_file ? run.settings.module_file(reference) : std::nullopt;
}

std::vector<std::string> text_lines(std::string_view text) {
  if (text.empty()) return {};
  std::vector<std::string> out = catalog::split_text(text, '\n');
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string join_text(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c); });
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number) : std::nullopt;
}

void copy_file(System& system, const std::string& from, const std::string& to, uint32_t mode, std::optional<uint32_t> uid,
               std::optional<uint32_t> gid) {
  system.write_parts(
      to, [&](const System::Take& take) { system.read_parts(from, take); }, mode, uid, gid);
}

std::string diff_label(const std::string& path, int64_t modified) {
  const time_t seconds = static_cast<time_t>(modified / 1'000'000'000);
  tm local{};
  ::localtime_r(&seconds, &local);
  char time[64], zone[16];
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &local);
  std::strftime(zone, sizeof zone, "%z", &local);
  return fmt::format("{}\t{}.{:09} {}", path, time, modified % 1'000'000'000, zone);
}

std::string difference(RunContext& run, const std::string& old_name, const ProduceText& produce_old, const std::string& new_name,
                       const ProduceText& produce_new) {
  const PrivateDirectory directory(run.system, temporary_directory(run.system));
  auto put = [&](const char* name, const ProduceText& produce) {
    const std::string path = directory.path() + "/" + name;
    run.system.write_parts(path, produce, 0600, std::nullopt, std::nullopt, false);
    return path;
  };
  Command diff;
  set_tool_environment(diff);
  diff.argv = {"diff", "-u", "--label", old_name, "--label", new_name, put("old", produce_old), put("new", produce_new)};
  const CommandResult result = run.system.run(diff);
  // diff tells of binary files in one line and without the names' times.
  if (result.output.starts_with("Binary files ") || result.output.find('\0') != std::string::npos)
    return fmt::format("Binary files {} and {} differ\n", old_name.substr(0, old_name.find('\t')), new_name.substr(0, new_name.find('\t')));
  return result.output;
}

std::optional<std::string> read_if_there(RunContext& run, const std::string& path) {
  if (!exists(run.system, path)) return std::nullopt;
  return run.system.read_file(path);
}

void write_keeping_status(RunContext& run, const std::string& path, std::string_view content, uint32_t mode) {
  // Keep a link and write to its target.
  std::string real = path;
  try {
    real = run.system.followed(path);
    const auto status = run.system.stat(real);
    if (status && status->links > 1) {
      run.system.overwrite_file(real, content); // all hard links must see the new content
    } else if (status) {
      // Puppet writes into the file itself and so keeps its SELinux label. We replace the file, so restore the label.
      const auto label = run.system.selinux() ? run.system.label(real) : std::nullopt;
      run.system.write_file(real, content, status->mode, status->uid, status->gid);
      if (label && run.system.label(real) != label) run.system.set_label(real, *label);
    } else {
      run.system.write_file(real, content, mode, std::nullopt, std::nullopt);
    }
  } catch (const SystemError& e) {
    // Puppet opens the file itself for writing: report that call, not the failure of our temporary file.
    if (e.error == EBUSY) return run.system.overwrite_file(real, content); // a mount point, as /etc/hosts is in containers
    const bool denied = e.error == EACCES || e.error == EPERM;
    if (!denied && e.error != ENOENT) throw;
    throw SystemError(denied ? EACCES : ENOENT, path, "rb_sysopen");
  }
}

std::string no_provider(const ManagedResource& r, std::string_view provider) {
  return r.has("provider") ? fmt::format("Provider {} is not functional on this host", provider)
                           : fmt::format("Could not find a suitable provider for {}", r.type);
}

} // namespace pupc::runtime
