#pragma once
// The built-in resource types: those of Puppet, of the modules that come with puppet-agent 8, and pupc's own (native_types.def).
#include "catalog/schema/resource_type.h"

#include <span>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// The native type with a lower-case name, or null. A type of origin Core takes precedence over all others of its name. CoreModule
/// counts only if no module on the modulepath defines the type, and Extension only if no module, class or define has the name.
const ResourceTypeInfo* find_native_type(std::string_view name);

/// Names of all native types, sorted.
std::vector<std::string_view> native_type_names();

/// Whether the name is a script type, which guard_interpreter may name: script, bash, csh, ksh, zsh, perl, python, ruby,
/// powershell_script or batch (runtime/guard/README.md, "Script types").
bool is_script_type(std::string_view name);

/// An attribute of a native type: a row of the table.
struct NativeAttribute {
  std::string_view type, name;
  AttributeKind kind;
  std::string_view allowed;        // allowed values as the table writes them (attribute_values.h)
  std::string_view values;         // the values in the manual, where the allowed ones do not tell; see manual_values
  std::string_view fallback, text; // what holds without the attribute; what it does
  std::string_view example = {};   // a value as a manifest writes it, where the values do not show it
};

/// All of them, those of the script types once, by the name of `script`.
std::span<const NativeAttribute> all_native_attributes();
/// Those of one type; empty for an unknown one.
std::span<const NativeAttribute> native_attributes(std::string_view type);
/// The attribute of a native type, or null.
const NativeAttribute* find_native_attribute(std::string_view type, std::string_view attribute);

/// The manual of a native type: what it manages, and how. `example` may be empty.
struct TypeManual {
  std::string_view summary, example;
};
TypeManual type_manual(std::string_view type);
/// The values of an attribute as the manual tells them: "present, absent"; empty for any text that fits.
std::string manual_values(const NativeAttribute& attribute);

} // namespace pupc::catalog
