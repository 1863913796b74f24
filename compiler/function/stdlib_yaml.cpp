// to_yaml: YAML as Ruby's Psych writes it.
#include "catalog/base/stack.h"
#include "catalog/value/number_format.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/families.h"
#include "compiler/load/data_file.h"
#include "compiler/types/ruby_text.h"

namespace pupc {
namespace {

class YamlWriter {
public:
  explicit YamlWriter(FunctionCall& call) : c(call) {}

  /// Widths outside 2 … 9 count as 2.
  void set_indentation(int64_t width) { indentation = width < 2 || width > 9 ? 2 : static_cast<size_t>(width); }
  /// Negative: lines are not broken; 0 and what is too narrow: as by default.
  void set_line_width(int64_t width) { line_width = width < 0 ? SIZE_MAX : width <= static_cast<int64_t>(indentation) * 2 ? 80 : static_cast<size_t>(width); }

  std::string document(const Value& v) {
    out = "---";
    node(v, 0, Position::Document);
    if (!out.ends_with('\n')) out += '\n';
    return std::move(out);
  }

private:
  enum class Position : uint8_t { Document, Entry, Item };
  FunctionCall& c;
  std::string out;

  size_t indentation = 2;
  size_t line_width = 80;

  void indent(int n) { out.append(static_cast<size_t>(n) * indentation, ' '); }

  /// A plain or single-quoted scalar broken at the first blank beyond the line's width, as libyaml does.
  std::string folded(const std::string& text, int level) {
    if (text.empty() || line_width == SIZE_MAX || text[0] == '"' || text[0] == '|') return text;
    size_t line = out.rfind('\n');
    size_t column = 1;
    for (size_t i = line == std::string::npos ? 0 : line + 1; i < out.size(); ++i) column += (static_cast<unsigned char>(out[i]) & 0xc0) != 0x80;
    std::string r;
    size_t pad = static_cast<size_t>(std::max(level, 1)) * indentation;
    for (size_t i = 0; i < text.size(); ++i) {
      bool lone = text[i] == ' ' && i > 0 && i + 1 < text.size() && text[i - 1] != ' ' && text[i + 1] != ' ';
      if (lone && column > line_width) {
        r += '\n' + std::string(pad, ' ');
        column = pad;
        continue;
      }
      r += text[i];
      column += (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    }
    return r;
  }

  /// A value behind `---`, `key:` or `-`; `level` is the indentation of its own lines.
  void node(const Value& v, int level, Position at) {
    check_native_stack();
    if (v.is_list() && v.list->size > 0) {
      // A list below a key is not indented further; the first item of a list in a list stands behind the dash.
      bool first = true;
      for (const Value& item : v.items()) {
        if (first && at == Position::Item) {
          out.append(indentation - 1, ' ');
        } else {
          if (first) out += '\n';
          indent(level);
        }
        first = false;
        out += '-';
        node(item, level + 1, Position::Item);
        if (!out.ends_with('\n')) out += '\n';
      }
      return;
    }
    if (v.is_hash() && v.hash->size > 0) {
      bool first = true;
      for (const auto& e : v.hash->entries()) {
        if (first && at == Position::Item) {
          out.append(indentation - 1, ' ');
        } else {
          if (first) out += '\n';
          indent(level);
        }
        first = false;
        out += scalar(e.key, level, true) + ":";
        node(e.value, e.value.is_list() ? level : level + 1, Position::Entry);
        if (!out.ends_with('\n')) out += '\n';
      }
      return;
    }
    std::string text = scalar(v, level, false);
    if (!text.empty()) out += " " + folded(text, level);
  }

  std::string scalar(const Value& v, int level, bool key) {
    switch (v.kind) {
    case Kind::Undef: return "";
    case Kind::Bool: return v.b ? "true" : "false";
    case Kind::Int: return std::to_string(v.i);
    case Kind::Float: return v.d != v.d ? ".nan" : v.d - v.d != 0 ? (v.d < 0 ? "-.inf" : ".inf") : format_float(v.d);
    case Kind::List: return "[]";
    case Kind::Hash: return "{}";
    case Kind::String: return text_of(v.str(), level, key);
    default: return text_of(c.arena().copy(ruby_to_s(c.types(), v)), level, key);
    }
  }

  /// Whether the plain text would be read back as something that is no string.
  bool resolves(std::string_view s) {
    Arena scratch;
    Value read;
    YamlOptions options;
    options.dates = true;
    if (read_yaml(s, scratch, read, options)) return true;
    return !read.is_string() || read.str() != s || is_symbol(read);
  }

  static bool looks_like_date(std::string_view s) {
    if (s.size() < 10) return false;
    for (size_t i = 0; i < 10; ++i)
      if (i == 4 || i == 7 ? s[i] != '-' : s[i] < '0' || s[i] > '9') return false;
    return s.size() == 10 || s[10] == ' ' || s[10] == 'T' || s[10] == 't';
  }

  std::string text_of(std::string_view s, int level, bool key) {
    if (s.empty()) return "''";
    bool control = false, newline = false;
    for (char ch : s) {
      newline = newline || ch == '\n';
      control = control || (static_cast<unsigned char>(ch) < 0x20 && ch != '\n' && ch != '\t') || ch == 0x7f;
    }
    if (control || (key && newline)) return double_quoted(s);
    if (newline) return block(s, level);
    if (s == "y" || s == "Y" || s == "n" || s == "N") return "'" + std::string(s) + "'";
    bool edge = s.front() == ' ' || s.back() == ' ' || s.front() == '\t' || s.back() == '\t';
    bool special_start = std::string_view("&*!|>'\"%@`{}[],#").find(s[0]) != std::string_view::npos || ((s[0] == '-' || s[0] == '?' || s[0] == ':') && (s.size() == 1 || s[1] == ' ')) ||
                         s.starts_with("---") || s.starts_with("...");
    bool special_inside = s.find(": ") != std::string_view::npos || s.find(" #") != std::string_view::npos || s.ends_with(':');
    if (s == "<<" || s == "=") return "'" + std::string(s) + "'";
    if (edge || special_start || special_inside || looks_like_date(s) || resolves(s)) {
      if (s[0] == ':' && s.size() > 1 && !special_inside && !edge && s[1] != ' ') return double_quoted(s);
      return single_quoted(s);
    }
    return std::string(s);
  }

  static std::string single_quoted(std::string_view s) {
    std::string r = "'";
    for (char ch : s) {
      r += ch;
      if (ch == '\'') r += ch;
    }
    return r + "'";
  }
  static std::string double_quoted(std::string_view s) {
    std::string r = "\"";
    for (char ch : s) {
      switch (ch) {
      case '"': r += "\\\""; break;
      case '\\': r += "\\\\"; break;
      case '\n': r += "\\n"; break;
      case '\t': r += "\\t"; break;
      case '\r': r += "\\r"; break;
      case '\0': r += "\\0"; break;
      case '\a': r += "\\a"; break;
      case '\b': r += "\\b"; break;
      case '\v': r += "\\v"; break;
      case '\f': r += "\\f"; break;
      case 27: r += "\\e"; break;
      default:
        if (static_cast<unsigned char>(ch) < 0x20 || ch == 0x7f)
          r += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(ch)));
        else
          r += ch;
      }
    }
    return r + "\"";
  }

