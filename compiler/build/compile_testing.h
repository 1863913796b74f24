#pragma once
// For tests: parses, checks and evaluates a piece of code without files, Hiera or a catalog.
//   TestCompile t;
//   EXPECT_EQ(t.value("1 + 2"), "3");                    // the value as Puppet source
//   EXPECT_EQ(t.error("1 + 'a'"), "Evaluation Error: The value 'a' cannot be converted to Numeric. (line: 1, column: 5)");
//   t.value("notice('x')"); EXPECT_EQ(t.logs(), "notice: Scope(Class[main]): x\n");
// The code can use its functions, type aliases and classes by name; classes are not evaluated. Each TestCompile is one compile: variables
// stay from one call to the next.
#include "compiler/build/builtin_functions.h"
#include "compiler/check/checker.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/load/environment.h"
#include "compiler/parse/parser.h"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

namespace pupc::compiler {

class TestEnvironment : public Environment {
public:
  const EnvironmentOptions& options() const override { return options_; }
  const std::vector<std::shared_ptr<const ParsedFile>>& main_manifests(LogSink*) const override { return manifests_; }
  const std::vector<NodeEntry>& nodes() const override { return nodes_; }
  const DefinitionEntry* find_class(std::string_view name, LogSink*) const override { return find(classes, name); }
  const DefinitionEntry* find_define(std::string_view name, LogSink*) const override { return find(defines, name); }
  const DefinitionEntry* find_function(std::string_view name, LogSink*) const override { return find(functions, name); }
  const TypeAliasEntry* find_type_alias(std::string_view name, LogSink*) const override { return find(aliases, name); }
  const std::vector<TypeAliasEntry>& aliases_read_for(std::string_view, NodeKind) const override {
    static const std::vector<TypeAliasEntry> none;
    return none;
  }
  std::vector<const RubyFunctionFile*> ruby_functions(std::string_view) const override { return {}; }
  const RubyFunctionFile* old_function(std::string_view) const override { return nullptr; }
  std::string data_type_file(std::string_view) const override { return {}; }
  const ResourceTypeInfo* find_resource_type(std::string_view) const override { return nullptr; }
  const std::vector<Module>& modules() const override { return modules_; }
  const Module* find_module(std::string_view) const override { return nullptr; }
  const Module* module_of(std::string_view) const override { return nullptr; }
  std::optional<std::string> find_module_file(ModuleFileKind, std::string_view) const override { return std::nullopt; }
  std::shared_ptr<const std::string> read_file(const std::string&) const override { return nullptr; }
  std::shared_ptr<const ParsedFile> epp_template(const std::string&, LogSink*) const override { return nullptr; }
  const DataFile& data_file(const std::string&, DataFormat) const override { throw std::logic_error("a test environment has no files"); }
  bool path_exists(const std::string&) const override { return false; }
  std::shared_ptr<EnvironmentAttachment> attachment(std::type_index, const MakeAttachment& make) const override { return make(); }
  RegexCache& regexes() const override { return regexes_; }

  /// Parses and checks; throws the first error.
  std::shared_ptr<const ParsedFile> parse_text(std::string path, std::string text, bool epp = false) {
    ParseOptions parse_options;
    parse_options.epp = epp;
    ParseResult result = parse(std::move(path), std::move(text), regexes_, parse_options);
    if (result.source) sources_.push_back(result.source); // the errors' places point into it
    if (!result.file) throw CompileError(result.diagnostics.empty() ? Diagnostic{} : result.diagnostics[0]);
    for (Diagnostic& d : check(*result.file))
      if (d.severity == Severity::Error) throw CompileError(std::move(d));
    std::shared_ptr<const ParsedFile> file = result.file;
    manifests_.push_back(file);
    for (const Node* node : file->definitions) define(*node, file);
    return file;
  }

  std::map<std::string, DefinitionEntry, std::less<>> classes, defines, functions;
  std::map<std::string, TypeAliasEntry, std::less<>> aliases;

private:
  template <class Map> static const typename Map::mapped_type* find(const Map& map, std::string_view name) {
    auto it = map.find(name);
    return it == map.end() ? nullptr : &it->second;
  }
  void define(const Node& node, const std::shared_ptr<const ParsedFile>& file) {
    auto entry = [&] { return DefinitionEntry{static_cast<const Definition*>(&node), file, nullptr, true}; };
    switch (node.kind) {
    case NodeKind::ClassDef: classes[std::string(node.as<ClassDef>().name.str())] = entry(); break;
    case NodeKind::DefineDef: defines[std::string(node.as<DefineDef>().name.str())] = entry(); break;
    case NodeKind::FunctionDef: functions[std::string(node.as<FunctionDef>().name.str())] = entry(); break;
    case NodeKind::TypeAlias: {
      const auto& alias = node.as<TypeAlias>();
      aliases[std::string(alias.name.str())] = TypeAliasEntry{&alias, file, nullptr};
      break;
    }
    default: break;
    }
  }

