// concat_file and concat_fragment (module concat): a file made of the fragments that name it.
#include "runtime/provider/concat/merged_fragments.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
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

/// Whether the fragment names the file by path, title or one of its tags.
bool belongs(const ManagedResource& fragment, const ManagedResource& file) {
  const std::string target = fragment.text("target");
  if (fragment.has("target") && (target == file.name("path") || target == file.title)) return true;
  const std::vector<std::string> tags = file.texts("tag");
  return fragment.has("tag") && std::find(tags.begin(), tags.end(), fragment.text("tag")) != tags.end();
}

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
    out.push_back({AutoRelation::Require, "file", r.name("path")}); // of no effect where the file was generated: then it comes later
    // As in Puppet, the file does not wait for its fragments' turns. Only fragments with Deferred values must come first: their turn
    // resolves the values.
    for (const ManagedResource* f : fragments_of(r, run))
      if (std::any_of(f->attributes.begin(), f->attributes.end(), [](const ManagedAttribute& a) { return is_deferred(a.value); }))
        out.push_back({AutoRelation::Require, "concat_fragment", f->title});
  }
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}

  /// The file is in the catalog from the start, so that relationships, purges and tidy know it. Its content comes with this one's turn.
  std::vector<ManagedResource> generate(ManagedResource& r, RunContext& run) override {
    std::vector<ManagedResource> out(1, file_of(r));
    ManagedResource& file = out.front();
    file.set("ensure", string_value(run.arena, r.text("ensure") == "absent" ? "absent" : "file"));
    for (const char* attribute : {"owner", "group", "mode", "replace", "backup", "validate_cmd", "show_diff", "selinux_ignore_defaults",
                                  "selrange", "selrole", "seltype", "seluser", "alias", "loglevel", "noop", "schedule", "audit"})
      if (const ManagedAttribute* a = r.find(attribute)) file.set(attribute, a->value, a->sensitive);
    // The type makes true and false of yes and no, which the file takes only for some.
    for (const char* flag : {"replace", "show_diff", "selinux_ignore_defaults"})
      if (const std::string word = r.text(flag); word == "yes" || word == "no") file.set(flag, Value::boolean(word == "yes"));
    return out;
  }

  std::vector<ManagedResource> eval_generate(ManagedResource& r, RunContext& run) override {
    ManagedResource* file = run.find("file", r.name("path"));
    if (file == nullptr) throw ResourceError(fmt::format("{} is not in the catalog", file_of(r).reference()));
    bool sensitive = false;
    const std::string content = content_of(r, run, sensitive);
    run.set_attribute(*file, "content", string_value(run.arena, content), sensitive);
    if (content.empty() && !r.truth("create_empty_file", true)) run.set_attribute(*file, "ensure", string_value(run.arena, "absent"));
    return std::vector<ManagedResource>(1, file_of(r));
  }

private:
  static ManagedResource file_of(const ManagedResource& r) {
    ManagedResource file;
    file.type = "file";
    file.printed_type = "File";
    file.title = r.name("path");
    return file;
  }

  static std::vector<const ManagedResource*> fragments_of(const ManagedResource& r, RunContext& run) {
    std::vector<const ManagedResource*> out;
    for (const ManagedResource* f : run.resources_of("concat_fragment"))
      if (belongs(*f, r)) out.push_back(f);
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
  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>&) override {
    for (const ManagedResource* file : run.resources_of("concat_file"))
      if (belongs(r, *file)) return;
    run.log(LogLevel::Warning, r,
            fmt::format("Target Concat_file with path or title '{}' {}not found in the catalog", r.text("target"),
                        r.has("tag") ? fmt::format("or tag '{} ", r.text("tag")) : ""),
            "");
  }
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }
  std::vector<PropertyChange> plan(ManagedResource&, const Present&, RunContext&) override { return {}; }
  void apply(ManagedResource&, const Present&, PropertyChange&, RunContext&) override {}
};

} // namespace

std::unique_ptr<TypeHandler> make_concat_file_handler() { return std::make_unique<ConcatFileHandler>(); }
std::unique_ptr<TypeHandler> make_concat_fragment_handler() { return std::make_unique<ConcatFragmentHandler>(); }

} // namespace pupc::runtime
