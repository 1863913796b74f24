#pragma once
// An INI file that keeps its lines and changes settings in place.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

struct IniStyle {
  std::string separator = " = "; // for new settings; existing ones keep their own
  std::string prefix = "[", suffix = "]";
  std::string indent_char = " ";
  std::optional<size_t> indent_width; // nothing: indent like the section's other settings
  bool many_values = false;           // as inifile 6 has it: a setting may have several lines, and an empty section stays
};

class IniFile {
public:
  IniFile(std::string_view content, IniStyle style);

  bool has_section(std::string_view section) const { return find(section) != nullptr; }
  /// The value of a setting; of several lines with the same name, the last one counts. Section "" holds the lines before the first header.
  std::optional<std::string> get(std::string_view section, std::string_view setting) const;
  /// All values of a setting, one for each of its lines.
  std::vector<std::string> get_all(std::string_view section, std::string_view setting) const;
  std::vector<std::string> sections() const;
  std::vector<std::string> settings(std::string_view section) const;
  /// Adds a missing section at the end of the file.
  void add_section(std::string_view section);
  /// Changes the setting in place. A new one goes below a line where it is commented out, else to the section's end.
  void set(std::string_view section, std::string_view setting, std::string_view value);
  /// The same with a line for each value, where the setting's last line is.
  void set(std::string_view section, std::string_view setting, const std::vector<std::string>& values);
  /// Removes the setting, and its section when the section becomes empty and the style has no many_values.
  void remove(std::string_view section, std::string_view setting);
  void remove_section(std::string_view section);
  std::string text() const;

private:
  struct Section {
    std::string name, header;       // the header's line as it was read
    std::vector<std::string> lines; // without line ends
  };
  struct Setting {
    std::string indent, name, separator, value;
  };
  const Section* find(std::string_view name) const;
  Section* find(std::string_view name) { return const_cast<Section*>(static_cast<const IniFile*>(this)->find(name)); }
  std::optional<Setting> parse(std::string_view line, bool commented) const;
  bool set_below_comment(Section& section, std::string_view setting, const std::vector<std::string>& values);
  void set_at_end(Section& section, std::string_view setting, const std::vector<std::string>& values);
  std::string new_line(const Section& section, std::string_view setting, std::string_view value) const;

  IniStyle style_;
  std::string mark_;              // the separator without blanks, or one blank if it has only blanks
  std::vector<Section> sections_; // the first one is section ""
};

} // namespace pupc::runtime
