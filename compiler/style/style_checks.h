#pragma once
// Internal header of the style checks: the class that all families of checks share.
#include "compiler/style/style.h"
#include "compiler/style/style_text.h"

#include <map>

namespace pupc::compiler {

class StyleChecks {
public:
  StyleChecks(const StyleText& text, const StyleOptions& options, Findings& findings, std::vector<StyleEdit>* edits);
  void run();

private:
  void report(CheckCode code, uint32_t offset, uint32_t length, uint32_t line, std::string message);
  void report(CheckCode code, const StyleToken& t, std::string message) { report(code, t.offset, t.length, t.line, std::move(message)); }
  /// Like report, for a finding that `edits` fix.
  void mend(CheckCode code, const StyleToken& t, std::string message, std::vector<StyleEdit> edits);
  bool on(CheckCode code) const { return !options_.off.contains(code); }
  bool ignored(CheckCode code, uint32_t line) const;
  void read_control_comments();

  // style_layout.cpp
  void white_space();
  void line_length(CheckCode code, uint32_t most);
  void comments();
  void arrow_alignment(const StyleResource& r);
  void arrow_group(const std::vector<uint32_t>& arrows, uint32_t column);
  void relationship_arrows();
  void single_arrow(const StyleResource& r);
  // style_values.cpp
  void strings();
  void string_of_a_variable(uint32_t i);
  void variables();
  void fact_variables(const StyleToken& t);
  void resources();
  void file_attributes(const StyleResource& r);
  void commands(const StyleResource& r);
  void titles();
  void node_names();
  void cases();
  // style_definitions.cpp
  void definitions();
  void autoloader_layout(const StyleDefinition& d);
  bool in_named_module(std::string_view module, std::string_view place) const;
  void documentation(const StyleDefinition& d);
  void inheritance(const StyleDefinition& d);
  void parameter_order(const StyleDefinition& d);
  std::string_view outer_type(uint32_t i) const;
  void variable_scope();
  void note_assigned(uint32_t equals, std::set<std::string_view>& known) const;
  void top_scope();

  /// Limits the findings of one check on one line: each one counts its column from the line's start, which is too slow for a line of a
  /// megabyte.
  static constexpr uint32_t most_on_a_line = 1000;
  struct OnLine {
    uint32_t line = 0, count = 0;
  };

  const StyleText& t_;
  std::map<CheckCode, OnLine> on_line_;
  const StyleOptions& options_;
  Findings& findings_;
  std::vector<StyleEdit>* edits_;
  std::string full_path_;
  std::map<std::string, std::vector<std::pair<uint32_t, uint32_t>>, std::less<>> ignores_; // ranges of lines by check, in order, apart
};

} // namespace pupc::compiler