  EnvironmentOptions options_;
  std::vector<std::shared_ptr<const ParsedFile>> manifests_;
  std::vector<std::shared_ptr<SourceFile>> sources_;
  std::vector<NodeEntry> nodes_;
  std::vector<Module> modules_;
  mutable RegexCache regexes_;
};

/// Knows the names of classes and resource types. Everything that needs a catalog is an error.
class TestCatalog : public CatalogBuilder {
public:
  explicit TestCatalog(const TestEnvironment& environment) : environment_(environment) {}
  Value evaluate_resource(const ResourceExpr&, Frame&) override { unsupported(); }
  Value evaluate_defaults(const ResourceDefaults&, Frame&) override { unsupported(); }
  Value evaluate_override(const ResourceOverride&, Frame&) override { unsupported(); }
  Value evaluate_collector(const Collector&, Frame&) override { unsupported(); }
  Value evaluate_relationship(const Binary&, Frame&) override { unsupported(); }
  void include_classes(std::span<const std::string_view>, Inclusion, Frame&, Loc) override { unsupported(); }
  bool class_included(std::string_view) override { return false; }
  bool find_setting(std::string_view, Value&) override { return false; }
  Scope* class_scope(std::string_view) override { return nullptr; }
  bool class_known(std::string_view name) override { return environment_.find_class(name, nullptr) != nullptr; }
  bool define_known(std::string_view name) override { return environment_.find_define(name, nullptr) != nullptr; }
  bool native_type_known(std::string_view name) override {
    static const std::set<std::string_view> names{"exec", "file", "group", "notify", "package", "service", "user"};
    return names.contains(name);
  }
  bool resource_declared(std::string_view, std::string_view) override { return false; }
  ResourceId find_declared(std::string_view, std::string_view) override { return no_resource; }
  ResourceId container_of(Frame&) override { return no_resource; }
  void create_resource(std::string_view, const Value&, std::span<const HashEntry>, ResourceForm, Frame&, Loc) override { unsupported(); }
  bool resource_parameter(std::string_view, std::string_view, std::string_view, Value&) override { return false; }
  void realize(std::span<const ResourceRef>, Frame&, Loc) override { unsupported(); }
  void add_tags(std::span<const std::string_view>, Frame&) override { unsupported(); }
  bool tagged(std::string_view, Frame&) override { return false; }
  std::string_view node_name() const override { return "test"; }
  Scope& top_scope() override { return top; }
  Catalog& catalog() override { unsupported(); }

  Scope top;

private:
  [[noreturn]] static void unsupported() { throw std::logic_error("a test compile has no catalog"); }
  const TestEnvironment& environment_;
};

class TestCompile {
public:
  explicit TestCompile(CompileSettings settings = {Strict::Error, true})
      : evaluator(arena, environment, builtin_functions(), log_, settings), catalog(environment) {
    evaluator.set_catalog(catalog);
    evaluator.set_global("title", Value::string("main"));
    evaluator.set_global("name", Value::string("main"));
    catalog.top.frame = evaluator.make_frame(nullptr, &catalog.top, nullptr);
  }

  /// The value of the last statement. Throws CompileError.
  Value evaluate(std::string_view code) {
    auto file = environment.parse_text("", std::string(code));
    catalog.top.file = file.get();
    catalog.top.frame = evaluator.make_frame(file->layout, &catalog.top, nullptr);
    BodyGuard guard(evaluator, catalog.top);
    return evaluator.evaluate_main(file->body->as<Block>(), *catalog.top.frame);
  }

  /// The value as Puppet source; for an error "ERROR " and the message in Puppet's one-line form.
  std::string value(std::string_view code) {
    try {
      return to_program_string(evaluator.types(), evaluate(code));
    } catch (const CompileError& e) { return "ERROR " + e.diagnostic.puppet_text(); }
  }

  /// The error's message with its place; "no error: <value>" when there is no error.
  std::string error(std::string_view code) {
    try {
      return "no error: " + to_program_string(evaluator.types(), evaluate(code));
    } catch (const CompileError& e) { return e.diagnostic.puppet_text(); }
  }

  /// The messages logged since the last call, one "level: source: message" per line.
  std::string logs() {
    std::string out;
    for (const LogEntry& entry : log_.entries)
      out += fmt::format("{}: {}{}{}\n", name_of(entry.level), entry.source, entry.source.empty() ? "" : ": ", entry.message);
    log_.entries.clear();
    return out;
  }

  const std::vector<LogEntry>& entries() const { return log_.entries; }

private:
  LogCollector log_;

public:
  Arena arena;
  TestEnvironment environment;
  Evaluator evaluator;
  TestCatalog catalog;
};

} // namespace pupc::compiler
