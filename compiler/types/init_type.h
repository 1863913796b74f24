#pragma once
// Init[T]: whatever T.new takes as its one argument.
#include "compiler/types/core_types.h"

namespace pupc {

/// What is accepted beside T itself. Throws CompileError when T has no `new`, or none of its constructors takes the arguments of the Init.
struct InitInfo {
  const Type* single = nullptr; // a value of it is the argument
  const Type* other = nullptr;  // a list of it are the arguments; null = none
  bool optional_single = false; // one of them takes a single argument too
};
InitInfo init_info(TypeContext& ctx, const InitType& type);

bool init_instance(TypeContext& ctx, const InitType& type, const Value& v);
bool init_assignable(TypeContext& ctx, const InitType& type, const Type* from);
/// Whether a list is given to `new` as one argument, not as its arguments.
bool init_takes_list(TypeContext& ctx, const InitType& type, const Value& list);

} // namespace pupc
