#pragma once
// Manifests and EPP templates that somebody has parsed, checked and resolved already, by their paths.
#include "catalog/base/text_hash.h"
#include "compiler/ast/ast.h"

#include <memory>
#include <string_view>
#include <vector>

namespace pupc {

class ParsedManifests {
public:
  static constexpr size_t none = ~size_t{0};

  void reserve(size_t files) {
    entries_.reserve(files);
    size_t places = 16;
    while (places < 2 * files) places *= 2;
    if (places > places_.size()) place_all(places);
  }
  /// Adds the tree of the file at an absolute path, unless that path has one. The text of the path must live as long as this object is
  /// asked.
  void add(std::string_view path, std::shared_ptr<const ParsedFile> tree) {
    if (2 * (entries_.size() + 1) > places_.size()) place_all(places_.empty() ? 16 : 2 * places_.size());
    const uint64_t hash = hash_of_text(path);
    uint32_t& place = places_[place_of(hash, path)];
    if (place != 0) return;
    entries_.push_back({hash, path, std::move(tree)});
    place = static_cast<uint32_t>(entries_.size());
  }
  /// The number of the file at the path in the order of their adding, or `none`.
  size_t find(std::string_view path) const { return places_.empty() ? none : size_t{places_[place_of(hash_of_text(path), path)]} - 1; }
  size_t size() const { return entries_.size(); }
  const std::shared_ptr<const ParsedFile>& tree(size_t number) const { return entries_[number].tree; }

private:
  struct Entry {
    uint64_t hash;
    std::string_view path;
    std::shared_ptr<const ParsedFile> tree;
  };
  /// The place of the entry, or the free one where it belongs.
  size_t place_of(uint64_t hash, std::string_view path) const {
    for (size_t i = hash;; ++i) {
      const size_t at = i & (places_.size() - 1);
      if (places_[at] == 0) return at;
      const Entry& e = entries_[places_[at] - 1];
      if (e.hash == hash && e.path == path) return at;
    }
  }
  void place_all(size_t places) {
    places_.assign(places, 0);
    for (uint32_t number = 0; number < entries_.size(); ++number)
      places_[place_of(entries_[number].hash, entries_[number].path)] = number + 1;
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> places_; // a table with open addressing: one more than an entry's number; 0: free
};

} // namespace pupc
