#pragma once
// Signatures of built-in functions, read from their one-line form (function.h) once per process and shared by all compiles.
#include "compiler/eval/function.h"

namespace pupc {

struct SignatureParameter {
  std::string_view name;
  const Type* type;
  bool any; // Any: needs no check
};

struct ParsedDispatch {
  const Dispatch* dispatch = nullptr;
  std::vector<SignatureParameter> parameters;
  std::vector<std::string_view> names;
  uint32_t required = 0;
  uint32_t maximum = 0; // of arguments; unlimited = UINT32_MAX
  enum class Block : uint8_t { None, Optional, Required } block = Block::None;
  std::string_view block_name;
  const Type* block_type = nullptr;           // a Callable
  int block_minimum = -1, block_maximum = -1; // of `Callable[n, m]` and `Callable`; -1 = check by type
  const Type* callable = nullptr;             // the whole
  bool old_api = false;                       // "3.x": any arguments, converted
  int arity = -1;                             // Ruby's, of the old API
};

struct BuiltinSignatures {
  const FunctionEntry* entry = nullptr;
  std::vector<ParsedDispatch> dispatches;
  bool takes_scope = false; // the first parameter `$scope` is no argument of the call, but counted among them in messages
};

/// Signatures of a built-in; read on first use, thread-safe, valid as long as the process.
const BuiltinSignatures& signatures_of(const FunctionEntry& entry);

/// Checks arguments and calls the first dispatch that accepts them. Throws Puppet's mismatch error, without place.
Value call_as_ruby_does(const BuiltinSignatures& function, FunctionCall& call); // by function_NAME([…]): arguments are not converted
Value call_builtin(const BuiltinSignatures& function, FunctionCall& call);

} // namespace pupc
