#include "compiler/resources/store_functions.h"

#include "compiler/resources/catalog_compiler.h"

namespace pupc::compiler {
namespace {

Value puppetdb_query(FunctionCall& c) {
  const auto* catalog = dynamic_cast<const CatalogCompiler*>(&c.evaluator.catalog());
  ExportSource* exports = catalog == nullptr ? nullptr : catalog->exports();
  if (exports == nullptr) c.fail("puppetdb_query needs PuppetDB: the setting storeconfigs is off");
  return exports->query(c.args[0], c.arena());
}

} // namespace

FunctionTable store_functions() {
  static const std::vector<FunctionEntry> table{
      {"puppetdb_query",
       "The answer of PuppetDB to a query: a text in PQL, or a list in its AST. What cannot be answered is an error, so that no node loses "
       "its "
       "neighbours in silence.",
       {{"Variant[String[1], Array[Data, 1]] $query", puppetdb_query}},
       FunctionTrait::Effects | FunctionTrait::AsksNode},
  };
  return table;
}

} // namespace pupc::compiler
