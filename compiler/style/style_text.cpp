#include "compiler/style/style_text.h"

#include <algorithm>
#include <array>

namespace pupc::compiler {
namespace {

using Form = StyleToken::Form;

constexpr std::string_view core_types[] = {"Any",       "Array",    "Boolean", "Callable", "CatalogEntry", "Class",   "Collection",
                                           "Data",      "Default",  "Enum",    "Float",    "Hash",         "Integer", "NotUndef",
                                           "Numeric",   "Optional", "Pattern", "Regexp",   "Resource",     "Runtime", "Scalar",
                                           "Sensitive", "String",   "Struct",  "Tuple",    "Type",         "Undef",   "Variant"};

bool is_newline_at(std::string_view text, uint32_t p) {
  return text[p] == '\n' || (text[p] == '\r' && p + 1 < text.size() && text[p + 1] == '\n');
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Where puppet-lint ends the name of a variable that for Puppet ends at `end`: puppet-lint also accepts dashes followed by words.
uint32_t end_of_dashed_name(std::string_view text, uint32_t end) {
  while (end + 1 < text.size() && text[end] == '-' && is_word(text[end + 1]))
    for (++end; end < text.size() && is_word(text[end]);) ++end;
  return end;
}

/// Where puppet-lint ends the brackets that it counts as part of the variable before them: at the next ], with at least one character
/// between.
uint32_t end_of_indexes(std::string_view text, uint32_t end) {
  while (end < text.size() && text[end] == '[') {
    const size_t close = text.find(']', end + 2);
    const size_t nl = text.find('\n', end);
    if (close == std::string_view::npos || close > nl) break;
    end = static_cast<uint32_t>(close + 1);
  }
  return end;
}

} // namespace

StyleText::StyleText(const SourceFile& file, const TokenList& list) : source(file) {
  collect(list);
  uint32_t last = StyleToken::none;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    tokens[i].before = last;
    if (!tokens[i].is_formatting()) last = i;
  }
  last = StyleToken::none;
  for (uint32_t i = size(); i-- > 0;) {
    tokens[i].after = last;
    if (!tokens[i].is_formatting()) last = i;
  }
  find_resources();
  find_definitions(Tok::Class);
  find_definitions(Tok::Define);
}

uint32_t StyleText::next_of(uint32_t i, bool (*wanted)(const StyleToken&), uint32_t last) const {
  // The closers of the brackets that are open: skip everything inside of brackets.
  std::vector<Tok> closers;
  for (++i; i < tokens.size() && i <= last; ++i) {
    const StyleToken& t = tokens[i];
    if (!closers.empty()) {
      if (t.is(closers.back())) {
        closers.pop_back();
        continue;
      }
    } else if (wanted(t)) {
      return i;
    }
    if (is_open_brace(t))
      closers.push_back(Tok::RBrace);
    else if (is_open_bracket(t))
      closers.push_back(Tok::RBrack);
    else if (is_open_paren(t))
      closers.push_back(Tok::RParen);
  }
  return StyleToken::none;
}

void StyleText::add(Form form, Tok kind, uint32_t offset, uint32_t length) {
  const std::string_view text = source.text();
  for (; counted_ < offset; ++counted_) {
    if (text[counted_] == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<uint8_t>(text[counted_]) & 0xC0) != 0x80) {
      ++column_;
    }
  }
  StyleToken& t = tokens.emplace_back();
  t.form = form;
  t.kind = kind;
  t.offset = offset;
  t.length = length;
  t.line = line_;
  t.column = column_;
  t.value = text.substr(offset, length);
}

