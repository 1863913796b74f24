#pragma once
// One namespace for each top folder, and which of them see each other: the compiler and the run see the catalog's names, the command line
// sees all three. The compiler and the run never see each other, so a name may stand in both (their sessions with Ruby did, in one flat
// namespace, and the linker took one's destructor for the other's).

namespace pupc {
namespace catalog {} // namespace catalog
namespace compiler { // text -> catalog
using namespace catalog;
}
namespace runtime { // catalog -> machine
using namespace catalog;
}
namespace cli { // the program `pupc`
using namespace catalog;
using namespace compiler;
using namespace runtime;
} // namespace cli
namespace bench {
using namespace catalog;
using namespace compiler;
using namespace runtime;
} // namespace bench
namespace fuzz {
using namespace catalog;
using namespace compiler;
using namespace runtime;
using namespace cli;
} // namespace fuzz
} // namespace pupc
