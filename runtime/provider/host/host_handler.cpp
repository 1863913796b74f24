// host: lines of /etc/hosts.
#include "runtime/provider/commands.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"

#include <arpa/inet.h>

namespace pupc {
namespace {

class HostHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    auto refuse = [&](const char* attribute, const std::string& why) { throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why)); };
    if (r.has("ip")) {
      unsigned char bytes[16];
      const std::string ip = r.text("ip");
      if (inet_pton(AF_INET, ip.c_str(), bytes) != 1 && inet_pton(AF_INET6, ip.c_str(), bytes) != 1) refuse("ip", fmt::format("Invalid IP address \"{}\"", ip));
    }
    for (const std::string& a : r.texts("host_aliases")) {
      if (a.find_first_of(" \t\r\n") != std::string::npos) refuse("host_aliases", "Host aliases cannot include whitespace");
      if (a.empty()) refuse("host_aliases", "Host aliases cannot be an empty string. Use an empty array to delete all host_aliases ");
    }
    if (r.text("comment").find_first_of("\r\n") != std::string::npos) refuse("comment", "Comment cannot include newline");
    for (const std::string& part : split_text(r.name("name"), '.')) {
      bool ok = !part.empty() && part.front() != '-' && part.back() != '-';
      for (const char c : part) ok &= isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
      if (!ok) refuse("name", "Invalid host name");
    }
  }

protected:
  std::string_view type_name() const override { return "host"; }
  std::string default_target(RunContext&) const override { return "/etc/hosts"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"ip", "host_aliases", "comment"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "host_aliases"; }
  std::optional<RecordFields> parse_line(const std::string& line) const override {
    const size_t mark = line.find('#');
    const auto words = words_of(std::string_view(line).substr(0, mark));
    if (words.size() < 2 || line[0] == ' ' || line[0] == '\t') return std::nullopt;
    RecordFields f{{"ip", {words[0]}}, {"name", {words[1]}}};
    f["host_aliases"] = {words.begin() + 2, words.end()};
    f["comment"] = {mark == std::string::npos ? "" : std::string(trimmed(std::string_view(line).substr(mark + 1)))};
    return f;
  }
  std::string format(const RecordFields& f) const override {
    if (!f.contains("ip")) throw ResourceError("ip is a required attribute for hosts");
    std::string out = f.at("ip")[0] + "\t" + f.at("name")[0];
    if (auto it = f.find("host_aliases"); it != f.end() && !it->second.empty()) out += "\t" + join_text(it->second, " ");
    if (auto it = f.find("comment"); it != f.end() && !it->second.empty() && !it->second[0].empty()) out += "\t# " + it->second[0];
    return out;
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property != "host_aliases") return property_change(property, is, should);
    const std::string now = value_text(is), then = join_text(r.texts("host_aliases"), " ");
    PropertyChange c = property_change(property, string_value(run.arena, now), string_value(run.arena, then));
    c.is_text = now;
    c.message = fmt::format("host_aliases changed {} to '{}'", now, then);
    return c;
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_host_handler() { return std::make_unique<HostHandler>(); }

} // namespace pupc
