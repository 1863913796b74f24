#pragma once
// Sensitive values of the resource whose turn it is, taken out of everything that is said meanwhile.
#include "runtime/provider/managed_resource.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Whether there is a Sensitive anywhere in a value.
bool holds_sensitive(const Value& value);

/// The last line of defence: providers hide what they know to be secret, but messages quote what tools print, files hold or servers answer.
class Secrets {
public:
  /// The texts in the sensitive attributes of a resource, and the longer lines of them. Texts of less than four characters, which are in
  /// too many words, count where they stand alone.
  void take(const ManagedResource& resource);
  void clear() { texts_.clear(); }

  /// The text with "[redacted]" in place of each of them.
  std::string hide(std::string_view text) const;
  bool empty() const { return texts_.empty(); }

private:
  void add(std::string_view text);
  void collect(const Value& value, bool sensitive);
  std::vector<std::string> texts_; // the longest first
};

} // namespace pupc
