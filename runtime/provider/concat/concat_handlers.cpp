// concat_file and concat_fragment (module concat): a file made of the fragments that name it.
#include "runtime/provider/commands.h"
#include "runtime/provider/concat/merged_fragments.h"
#include "runtime/provider/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc {
namespace {

struct Fragment {
  std::string key; // order___name
  std::string content;
};

/// Compares the orders as numbers when both are numbers, else as text; equal orders compare by name.
bool numerically(const Fragment& a, const Fragment& b) {
  const size_t x = a.key.find("___"), y = b.key.find("___");
  const std::string_view order_a = std::string_view(a.key).substr(0, x), order_b = std::string_view(b.key).substr(0, y);
  if (all_digits(order_a) && all_digits(order_b)) {
    // Without leading zeros the longer number is the greater one.
    auto digits = [](std::string_view text) { return text.substr(std::min(text.find_first_not_of('0'), text.size())); };
    const std::string_view m = digits(order_a), n = digits(order_b);
    if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
  } else if (order_a != order_b) {
    return order_a < order_b;
  }
  return a.key.substr(x) < b.key.substr(y);
}

bool is_deferred(const Value& v) { return v.is(Kind::Deferred) || (v.is(Kind::Sensitive) && is_deferred(v.unwrap())); }

class ConcatFileHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    const std::string path = r.name("path");
    if (!path.starts_with('/'))
      throw ResourceError(fmt::format("Parameter path failed on {}: File paths must be fully qualified, not '{}'", r.reference(), path));
    const std::string format = r.text("format", "plain");
    if (!fragment_format(format))
      throw ResourceError(fmt::format("Parameter format failed on {}: Invalid value \"{}\". Valid values are plain, yaml, json, "
                                      "json-array, json-pretty, json-array-pretty. ",
                                      r.reference(), format));
    if (const std::string order = r.text("order", "numeric"); order != "numeric" && order != "alpha")
      throw ResourceError(
          fmt::format("Parameter order failed on {}: Invalid value \"{}\". Valid values are alpha, numeric. ", r.reference(), order));
  }
  std::string key(const ManagedResource& r) const override { return r.name("path"); }
  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    // As in Puppet, the file does not wait for its fragments' turns. Only fragments with Deferred values must come first: their turn
    // resolves the values.
    for (const ManagedResource* f : fragments_of(r, run))
      if (std::any_of(f->attributes.begin(), f->attributes.end(), [](const ManagedAttribute& a) { return is_deferred(a.value); }))
        out.push_back({AutoRelation::Require, "concat_fragment", f->title});
  }
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}

  std::vector<ManagedResource> eval_generate(ManagedResource& r, RunContext& run) override {
    ManagedResource file;
    file.type = "file";
    file.printed_type = "File";
    file.title = r.name("path");
    const bool absent = r.text("ensure") == "absent";
    file.set("ensure", string_value(run.arena, absent ? "absent" : "file"));
    for (const char* attribute : {"owner", "group", "mode", "replace", "backup", "validate_cmd", "show_diff", "selinux_ignore_defaults",
                                  "selrange", "selrole", "seltype", "seluser", "loglevel", "noop", "schedule", "audit"})
      if (const ManagedAttribute* a = r.find(attribute)) file.set(attribute, a->value, a->sensitive);
    if (!absent) {
      bool sensitive = false;
      const std::string content = content_of(r, run, sensitive);
      file.set("content", string_value(run.arena, content), sensitive);
    }
    std::vector<ManagedResource> out;
    out.push_back(std::move(file));
    return out;
  }

private:
  static std::vector<const ManagedResource*> fragments_of(const ManagedResource& r, RunContext& run) {
    std::vector<const ManagedResource*> out;
    const std::string tag = r.text("tag");
    for (const ManagedResource* f : run.resources_of("concat_fragment")) {
      const std::string target = f->text("target");
      if (target == r.name("path") || target == r.title || (f->has("tag") && !tag.empty() && f->text("tag") == tag)) out.push_back(f);
    }
    return out;
  }

  static std::string content_of(const ManagedResource& r, RunContext& run, bool& sensitive) {
    std::vector<Fragment> fragments;
    for (const ManagedResource* f : fragments_of(r, run)) {
      Fragment one{f->text("order", "10") + "___" + f->name("name"), {}};
      if (f->has("content")) {
        one.content = f->text("content");
        sensitive |= f->sensitive("content") || f->get("content").is(Kind::Sensitive);
      } else {
        one.content = source_content(*f, run);
      }
      if (r.truth("ensure_newline", false) && !one.content.ends_with('\n')) one.content += '\n';
      fragments.push_back(std::move(one));
    }
    if (r.text("order", "numeric") == "numeric")
      std::stable_sort(fragments.begin(), fragments.end(), numerically);
    else
      std::stable_sort(fragments.begin(), fragments.end(), [](const Fragment& a, const Fragment& b) {
        const size_t x = a.key.find("__"), y = b.key.find("__");
        const int order = a.key.substr(0, x).compare(b.key.substr(0, y));
        return order != 0 ? order < 0 : a.key.substr(x) < b.key.substr(y);
      });
    std::vector<std::string> contents;
    for (Fragment& f : fragments) contents.push_back(std::move(f.content));
    return merged_fragments(r.text("format", "plain"), contents, r.truth("force", false), run);
  }

  static std::string source_content(const ManagedResource& f, RunContext& run) {
    for (std::string source : f.texts("source")) {
      if (source.starts_with("puppet:///modules/")) {
        const auto path = module_file(source, std::string_view(source).substr(18), run);
        if (!path) continue;
        source = *path;
      } else if (source.starts_with("file://")) {
        source = source.substr(7);
      }
      if (auto content = read_if_there(run, source)) return *content;
    }
    throw ResourceError(fmt::format("Could not retrieve source(s) {}", join_text(f.texts("source"), ", ")));
  }
};

class ConcatFragmentHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    if (!r.has("target") && !r.has("tag")) throw ResourceError("No 'target' or 'tag' set");
    if (!r.has("source") && !r.has("content")) throw ResourceError("Set either 'source' or 'content'");
    if (r.has("source") && r.has("content")) throw ResourceError("Can't use 'source' and 'content' at the same time");
    if (r.text("order").find_first_of(":\n/") != std::string::npos)
      throw ResourceError(fmt::format("Parameter order failed on {}: Order cannot contain '/', ':', or '\\n'.", r.reference()));
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}
};

} // namespace

std::unique_ptr<TypeHandler> make_concat_file_handler() { return std::make_unique<ConcatFileHandler>(); }
std::unique_ptr<TypeHandler> make_concat_fragment_handler() { return std::make_unique<ConcatFragmentHandler>(); }

} // namespace pupc
