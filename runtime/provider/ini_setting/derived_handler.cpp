// The handler of a module's own type that derives from ini_setting (derived_type.h).
#include "catalog/base/text.h"
#include "runtime/provider/ini_setting/derived_type.h"
#include "runtime/provider/ini_setting/ini_file.h"
#include "runtime/provider/ini_setting/many_values_file.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

class DerivedIniHandler final : public PropertyHandler {
public:
  DerivedIniHandler(DerivedIniType type, std::string name) : type_(std::move(type)), name_(std::move(name)) {}

  void prepare(ManagedResource& r, RunContext& run) override {
    if (type_.section_in_name) {
      const std::string name = r.name("name");
      const size_t slash = name.find('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == name.size())
        throw ResourceError(
            fmt::format("Parameter name failed on {}: Invalid value \"{}\". Valid values match /\\S+\\/\\S+/.", r.reference(), name));
    }
    const ManagedAttribute* value = r.find("value");
    if (value == nullptr) return;
    const bool sensitive = value->sensitive || value->value.is(Kind::Sensitive);
    const Value given = value->value.is(Kind::Sensitive) ? value->value.unwrap() : value->value;
    auto written = [&](const Value& v) {
      std::string text(trimmed(value_text(v)));
      const std::string lower = ascii_lower(text);
      if (lower == "true" || lower == "false") {
        if (type_.downcase)
          text = lower;
        else if (type_.capitalize)
          text = lower == "true" ? "True" : "False";
      }
      return text;
    };
    Value stored;
    if (type_.many_values) {
      ListBuilder list(run.arena);
      if (given.is_list())
        for (const Value& v : given.list->items()) list.add(string_value(run.arena, written(v)));
      else
        list.add(string_value(run.arena, written(given)));
      stored = list.finish();
    } else {
      stored = string_value(run.arena, written(given.is_list() && !given.list->items().empty() ? given.list->items()[0] : given));
    }
    r.erase("value");
    r.set("value", stored, sensitive);
  }

  std::string key(const ManagedResource& r) const override { return r.name("name"); }
  void autorelations(const ManagedResource&, RunContext&, std::vector<AutoRelation>& out) override {
    for (const auto& [type, title] : type_.requires_) out.push_back({AutoRelation::Require, type, title});
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    const std::vector<std::string> have = values_of(r, run);
    Present p;
    p.exists = !have.empty();
    if (p.exists) {
      if (type_.many_values) {
        ListBuilder list(run.arena);
        for (const std::string& v : have) list.add(string_value(run.arena, v));
        p.set("value", list.finish());
      } else {
        p.set("value", string_value(run.arena, have.back()));
      }
    }
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    apply_special_values(r, p, run);
    return p;
  }

  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    if (!type_.section_in_name) return std::nullopt;
    const std::string text = read_if_there(run, type_.path).value_or("");
    std::vector<std::pair<std::string, std::string>> all;
    if (type_.many_values) {
      all = ManyValuesFile(text).settings();
    } else {
      const IniFile file(text, style({}));
      for (const std::string& section : file.sections())
        for (const std::string& setting : file.settings(section)) all.emplace_back(section, setting);
    }
    std::vector<ManagedResource> out;
    for (const auto& [section, setting] : all) {
      ManagedResource r;
      r.type = name_;
      r.printed_type = name_;
      r.printed_type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(r.printed_type[0])));
      r.title = section + "/" + setting;
      out.push_back(std::move(r));
    }
    return out;
  }

