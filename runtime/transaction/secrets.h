#pragma once
// Hides the Sensitive values of the resource under evaluation in all messages of that time.
#include "runtime/provider/managed_resource.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// Whether a value is or contains a Sensitive.
bool holds_sensitive(const Value& value);

/// The last line of defence. Providers hide the secrets that they know, but messages may quote the output of tools, the content of files
/// or the answers of servers.
class Secrets {
public:
  /// Collects the texts in a resource's sensitive attributes, and their longer lines. A text of less than four characters occurs within
  /// too many words, so it counts only as a whole word.
  void take(const ManagedResource& resource);
  void clear() { texts_.clear(); }

  /// Replaces every secret in the text by "[redacted]".
  std::string hide(std::string_view text) const;
  bool empty() const { return texts_.empty(); }

private:
  void add(std::string_view text);
  void collect(const Value& value, bool sensitive);
  std::vector<std::string> texts_; // longest first
};

} // namespace pupc::runtime
