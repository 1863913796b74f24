#pragma once
// The interface for resources that other nodes exported, as plain data. compiler/resources asks for them;
// catalog/store and tools/puppetdb, which keep them, answer.
#include "catalog/value/value.h"

#include <string_view>
#include <vector>

namespace pupc::catalog {

/// A collector's query. Comparison follows Puppet's backend: titles and parameters must be exactly as stored (case matters, 80 is
/// not "80"), tags match in any case.
struct ExportQuery {
  enum class Op : uint8_t {
    And,
    Or,
    Title,     // equals `value`
    Tag,       // has one of the tags in `value`, a List of lower-case Strings
    Parameter, // `attribute` has the value
  };
  Op op = Op::Parameter;
  bool negated = false; // for Title, Tag and Parameter: !=
  const ExportQuery* left = nullptr;
  const ExportQuery* right = nullptr;
  std::string_view attribute;
  Value value;
};

/// A resource that a node exported, as in the node's catalog.
struct ExportedResource {
  std::string_view node;
  std::string_view title;
  Value parameters; // Hash of names to values as in the document: references are Strings like "File[/x]"
};

/// Finds exported resources of other nodes. Thread-safe.
class ExportSource {
public:
  virtual ~ExportSource() = default;

  /// Resources of a type ("Apache::Vhost") that match the query (null: all) and that nodes other than `asking` exported. Sorted by the
  /// names of the exporting nodes, then in the order of their catalogs. Their contents live in `into`. Throws CompileError (load_error).
  virtual std::vector<ExportedResource> find(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& into) = 0;

  /// The answer to a query in the store's own language: a String of PQL, or a List. It lives in `into`. Throws CompileError (load_error)
  /// where there is no answer, and where the store knows no such language.
  virtual Value query(const Value& text, Arena& into);
};

} // namespace pupc::catalog
