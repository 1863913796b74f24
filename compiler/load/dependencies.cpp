#include "compiler/load/dependencies.h"

#include "compiler/load/forwarding_environment.h"
#include "compiler/load/main_manifests.h"

namespace pupc::compiler {
namespace {

class RecordingEnvironment final : public ForwardingEnvironment {
public:
  RecordingEnvironment(std::shared_ptr<const Environment> base, Dependencies& into, std::string root)
      : ForwardingEnvironment(std::move(base)), notes_(into, std::move(root)) {}

  const DefinitionEntry* find_class(std::string_view name, LogSink* log) const override {
    notes_.name(name);
    return base_->find_class(name, log);
  }
  const DefinitionEntry* find_define(std::string_view name, LogSink* log) const override {
    notes_.name(name);
    return base_->find_define(name, log);
  }
  const DefinitionEntry* find_function(std::string_view name, LogSink* log) const override {
    notes_.name(name);
    return base_->find_function(name, log);
  }
  const TypeAliasEntry* find_type_alias(std::string_view name, LogSink* log) const override {
    notes_.name(name);
    return base_->find_type_alias(name, log);
  }
  const std::vector<TypeAliasEntry>& aliases_read_for(std::string_view name, NodeKind kind) const override {
    notes_.name(name);
    return base_->aliases_read_for(name, kind);
  }

  std::optional<std::string> find_module_file(ModuleFileKind kind, std::string_view reference) const override {
    if (reference.starts_with('/')) {
      notes_.place(reference);
    } else if (const Module* module = base_->find_module(reference.substr(0, reference.find('/')))) {
      // Without the module there is no path; that it is there is known to all compiles.
      static constexpr std::string_view folders[] = {"/files", "/templates", "/scripts", "/data"};
      notes_.place(std::string(module->path).append(folders[static_cast<size_t>(kind)]).append(reference.substr(module->name.size())));
    }
    return base_->find_module_file(kind, reference);
  }
  std::shared_ptr<const std::string> read_file(const std::string& path) const override {
    notes_.file(path);
    return base_->read_file(path);
  }
  std::shared_ptr<const ParsedFile> epp_template(const std::string& path, LogSink* log) const override {
    notes_.file(path);
    return base_->epp_template(path, log);
  }
  const DataFile& data_file(const std::string& path, DataFormat format) const override {
    notes_.data(path);
    return base_->data_file(path, format);
  }
  bool path_exists(const std::string& path) const override {
    notes_.place(path);
    return base_->path_exists(path);
  }
  void watch(const std::string& path) const override {
    notes_.directory(path);
    base_->watch(path);
  }
  DependencyRecorder* recorder() const override { return &notes_; }

private:
  mutable DependencyRecorder notes_;
};

} // namespace

void DependencyRecorder::name(std::string_view name) { add(into_.names, CanonicalName(name).view()); }

std::shared_ptr<const Environment> recording_environment(std::shared_ptr<const Environment> base, Dependencies& into, std::string root) {
  return std::make_shared<RecordingEnvironment>(std::move(base), into, std::move(root));
}

} // namespace pupc::compiler
