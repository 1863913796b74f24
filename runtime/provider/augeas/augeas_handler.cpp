// augeas: changes inside configuration files, made through libaugeas and its lenses.
#include "catalog/base/split_text.h"
#include "runtime/provider/augeas/augeas_commands.h"
#include "runtime/provider/augeas/lens_table.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

struct AugeasState : HandlerData {
  std::unique_ptr<AugeasTree> tree; // stays open between retrieve and apply
};

class AugeasHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext&) override {
    if (r.has("lens") != r.has("incl"))
      throw ResourceError(
          fmt::format("Validation of {} failed: You must specify both the lens and incl parameters, or neither.", r.reference()));
  }
  std::string unsuitable(ManagedResource& r, RunContext&) override { return AugeasTree::available() ? "" : no_provider(r, "augeas"); }
  bool providerless(const ManagedResource& r) const override { return !r.has("provider"); }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    auto state = std::make_shared<AugeasState>();
    Present p;
    p.detail = state;
    const bool needed = look(r, *state, run);
    p.set("returns", needed ? string_value(run.arena, "need_to_run") : Value::integer(0));
    // apply will not run, so nobody needs the tree any more.
    if (!needed || r.noop) state->tree.reset();
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource&, const Present& p, RunContext&) override {
    const Value is = p.get("returns");
    if (is.is_int()) return {};
    PropertyChange c = property_change("returns", is, Value::integer(0));
    c.message = "executed successfully";
    return {c};
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange&, RunContext& run) override {
    AugeasState& state = held<AugeasState>(p.detail);
    if (state.tree == nullptr) open(r, state, run);
    AugeasTree& tree = *state.tree;
    try {
      // Augeas rereads a file only after it has forgotten the file's modification time.
      for (const std::string& event : tree.match("/augeas/events/saved"))
        if (auto file = tree.get(event)) tree.remove("/augeas" + *file + "/mtime");
      tree.load();
      run_augeas_commands(tree, changes_of(r));
      for (const FileChange& change : changed_files(r, tree, run))
        if (change.after)
          write_keeping_status(run, change.file, *change.after);
        else
          run.system.remove_file(change.file);
    } catch (...) {
      state.tree.reset();
      throw;
    }
    state.tree.reset();
  }

