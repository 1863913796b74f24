#pragma once
// A resource during a run: its attributes by name, its place in the manifest and what its type's handler remembers about it.
#include "catalog/base/log.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

struct ManagedAttribute {
  std::string name;
  Value value;            // lives in the run's arena or the catalog's
  bool sensitive = false; // no output may show it
  bool own = false;       // a parameter of the type itself, though it has the name of a guard
};
/// Whether it is one of pupc's guards.
inline bool is_guard(const ManagedAttribute& a) { return !a.own && is_guard_metaparameter(find_symbol(a.name)); }

/// What a handler keeps for itself with a resource or with its present state. Each handler derives its own type and reads it back by
/// held().
struct HandlerData {
  virtual ~HandlerData() = default;
};

/// The data as the type that the handler stored. Any other type is a mistake of the program: throws std::bad_cast.
template <class T> T& held(const std::shared_ptr<HandlerData>& data) { return dynamic_cast<T&>(*data); }

class ManagedResource {
public:
  std::string type; // lower case: "file", "ssh_authorized_key", "apache::vhost", "class"
  std::string title;
  std::string printed_type; // "File", "Apache::Vhost", "Class"
  std::string path;         // "/Stage[main]/Main/File[/x]", the source of its log lines
  std::string file;         // the manifest; empty = unknown
  uint32_t line = 0;
  std::vector<std::string> tags;
  std::vector<ManagedAttribute> attributes; // metaparameters too, without undef values
  LogLevel loglevel = LogLevel::Notice;     // for its events
  bool noop = false;                        // set by the resource, its container or the run
  std::shared_ptr<HandlerData> memory;      // the handler's own data between the steps of one run

  /// "File[/x]"
  std::string reference() const { return printed_type + "[" + title + "]"; }

  /// The attribute, or null when it is not given.
  const ManagedAttribute* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Whether the attribute is given and no output may show it.
  bool sensitive(std::string_view name) const;
  /// The attribute's value; undef when not given.
  Value get(std::string_view name) const;
  /// The attribute's value as text ("0644", "80", "true"); `otherwise` when not given.
  std::string text(std::string_view name, std::string_view otherwise = {}) const;
  /// A list's elements as texts; a single value as a list of one; empty when not given.
  std::vector<std::string> texts(std::string_view name) const;
  /// true, "true", "yes" and false, "false", "no"; `otherwise` when not given or anything else.
  bool truth(std::string_view name, bool otherwise) const;
  /// The value of the namevar: the attribute of that name when given, else the title.
  std::string name(std::string_view namevar) const { return text(namevar, title); }

  /// Gives the attribute a value in place of the one it has, if any. The value must live as long as the resource.
  void set(std::string_view name, Value value, bool is_sensitive = false);
  /// Does nothing when the attribute is not given.
  void erase(std::string_view name);
};

/// A value as text: a scalar as Ruby's to_s shows it, a list's elements joined by blanks, a Binary's bytes, empty for undef.
std::string value_text(const Value& value);

/// A value as messages show it: 'text', true, 1, ['a', 'b'], {'a' => 1} (Puppet's format_value_for_display).
std::string display_text(const Value& value);
std::string display_text(std::string_view text);

/// A value as Ruby's to_s shows it: lists and hashes like inspect, the others like value_text.
std::string ruby_text(const Value& value);

/// A value as Ruby's inspect shows it: "text", true, 1, ["a", "b"].
std::string inspected_text(const Value& value);

/// A string value that lives in `arena`.
Value string_value(Arena& arena, std::string_view text);

} // namespace pupc::runtime
