#pragma once
// The pipeline: an environment and a node's data in, a catalog out. The phases behind it:
//   environment (compiler/load): files -> checked ASTs with resolved names, shared by all compiles
//   CatalogCompiler (compiler/eval): main, node, classes, queue, collectors, overrides, finish, validation -> Catalog
//   write_catalog (catalog/json): Catalog -> document
#include "catalog/base/log.h"
#include "catalog/graph/catalog.h"
#include "compiler/eval/catalog_compiler.h"
#include "compiler/load/environment.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// A node's data with what its values live in.
struct NodeData {
  NodeInput input;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>(); // of facts, trusted and other values in `input`
  ExportSource* exports = nullptr;   // where `<<| |>>` finds what other nodes exported; null: storeconfigs is off. Outlives the compile.
  OriginObserver* origins = nullptr; // who is told where resources and parameters come from; null: nobody. Outlives the compile.
};

class RubyPool; // compiler/ruby

struct CompileResult {
  std::unique_ptr<Catalog> catalog;                     // null when there was an error; keeps the environment and the node's data alive
  std::optional<Diagnostic> error;                      // place and text as Puppet has them, without the node
  std::vector<std::shared_ptr<const ParsedFile>> texts; // inline templates that the error's places point into
  std::string error_text;                               // Puppet's message in one piece, with ` on node NAME`

  bool ok() const { return catalog != nullptr; }
};

/// `$trusted` of a node whose certificate is taken for granted: authenticated "local", certname, hostname, domain, no extensions. Without a
/// certificate (nullopt) the names are undef.
Value local_trusted_data(Arena& arena, std::optional<std::string_view> certname);

/// Compiles one node's catalog. Logs (warnings, notice(), …) go to `log` as they occur, at last the error at level err.
/// Never throws for bad input: the error is in the result. Thread-safe: many compiles may share an environment.
/// `ruby`: where processes for functions and templates in Ruby come from; null: whatever needs Ruby is an error that names its file.
/// `afterwards` (may be empty) runs when the catalog is complete, in the compile's top scope: what it throws is the result's error.
CompileResult compile(const std::shared_ptr<const Environment>& environment, const NodeData& node, const CompileSettings& settings,
                      LogSink& log, RubyPool* ruby = nullptr, const std::function<void(Evaluator&, Frame&)>& afterwards = {});

/// Calls functions while a catalog is applied: Deferred values are resolved with it, in the node's top scope. Not shared between threads.
class DeferredCalls {
public:
  DeferredCalls(std::shared_ptr<const Environment> environment, const NodeData& node, const CompileSettings& settings, LogSink& log);
  ~DeferredCalls();
  /// The function's result; lives as long as this object. Throws CompileError with Puppet's message.
  Value call(const DeferredData& deferred);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pupc