private:
  static std::string context_of(const ManagedResource& r) {
    const std::string context = r.text("context");
    return context.empty() && r.has("incl") ? "/files" + r.text("incl") : context;
  }

  static std::vector<AugeasCommand> changes_of(const ManagedResource& r) {
    // A string holds one command per line, a list one command per element.
    const bool list = r.get("changes").is_list();
    return parse_augeas_commands(list ? r.texts("changes") : text_lines(r.text("changes")), context_of(r));
  }

  void open(const ManagedResource& r, AugeasState& state, RunContext& run) {
    std::vector<std::string> places;
    for (const std::string& given : r.texts("load_path"))
      for (std::string& one : catalog::split_text(given, ':'))
        if (!one.empty()) places.push_back(std::move(one));
    if (run.settings.library_directories)
      for (const std::string& directory : run.settings.library_directories())
        if (run.system.stat(directory + "/augeas/lenses")) places.push_back(directory + "/augeas/lenses");
    const std::string load_path = join_text(places, ":"), root = r.text("root", "/"), context = context_of(r);
    // The types of lenses are checked while their modules are loaded.
    const unsigned checks = r.truth("type_check", false) ? AugeasTree::type_check : 0;
    std::string of_interest;
    if (r.has("incl")) {
      refuse_special_file(r, run);
      state.tree = std::make_unique<AugeasTree>(root, load_path, checks | AugeasTree::no_autoload);
      state.tree->set("/augeas/load/Xfm/lens", r.text("lens"));
      state.tree->set("/augeas/load/Xfm/incl", r.text("incl"));
      of_interest = "/augeas//error";
    } else {
      // Load only the lenses of files below the context: loading all takes about a second.
      std::string below;
      if (context.starts_with("/files") && context.size() > 7 && context[6] == '/' && context.find_first_of("'\"[]") == std::string::npos)
        below = context.substr(6) + (context.ends_with('/') ? "" : "/");
      auto opened = lens_tables_.open(run, root, load_path, below, checks);
      state.tree = std::move(opened.tree);
      if (opened.restricted) of_interest = fmt::format("/augeas/files{}/error", below);
    }
    AugeasTree& tree = *state.tree;
    tree.load();
    const bool failed = !tree.match("/augeas//error").empty();
    bool concerned = false;
    if (failed && !of_interest.empty()) {
      try {
        concerned = !tree.match(of_interest).empty();
      } catch (const AugeasError&) {
        concerned = false; // "/etc//error" is no path
      }
    }
    if (concerned)
      run.log(LogLevel::Warning,
              fmt::format("{}(provider=augeas): Loading failed for one or more files, see debug for /augeas//error output", r.reference()));
    if (failed) log_errors(tree, "/augeas//error", r, run);
  }

  /// libaugeas would wait for the writer of a FIFO for ever, and read a device without end.
  static void refuse_special_file(const ManagedResource& r, RunContext& run) {
    const std::string file = (r.text("root", "/") == "/" ? "" : r.text("root")) + r.text("incl");
    const auto status = run.system.stat(file);
    if (status && status->type != FileType::File && status->type != FileType::Directory)
      throw ResourceError(fmt::format("{} is not a file", file));
  }

  static void log_errors(AugeasTree& tree, const char* expression, const ManagedResource& r, RunContext& run) {
    auto tell = [&](const std::string& node) {
      if (auto text = tree.get(node)) run.log(LogLevel::Debug, fmt::format("{}(provider=augeas): {} = {}", r.reference(), node, *text));
    };
    for (const std::string& node : tree.match(expression)) {
      tell(node);
      for (const std::string& below : tree.match(node + "/*")) tell(below);
    }
  }

  /// Whether the changes must be made: the condition holds and a file would differ. Writes nothing except the preview for `show_diff`.
  bool look(ManagedResource& r, AugeasState& state, RunContext& run) {
    open(r, state, run);
    AugeasTree& tree = *state.tree;
    const auto condition = parse_augeas_commands(text_lines(r.text("onlyif")), context_of(r));
    if (!condition.empty() && !augeas_condition(tree, condition[0], context_of(r))) return false;
    if (r.truth("force", false)) return true;
    run_augeas_commands(tree, changes_of(r));
    const std::vector<FileChange> changed = changed_files(r, tree, run);
    if (run.settings.show_diff && r.truth("show_diff", true))
      for (const FileChange& change : changed) show_difference(r, change, run);
    return !changed.empty();
  }

  struct FileChange {
    std::string file;                         // its path on the machine
    std::optional<std::string> before, after; // nothing: there is no such file
  };

  /// What the changed tree means for the files. Throws ResourceError when a lens cannot write it, and SystemError.
  static std::vector<FileChange> changed_files(const ManagedResource& r, AugeasTree& tree, RunContext& run) {
    tree.set("/augeas/save", "noop");
    if (!tree.save()) throw_not_saved(r, tree, run);
    const std::string root = r.text("root", "/") == "/" ? "" : r.text("root");
    std::vector<FileChange> out;
    for (const std::string& event : tree.match("/augeas/events/saved")) {
      const std::string path = tree.get(event).value_or(""); // "/files/etc/hosts"
      FileChange change{root + path.substr(std::string_view("/files").size()), {}, {}};
      if (std::any_of(out.begin(), out.end(), [&](const FileChange& other) { return other.file == change.file; })) continue;
      try {
        change.before = run.system.read_file(change.file);
      } catch (const SystemError& e) {
        if (e.error != ENOENT) throw;
      }
      if (const std::string node = escaped(path); !tree.match(node).empty()) {
        std::string present = change.before.value_or("");
        if (change.before && !present.ends_with('\n')) present += '\n'; // as libaugeas itself reads files
        change.after = tree.text_of_file(tree.get("/augeas" + node + "/lens").value_or(""), node, present);
        if (!change.after) throw_not_saved(r, tree, run);
      }
      out.push_back(std::move(change));
    }
    return out;
  }

  [[noreturn]] static void throw_not_saved(const ManagedResource& r, AugeasTree& tree, RunContext& run) {
    log_errors(tree, "/augeas//error[. = 'put_failed']", r, run);
    throw ResourceError("Save failed, see debug output for details");
  }

  /// The path expression for a node whose path is known.
  static std::string escaped(const std::string& path) {
    std::string out;
    for (const char c : path) {
      if (std::string_view(" \t\n()[]|,=!\\'\"").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    return out;
  }

  static void show_difference(const ManagedResource& r, const FileChange& change, RunContext& run) {
    const bool sensitive = r.sensitive("changes") || r.get("changes").is(Kind::Sensitive);
    if (sensitive) {
      run.log(r.loglevel, fmt::format("{}(provider=augeas): [diff redacted]", r.reference()));
      return;
    }
    const auto status = run.system.stat(change.file);
    auto text = [](const std::optional<std::string>& content) {
      return [&content](const System::Take& take) { take(content.value_or("")); };
    };
    run.log(r.loglevel, fmt::format("{}(provider=augeas): \n{}", r.reference(),
                                    difference(run, diff_label(change.file, status ? status->modified : 0), text(change.before),
                                               diff_label(change.file + ".augnew", run.system.now()), text(change.after))));
  }

  LensTables lens_tables_;
};

} // namespace

std::unique_ptr<TypeHandler> make_augeas_handler() { return std::make_unique<AugeasHandler>(); }

} // namespace pupc::runtime
