#pragma once
// What is as in another environment, for those that stand before one.
#include "compiler/load/environment.h"

namespace pupc::compiler {

class ForwardingEnvironment : public Environment {
public:
  explicit ForwardingEnvironment(std::shared_ptr<const Environment> base) : base_(std::move(base)) {}

  const EnvironmentOptions& options() const override { return base_->options(); }
  const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink* log) const override { return base_->main_manifests(log); }
  const std::vector<NodeEntry>& nodes() const override { return base_->nodes(); }
  std::vector<const RubyFunctionFile*> ruby_functions(std::string_view name) const override { return base_->ruby_functions(name); }
  const RubyFunctionFile* old_function(std::string_view name) const override { return base_->old_function(name); }
  std::string data_type_file(std::string_view name) const override { return base_->data_type_file(name); }
  const ResourceTypeInfo* find_resource_type(std::string_view name) const override { return base_->find_resource_type(name); }
  const std::vector<Module>& modules() const override { return base_->modules(); }
  const Module* find_module(std::string_view name) const override { return base_->find_module(name); }
  const Module* module_of(std::string_view path) const override { return base_->module_of(path); }
  std::optional<std::string> find_module_file(ModuleFileKind kind, std::string_view reference) const override {
    return base_->find_module_file(kind, reference);
  }
  std::shared_ptr<const std::string> read_file(const std::string& path) const override { return base_->read_file(path); }
  std::shared_ptr<const ParsedFile> epp_template(const std::string& path, LogSink* log) const override {
    return base_->epp_template(path, log);
  }
  const DataFile& data_file(const std::string& path, DataFormat format) const override { return base_->data_file(path, format); }
  bool path_exists(const std::string& path) const override { return base_->path_exists(path); }
  void watch(const std::string& path) const override { base_->watch(path); }
  bool unchanged() const override { return base_->unchanged(); }
  const Environment& shared() const override { return base_->shared(); }
  RegexCache& regexes() const override { return base_->regexes(); }
  std::shared_ptr<EnvironmentAttachment> attachment(std::type_index kind, const MakeAttachment& make) const override {
    return base_->attachment(kind, make);
  }

protected:
  const std::shared_ptr<const Environment> base_;
};

} // namespace pupc::compiler
