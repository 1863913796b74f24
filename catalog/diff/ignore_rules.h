#pragma once
// What a comparison of catalogs leaves out.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Rules like `File`, `File[/etc/cron*]`, `Package[*] ensure` or `* tag`: a type, optionally with a title, then optional attributes. In
/// each of them `*` matches any characters and `?` matches one. Types match in any case. `tag` also covers the tags of resources, not
/// only the attribute.
class IgnoreRules {
public:
  /// Adds one rule. Returns false when it is malformed, and says in `problem` what was expected.
  bool add(std::string_view rule, std::string& problem);
  /// Adds the rules of a text, one per line. A line that starts with `#` is a comment. `problem` then starts with the line number.
  bool add_lines(std::string_view text, std::string& problem);

  bool empty() const { return rules_.empty(); }
  /// Whether the rules leave out the whole resource.
  bool covers(std::string_view type, std::string_view title) const;
  /// Whether the rules leave out this attribute of the resource.
  bool covers(std::string_view type, std::string_view title, std::string_view attribute) const;

private:
  struct Rule {
    std::string type, title; // patterns; an empty title stands for any
    std::vector<std::string> attributes;
  };
  std::vector<Rule> rules_;
};

} // namespace pupc::catalog
