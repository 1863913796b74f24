// mailalias: lines of /etc/aliases.
#include "runtime/provider/commands.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/registry.h"

namespace pupc {
namespace {

class MailaliasHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    if (r.has("file") && !r.text("file").starts_with('/'))
      throw ResourceError(fmt::format("Parameter file failed on {}: File paths must be fully qualified, not '{}'", r.reference(), r.text("file")));
    if (r.has("file") && r.has("recipient")) throw ResourceError("You cannot specify both a recipient and a file");
  }

protected:
  std::string_view type_name() const override { return "mailalias"; }
  std::string default_target(RunContext&) const override { return "/etc/aliases"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"recipient", "file"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "recipient"; }

  std::optional<RecordFields> parse_line(const std::string& line) const override {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) return std::nullopt;
    RecordFields f{{"name", {std::string(trimmed(std::string_view(line).substr(0, colon)))}}};
    const std::string_view rest = trimmed(std::string_view(line).substr(colon + 1));
    if (rest.starts_with(":include:")) {
      f["file"] = {std::string(trimmed(rest.substr(9)))};
      return f;
    }
    // Commas inside quotes do not separate.
    std::vector<std::string> all(1);
    bool quoted = false;
    for (const char c : rest) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted)
        all.emplace_back();
      else
        all.back() += c;
    }
    for (std::string& one : all) {
      std::string_view text = trimmed(one);
      if (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
      if (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
      one = std::string(text);
    }
    f["recipient"] = all;
    return f;
  }

  std::string format(const RecordFields& f) const override {
    if (auto it = f.find("recipient"); it != f.end()) {
      std::vector<std::string> all;
      for (const std::string& one : it->second) {
        bool plain = true;
        for (const char c : one) plain &= isalnum(static_cast<unsigned char>(c)) || std::string_view("-+_@.").find(c) != std::string_view::npos;
        all.push_back(plain ? one : "\"" + one + "\"");
      }
      return f.at("name")[0] + ": " + join_text(all, ",");
    }
    if (auto it = f.find("file"); it != f.end()) return f.at("name")[0] + ": :include: " + it->second[0];
    throw ResourceError("Field 'recipient' is required");
  }
  /// A recipient takes the place of a file and the other way round.
  void set(ManagedResource& r, const Present& p, std::string_view property, RunContext& run) override {
    ParsedFileHandler::set(r, p, property, run);
    work_of(p).record->erase(property == "file" ? "recipient" : "file");
  }
  /// Single recipients are shown in brackets as well: the property takes a list.
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (property != "recipient" || should.is_list()) return property_change(property, is, should);
    static_cast<void>(r);
    ListBuilder b(run.arena);
    b.add(should);
    return property_change(property, is, b.finish());
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_mailalias_handler() { return std::make_unique<MailaliasHandler>(); }

} // namespace pupc
