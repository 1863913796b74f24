#include "compiler/load/main_manifests.h"

#include "catalog/base/text.h"

#include <algorithm>

namespace pupc::compiler {

std::string canonical_name(std::string_view name) { return ascii_lower(without_leading_colons(name)); }

CanonicalName::CanonicalName(std::string_view name) : view_(without_leading_colons(name)) {
  if (!has_capital(view_)) return;
  made_ = ascii_lower(view_);
  view_ = made_;
}

bool is_canonical_name(std::string_view canonical, std::string_view name) {
  if (name == canonical) return true;
  name = without_leading_colons(name);
  return std::equal(canonical.begin(), canonical.end(), name.begin(), name.end(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

void MainManifests::index(bool usable_only) {
  if (usable_only) std::erase_if(loaded, [](const LoadedFile* f) { return f->error != nullptr; });
  for (const LoadedFile* f : loaded) {
    if (f->error) return; // report() throws it
    raw.push_back(f->file.get());
    files.push_back(f->file);
  }
  if (!usable_only && (error = find_duplicate(raw, {}))) return;
  auto definition = [](const Node* node, const std::shared_ptr<const ParsedFile>& file) {
    return DefinitionEntry{static_cast<const Definition*>(node), file, nullptr, true};
  };
  for (const auto& file : files)
    for (const Node* node : file->definitions) {
      switch (node->kind) {
      case NodeKind::ClassDef: classes.try_emplace(canonical_name(node->as<ClassDef>().name.str()), definition(node, file)); break;
      case NodeKind::DefineDef: defines.try_emplace(canonical_name(node->as<DefineDef>().name.str()), definition(node, file)); break;
      case NodeKind::FunctionDef: functions.try_emplace(canonical_name(node->as<FunctionDef>().name.str()), definition(node, file)); break;
      case NodeKind::TypeAlias:
        aliases.try_emplace(canonical_name(node->as<TypeAlias>().name.str()),
                            TypeAliasEntry{static_cast<const TypeAlias*>(node), file, nullptr});
        break;
      case NodeKind::NodeDef: nodes.push_back({static_cast<const NodeDef*>(node), file}); break;
      default: break;
      }
    }
}

void MainManifests::report(LogSink* log) const {
  for (const LoadedFile* f : loaded) f->report(log);
  if (error) throw CompileError(*error);
}

} // namespace pupc::compiler
