#pragma once
// The messages of ruby_protocol.def, for the C++ side.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace pupc::compiler {

/// What pupc asks the worker to do: the row's place in the file is the message's number.
enum class RubyRequest : uint8_t {
#define RUBY_REQUEST(name, ...) name,
#define RUBY_CALLBACK(name, ...)
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
};

/// What the worker asks back while it works on a request.
enum class RubyCallback : uint8_t {
#define RUBY_REQUEST(name, ...)
#define RUBY_CALLBACK(name, ...) name,
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
};

/// A row of the file.
struct RubyMessage {
  std::string_view name;
  std::string_view members; // separated by commas
  constexpr size_t size() const { return members.empty() ? 0 : 1 + static_cast<size_t>(std::count(members.begin(), members.end(), ',')); }
};

inline constexpr RubyMessage ruby_requests[] = {
#define RUBY_REQUEST(name, ...) {#name, #__VA_ARGS__},
#define RUBY_CALLBACK(name, ...)
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
};

inline constexpr RubyMessage ruby_callbacks[] = {
#define RUBY_REQUEST(name, ...)
#define RUBY_CALLBACK(name, ...) {#name, #__VA_ARGS__},
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
};

// The first number of a message: an answer, a failure, or ruby_first_question plus the place of a question in its table.
inline constexpr int64_t ruby_answer = 0;
inline constexpr int64_t ruby_failure = 1;
inline constexpr int64_t ruby_first_question = 2;

} // namespace pupc::compiler