  /// A literal block scalar with the chomping that keeps the text's end.
  std::string block(std::string_view s, int level) {
    std::string r = "|";
    if (s.front() == ' ' || s.front() == '\n') r += std::to_string(indentation);
    size_t ends = 0;
    while (ends < s.size() && s[s.size() - 1 - ends] == '\n') ++ends;
    r += ends == 0 ? "-" : ends > 1 || s.size() == ends ? "+" : "";
    std::string pad(static_cast<size_t>(std::max(level, 1)) * indentation, ' ');
    size_t i = 0;
    while (i < s.size()) {
      size_t end = std::min(s.find('\n', i), s.size());
      r += '\n';
      if (end > i) r += pad + std::string(s.substr(i, end - i));
      i = end + 1;
    }
    return r;
  }
};

Value to_yaml(FunctionCall& c) {
  YamlWriter writer(c);
  if (c.given(1))
    for (const auto& e : c.args[1].hash->entries()) {
      std::string_view name = e.key.is_string() ? e.key.str() : std::string_view();
      if (name == "indentation" && e.value.is_int()) writer.set_indentation(e.value.i);
      else if (name == "line_width" && e.value.is_int()) writer.set_line_width(e.value.i);
      else if (name == "canonical" || name == "header") c.fail(fmt::format("{}(): the option {} is not implemented", c.name, name));
    }
  return c.string(writer.document(c.args[0]));
}

const FunctionEntry table[] = {
    {"to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
    {"stdlib::to_yaml", "YAML text of a value.", {{"Any $data, Hash $options?", to_yaml}}},
};

} // namespace

FunctionTable stdlib_yaml_functions() { return table; }

} // namespace pupc
