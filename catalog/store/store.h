#pragma once
// The store of exported resources: for each node the resources of its last compile, with its facts and its catalog.
// One interface has two implementations: in memory (tests, one process) and in a SQLite file. A remote store could be a third.
#include "catalog/graph/catalog.h"
#include "catalog/graph/exports.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::catalog {

/// A stored exported resource. Values are JSON texts, so that equal values have equal texts.
struct StoredResource {
  std::string type; // "Apache::Vhost"
  std::string title;
  std::vector<std::string> tags;                               // lower case, including tags from containers
  std::vector<std::pair<std::string, std::string>> parameters; // name, JSON text
};

/// The data that one compile stores.
struct StoredNode {
  std::string name;
  std::string environment;
  std::string facts;   // JSON object
  std::string catalog; // the catalog document, with what is only exported; empty when it is not kept
  std::vector<StoredResource> exported;
};

/// The data to store for a finished catalog, with its document when asked for: queries for resources need it, and it is large. Omits
/// parameters with sensitive values, also in the document.
StoredNode stored_node(Catalog& catalog, const Value& facts, bool with_document);

class ExportStore : public ExportSource {
public:
  /// Replaces all data of a node in one transaction: other readers see either the old data or the new. Returns the types of which the
  /// node's exported resources are others than before. Throws CompileError (load_error).
  virtual std::set<std::string> replace(const StoredNode& node) = 0;
  /// Removes a node. Does nothing when the node is unknown.
  virtual void remove(std::string_view node) = 0;
  /// Names of the nodes, sorted.
  virtual std::vector<std::string> nodes() = 0;
  /// The stored data of a node, without `exported`. The name is empty when the node is unknown.
  virtual StoredNode node(std::string_view name) = 0;

  /// Answers queries in PQL and in PuppetDB's AST over facts, resources, inventory, nodes and catalogs: `and`, `or`, `not`, `in`, `=`, `~`,
  /// `<` and the other comparisons, `null?`, `extract`, a count of rows, `order_by`, `limit`, `offset`. The store has no times, no reports
  /// and no trusted data: what asks for these, or for another operator, throws CompileError (load_error) that names it.
  Value query(const Value& text, Arena& into) override;

  /// Between these two calls find() answers from the state at begin_snapshot(), even if others write. Do not write through this object
  /// meanwhile. Its answers live until end_snapshot(), so that nodes that ask the same share them.
  virtual void begin_snapshot() = 0;
  virtual void end_snapshot() = 0;
};

std::unique_ptr<ExportStore> make_memory_store();

/// Opens a SQLite file, and creates it if it is missing. Many processes and threads may use one file: writers wait for each other,
/// readers never wait. A process that dies loses only unfinished work. Throws CompileError (load_error) when the file cannot be opened
/// or is not such a store.
std::unique_ptr<ExportStore> open_sqlite_store(const std::string& path);

} // namespace pupc::catalog
