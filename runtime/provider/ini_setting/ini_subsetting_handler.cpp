// ini_subsetting (module inifile): one word of a setting's value, such as a flag of a command line.
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/ini_setting/ini_file.h"
#include "runtime/provider/ini_setting/ini_value_change.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// The words of a setting's value.
class Words {
public:
  Words(const ManagedResource& r, const std::optional<std::string>& value)
      : separator_(r.text("subsetting_separator", " ")), mark_(r.text("subsetting_key_val_separator")), quote_(r.text("quote_char")),
        exact_(r.truth("use_exact_match", false)) {
    if (!value) return;
    std::string_view text = *value;
    for (const char* q : {"\"", "'"})
      if (text.starts_with(q) && text.ends_with(q)) {
        quote_ = q;
        text = text.size() < 2 ? "" : text.substr(1, text.size() - 2);
        break;
      }
    std::string one;
    auto end = [&] {
      if (!one.empty()) items_.emplace_back(trimmed(one));
      one.clear();
    };
    for (const char c : text) {
      if (c != '.' && separator_.find(c) != std::string::npos)
        end();
      else
        one += c;
    }
    end();
  }

  std::optional<std::string> get(const std::string& name) const {
    const auto at = find(name, false);
    if (!at) return std::nullopt;
    const std::string& item = items_[*at];
    return item.substr(std::min(item.size(), name.size() + mark_.size()));
  }
  bool has(const std::string& name) const { return find(name, exact_).has_value(); }

  void set(const ManagedResource& r, const std::string& name, const std::string& value) {
    const std::string item = name + mark_ + value;
    if (has(name)) {
      for (std::string& i : items_)
        if (matches(i, name, exact_)) i = item;
      return;
    }
    const std::string how = r.text("insert_type", "end"), where = r.text("insert_value");
    size_t at = items_.size();
    if (how == "start")
      at = 0;
    else if (how == "before")
      at = find(where, exact_).value_or(at);
    else if (how == "after")
      at = std::min(at, find(where, exact_).value_or(at) + 1);
    else if (how == "index")
      at = std::min(at, static_cast<size_t>(std::max(0L, std::strtol(where.c_str(), nullptr, 10))));
    items_.insert(items_.begin() + static_cast<ptrdiff_t>(at), item);
  }
  void remove(const std::string& name) {
    std::erase_if(items_, [&](const std::string& i) { return matches(i, name, exact_); });
  }
  std::string text() const { return quote_ + join_text(items_, separator_) + quote_; }

private:
  bool matches(const std::string& item, const std::string& name, bool exact) const {
    return exact ? item == name : item.starts_with(name + mark_);
  }
  std::optional<size_t> find(const std::string& name, bool exact) const {
    for (size_t i = 0; i < items_.size(); ++i)
      if (matches(items_[i], name, exact)) return i;
    return std::nullopt;
  }
  std::string separator_, mark_, quote_;
  bool exact_;
  std::vector<std::string> items_;
};

class IniSubsettingHandler final : public PropertyHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    auto refuse = [&](const char* attribute, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", attribute, r.reference(), why));
    };
    if (!r.text("path", "/").starts_with('/')) refuse("path", fmt::format("File paths must be fully qualified, not '{}'", r.text("path")));
    if (const std::string q = r.text("quote_char"); !q.empty() && q != "'" && q != "\"")
      refuse("quote_char", ":quote_char valid values are '', '\"' and \"'\"");
    static constexpr std::string_view types[] = {"start", "end", "before", "after", "index"};
    if (const std::string t = r.text("insert_type", "end"); std::find(std::begin(types), std::end(types), t) == std::end(types))
      refuse("insert_type", fmt::format("Invalid value {}. Valid values are start, end, before, after, index.",
                                        display_text(r.get("insert_type")).replace(0, 1, "\"").replace(t.size() + 1, 1, "\"")));
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    const Words words(r, read(r, run).get(r.text("section"), r.text("setting")));
    Present p;
    p.exists = words.has(r.text("subsetting"));
    p.set("ensure", string_value(run.arena, p.exists ? "present" : "absent"));
    if (auto value = words.get(r.text("subsetting"))) p.set("value", string_value(run.arena, *value));
    return p;
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
    Words words(r, file.get(r.text("section"), r.text("setting")));
    words.set(r, r.text("subsetting"), r.text("value"));
    file.set(r.text("section"), r.text("setting"), words.text());
    write_keeping_status(run, r.text("path"), file.text());
  }
  void destroy(ManagedResource& r, const Present&, RunContext& run) override {
    IniFile file = read(r, run);
    Words words(r, file.get(r.text("section"), r.text("setting")));
    words.remove(r.text("subsetting"));
    if (words.text().empty() && r.truth("delete_if_empty", false))
      file.remove(r.text("section"), r.text("setting"));
    else
      file.set(r.text("section"), r.text("setting"), words.text());
    write_keeping_status(run, r.text("path"), file.text());
  }
  void set(ManagedResource& r, const Present& p, std::string_view, RunContext& run) override { create(r, p, run); }

private:
  static IniFile read(const ManagedResource& r, RunContext& run) {
    IniStyle style;
    style.separator = r.text("key_val_separator", " = ");
    style.many_values = has_many_values(run.settings);
    return IniFile(read_if_there(run, r.text("path")).value_or(""), style);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_ini_subsetting_handler() { return std::make_unique<IniSubsettingHandler>(); }

} // namespace pupc::runtime
