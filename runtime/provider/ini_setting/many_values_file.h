#pragma once
// An INI file in which a setting may have several lines, one for each of its values (OpenStack's configurations).
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

class ManyValuesFile {
public:
  explicit ManyValuesFile(std::string_view content);

  /// The values of a setting in order; empty when the file does not have it.
  std::vector<std::string> get(std::string_view section, std::string_view setting) const;
  /// All settings as pairs of section and name.
  std::vector<std::pair<std::string, std::string>> settings() const;
  /// Removes the lines of unwanted values and adds lines for missing ones: before the setting's last line, else below a line where it is
  /// commented out, else at the section's end.
  void set(std::string_view section, std::string_view setting, const std::vector<std::string>& values);
  /// Removes the first line of the setting, as Puppet does.
  void remove(std::string_view section, std::string_view setting);
  std::string text() const;

private:
  struct Section {
    std::string name;
    std::vector<std::string> lines;
  };
  Section* find(std::string_view name);
  const Section* find(std::string_view name) const { return const_cast<ManyValuesFile*>(this)->find(name); }
  std::vector<Section> sections_; // the first one is section ""
};

} // namespace pupc::runtime
