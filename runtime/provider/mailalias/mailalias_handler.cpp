// mailalias: lines of /etc/aliases.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/parsed/line_pattern.h"
#include "runtime/provider/parsed/parsed_file.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class MailaliasHandler final : public ParsedFileHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    if (r.has("file") && !r.text("file").starts_with('/'))
      throw ResourceError(
          fmt::format("Parameter file failed on {}: File paths must be fully qualified, not '{}'", r.reference(), r.text("file")));
    if (r.has("file") && r.has("recipient")) throw ResourceError("You cannot specify both a recipient and a file");
    if (!r.has("target") && !left_alone(r)) r.set("target", string_value(run.arena, default_target(run)));
  }

protected:
  std::string_view type_name() const override { return "mailalias"; }
  std::string default_target(RunContext&) const override { return "/etc/aliases"; }
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"recipient", "file", "target"};
    return names;
  }
  bool is_list(std::string_view property) const override { return property == "recipient"; }
  bool in_line(std::string_view property) const override { return property == "recipient"; }

  std::optional<FileRecord> parse_line(const std::string& line) const override {
    static const Regex separator(R"(\s*,\s*(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$))"), quote(R"(^['"]|['"]$)");
    if (line.starts_with('#') || line.find_first_not_of(" \t\r\n\f\v") == std::string::npos) return FileRecord::text_line(line);
    const auto parts = catalog::split_text(line, ':');
    FileRecord f;
    f.set("name", std::string(trimmed(parts[0], ruby_blanks)));
    if (parts.size() >= 4 && trimmed(parts[2], ruby_blanks) == "include") {
      f.set("file", std::string(trimmed(join_text({parts.begin() + 3, parts.end()}, ":"), ruby_blanks)));
      return f;
    }
    if (parts.size() < 2) throw ResourceError("undefined method `strip' for nil:NilClass"); // Puppet's message for a line without a colon
    std::vector<std::string> all = split_by(separator, trimmed(std::string_view(line).substr(line.find(':') + 1), ruby_blanks));
    for (std::string& one : all) one = replace_all(quote, one, "");
    f.set("recipient", RecordField::of(std::move(all)));
    return f;
  }

  std::string to_line(const FileRecord& f) const override {
    const std::string name = f.text("name").value_or("");
    if (const RecordField* recipients = f.find("recipient")) {
      std::vector<std::string> all;
      for (const std::string& one : recipients->texts) {
        bool plain = true;
        for (const char c : one)
          plain &= isalnum(static_cast<unsigned char>(c)) || (c != 0 && std::string_view("-+_@.").find(c) != std::string_view::npos);
        all.push_back(plain ? one : "\"" + one + "\"");
      }
      return name + ": " + join_text(all, ",");
    }
    if (const auto file = f.text("file")) return name + ": :include: " + *file;
    return {};
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_mailalias_handler() { return std::make_unique<MailaliasHandler>(); }

} // namespace pupc::runtime
