#include "runtime/provider/ini_setting/ini_value_change.h"

#include "catalog/value/digest.h"
#include "runtime/provider/module_library.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {

PropertyChange ini_value_change(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                                RunContext& run) {
  PropertyChange c = property_change(property, is, should);
  const std::string shown = r.text("show_diff", "true");
  auto values = [](const Value& v) -> std::string {
    if (!v.is_list()) return value_text(v);
    std::string out;
    for (const Value& item : v.items()) out += (out.empty() ? "" : ", ") + ("\"" + value_text(item) + "\"");
    return "[" + out + "]";
  };
  auto text = [&](const Value& v) -> std::string {
    if (!run.settings.show_diff || shown == "false" || shown == "no") return "[redacted sensitive information]";
    if (shown == "md5") return "{md5}" + hex_digest(DigestAlgorithm::Md5, values(v));
    return values(v);
  };
  c.is_text = text(is);
  c.should_text = text(should);
  c.hidden = shown != "true" && shown != "yes";
  c.message = fmt::format("value changed {} to {}", c.is_text, c.should_text);
  return c;
}

bool has_many_values(const RunSettings& settings) {
  const auto text = library_text(settings, "puppet/util/ini_file.rb");
  return !text || text->find("return unless section.empty?") == std::string::npos;
}

} // namespace pupc::runtime
