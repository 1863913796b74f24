#pragma once
// The store of exported resources: what each node exported in its last compile, with its facts and its catalog.
// One interface, two implementations: in memory (tests, one process) and in a SQLite file. A remote store may come behind it.
#include "catalog/graph/catalog.h"
#include "catalog/graph/exports.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

/// An exported resource as it is kept: values as JSON texts, so that equal values are equal texts.
struct StoredResource {
  std::string type; // "Apache::Vhost"
  std::string title;
  std::vector<std::string> tags;                               // lower case, what the containers gave included
  std::vector<std::pair<std::string, std::string>> parameters; // name, JSON text
};

/// What one compile leaves in the store.
struct StoredNode {
  std::string name;
  std::string environment;
  std::string facts;   // JSON object
  std::string catalog; // the catalog document
  std::vector<StoredResource> exported;
};

/// What is kept of a finished catalog. Parameters that hold sensitive values are left out, of the document too.
StoredNode stored_node(Catalog& catalog, const Value& facts);

class ExportStore : public ExportSource {
public:
  /// Replaces all that is kept of a node, in one transaction: others see either the old or the new. Throws CompileError (load_error).
  virtual void replace(const StoredNode& node) = 0;
  /// Forgets a node. Nothing happens when it is unknown.
  virtual void remove(std::string_view node) = 0;
  /// Names of the nodes, sorted.
  virtual std::vector<std::string> nodes() = 0;
  /// What is kept of a node; empty name when it is unknown. Without `exported`.
  virtual StoredNode node(std::string_view name) = 0;

  /// Between these two calls find() answers from the state at the first, whatever others write meanwhile; this store must not be written.
  virtual void begin_snapshot() = 0;
  virtual void end_snapshot() = 0;
};

std::unique_ptr<ExportStore> make_memory_store();

/// Opens a SQLite file, made when it is missing. Many processes and threads may use one file: writers wait for each other, readers for
/// nobody. A process that dies loses no more than what it had not finished. Throws CompileError (load_error) when it cannot be opened or is
/// something else.
std::unique_ptr<ExportStore> open_sqlite_store(const std::string& path);

} // namespace pupc
