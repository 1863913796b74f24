#pragma once
// Init[T]: whatever T.new takes as its one argument.
#include "compiler/types/core_types.h"

namespace pupc::compiler {

/// The values that Init[T, args...] accepts.
struct InitInfo {
  const Type* single = nullptr; // T itself, or the one argument of a constructor
  const Type* other = nullptr;  // a list with all arguments of a constructor; null = none
  bool optional_single = false; // one of the constructors in `other` also takes a single argument
};
/// Throws CompileError when T has no `new`, or when none of its constructors takes the arguments of the Init.
InitInfo init_info(TypeContext& ctx, const InitType& type);

bool init_instance(TypeContext& ctx, const InitType& type, const Value& v);
bool init_assignable(TypeContext& ctx, const InitType& type, const Type* from);
/// Whether `new` gets the list as its one argument, rather than the elements as its arguments.
bool init_takes_list(TypeContext& ctx, const InitType& type, const Value& list);

} // namespace pupc::compiler
