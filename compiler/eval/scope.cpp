#include "compiler/eval/scope.h"

namespace pupc::compiler {
namespace {

/// "foo::bar" -> "Foo::Bar"
void append_capitalised(std::string& out, std::string_view name) {
  bool first = true;
  for (char c : name) {
    out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = c == ':';
  }
}

} // namespace

std::string scope_source(const Scope& scope) {
  std::string out = "Scope(";
  switch (scope.kind) {
  case ScopeKind::Define:
    append_capitalised(out, scope.class_name);
    out.append("[").append(scope.title).append("]");
    break;
  case ScopeKind::Node: out.append("Node[").append(scope.title).append("]"); break;
  case ScopeKind::Top:
  case ScopeKind::Class:
  case ScopeKind::Function:
  case ScopeKind::Template:
    out += "Class[";
    if (scope.class_name.empty())
      out += "main";
    else
      append_capitalised(out, scope.class_name);
    out += ']';
    break;
  }
  out += ')';
  return out;
}

} // namespace pupc::compiler