protected:
  std::span<const std::string_view> properties() const override {
    static constexpr std::string_view names[] = {"value"};
    return names;
  }
  std::span<const std::string_view> reasons_to_exist() const override { return properties(); }
  bool in_sync(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run) override {
    if (!type_.many_values) return PropertyHandler::in_sync(r, property, is, should, run);
    if (!is.is_list() || !should.is_list()) return false;
    // The order of the values does not matter.
    const auto a = texts(is), b = texts(should);
    return b.empty() || (a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const std::string& v) {
                           return std::find(b.begin(), b.end(), v) != b.end();
                         }));
  }
  PropertyChange describe(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext&) override {
    PropertyChange c = property_change(property, is, should);
    const bool secret = r.truth("secret", false);
    c.is_text = secret ? "[old secret redacted]" : shown(is);
    c.should_text = secret ? "[new secret redacted]" : shown(should);
    c.message = fmt::format("value changed {} to {}", c.is_text, c.should_text);
    c.hidden = secret;
    return c;
  }
  void create(ManagedResource& r, const Present&, RunContext& run) override {
    const auto [section, setting] = place(r);
    const std::string path = path_of(r), text = read_if_there(run, path).value_or("");
    if (type_.many_values) {
      ManyValuesFile file(text);
      file.set(section, setting, r.texts("value"));
      write_keeping_status(run, path, file.text());
    } else {
      IniFile file(text, style(r));
      file.set(section, setting, r.text("value"));
      write_keeping_status(run, path, file.text());
    }
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    const auto [section, setting] = place(r);
    const std::string path = path_of(r), text = read_if_there(run, path).value_or("");
    if (type_.many_values) {
      ManyValuesFile file(text);
      file.remove(section, setting);
      write_keeping_status(run, path, file.text());
    } else {
      IniFile file(text, style(r));
      file.remove(section, setting);
      write_keeping_status(run, path, file.text());
    }
  }
  void set(ManagedResource& r, const Present& p, std::string_view, RunContext& run) override { create(r, p, run); }

private:
  static std::vector<std::string> texts(const Value& list) {
    std::vector<std::string> out;
    for (const Value& v : list.list->items()) out.push_back(value_text(v));
    return out;
  }
  /// A list in Ruby's form, a text as it is.
  static std::string shown(const Value& v) {
    if (!v.is_list()) return value_text(v);
    std::string out;
    for (const std::string& text : texts(v)) out += (out.empty() ? "\"" : ", \"") + text + "\"";
    return "[" + out + "]";
  }

  /// Handles the value that means `ensure => absent` and the one that means "leave the setting as it is"; adds quotes for `quote`.
  void apply_special_values(ManagedResource& r, const Present& p, RunContext& run) const {
    if (!type_.absent_value || !r.has("value")) return;
    const std::vector<std::string> wanted = r.texts("value");
    if (wanted.size() != 1) return;
    const Value fact = run.fact("os_immutable");
    if (wanted[0] == r.text("ensure_absent_val", type_.absent_text)) {
      r.set("ensure", string_value(run.arena, "absent"));
    } else if (!type_.quotes && wanted[0] == (fact.is_undef() ? "<_IMMUTABLE_>" : value_text(fact))) {
      if (p.exists)
        r.set("value", p.get("value"));
      else
        r.set("ensure", string_value(run.arena, "absent"));
    } else if (type_.quotes && r.truth("quote", false) && !wanted[0].starts_with('"')) {
      r.set("value", string_value(run.arena, "\"" + wanted[0] + "\""), r.sensitive("value"));
    }
  }

  std::pair<std::string, std::string> place(const ManagedResource& r) const {
    const std::string name = r.name("name");
    if (!type_.section_in_name) return {"", name};
    const size_t slash = name.find('/');
    return {name.substr(0, slash), name.substr(slash + 1)};
  }
  std::string path_of(const ManagedResource& r) const { return type_.path_attribute ? r.text("path", type_.path) : type_.path; }
  IniStyle style(const ManagedResource& r) const {
    IniStyle s;
    s.separator = r.text("key_val_separator", type_.separator);
    return s;
  }
  std::vector<std::string> values_of(const ManagedResource& r, RunContext& run) const {
    const auto [section, setting] = place(r);
    const std::string text = read_if_there(run, path_of(r)).value_or("");
    if (type_.many_values) return ManyValuesFile(text).get(section, setting);
    if (auto value = IniFile(text, style(r)).get(section, setting)) return {*value};
    return {};
  }

  DerivedIniType type_;
  std::string name_;
};

} // namespace

std::unique_ptr<TypeHandler> make_derived_ini_handler(DerivedIniType type, std::string name) {
  return std::make_unique<DerivedIniHandler>(std::move(type), std::move(name));
}

} // namespace pupc::runtime
