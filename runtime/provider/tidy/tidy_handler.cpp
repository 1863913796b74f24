// tidy: removes files by age, size and name. It generates a file resource with `ensure => absent` for each.
#include "runtime/provider/file/file_spec.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <fnmatch.h>
#include <unordered_map>

namespace pupc::runtime {
namespace {

class TidyHandler final : public TypeHandler {
public:
  bool depth_first() const override { return true; }

  void prepare(ManagedResource& r, RunContext&) override {
    std::string path = r.text("path", r.title);
    if (!path.starts_with('/'))
      throw ResourceError(fmt::format("Parameter path failed on {}: File paths must be fully qualified, not '{}'", r.reference(), path));
    if (r.has("age")) amount(r, "age");
    if (r.has("size")) amount(r, "size");
    std::string recurse = r.text("recurse", "false");
    const bool number = !recurse.empty() && recurse.size() < 10 && recurse.find_first_not_of("0123456789") == std::string::npos;
    if (!number && recurse != "true" && recurse != "false" && recurse != "inf")
      throw ResourceError(
          fmt::format("Parameter recurse failed on {}: Munging failed for value {} in class recurse: Invalid recurse value {}",
                      r.reference(), inspected_text(r.get("recurse")), inspected_text(r.get("recurse"))));
    if (r.has("matches") && (recurse == "false" || recurse == "0"))
      throw ResourceError(
          fmt::format("Parameter matches failed on {}: Tidy can't use matches with recurse 0, false, or undef", r.reference()));
  }

  std::vector<ManagedResource> generate(ManagedResource& r, RunContext& run) override {
    std::string path = r.text("path", r.title);
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    std::vector<ManagedResource> out;
    if (!run.system.lstat(path)) return out;
    std::string recurse = r.text("recurse", "false");
    std::vector<std::string> files{path};
    if (recurse != "false") {
      walk(run.system, path,
           recurse == "true" || recurse == "inf" ? -1 : static_cast<int>(std::min<int64_t>(whole_number(recurse).value_or(0), 1 << 30)), 1,
           files);
      FileSpec limits;
      limits.max_files = std::stoi(r.text("max_files", "0"));
      check_file_count(limits, path, files.size() - 1, run);
    }
    std::sort(files.begin(), files.end(), std::greater<>());
    for (const std::string& f : files) {
      if (!wanted(r, f, run)) continue;
      ManagedResource file;
      file.type = "file";
      file.printed_type = "File";
      file.title = f;
      for (std::string_view name : {"noop", "schedule", "audit", "loglevel", "tag", "before", "require", "notify", "subscribe"})
        if (r.has(name)) file.set(name, r.get(name));
      file.set("ensure", Value::string("absent"));
      file.set("force", Value::boolean(true));
      file.set("backup", Value::boolean(false)); // as in Puppet, tidy's `backup` has no effect: no bucket is found
      run.log(LogLevel::Debug, r, fmt::format("Tidying {}", file.reference()), "");
      out.push_back(std::move(file));
    }
    if (!out.empty()) run.log(LogLevel::Notice, r, fmt::format("Tidying {} files", out.size()), "");
    // Remove a directory after its content.
    std::unordered_map<std::string, std::vector<std::string>> inside; // directory -> references of the files in it
    for (const ManagedResource& f : out) inside[f.title.substr(0, f.title.rfind('/'))].push_back(f.reference());
    for (ManagedResource& directory : out) {
      const auto content = inside.find(directory.title);
      if (content == inside.end()) continue;
      ListBuilder inner(run.arena);
      for (const std::string& reference : content->second) inner.add(string_value(run.arena, reference));
      for (const std::string& t : directory.texts("require")) inner.add(string_value(run.arena, t));
      directory.set("require", inner.finish());
    }
    return out;
  }

  /// None are known besides those of the catalog.
  std::optional<std::vector<ManagedResource>> instances(RunContext&) override { return std::vector<ManagedResource>(); }
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}

private:
  static void walk(System& system, const std::string& directory, int limit, int depth, std::vector<std::string>& out) {
    if (limit >= 0 && depth > limit) return;
    auto status = system.lstat(directory);
    if (!status || status->type != FileType::Directory) return;
    for (const std::string& name : system.list_directory(directory)) {
      std::string path = directory == "/" ? "/" + name : directory + "/" + name;
      out.push_back(path);
      walk(system, path, limit, depth + 1, out);
    }
  }

  /// An age in seconds ("1w"; days by default) or a size in bytes ("10m"; kilobytes by default).
  static int64_t amount(const ManagedResource& r, std::string_view name) {
    const std::string text = r.text(name);
    const bool age = name == "age";
    size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    if (digits == 0 || digits > 12)
      throw ResourceError(fmt::format("Parameter {} failed on {}: Invalid tidy {} {}", name, r.reference(), name, text));
    int64_t value = std::stoll(text.substr(0, digits));
    char unit = digits == text.size() ? (age ? 'd' : 'k') : static_cast<char>(std::tolower(static_cast<unsigned char>(text[digits])));
    const std::string_view units = age ? "smhdw" : "bkmgt";
    size_t at = units.find(unit);
    if (at == std::string_view::npos)
      throw ResourceError(fmt::format("Parameter {} failed on {}: Invalid {} unit '{}'", name, r.reference(), name, unit));
    static constexpr int64_t seconds[] = {1, 60, 3600, 86400, 604800};
    if (age) return value * seconds[at];
    for (; at > 0 && value < (int64_t{1} << 52); --at) value *= 1024;
    return value;
  }

  static bool wanted(const ManagedResource& r, const std::string& path, RunContext& run) {
    if (run.find("file", path) != nullptr) return false; // another resource manages the file
    auto status = run.system.lstat(path);
    if (!status || (status->type == FileType::Directory && !r.truth("rmdirs", false))) return false;
    if (r.has("matches")) {
      const std::string name = path.substr(path.rfind('/') + 1);
      const auto patterns = r.texts("matches");
      if (std::none_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return ::fnmatch(p.c_str(), name.c_str(), FNM_PATHNAME) == 0; }))
        return false;
    }
    bool tested = false;
    if (r.has("age")) {
      tested = true;
      const std::string type = r.text("type", "atime");
      const int64_t time = type == "mtime" ? status->modified : type == "ctime" ? status->changed : status->accessed;
      if (run.system.now() / 1'000'000'000 - time / 1'000'000'000 >= amount(r, "age")) return true;
    }
    if (r.has("size")) {
      tested = true;
      if (static_cast<int64_t>(status->size) >= amount(r, "size")) return true;
    }
    return !tested;
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_tidy_handler() { return std::make_unique<TidyHandler>(); }

} // namespace pupc::runtime
