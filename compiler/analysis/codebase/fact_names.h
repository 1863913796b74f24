#pragma once
#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// Whether Puppet or Facter sets a top-scope variable of that name. Legacy facts count.
bool is_known_fact(std::string_view name);
/// The structured fact ("os.family") that replaced the legacy fact `name`; empty when `name` is not a legacy fact.
std::string_view modern_fact(std::string_view name);
/// The keys that Facter may give the structured fact at a path such as "os" or "os.release", on any system; empty when they are not known.
std::span<const std::string_view> fact_keys(std::string_view path);
/// The keys of the hash $trusted.
std::span<const std::string_view> trusted_keys();
/// The keys of the hash $server_facts.
std::span<const std::string_view> server_fact_keys();
/// The names of Facter's structured facts and of those that Puppet adds.
std::span<const std::string_view> fact_names();

/// The family of an operating system, where it has another name; empty where that is not known.
std::string_view family_of_system(std::string_view name);
/// Why a fact of Facter never has the text as its value; empty where it may, or is not known.
std::string never_value_of_fact(std::string_view path, std::string_view text);
/// The same where upper and lower case count.
std::string never_value_in_ruby(std::string_view path, std::string_view text);

} // namespace pupc::compiler
