#pragma once
// What static analysis knows of values, and of names that it is asked about again and again.
#include "catalog/value/value.h"
#include "compiler/analysis/codebase/by_symbol.h"

#include <utility>

namespace pupc::compiler {

/// A set of kinds of values, as bits: those that an expression may give or a type may accept.
using KindSet = uint32_t;
namespace kinds {
inline constexpr KindSet undef = 1, default_ = 2, boolean = 4, integer = 8, floating = 16, string = 32, regexp = 64, list = 128, hash = 256,
                         type = 512, sensitive = 1024, other = 2048, any = 4095;
inline constexpr KindSet number = integer | floating;
} // namespace kinds

/// What static analysis knows of an expression's value.
struct StaticValue {
  bool known = false;         // then `value` is the exact value
  Value value;                //
  KindSet kinds = kinds::any; // the value is of one of these
};

inline KindSet kinds_of_value(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return kinds::undef;
  case Kind::Default: return kinds::default_;
  case Kind::Bool: return kinds::boolean;
  case Kind::Int: return kinds::integer;
  case Kind::Float: return kinds::floating;
  case Kind::String: return kinds::string;
  case Kind::Regex: return kinds::regexp;
  case Kind::List: return kinds::list;
  case Kind::Hash: return kinds::hash;
  case Kind::Type: return kinds::type;
  case Kind::Sensitive: return kinds::sensitive;
  default: return kinds::other;
  }
}

/// Answers to a question about names, which is asked of each name once.
class SymbolAnswers {
public:
  template <class F> bool ask(Symbol name, F answer) {
    Answer& known = answers_.at(name);
    if (known == Answer::None) known = answer() ? Answer::Yes : Answer::No;
    return known == Answer::Yes;
  }
  /// Answers later questions with yes.
  void set(Symbol name) { answers_.at(name) = Answer::Yes; }
  bool has(Symbol name) const { return answers_.get(name) == Answer::Yes; }

private:
  enum class Answer : uint8_t { None, No, Yes };
  BySymbol<Answer> answers_;
};

/// Finds names that are repeated in a list. One object serves many lists.
class RepeatedNames {
public:
  void begin() { ++list_; }
  /// Whether the list that has begun has the name already.
  bool again(Symbol name) { return std::exchange(lists_.at(name), list_) == list_; }

private:
  BySymbol<uint32_t> lists_; // the last list that has a name
  uint32_t list_ = 0;
};

} // namespace pupc::compiler
