#pragma once
// The pipeline: an environment and a node's data go in, a catalog comes out. Its phases:
//   environment (compiler/load): files -> checked ASTs with resolved names, shared by all compiles
//   CatalogCompiler (compiler/resources): main, node, classes, queue, collectors, overrides, finish, validation -> Catalog
//   write_catalog (catalog/json): Catalog -> document
#include "catalog/base/log.h"
#include "catalog/graph/catalog.h"
#include "compiler/load/environment.h"
#include "compiler/resources/catalog_compiler.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc::compiler {

/// A node's data, together with the arena of its values.
struct NodeData {
  NodeInput input;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>(); // holds facts, trusted data and other values of `input`
  ExportSource* exports = nullptr;   // resources of other nodes, for `<<| |>>`; null: storeconfigs is off. Must outlive the compile.
  OriginObserver* origins = nullptr; // hears where resources and parameters come from; null: nobody. Must outlive the compile.
};

class RubyPool; // compiler/ruby/worker

struct CompileResult {
  std::unique_ptr<Catalog> catalog;                     // null when there was an error; keeps the environment and the node's data alive
  std::optional<Diagnostic> error;                      // place and text as in Puppet, without the node
  std::vector<std::shared_ptr<const ParsedFile>> texts; // inline templates; the error's places point into them
  std::string error_text;                               // Puppet's whole message, with ` on node NAME`

  bool ok() const { return catalog != nullptr; }
};

/// `$trusted` of a node whose certificate is assumed: authenticated "local", certname, hostname, domain, no extensions. Without a
/// certificate (nullopt) the names are undef.
Value local_trusted_data(Arena& arena, std::optional<std::string_view> certname);

/// Compiles one node's catalog. Log messages (warnings, notice(), …) go to `log` as they occur; an error comes last, at level err. Never
/// throws for bad input: the result contains the error. Thread-safe: many compiles may share an environment. `ruby`: source of the
/// processes for functions and templates in Ruby; null: code that needs Ruby is an error that names its file. `afterwards` (may be empty)
/// runs in the compile's top scope when the catalog is complete. An error that it throws becomes the result's error.
CompileResult compile(const std::shared_ptr<const Environment>& environment, const NodeData& node, const CompileSettings& settings,
                      LogSink& log, RubyPool* ruby = nullptr, const std::function<void(Evaluator&, Frame&)>& afterwards = {});

/// Calls functions while a catalog is applied: it resolves Deferred values in the node's top scope. Do not share it between threads.
class DeferredCalls {
public:
  /// `ruby`: as for compile(); it outlives this object.
  DeferredCalls(std::shared_ptr<const Environment> environment, const NodeData& node, const CompileSettings& settings, LogSink& log,
                RubyPool* ruby = nullptr);
  ~DeferredCalls();
  /// Returns the function's result, which lives as long as this object. Throws CompileError with Puppet's message.
  Value call(const DeferredData& deferred);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pupc::compiler
