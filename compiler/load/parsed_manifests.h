#pragma once
// Manifests and EPP templates that somebody has parsed, checked and resolved already, by their paths.
#include "catalog/base/index_table.h"
#include "catalog/base/text_hash.h"
#include "compiler/ast/ast.h"

#include <memory>
#include <string_view>
#include <vector>

namespace pupc::compiler {

class ParsedManifests {
public:
  static constexpr size_t none = IndexTable::none;

  void reserve(size_t files) {
    files_.reserve(files);
    numbers_.reserve(files);
  }
  /// Adds the tree of the file at an absolute path, unless that path has one. The text of the path must live as long as this object is
  /// asked.
  void add(std::string_view path, std::shared_ptr<const ParsedFile> tree) {
    const uint64_t hash = hash_of_text(path);
    if (find(path, hash) != none) return;
    numbers_.add(hash);
    files_.push_back({path, std::move(tree)});
  }
  /// The number of the file at the path in the order of their adding, or `none`.
  size_t find(std::string_view path) const { return find(path, hash_of_text(path)); }
  size_t size() const { return files_.size(); }
  const std::shared_ptr<const ParsedFile>& tree(size_t number) const { return files_[number].tree; }

private:
  struct File {
    std::string_view path;
    std::shared_ptr<const ParsedFile> tree;
  };
  size_t find(std::string_view path, uint64_t hash) const {
    return numbers_.find(hash, [&](uint32_t number) { return files_[number].path == path; });
  }
  IndexTable numbers_;
  std::vector<File> files_;
};

} // namespace pupc::compiler
