#pragma once
// What a compile asks of the resources that other nodes exported, as plain data: whoever keeps them (catalog/store) answers, whoever
// compiles (compiler/eval) asks.
#include "catalog/value/value.h"

#include <string_view>
#include <vector>

namespace pupc {

/// A collector's query. Compared as Puppet's backend does: titles and parameters exactly as they were stored (case matters, 80 is
/// not "80"), tags without case.
struct ExportQuery {
  enum class Op : uint8_t {
    And,
    Or,
    Title,     // equals `value`
    Tag,       // has one of the tags in `value`, a List of lower-case Strings
    Parameter, // `attribute` has the value
  };
  Op op = Op::Parameter;
  bool negated = false; // of Title, Tag and Parameter: !=
  const ExportQuery* left = nullptr;
  const ExportQuery* right = nullptr;
  std::string_view attribute;
  Value value;
};

/// A resource that a node exported, as its catalog had it.
struct ExportedResource {
  std::string_view node;
  std::string_view title;
  Value parameters; // Hash of names to values as in the document: references are Strings like "File[/x]"
};

/// Where exported resources of other nodes are found. Thread-safe.
class ExportSource {
public:
  virtual ~ExportSource() = default;

  /// Resources of a type ("Apache::Vhost") that nodes other than `asking` exported and that match the query (null: all), by the exporting
  /// nodes' names and then in the order of their catalogs. What they hold lives in `into`. Throws CompileError (load_error).
  virtual std::vector<ExportedResource> find(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& into) = 0;
};

} // namespace pupc