void StyleText::add_code(const RawToken& raw, bool in_heredoc) {
  const std::string_view text = source.text();
  const bool first_enclosed = enclosed_;
  enclosed_ = false;
  switch (raw.kind) {
  case Tok::String:
    if (in_heredoc) return add(Form::HeredocText, raw.kind, raw.offset, raw.length);
    add(text[raw.offset] == '"' ? Form::DoubleQuoted : Form::SingleQuoted, raw.kind, raw.offset, raw.length);
    tokens.back().value = raw.length >= 2 ? text.substr(raw.offset + 1, raw.length - 2) : std::string_view();
    return;
  case Tok::DqPre:
  case Tok::DqMid:
  case Tok::DqPost: {
    const Form form = in_heredoc ? Form::HeredocText : Form::Code;
    std::string_view value = raw.value();
    uint32_t start = raw.offset;
    if (raw.kind != Tok::DqPre && start > 0 && text[start - 1] == '}' && tokens.back().end() < start) {
      --start;                                                               // the } of ${…}
    } else if (start < dashed_end_ && dashed_end_ - start <= value.size()) { // puppet-lint counted it to the variable's name
      value.remove_prefix(dashed_end_ - start);
      start = dashed_end_;
    }
    add(form, raw.kind, start, raw.offset + raw.length - start);
    tokens.back().value = value;
  }
    enclosed_ = raw.kind != Tok::DqPost && text.substr(raw.offset, raw.length).ends_with("${");
    return;
  case Tok::Variable: {
    const bool dollar = text[raw.offset] == '$';
    if (!dollar || first_enclosed) { // the name of ${x}, or a variable in it
      const uint32_t end = dollar ? end_of_indexes(text, end_of_dashed_name(text, raw.offset + raw.length)) : raw.offset + raw.length;
      add(Form::Variable, raw.kind, raw.offset, end - raw.offset);
    } else if (!tokens.empty() && (tokens.back().kind == Tok::DqPre || tokens.back().kind == Tok::DqMid) &&
               tokens.back().end() == raw.offset) {
      add(Form::Unenclosed, raw.kind, raw.offset, raw.length);
      dashed_end_ = end_of_dashed_name(text, raw.offset + raw.length);
      tokens.back().value = text.substr(raw.offset, dashed_end_ - raw.offset);
    } else {
      add(Form::Variable, raw.kind, raw.offset, end_of_indexes(text, end_of_dashed_name(text, raw.offset + raw.length)) - raw.offset);
    }
    if (dollar) tokens.back().value.remove_prefix(1);
    return;
  }
  case Tok::ClassRef:
    add(std::binary_search(std::begin(core_types), std::end(core_types), raw.value()) ? Form::TypeName : Form::Code, raw.kind, raw.offset,
        raw.length);
    return;
  default: break;
  }
  if (raw.kind == Tok::AtAt) {
    add(Form::Code, Tok::At, raw.offset, 1);
    return add(Form::Code, Tok::At, raw.offset + 1, 1);
  }
  const bool word = raw.kind == Tok::Name || raw.kind == Tok::Word || is_keyword(raw.kind) || raw.kind == Tok::Boolean;
  const uint32_t end = raw.offset + raw.length;
  add(word && end < text.size() && text[end] == '(' ? Form::FunctionName : Form::Code, raw.kind, raw.offset, raw.length);
}

void StyleText::collect(const TokenList& list) {
  struct Entry {
    const RawToken* raw;
    bool in_heredoc;
  };
  std::vector<Entry> entries;
  entries.reserve(list.tokens.size());
  // Find where the lines of each heredoc's text are in the source.
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    const RawToken& raw = list.tokens[i];
    if (raw.kind == Tok::End || raw.kind == Tok::Error) continue;
    entries.push_back({&raw, false});
    if (raw.kind != Tok::Heredoc) continue;
    for (size_t depth = 0; i + 1 < list.tokens.size();) {
      const RawToken& part = list.tokens[++i];
      entries.push_back({&part, depth <= 1 && (part.kind == Tok::String || part.kind == Tok::DqPre || part.kind == Tok::DqMid ||
                                               part.kind == Tok::DqPost)});
      if (part.kind == Tok::DqPre) entries.back().in_heredoc = depth++ == 0;
      if (part.kind == Tok::DqPost) entries.back().in_heredoc = --depth == 0;
      if (depth == 0) break;
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.raw->offset < b.raw->offset; });
  tokens.reserve(entries.size() * 2);
  uint32_t at = 0;
  for (const Entry& e : entries) {
    if (e.raw->offset < at) continue; // already part of a variable with its brackets
    gap(at, e.raw->offset, list.heredocs);
    add_code(*e.raw, e.in_heredoc);
    at = std::max(tokens.back().end(), e.raw->offset);
  }
  gap(at, static_cast<uint32_t>(source.text().size()), list.heredocs);
}

