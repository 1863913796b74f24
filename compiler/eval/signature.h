#pragma once
// Signatures of built-in functions. They are parsed once per process from their one-line form (function.h); all compiles share them.
#include "compiler/eval/function.h"

namespace pupc::compiler {

struct SignatureParameter {
  std::string_view name;
  const Type* type;
  bool any; // the type is Any: no check needed
};

/// One signature of a function, parsed. Mirrors the Dispatch.
struct ParsedDispatch {
  const Dispatch* dispatch = nullptr;
  std::vector<SignatureParameter> parameters;
  std::vector<std::string_view> names;
  uint32_t required = 0;
  uint32_t maximum = 0; // number of arguments; unlimited = UINT32_MAX
  enum class Block : uint8_t { None, Optional, Required } block = Block::None;
  std::string_view block_name;
  const Type* block_type = nullptr;           // a Callable
  int block_minimum = -1, block_maximum = -1; // number of arguments from `Callable[n, m]` or `Callable`; -1 = check by type
  const Type* callable = nullptr;             // the whole signature as a Callable
  bool old_api = false;                       // "3.x": any arguments, converted
  int arity = -1;                             // Ruby's arity, of the old API
};

struct BuiltinSignatures {
  const FunctionEntry* entry = nullptr;
  std::vector<ParsedDispatch> dispatches;
  bool takes_scope = false; // the first parameter is `$scope`: callers do not give it, but messages count it
};

/// The signatures of a built-in function, parsed on first use. Thread-safe; valid until the process ends.
const BuiltinSignatures& signatures_of(const FunctionEntry& entry);

/// Checks arguments and calls the first dispatch that accepts them. Throws Puppet's mismatch error, without a place.
Value call_as_ruby_does(const BuiltinSignatures& function, FunctionCall& call); // by function_NAME([…]): the arguments are not converted
Value call_builtin(const BuiltinSignatures& function, FunctionCall& call);

} // namespace pupc::compiler
