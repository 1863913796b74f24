#pragma once
// Type aliases may lead back to themselves. The one guard against going round for ever.
#include "compiler/types/type.h"

namespace pupc {

/// Whatever goes through types makes one of these where it follows an alias, for as long as it does.
class AliasStep {
public:
  /// `with`: what the alias is compared with (a type, a value), null when nothing.
  explicit AliasStep(const Type* alias, const void* with = nullptr);
  ~AliasStep();
  AliasStep(const AliasStep&) = delete;
  AliasStep& operator=(const AliasStep&) = delete;
  /// Whether the same is being asked already, further out.
  bool again() const { return again_; }
  /// Throws when it is: there is no answer. Puppet fails there too, with "stack level too deep".
  void refuse_again() const;

private:
  const Type* alias_;
  bool again_ = false;
};

/// Whether accepting undef depends on an alias that is still being made.
bool undecided(const Type* t);

} // namespace pupc
