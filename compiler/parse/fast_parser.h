#pragma once
// Parses texts without errors, which nearly all are, by the generated parser on a base that keeps nothing for messages.
#include "compiler/parse/lean_parser.h"

#include <memory>

namespace pupc::compiler {

class FastParser {
public:
  FastParser();
  ~FastParser();

  /// Parses the tokens of a builder, which builds the tree. Throws NotesNeeded at an error.
  void run(AstBuilder& builder);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace pupc::compiler
