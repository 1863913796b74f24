// ini_setting (module inifile): one setting of an INI file.
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/ini_setting/ini_file.h"
#include "runtime/provider/ini_setting/ini_value_change.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class IniSettingHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    if (r.has("path") && !r.text("path").starts_with('/'))
      throw ResourceError(
          fmt::format("Parameter path failed on {}: File paths must be fully qualified, not '{}'", r.reference(), r.text("path")));
    if (!r.has("path")) throw ResourceError(fmt::format("Parameter path failed on {}: path is a required attribute", r.reference()));
    if (const ManagedAttribute* value = r.find("value"); value && !value->value.is(Kind::Deferred)) {
      const bool sensitive = value->sensitive || value->value.is(Kind::Sensitive);
      const std::vector<std::string> texts = r.texts("value");
      Value wanted = string_value(run.arena, trimmed(r.text("value")));
      if (texts.size() > 1 && many_values(run)) {
        ListBuilder list(run.arena);
        for (const std::string& text : texts) list.add(string_value(run.arena, trimmed(text)));
        wanted = list.finish();
      }
      r.erase("value");
      r.set("value", wanted, sensitive);
    }
    if (r.has("setting")) r.set("setting", string_value(run.arena, trimmed(r.text("setting"))));
  }
  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    const std::string path = r.text("path");
    out.push_back({AutoRelation::Require, "file", path.substr(0, std::max<size_t>(path.rfind('/'), 1))});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    const IniFile file = read(r, run);
    Present p;
    const std::string section = r.text("section");
    if (!r.has("setting")) {
      p.exists = section.empty() || file.has_section(section);
    } else {
      const std::vector<std::string> values = file.get_all(section, r.text("setting"));
      p.exists = !values.empty();
      if (values.size() > 1 && many_values(run)) {
        ListBuilder list(run.arena);
        for (const std::string& value : values) list.add(string_value(run.arena, value));
        p.set("value", list.finish());
      } else if (p.exists) {
        p.set("value", string_value(run.arena, values.back()));
      }
    }
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    // The section is missing and must not be made: treat the setting as unwanted, so that nothing happens.
    if (!p.exists && r.has("setting") && !r.truth("force_new_section_creation", true) && !file.has_section(section))
      r.set("ensure", string_value(run.arena, "absent"));
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext& run) override {
    if (r.truth("refreshonly", false)) return {};
    return PropertyHandler::plan(r, p, run);
  }
  bool refreshable(const ManagedResource&) const override { return true; }
  void refresh(ManagedResource& r, RunContext& run) override {
    if (!r.truth("refreshonly", false)) return;
    if (wanted(r) == "absent")
      destroy(r, {}, run);
    else
      create(r, {}, run);
  }

protected:
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"value"};
    return names;
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override {
    return ini_value_change(r, property, is, should, run);
  }
  void create(ManagedResource& r, const Present&, RunContext& run) override {
    IniFile file = read(r, run);
    if (r.has("setting") && many_values(run))
      file.set(r.text("section"), r.text("setting"), r.texts("value"));
    else if (r.has("setting"))
      file.set(r.text("section"), r.text("setting"), r.text("value"));
    else
      file.add_section(r.text("section"));
    write_keeping_status(run, r.text("path"), file.text());
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    IniFile file = read(r, run);
    file.remove(r.text("section"), r.text("setting"));
    write_keeping_status(run, r.text("path"), file.text());
  }
  void set(ManagedResource& r, const Present& p, std::string_view, RunContext& run) override { create(r, p, run); }

private:
  bool many_values(RunContext& run) {
    if (!many_values_) many_values_ = has_many_values(run.settings);
    return *many_values_;
  }
  IniFile read(const ManagedResource& r, RunContext& run) {
    IniStyle style;
    style.many_values = many_values(run);
    style.separator = r.text("key_val_separator", " = ");
    style.prefix = r.text("section_prefix", "[");
    style.suffix = r.text("section_suffix", "]");
    style.indent_char = r.text("indent_char", " ");
    if (const auto width = whole_number(r.text("indent_width")); width && *width >= 0 && *width <= 1000)
      style.indent_width = static_cast<size_t>(*width);
    return IniFile(read_if_there(run, r.text("path")).value_or(""), style);
  }
  std::optional<bool> many_values_;
};

} // namespace

std::unique_ptr<TypeHandler> make_ini_setting_handler() { return std::make_unique<IniSettingHandler>(); }

} // namespace pupc::runtime
