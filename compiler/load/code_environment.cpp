// An environment whose main manifest is a text. It shares the modules and data of the environment below it.
#include "compiler/load/forwarding_environment.h"
#include "compiler/load/main_manifests.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

class CodeEnvironment final : public ForwardingEnvironment {
public:
  CodeEnvironment(std::shared_ptr<const Environment> base, std::string code)
      : ForwardingEnvironment(std::move(base)), options_(base_->options()) {
    options_.code = std::move(code);
    load_text(file_, "", *options_.code, false, regexes_, options_.check,
              fmt::format("Could not parse for environment {}: ", options_.name));
    main_.loaded.push_back(&file_);
    main_.index();
  }

  const EnvironmentOptions& options() const override { return options_; }
  const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink* log) const override {
    main_.report(log);
    return main_.files;
  }
  const std::vector<NodeEntry>& nodes() const override { return main_.nodes; }

  const DefinitionEntry* find_class(std::string_view name, LogSink* log) const override {
    return find(main_.classes, name, log, [&] { return base_->find_class(name, log); });
  }
  const DefinitionEntry* find_define(std::string_view name, LogSink* log) const override {
    return find(main_.defines, name, log, [&] { return base_->find_define(name, log); });
  }
  const DefinitionEntry* find_function(std::string_view name, LogSink* log) const override {
    return find(main_.functions, name, log, [&] { return base_->find_function(name, log); });
  }
  const TypeAliasEntry* find_type_alias(std::string_view name, LogSink* log) const override {
    return find(main_.aliases, name, log, [&] { return base_->find_type_alias(name, log); });
  }
  const std::vector<TypeAliasEntry>& aliases_read_for(std::string_view name, NodeKind kind) const override {
    static const std::vector<TypeAliasEntry> none;
    const std::string key = canonical_name(name);
    const bool own = kind == NodeKind::ClassDef ? main_.classes.contains(key) : main_.defines.contains(key);
    return own ? none : base_->aliases_read_for(name, kind);
  }

private:
  /// Finds the main manifest's own definition, else the base's. It is an error if that file defines something that the main manifest
  /// defines, too.
  template <class Entry, class Search>
  const Entry* find(const MainManifests::ByName<Entry>& own, std::string_view name, LogSink* log, Search search) const {
    main_.report(log);
    if (auto it = own.find(CanonicalName(name).view()); it != own.end()) return &it->second;
    const Entry* found = search();
    if (found != nullptr && !main_.raw.empty() && !main_.raw.front()->definitions.empty()) {
      const ParsedFile* const file = found->file.get();
      if (auto duplicate = find_duplicate({&file, 1}, main_.raw)) throw CompileError(*duplicate);
    }
    return found;
  }

  EnvironmentOptions options_;
  RegexCache regexes_{base_->regexes()}; // of the code
  LoadedFile file_;
  MainManifests main_;
};

} // namespace

std::shared_ptr<const Environment> environment_with_code(std::shared_ptr<const Environment> base, std::string code) {
  return std::make_shared<CodeEnvironment>(std::move(base), std::move(code));
}

} // namespace pupc::compiler
