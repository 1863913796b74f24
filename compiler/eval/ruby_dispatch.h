#pragma once
// Dispatches of functions that modules write in Ruby's 4.x API, and which of them takes the arguments of a call.
#include "compiler/eval/evaluator.h"

#include <functional>
#include <optional>

namespace pupc::compiler {

/// A dispatch as the function's file writes it: types are text. The texts must outlive what is made from them.
struct RubyDispatchText {
  struct Block {
    std::string_view type, name;
    bool required;
  };
  std::vector<std::pair<std::string_view, std::string_view>> parameters; // type, name
  int64_t least = 0, most = 0;                                           // most: negative = any number
  std::optional<Block> block;
  std::optional<std::string_view> returns;
  bool mismatch = false;
  std::string_view method;
};

/// A dispatch with its types.
struct RubyDispatch {
  std::vector<const Type*> parameters;
  std::vector<std::string_view> names;
  size_t required = 0;
  size_t maximum = 0; // SIZE_MAX = any number
  bool block_allowed = false, block_required = false;
  std::string_view block_name;
  const Type* block_type = nullptr;
  const Type* returns = nullptr;
  const Type* callable = nullptr;
  bool mismatch = false;
  std::string_view method; // name of the method in the Ruby class

  bool accepts(TypeContext& types, std::span<const Value> args, const Closure* block) const;
};

/// Makes dispatches with the types of this compile. Aliases are found as in Puppet code, but the function's own come first (`local`: name
/// and meaning). Throws CompileError for a type that cannot be read.
std::vector<RubyDispatch> make_dispatches(TypeContext& types, std::span<const std::pair<std::string_view, std::string_view>> local,
                                          std::span<const RubyDispatchText> texts);

/// Throws Puppet's error for arguments that no dispatch accepts. The error has no place.
[[noreturn]] void fail_dispatches(TypeContext& types, std::string_view name, std::span<const RubyDispatch> dispatches,
                                  std::span<const Value> args, const Closure* block);

/// A block of Ruby code as a closure, so that a Puppet or native function can call it.
struct RubyBlock {
  using Call = std::function<Value(std::span<const Value>)>;
  /// It takes at least and at most so many arguments; `most` -1: any number.
  RubyBlock(Evaluator& evaluator, Frame& frame, int64_t least, int64_t most, Call what);
  RubyBlock(const RubyBlock&) = delete;
  RubyBlock& operator=(const RubyBlock&) = delete;
  Call call;
  Closure closure;
};

} // namespace pupc::compiler
