#pragma once
// What a comparison of catalogs leaves out.
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Rules like `File`, `File[/etc/cron*]`, `Package[*] ensure` or `* tag`: a type, perhaps with a title, then perhaps attributes. In all of
/// them `*` and `?` stand for any characters and for one; types are compared without regard to case. `tag` is also what resources are
/// tagged with.
class IgnoreRules {
public:
  /// Takes one rule. False, with what was expected in `problem`, when it has another form.
  bool add(std::string_view rule, std::string& problem);
  /// Takes the rules of a text, one a line; `#` at the start of a line makes it a comment. On a problem it starts with the line's number.
  bool add_lines(std::string_view text, std::string& problem);

  bool empty() const { return rules_.empty(); }
  /// Whether the whole resource is left out.
  bool covers(std::string_view type, std::string_view title) const;
  /// Whether one of its attributes is.
  bool covers(std::string_view type, std::string_view title, std::string_view attribute) const;

private:
  struct Rule {
    std::string type, title; // patterns; an empty title stands for any
    std::vector<std::string> attributes;
  };
  std::vector<Rule> rules_;
};

} // namespace pupc
