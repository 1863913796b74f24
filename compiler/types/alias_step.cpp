#include "compiler/types/alias_step.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>

#include <vector>

namespace pupc::compiler {
namespace {

struct Followed {
  const Type* alias;
  const void* with;
};
// Per thread: one thread runs one compile, so nested questions about types always come from the same thread.
thread_local std::vector<Followed> followed;

} // namespace

AliasStep::AliasStep(const Type* alias, const void* with) : alias_(alias) {
  for (const Followed& f : followed) again_ = again_ || (f.alias == alias && f.with == with);
  followed.push_back({alias, with});
}

AliasStep::~AliasStep() { followed.pop_back(); }

void AliasStep::refuse_again() const {
  if (!again_) return;
  throw_error(ErrorCode::stack_overflow, {},
              fmt::format("the type '{}' names itself without end (stack level too deep)", type_base_name(alias_)));
}

} // namespace pupc::compiler
