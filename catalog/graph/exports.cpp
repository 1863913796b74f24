#include "catalog/graph/exports.h"

#include "catalog/base/diagnostic.h"

namespace pupc::catalog {

Value ExportSource::query(const Value&, Arena&) {
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.message = "The store of exported resources knows no queries: they need PuppetDB (the setting storeconfigs)";
  throw CompileError(std::move(d));
}

} // namespace pupc::catalog
