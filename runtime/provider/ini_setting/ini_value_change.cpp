#include "runtime/provider/ini_setting/ini_value_change.h"

#include "catalog/value/digest.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {

PropertyChange ini_value_change(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                                RunContext& run) {
  PropertyChange c = property_change(property, is, should);
  const std::string shown = r.text("show_diff", "true");
  auto text = [&](const Value& v) -> std::string {
    if (!run.settings.show_diff || shown == "false" || shown == "no") return "[redacted sensitive information]";
    if (shown == "md5") return "{md5}" + hex_digest(DigestAlgorithm::Md5, value_text(v));
    return value_text(v);
  };
  c.is_text = text(is);
  c.should_text = text(should);
  c.hidden = shown != "true" && shown != "yes";
  c.message = fmt::format("value changed {} to {}", c.is_text, c.should_text);
  return c;
}

} // namespace pupc::runtime
