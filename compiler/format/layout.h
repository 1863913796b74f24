#pragma once
// Internal header of the formatter. Layout holds the tokens of a manifest with the brackets around them. Three steps: layout.cpp decides
// where lines break, spacing.cpp sets the blanks between the tokens of a line, writer.cpp writes the text.
#include "compiler/ast/ast.h"
#include "compiler/parse/source_tokens.h"

#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace pupc::compiler {

enum class BracketRole : uint8_t {
  None,
  Block,      // statements
  Case,       // options
  Resource,   // titles and their attributes
  Attributes, // of defaults, overrides, collectors
  Hash,
  Selector,
  List,
  Parameters, // ( ) of definitions
  Pipes,      // | | of lambdas
  Other,      // calls, accesses, queries
};

/// The tokens of one manifest. All members identify a token by its index.
class Layout {
public:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

  struct Place {
    SourceToken token;
    uint32_t parent = none;               // innermost bracket around the token; for a bracket, the one around it
    uint32_t partner = none;              // the closing bracket of an opening one, and vice versa
    uint32_t anchor = none;               // for a block's brace: the block is indented relative to this token's line
    BracketRole role = BracketRole::None; // only for an opening bracket
    bool opens = false, closes = false;
    bool starts = false;      // begins a statement, option, element, entry, attribute, title or parameter
    bool title_end = false;   // the colon after a title
    bool prefix = false;      // a minus, star or ! before its operand
    bool comma_after = false; // the writer adds one
    uint32_t breaks = 0;      // line ends before it in the result: 0, 1, or 2 for an empty line
    uint32_t spaces = 0;      // blanks before it, unless it is the first of a line
  };

  /// Throws std::logic_error when the tokens do not match the syntax tree.
  /// `keep_wide`: columns stay where the author has them, also when they need not be so far to the right.
  Layout(std::string_view text, const TokenList& list, const ParsedFile& file, bool keep_wide);

  std::vector<Place> places;
  std::string_view text;
  const TokenList& list;

  std::string_view text_of(uint32_t i) const { return text.substr(places[i].token.offset, places[i].token.length); }
  Tok kind(uint32_t i) const { return i == none ? Tok::End : places[i].token.kind; }
  bool is_comment(uint32_t i) const { return places[i].token.is_comment(); }
  /// The nearest token before or after `i` that is not a comment: `none` before the first, the End token after the last.
  uint32_t code_before(uint32_t i) const { return code_before_[i]; }
  uint32_t code_after(uint32_t i) const { return code_after_[i]; }
  /// Whether the tokens first … last stand on one line of the result.
  bool on_one_line(uint32_t first, uint32_t last) const;
  /// Width of the tokens first … last on one line, in characters.
  uint32_t width(uint32_t first, uint32_t last) const;
  bool is_relationship(uint32_t i) const { return relationship_operators_.contains(places[i].token.offset); }
  /// Column of a token in the source, from 0, in characters.
  uint32_t source_column(uint32_t i) const;
  uint32_t authors_column(const std::vector<std::pair<uint32_t, uint32_t>>& group) const;

private:
  // layout.cpp
  void find_brackets();
  void find_roles(const ParsedFile& file);
  uint32_t visit(const Node& node);
  void statement(uint32_t offset);
  void role_of_closer(uint32_t end_offset, BracketRole role, uint32_t anchor_offset = none);
  void roles_of_if(const If& node);
  void role_of_parameters(const Seq<Parameter>& parameters);
  uint32_t at(uint32_t offset) const;
  void find_starts();
  void join_lines();
  void break_lines();
  void break_bracket(uint32_t open);
  void force_break(uint32_t i);
  void break_resource(uint32_t open);
  void move_arrows();
  void add_commas();
  // spacing.cpp
  void find_spaces();
  uint32_t spaces_before(uint32_t i) const;
  void align_arrows();
  void align_group(const std::vector<uint32_t>& arrows);
  void keep_columns();
  void keep_columns_of_parameters(uint32_t open);
  void keep_columns_of_titles(uint32_t open);
  void keep_column_by_place(const std::vector<std::pair<uint32_t, uint32_t>>& tokens);
  void keep_column(const std::vector<std::pair<uint32_t, uint32_t>>& group); // (first token of the line, token to align)

  std::vector<uint32_t> code_before_, code_after_;
  const bool keep_wide_;
  std::unordered_map<uint32_t, uint32_t> by_offset_;
  std::unordered_set<uint32_t> binary_operators_, lambdas_, relationship_operators_;
};

/// Writes the text of a layout. For each line that begins with a token, `lines` gets the offsets of that token in the source and in the
/// result.
std::string write_layout(const Layout& layout, std::vector<std::pair<uint32_t, uint32_t>>& lines);

uint32_t count_characters(std::string_view text);

} // namespace pupc::compiler
