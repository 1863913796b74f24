#pragma once
// Which names the server sees: those of the catalog, the compiler, the run and the command line.
#include "catalog/base/namespaces.h"

namespace pupc::server {
using namespace catalog;
using namespace compiler;
using namespace runtime;
using namespace cli;
} // namespace pupc::server
