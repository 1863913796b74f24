#pragma once
// The values that an attribute of a native type allows, as native_types.def writes them.
#include "catalog/value/regex.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

class AllowedValues {
public:
  /// `written`: see native_types.def. The views of this object point into it.
  explicit AllowedValues(std::string_view written);

  /// Whether any value is allowed, or which ones is not told here.
  bool any() const { return names_.empty() && patterns_.empty(); }
  /// Whether the names are all that is allowed, so that another text is an error.
  bool closed() const { return !names_.empty() && patterns_.empty(); }
  /// Whether the run leaves the check to the type (`~`).
  bool left_to_type() const { return left_to_type_; }
  /// All names in the order of the table, other names behind.
  const std::vector<std::string_view>& names() const { return names_; }

  bool allows(std::string_view text) const;
  /// What Puppet says of a value that is not allowed: `Invalid value "x". Valid values are present, absent.` `inspected` is the value as
  /// Ruby's inspect shows it, `attribute` its name.
  std::string refusal(std::string_view inspected, std::string_view attribute) const;

private:
  bool left_to_type_ = false;
  bool boolean_ = false;                   // true, false, yes and no in any case
  std::vector<std::string_view> names_;    // with other names
  std::vector<std::string_view> main_;     // without them
  std::vector<std::string_view> patterns_; // regular expressions between slashes
  std::vector<std::unique_ptr<const Regex>> compiled_;
};

struct NativeAttribute;
/// What a native attribute allows; made once for the program. Thread-safe.
const AllowedValues& allowed_values(const NativeAttribute& attribute);

/// Whether a file's mode is octal: one to four digits, perhaps behind a 0.
bool octal_file_mode(std::string_view text);
/// Whether a text has the form of a file's mode as Puppet tests it: octal, or symbolic such as `u=rwX,g+r`.
bool valid_file_mode(std::string_view text);
/// The algorithm whose digest in hexadecimal digits a text can be (`md5`, `sha1`, `sha224`, `sha256`, `sha384`, `sha512`), by its length;
/// empty: none.
std::string_view algorithm_of_digest(std::string_view text);
/// Whether a text can be the checksum_value of a file whose `checksum` is `kind`. Of times nothing is asked.
bool valid_checksum(std::string_view kind, std::string_view text);

} // namespace pupc::catalog
