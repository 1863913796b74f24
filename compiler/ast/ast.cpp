#include "compiler/ast/ast.h"

namespace pupc::compiler {

std::string_view spelling(BinaryOp op) {
  static constexpr std::string_view names[] = {"+",  "-",  "*",  "/",   "%",  "<<", ">>", "==", "!=", "<",  "<=", ">", ">=",
                                               "=~", "!~", "in", "and", "or", "=",  "+=", "-=", "->", "~>", "<-", "<~"};
  return names[static_cast<size_t>(op)];
}

} // namespace pupc::compiler