/// Adds the white space, line ends and comments between two tokens. Any other text there belongs to a string or heredoc: skip it.
void StyleText::gap(uint32_t from, uint32_t to, std::span<const HeredocLines> heredocs) {
  const std::string_view text = source.text();
  for (uint32_t p = from; p < to;) {
    while (heredoc_ < heredocs.size() && heredocs[heredoc_].end <= p) ++heredoc_;
    if (heredoc_ < heredocs.size() && heredocs[heredoc_].begin <= p) { // the heredoc's end line
      uint32_t end = std::min(heredocs[heredoc_].end, to);
      while (end > p && end == heredocs[heredoc_].end && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
      if (end > p) {
        p = end;
        continue;
      }
    }
    if (is_newline_at(text, p)) {
      const uint32_t width = text[p] == '\r' ? 2 : 1;
      add(Form::Newline, Tok::End, p, width);
      p += width;
      continue;
    }
    if (text[p] == '#') {
      uint32_t end = static_cast<uint32_t>(std::min(text.find('\n', p), text.size()));
      if (end > p && text[end - 1] == '\r') --end;
      add(Form::Comment, Tok::End, p, end - p);
      p = end;
    } else if (text[p] == '/' && p + 1 < to && text[p + 1] == '*') {
      const uint32_t end = static_cast<uint32_t>(std::min(text.find("*/", p + 2), text.size() - 2) + 2);
      add(Form::BlockComment, Tok::End, p, end - p);
      p = end;
    } else if (text[p] == '}') {
      ++p; // the brace of ${…}
    } else {
      uint32_t end = p + 1;
      while (end < to && !is_newline_at(text, end) && text[end] != '#' && text[end] != '}' &&
             !(text[end] == '/' && end + 1 < to && text[end + 1] == '*'))
        ++end;
      const bool after_line = !tokens.empty() && tokens.back().is(Form::Newline) && tokens.back().end() == p;
      add(after_line ? Form::Indent : Form::Whitespace, Tok::End, p, end - p);
      p = end;
    }
  }
}

// ---- constructs --------------------------------------------------------------------------------------------------------------

void StyleText::find_resources() {
  uint32_t marker = 0, brace = StyleToken::none; // the last brace that does not open a selector
  for (uint32_t i = 0; i < size(); ++i) {
    if (is_open_brace(tokens[i]) && !before(tokens[i]).is(Tok::Question)) brace = i;
    if (!tokens[i].is(Tok::Colon) || tokens[i].after == StyleToken::none || is_open_brace(after(tokens[i]))) continue;
    if (i < marker) break; // like puppet-lint, stop at a resource inside of a resource
    const uint32_t end = next_of(i, [](const StyleToken& t) { return t.is(Tok::Semicolon) || t.is(Tok::RBrace); });
    if (end == StyleToken::none) return;
    marker = end;
    StyleResource r{i, end, brace == StyleToken::none ? brace : tokens[brace].before, {}};
    for (uint32_t j = i; (j = next_of(
                              j, [](const StyleToken& t) { return t.is_name(); }, end)) != StyleToken::none;)
      if (after(tokens[j]).is(Tok::FatArrow)) r.parameters.push_back(j);
    resources.push_back(std::move(r));
  }
}

void StyleText::find_definitions(Tok keyword) {
  for (uint32_t i = 0; i < size(); ++i) {
    if (!tokens[i].is(keyword) || is_open_brace(after(tokens[i]))) continue;
    int braces = 0, parens = 0;
    bool in_parameters = false;
    StyleDefinition d{i, i, tokens[i].after};
    d.is_class = keyword == Tok::Class;
    uint32_t open = StyleToken::none;
    for (uint32_t j = i + 1; j < size(); ++j) {
      const StyleToken& t = tokens[j];
      if (t.is(Tok::Inherits)) d.inherited = t.after;
      if (is_open_paren(t)) {
        if (parens++ == 0) {
          in_parameters = true;
          if (braces == 0 && open == StyleToken::none) open = j;
        }
      } else if (t.is(Tok::RParen)) {
        if (parens == 1) {
          in_parameters = false;
          if (open != StyleToken::none && !d.has_parameters) {
            d.has_parameters = true;
            d.parameters_first = open + 1;
            d.parameters_last = j - 1;
          }
        }
        --parens;
      } else if (is_open_brace(t)) {
        ++braces;
      } else if (t.is(Tok::RBrace)) {
        --braces;
        if (braces == 0 && !in_parameters) {
          d.last = j;
          definitions.push_back(d);
          break;
        }
      }
    }
  }
}

} // namespace pupc::compiler
