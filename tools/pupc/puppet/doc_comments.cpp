#include "tools/pupc/puppet/doc_comments.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <cctype>

namespace pupc::cli {
namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }

size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// "@name rest" at the start of a line. Directives (@!puppet.…) count as tags.
bool meta(std::string_view line, std::string_view& name, std::string_view& rest) {
  if (!line.starts_with('@')) return false;
  line.remove_prefix(line.starts_with("@!") ? 2 : 1);
  const auto end = std::find_if_not(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  const auto length = static_cast<size_t>(end - line.begin());
  if (length == 0 || (length < line.size() && !blank(line[length]))) return false;
  name = line.substr(0, length);
  rest = trimmed(line.substr(length));
  return true;
}

/// Takes "[A, B[C, D]]" from the start of the text: its parts at the outermost commas.
std::vector<std::string> take_types(std::string_view& text) {
  std::vector<std::string> types;
  if (!text.starts_with('[')) return types;
  int depth = 0;
  size_t begin = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '<' || c == '{' || c == '(') ++depth;
    const bool closes = c == ']' || c == '>' || c == '}' || c == ')';
    if (closes) --depth;
    if ((c == ',' && depth == 1) || (closes && depth == 0)) {
      types.emplace_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (closes && depth == 0) {
      text = trimmed(text.substr(i + 1));
      return types;
    }
  }
  types.clear(); // never closed
  return types;
}

std::string take_word(std::string_view& text) {
  const size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  std::string word(text.substr(0, end));
  text = trimmed(text.substr(end));
  return word;
}

DocTag make_tag(std::string_view name, std::string_view text) {
  DocTag tag;
  tag.name = name;
  if (name == "param" || name == "option") { // the name stands before the types, or after them
    tag.types = take_types(text);
    tag.subject = take_word(text);
    if (tag.types.empty()) tag.types = take_types(text);
  } else if (name == "return" || name == "raise") {
    tag.types = take_types(text);
  } else if (name == "see") {
    tag.subject = take_word(text);
    if (text.empty()) return tag;
  } else if (name == "example") {
    const size_t end = text.find('\n');
    tag.subject = std::string(trimmed(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  tag.text = std::string(name == "example" ? text : trimmed(text));
  return tag;
}

} // namespace

DocTag* DocComment::find(std::string_view name, std::string_view subject) {
  for (DocTag& tag : tags)
    if (tag.name == name && (subject.empty() || tag.subject == subject)) return &tag;
  return nullptr;
}

DocComment doc_comment_above(std::string_view source, uint32_t line) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= source.size() && lines.size() + 1 < line;) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    lines.push_back(source.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string_view> comment;
  while (!lines.empty()) {
    std::string_view text = trimmed(lines.back());
    if (!text.starts_with('#')) break;
    while (text.starts_with('#')) text.remove_prefix(1);
    if (!text.empty() && blank(text.front())) text.remove_prefix(1);
    comment.push_back(text);
    lines.pop_back();
  }
  std::reverse(comment.begin(), comment.end());

  DocComment out;
  std::string tag, tag_text;
  size_t tag_indent = 0;
  bool after_empty = false;
  auto finish = [&] {
    if (!tag.empty()) out.tags.push_back(make_tag(tag, tag_text));
    tag.clear();
    tag_indent = 0;
  };
  for (const std::string_view text : comment) {
    std::string_view name, rest;
    const bool empty = trimmed(text).empty();
    if (meta(text, name, rest)) {
      finish();
      tag = name;
      tag_text = rest;
    } else if (!tag.empty() && !empty && indentation(text) == 0) { // the text goes on
      finish();
      out.text.append(text).append("\n");
    } else if (tag.empty()) {
      out.text.append(text).append("\n");
    } else if (!empty) {
      if (tag_indent == 0) tag_indent = indentation(text);
      if (after_empty) tag_text += '\n';
      tag_text.append("\n").append(text.substr(std::min(tag_indent, indentation(text))));
    }
    after_empty = empty;
  }
  finish();
  out.text = trimmed(out.text);
  return out;
}

void write_doc_comment(JsonWriter& w, const DocComment& comment, std::span<const std::string_view> only) {
  w.begin_object();
  w.member("text", comment.text);
  bool any = false;
  for (const DocTag& tag : comment.tags) {
    if (tag.name == "api" && tag.text == "public") continue;
    if (!only.empty() && std::find(only.begin(), only.end(), tag.name) == only.end()) continue;
    if (!any) {
      w.key("tags");
      w.begin_array();
      any = true;
    }
    w.begin_object();
    w.member("tag_name", tag.name);
    if (tag.text) w.member("text", *tag.text);
    if (!tag.types.empty()) {
      w.key("types");
      w.begin_array();
      for (const std::string& type : tag.types) w.string(type);
      w.end_array();
    }
    if (tag.subject) w.member("name", *tag.subject);
    w.end_object();
  }
  if (any) w.end_array();
  w.end_object();
}

} // namespace pupc::cli
