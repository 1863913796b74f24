#pragma once
// Finds the rule for an attribute of a resource type among many, without a look at the others: most attributes have none.
#include "catalog/base/symbol.h"
#include "compiler/analysis/codebase/by_symbol.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace pupc::compiler {

/// Rules have a field `type`, the name of a resource type. They must outlive the table.
template <class Rule> class RuleTable {
public:
  /// `attributes` gives the names of a rule's attributes as "a|b|c". No two rules are for one attribute.
  template <class F> RuleTable(std::span<const Rule> rules, F attributes) {
    for (const Rule& rule : rules) {
      const std::string_view names = attributes(rule);
      for (size_t begin = 0; begin <= names.size();) {
        const size_t end = std::min(names.find('|', begin), names.size());
        const Symbol attribute = intern(names.substr(begin, end - begin));
        rules_.emplace(key(intern(rule.type), attribute), &rule);
        some_.at(attribute) = 1;
        begin = end + 1;
      }
    }
  }

  /// The rule, or null.
  const Rule* find(Symbol type, Symbol attribute) const {
    if (some_.get(attribute) == 0) return nullptr;
    const auto at = rules_.find(key(type, attribute));
    return at == rules_.end() ? nullptr : at->second;
  }

private:
  static uint64_t key(Symbol type, Symbol attribute) { return uint64_t(type.id) << 32 | attribute.id; }
  std::unordered_map<uint64_t, const Rule*> rules_;
  BySymbol<uint8_t> some_; // by names of attributes: whether some type has a rule for one
};

} // namespace pupc::compiler
