// host: lines of /etc/hosts.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/system_tools.h"

#include "catalog/value/inspect.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// Whether Puppet accepts a text as an address. It allows leading zeros in IPv4 and a zone after IPv6.
bool is_address(const std::string& text) {
  if (text.find_first_of("\r\n") != std::string::npos) return false;
  const auto parts = catalog::split_text(text, '.');
  bool v4 = parts.size() == 4;
  for (const std::string& p : parts) v4 = v4 && all_digits(p) && p.size() <= 3 && std::stoi(p) <= 255;
  if (v4) return true;
  std::string v6(trimmed(text));
  if (const size_t zone = v6.find('%'); zone != std::string::npos && zone + 1 < v6.size()) v6.erase(zone);
  unsigned char bytes[16];
  return inet_pton(AF_INET6, v6.c_str(), bytes) == 1;
}

class HostHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    auto refuse = [&](const char* attribute, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
    };
    if (const std::string ip = r.text("ip"); r.has("ip") && !is_address(ip))
      refuse("ip", fmt::format("Invalid IP address {}", inspected(ip)));
    for (const std::string& a : r.texts("host_aliases")) {
      if (a.find_first_of(" \t\r\n\f\v") != std::string::npos) refuse("host_aliases", "Host aliases cannot include whitespace");
      if (a.empty()) refuse("host_aliases", "Host aliases cannot be an empty string. Use an empty array to delete all host_aliases ");
    }
    if (r.text("comment").find_first_of("\r\n") != std::string::npos) refuse("comment", "Comment cannot include newline");
    static const Regex part(R"(^([\w]+|[\w][\w\-]+[\w])$)");
    const std::string name = r.name("name");
    auto parts = catalog::split_text(name, '.');
    while (!parts.empty() && parts.back().empty()) parts.pop_back();
    for (const std::string& p : parts)
      if (!part.matches(p)) refuse("name", "Invalid host name");
    if (name.find_first_of("\r\n") != std::string::npos) refuse("name", "Hostname cannot include newline");
    if (!r.has("target") && !left_alone(r)) r.set("target", string_value(run.arena, default_target(run)));
  }
  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    return exists(run.system, default_target(run)) ? "" : no_provider(r, "parsed");
  }
  bool providerless(const ManagedResource& r) const override { return !r.has("provider"); }

protected:
  std::string_view type_name() const override { return "host"; }
  std::string default_target(RunContext&) const override { return "/etc/hosts"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"ip", "host_aliases", "comment", "target"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "host_aliases"; }
  bool in_line(std::string_view property) const override { return property != "target"; }

  /// Keeps a line as text when Puppet's pattern does not match it (names of one character, addresses in upper case).
  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex host(R"(^([0-9a-f:]\S+)\s+([^#\s+]\S+)\s*(.*?)?(?:\s*#\s*(.*))?$)"), blanks(R"(\s+)");
    if (line.starts_with('#')) return FileRecord::text_line(line);
    const auto groups = groups_of(host, line);
    if (!groups) return FileRecord::text_line(line);
    FileRecord f;
    f.set("ip", *(*groups)[0]);
    f.set("name", *(*groups)[1]);
    const std::string aliases = (*groups)[2].value_or("");
    if (aliases.empty())
      f.set("host_aliases", RecordField::none());
    else
      f.set("host_aliases", RecordField::of(catalog::split_text(replace_all(blanks, aliases, " "), ' ')));
    f.set("comment", (*groups)[3].value_or(""));
    return f;
  }
  std::string to_line(const FileRecord& f) const override {
    for (const char* name : {"ip", "name"})
      if (!f.text(name)) throw ResourceError(fmt::format("{} is a required attribute for hosts", name));
    std::string out = *f.text("ip") + "\t" + *f.text("name");
    if (const RecordField* aliases = f.find("host_aliases"); aliases != nullptr && !aliases->absent)
      out += "\t" + join_text(aliases->texts, " ");
    if (const std::string comment = f.text("comment").value_or(""); !comment.empty()) out += "\t# " + comment;
    return out;
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override {
    if (property != "host_aliases") return ParsedFileHandler::describe(r, property, is, should, run);
    const std::string now = value_text(is), then = join_text(r.texts("host_aliases"), " ");
    PropertyChange c = property_change(property, string_value(run.arena, now), string_value(run.arena, then));
    if (is.is_list()) {
      c.is_text = now;
      c.message = fmt::format("host_aliases changed {} to '{}'", now, then);
    }
    return c;
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_host_handler() { return std::make_unique<HostHandler>(); }

} // namespace pupc::runtime
