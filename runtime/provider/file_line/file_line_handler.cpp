// file_line (module stdlib): one line of a file, found by its text or by a pattern.
#include "catalog/value/regex.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class FileLineHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    const bool all = r.truth("replace_all_matches_not_matching_line", false);
    if (all && r.text("multiple") == "false")
      throw ResourceError("multiple must be true when replace_all_matches_not_matching_line is true");
    if (all && r.text("replace") == "false") throw ResourceError("replace must be true when replace_all_matches_not_matching_line is true");
    const bool by_match = r.text("ensure") == "absent" && r.truth("match_for_absence", false) && r.has("match");
    if (!r.has("line") && !by_match) throw ResourceError("line is a required attribute");
    if (!r.has("path")) throw ResourceError("path is a required attribute");
    if (!r.text("path").starts_with('/'))
      throw ResourceError(
          fmt::format("Parameter path failed on {}: File paths must be fully qualified, not '{}'", r.reference(), r.text("path")));
    for (const char* pattern : {"match", "after"}) compiled(r, pattern);
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    out.push_back({AutoRelation::Require, "file", r.text("path")});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    p.exists = exists(r, lines(r, run));
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    return p;
  }

protected:
  std::span<const std::string_view> properties() const override { return {}; }

  void create(ManagedResource& r, const Present&, RunContext& run) override {
    std::vector<std::string> all = lines(r, run);
    const auto match = compiled(r, "match"), after = compiled(r, "after");
    const std::string line = with_end(r.text("line"));
    const size_t matches = match ? count(r, *match, all) : 0;
    if (!r.truth("replace", true) && matches > 0) return;
    if (matches > 1 && !r.truth("multiple", false))
      throw ResourceError(fmt::format("More than one line in file '{}' matches pattern '{}'", r.text("path"), r.text("match")));
    std::string out;
    bool written = matches > 0;
    if (!match && after) {
      const size_t places = count(r, *after, all);
      if (places > 1 && !r.truth("multiple", false))
        throw ResourceError(fmt::format("{} lines match pattern '{}' in file '{}'. One or no line must match the pattern.", places,
                                        r.text("after"), r.text("path")));
    }
    for (const std::string& have : all) {
      out += match && match->matches(have) ? line : with_end(have);
      const bool here = after && after->matches(have) && (match ? !written : true);
      if (!here) continue;
      out += line;
      written = true;
    }
    if (!written) out += line;
    write_keeping_status(run, r.text("path"), out);
  }

  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    const bool by_match = r.truth("match_for_absence", false) && r.has("match");
    const std::vector<std::string> all = lines(r, run);
    const auto match = compiled(r, "match");
    if (by_match && count(r, *match, all) > 1 && !r.truth("multiple", false))
      throw ResourceError(fmt::format("More than one line in file '{}' matches pattern '{}'", r.text("path"), r.text("match")));
    std::string out;
    for (const std::string& have : all)
      if (!(by_match ? match->matches(have) : without_end(have) == r.text("line"))) out += have;
    write_keeping_status(run, r.text("path"), out);
  }

  void set(ManagedResource&, const Present&, std::string_view, RunContext&) override {}

private:
  static std::unique_ptr<Regex> compiled(const ManagedResource& r, const char* attribute) {
    if (!r.has(attribute)) return nullptr;
    try {
      return std::make_unique<Regex>(r.text(attribute));
    } catch (const RegexError& e) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), e.message));
    }
  }
  static std::string with_end(std::string line) {
    if (!line.ends_with('\n')) line += '\n';
    return line;
  }
  static std::string without_end(std::string line) {
    if (line.ends_with('\n')) line.pop_back();
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
  /// The file's lines with their line ends. A missing file is an error. Under noop it counts as empty: an earlier resource might have
  /// made it.
  static std::vector<std::string> lines(const ManagedResource& r, RunContext& run) {
    const std::string path = r.text("path");
    const auto content = read_if_there(run, path);
    if (!content && !r.noop) throw ResourceError(fmt::format("No such file or directory @ rb_sysopen - {}", path));
    std::vector<std::string> out;
    for (size_t at = 0; content && at < content->size();) {
      const size_t end = content->find('\n', at);
      out.push_back(content->substr(at, end == std::string::npos ? end : end - at + 1));
      at = end == std::string::npos ? content->size() : end + 1;
    }
    return out;
  }
  static size_t count(const ManagedResource& r, const Regex& pattern, const std::vector<std::string>& all) {
    size_t n = 0;
    for (const std::string& have : all) {
      if (r.truth("replace_all_matches_not_matching_line", false) && without_end(have) == r.text("line")) continue;
      if (pattern.matches(have)) ++n;
    }
    return n;
  }
  static bool exists(const ManagedResource& r, const std::vector<std::string>& all) {
    bool there = false;
    for (const std::string& have : all) there |= without_end(have) == r.text("line");
    if (!r.has("match")) return there;
    const size_t matches = count(r, *compiled(r, "match"), all);
    if (r.text("ensure", "present") != "absent") {
      if (matches == 0) return there || !r.truth("append_on_no_match", true);
      if (r.truth("replace_all_matches_not_matching_line", false)) return false;
      return there || !r.truth("replace", true);
    }
    if (matches == 0 || there) return there;
    return r.truth("match_for_absence", false);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_file_line_handler() { return std::make_unique<FileLineHandler>(); }

} // namespace pupc::runtime
