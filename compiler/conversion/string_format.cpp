#include "compiler/conversion/string_format.h"
#include "catalog/value/conversion_error.h"
#include "compiler/types/runtime_object.h"

#include "catalog/value/base64.h"
#include "catalog/value/source_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_format.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"
#include "compiler/types/object_type.h"
#include "compiler/types/ruby_class.h"
#include "compiler/types/value_text.h"

#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace pupc::compiler {
namespace {

struct FormatMap;

/// One format: %[flags][width][.precision]letter, and the separators and element formats of containers.
struct Format {
  std::string text;
  char letter = 's';
  bool left = false, alternate = false, zero = false;
  bool space = false;
  char delimiter = 0;
  std::optional<int> width, precision;
  std::optional<std::string> separator, separator2;
  std::shared_ptr<const FormatMap> elements; // formats of a container's elements

  /// Reads a format. The letters and flags are those of Puppet's pattern.
  static Format parse(std::string_view given) {
    Format f;
    f.text = given;
    // In Puppet's pattern ^ and $ match at line ends, so only the first line counts.
    std::string_view s = given.substr(0, given.find('\n'));
    size_t i = 0;
    auto invalid = [&] {
      fail_conversion(fmt::format("The format '{}' is not a valid format on the form '%<flags><width>.<prec><format>'", given));
    };
    if (s.empty() || s[i++] != '%') invalid();
    std::string flags;
    while (i < s.size() &&
           (std::string_view("[+#0{<(|-").find(s[i]) != std::string_view::npos || s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')))
      flags += s[i++];
    auto number = [&](std::optional<int>& into) {
      size_t begin = i;
      int n = 0;
      while (i < s.size() && s[i] >= '0' && s[i] <= '9') n = std::min(n * 10 + (s[i++] - '0'), 1000000);
      if (i > begin) into = n;
    };
    if (i < s.size() && s[i] >= '1' && s[i] <= '9') number(f.width);
    if (i < s.size() && s[i] == '.') {
      ++i;
      number(f.precision);
      if (!f.precision) invalid();
    }
    if (i + 1 != s.size() || !std::isalpha(static_cast<unsigned char>(s[i]))) invalid();
    f.letter = s[i];
    for (size_t k = 0; k < flags.size(); ++k)
      if (flags.find(flags[k], k + 1) != std::string::npos)
        fail_conversion(fmt::format("The same flag can only be used once, got '{}'", given));
    auto has = [&](char ch) { return flags.find(ch) != std::string::npos; };
    f.left = has('-');
    f.alternate = has('#');
    f.zero = has('0');
    f.space = has(' ');
    for (char d : std::string_view("[{(<|")) {
      if (!has(d)) continue;
      if (f.delimiter != 0)
        fail_conversion(fmt::format("Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{}'", given));
      f.delimiter = d;
    }
    return f;
  }

  std::pair<std::string_view, std::string_view> delimiters(std::string_view open, std::string_view close) const {
    switch (delimiter) {
    case '[': return {"[", "]"};
    case '{': return {"{", "}"};
    case '(': return {"(", ")"};
    case '<': return {"<", ">"};
    case '|': return {"|", "|"};
    default: break;
    }
    if (space) return {"", ""};
    return {open, close};
  }
  /// The text of the format with another letter.
  std::string with_letter(char to) const {
    std::string out = text;
    for (char& ch : out)
      if (ch == letter) ch = to;
    return out;
  }
};

struct FormatMap {
  std::vector<std::pair<const Type*, Format>> entries;

  const Format* find(const Type* t) const {
    for (const auto& [type, format] : entries)
      if (type == t || type->equals(*t)) return &format;
    return nullptr;
  }
};
using Formats = std::shared_ptr<const FormatMap>;

Formats container_formats() {
  static const Formats formats = std::make_shared<FormatMap>(FormatMap{{{types::any(), Format::parse("%p")}}});
  return formats;
}

Formats default_formats() {
  static const Formats formats = [] {
    auto map = std::make_shared<FormatMap>();
    auto add = [&](const Type* t, std::string_view text) -> Format& { return map->entries.emplace_back(t, Format::parse(text)).second; };
    add(types::object(), "%p");
    add(types::floating(), "%f");
    add(types::numeric(), "%d");
    Format& a = add(types::array(), "%a");
    a.separator = a.separator2 = ", ";
    a.elements = container_formats();
    Format& h = add(types::hash(), "%h");
    h.separator = ", ";
    h.separator2 = " => ";
    h.elements = container_formats();
    add(types::binary(), "%B");
    add(types::any(), "%s");
    return map;
  }();
  return formats;
}

/// Merges the user's formats over the default ones.
class Merger {
public:
  explicit Merger(TypeContext& c) : ctx(c) {}

  Formats merge(const Formats& lower, const Formats& higher) {
    if (!lower || !higher) return lower ? lower : higher;
    auto result = std::make_shared<FormatMap>();
    auto& list = result->entries;
    for (const auto& [type, format] : lower->entries) {
      bool hidden = false; // the user gave a format for a more general type
      for (const auto& entry : higher->entries) hidden = hidden || (!entry.first->equals(*type) && is_assignable(ctx, entry.first, type));
      if (hidden) continue;
      const Format* over = higher->find(type);
      list.emplace_back(type, over != nullptr ? merge(format, *over) : format);
    }
    for (const auto& [type, format] : higher->entries)
      if (result->find(type) == nullptr) list.emplace_back(type, format);
    sort(list, 0, list.size());
    return result;
  }

private:
  TypeContext& ctx;
  using Entry = std::pair<const Type*, Format>;

  Format merge(const Format& lower, const Format& higher) {
    Format f = Format::parse(higher.text);
    f.separator = higher.separator ? higher.separator : lower.separator;
    f.separator2 = higher.separator2 ? higher.separator2 : lower.separator2;
    f.elements = merge(lower.elements, higher.elements);
    return f;
  }

  static int rank(const Type* t) {
    switch (t->kind) {
    case TypeKind::Struct: return 1;
    case TypeKind::Hash: return 2;
    case TypeKind::Tuple: return 3;
    case TypeKind::Array: return 4;
    case TypeKind::Pattern: return 10;
    case TypeKind::Enum: return 11;
    case TypeKind::String: return 12;
    default: return 0;
    }
  }
  /// Orders specific types before general ones. This is not a total order, so the sort must be the one Puppet uses (glibc's merge
  /// sort) to give the same result.
  int compare(const Type* a, const Type* b) {
    if (a->equals(*b)) return 0;
    bool ab = is_assignable(ctx, b, a), ba = is_assignable(ctx, a, b);
    if (ab != ba) return ab ? -1 : 1;
    int x = rank(a), y = rank(b);
    if (x == 0 || y == 0) return a->to_string().compare(b->to_string());
    return x - y;
  }
  void sort(std::vector<Entry>& list, size_t begin, size_t n) {
    if (n <= 1) return;
    size_t n1 = n / 2, n2 = n - n1;
    sort(list, begin, n1);
    sort(list, begin + n1, n2);
    std::vector<Entry> merged;
    size_t i = begin, j = begin + n1;
    while (i < begin + n1 && j < begin + n) merged.push_back(compare(list[i].first, list[j].first) <= 0 ? list[i++] : list[j++]);
    while (i < begin + n1) merged.push_back(list[i++]);
    std::copy(merged.begin(), merged.end(), list.begin() + static_cast<ptrdiff_t>(begin)); // the rest of the second half is in its place
  }
};

/// Reads formats from a hash of the language and checks them as Puppet does.
Formats read_formats(TypeContext& ctx, const Value& v);

Format read_container_format(TypeContext& ctx, const Hash& h) {
  static constexpr std::string_view known[] = {"separator", "separator2", "format", "string_formats"};
  for (const auto& e : h.entries())
    if (!e.key.is_string() || std::find(std::begin(known), std::end(known), e.key.str()) == std::end(known))
      fail_conversion(fmt::format("only 'separator', 'separator2', 'format', 'string_formats' are allowed in a container format, got {}",
                                  ruby_inspect(ctx, Value::of(&h))));
  const Value* text = h.find("format");
  Format f = Format::parse(text != nullptr && text->is_string() ? text->str() : std::string_view());
  if (const Value* s = h.find("separator"); s != nullptr && s->is_string()) f.separator = s->str();
  if (const Value* s = h.find("separator2"); s != nullptr && s->is_string()) f.separator2 = s->str();
  if (const Value* s = h.find("string_formats"); s != nullptr && !s->is_undef()) f.elements = read_formats(ctx, *s);
  return f;
}

Formats read_formats(TypeContext& ctx, const Value& v) {
  if (!v.is_hash()) fail_conversion(fmt::format("expected a hash with type to format mappings, got instance of '{}'", ruby_class_name(v)));
  auto map = std::make_shared<FormatMap>();
  for (const auto& e : v.hash->entries()) {
    const Type* t = as_type(e.key);
    if (t == nullptr)
      fail_conversion(fmt::format("top level keys in the format hash must be data types, got instance of '{}'", ruby_class_name(e.key)));
    map->entries.emplace_back(t, e.value.is_hash() ? read_container_format(ctx, *e.value.hash)
                                                   : Format::parse(e.value.is_string() ? e.value.str() : std::string_view()));
  }
  return map;
}

/// The position of a nested container when each element gets its own line.
struct Indentation {
  int level = 0;
  bool first = true;
  bool indenting = false;

  Indentation increased(bool indent = false) const { return {level + 1, true, indent}; }
  bool breaks() const { return indenting && level > 0 && !first; }
  std::string padding() const { return std::string(static_cast<size_t>(2 * level), ' '); }
};

class Converter {
public:
  explicit Converter(TypeContext& c) : ctx(c) {}

  std::string convert(const Type* type, const Value& v, const Formats& formats, Indentation indentation) {
    switch (v.kind) {
    case Kind::List: return array(type, v, formats, indentation);
    case Kind::Hash: return hash(type, v, formats, indentation);
    case Kind::Iterator: {
      Value list = Value::of(as_iterator(v)->elements);
      return convert(infer_detailed(ctx, list), list, formats, indentation);
    }
    default: break;
    }
    const Format& f = format_for(type, *formats);
    switch (v.kind) {
    case Kind::Undef: return undef(f);
    case Kind::Default: return default_text(f);
    case Kind::Bool: return boolean(f, v.b);
    case Kind::Int: return integer(f, v);
    case Kind::Float: return floating(f, v);
    case Kind::String: return string(f, v);
    case Kind::Regex: return regexp(f, v);
    case Kind::Binary: return binary(f, v);
    case Kind::Type:
    case Kind::Ref: return type_text(f, v);
    case Kind::Uri: return uri(f, v);
    case Kind::Deferred: return object(f, v, indentation);
    case Kind::Object:
      if (as_runtime_object(v) != nullptr) return plain(f.text, v);
      return object(format_for(object_type_of(v), *formats), v, indentation); // ignores the parameters of its type
    default: return plain(f.text, v);
    }
  }

private:
  TypeContext& ctx;

  const Format& format_for(const Type* type, const FormatMap& formats) {
    for (const auto& [key, format] : formats.entries)
      if (is_assignable(ctx, key, type)) return format;
    static const Format fallback = Format::parse("%s");
    return fallback;
  }

  [[noreturn]] static void bad_letter(std::string_view type, const Format& f, std::string_view expected) {
    fail_conversion(
        fmt::format("Illegal format '{}' specified for value of {} type - expected one of the characters '{}'", f.letter, type, expected));
  }

  std::string plain(const std::string& format, const Value& v) {
    try {
      return ruby_sprintf(ctx, format, std::span(&v, 1));
    } catch (const FormatError& e) { fail_conversion(e.message); }
  }
  std::string plain(const std::string& format, std::string_view text) { return plain(format, Value::string(text)); }

  /// Applies width and precision to a text that Ruby's sprintf has not formatted.
  std::string sized(const Format& f, const std::string& text) {
    if (!f.left && !f.width && !f.precision) return text;
    std::string format = f.left ? "%-" : "%";
    if (f.width) format += std::to_string(*f.width);
    if (f.precision) format += "." + std::to_string(*f.precision);
    return plain(format + "s", text);
  }

  std::string undef(const Format& f) {
    switch (f.letter) {
    case 'n': return sized(f, f.alternate ? "null" : "nil");
    case 'u': return sized(f, f.alternate ? "undefined" : "undef");
    case 'd':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B':
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return sized(f, "NaN");
    case 'v': return sized(f, "n/a");
    case 'V': return sized(f, "N/A");
    case 's': return sized(f, f.alternate ? "\"\"" : "");
    case 'p': return sized(f, f.alternate ? "\"undef\"" : "undef");
    default: bad_letter("Undef", f, "nudxXobBeEfgGaAvVsp");
    }
  }

  std::string default_text(const Format& f) {
    switch (f.letter) {
    case 'd':
    case 's':
    case 'p': return sized(f, f.alternate ? "\"default\"" : "default");
    case 'D': return sized(f, f.alternate ? "\"Default\"" : "Default");
    default: bad_letter("Default", f, "dDsp");
    }
  }

  std::string boolean(const Format& f, bool v) {
    auto word = [&](std::string_view yes, std::string_view no) {
      return sized(f, std::string(v ? yes : no).substr(0, f.alternate ? 1 : std::string::npos));
    };
    switch (f.letter) {
    case 't': return word("true", "false");
    case 'T': return word("True", "False");
    case 'y': return word("yes", "no");
    case 'Y': return word("Yes", "No");
    case 'd':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B': return integer(f, Value::integer(v));
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return floating(f, Value::floating(v));
    case 's':
    case 'p': return sized(f, v ? "true" : "false");
    default: bad_letter("Boolean", f, "tTyYdxXobBeEfgGaAsp");
    }
  }

  std::string integer(const Format& f, const Value& v) {
    switch (f.letter) {
    case 'd':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B':
    case 'p': return plain(f.text, v);
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return plain(f.text, Value::floating(static_cast<double>(v.i)));
    case 'c': {
      if (v.i < 0 || v.i > 0x7FFFFFFF) fail_conversion("pack(U): value out of range");
      std::string ch;
      append_utf8(ch, static_cast<char32_t>(v.i));
      return plain(f.with_letter('s'), f.alternate ? "\"" + ch + "\"" : ch);
    }
    case 's': return plain(f.with_letter(f.alternate ? 'p' : 's'), std::to_string(v.i));
    default: bad_letter("Integer", f, "dxXobBeEfgGaAspc");
    }
  }

  std::string floating(const Format& f, const Value& v) {
    switch (f.letter) {
    case 'd':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B': return plain(f.text, Value::floating(std::trunc(v.d)));
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
    case 'p': return plain(f.text, v);
    case 's': {
      std::string text = ruby_inspect(ctx, v);
      return plain(f.text, f.alternate ? "\"" + text + "\"" : text);
    }
    default: bad_letter("Float", f, "dxXobBeEfgGaAsp");
    }
  }

  std::string string(const Format& f, const Value& v) {
    std::string_view s = v.str();
    auto changed = [&](std::string text) { return f.alternate ? sized(f, to_puppet_quoted(text)) : plain(f.with_letter('s'), text); };
    switch (f.letter) {
    case 's': return plain(f.text, v);
    case 'p': return sized(f, f.alternate ? to_double_quoted(s) : to_puppet_quoted(s));
    case 'c': return changed(capitalize(s));
    case 'C': {
      std::string out;
      std::vector<std::string> parts;
      for (size_t begin = 0; begin <= s.size();) {
        size_t end = std::min(s.find("::", begin), s.size());
        parts.push_back(capitalize(s.substr(begin, end - begin)));
        begin = end + 2;
      }
      while (!parts.empty() && parts.back().empty()) parts.pop_back(); // as Ruby's split
      for (size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : "::") + parts[i];
      return changed(out);
    }
    case 'u': return changed(upcase(s));
    case 'd': return changed(downcase(s));
    case 't': {
      auto blank = [](char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r') || ch == '\0'; };
      while (!s.empty() && blank(s.front())) s.remove_prefix(1);
      while (!s.empty() && blank(s.back())) s.remove_suffix(1);
      return changed(std::string(s));
    }
    default: bad_letter("String", f, "cCudspt");
    }
  }

  std::string regexp(const Format& f, const Value& v) {
    switch (f.letter) {
    case 'p': return f.text == "%p" ? regex_literal(*v.regex) : plain(f.with_letter('s'), regex_literal(*v.regex));
    case 's': {
      std::string text = regex_source(*v.regex);
      if (f.alternate) text = to_puppet_quoted(text);
      return f.text == "%s" ? text : plain(f.text, text);
    }
    default: bad_letter("Regexp", f, "sp");
    }
  }

  std::string binary(const Format& f, const Value& v) {
    char as = f.alternate ? 'p' : 's';
    std::string strict = base64_encode(v.str());
    switch (f.letter) {
    case 's': {
      bool valid = true;
      for (size_t i = 0; i < v.str().size() && valid;) next_code_point(v.str(), i, valid);
      if (!valid && !f.alternate) fail_conversion(fmt::format("\"\\x{:02X}\" from ASCII-8BIT to UTF-8", first_high_byte(v.str())));
      return plain(f.with_letter(as), v.str());
    }
    case 'p': return "Binary(\"" + plain(f.with_letter('s'), strict) + "\")";
    case 'b': {
      std::string lines;
      for (size_t i = 0; i < strict.size(); i += 60) lines += strict.substr(i, 60) + "\n";
      return plain(f.with_letter(as), lines);
    }
    case 'B': return plain(f.with_letter(as), strict);
    case 'u': {
      for (char& ch : strict) ch = ch == '+' ? '-' : ch == '/' ? '_' : ch;
      return plain(f.with_letter(as), strict);
    }
    case 't': return plain(f.with_letter(as), "Binary");
    case 'T': return plain(f.with_letter(as), "BINARY");
    default: bad_letter("Binary", f, "bButTsp");
    }
  }
  static unsigned first_high_byte(std::string_view s) {
    for (char ch : s)
      if (static_cast<unsigned char>(ch) >= 0x80) return static_cast<unsigned char>(ch);
    return 0;
  }

  std::string type_text(const Format& f, const Value& v) {
    std::string text = to_display_string(ctx, v);
    switch (f.letter) {
    case 's': return plain(f.text, f.alternate ? "\"" + text + "\"" : text);
    case 'p': return plain(f.with_letter('s'), text);
    default: bad_letter("Type", f, "sp");
    }
  }

  std::string uri(const Format& f, const Value& v) {
    switch (f.letter) {
    case 'p': return to_program_string(ctx, v);
    case 's': return plain(f.text, f.alternate ? to_puppet_quoted(v.str()) : std::string(v.str()));
    default: bad_letter("URI", f, "sp");
    }
  }

  std::string object(const Format& f, const Value& v, Indentation indentation) {
    if (f.letter == 'p' && (f.alternate || indentation.indenting)) return indented_literal(v, indentation.level);
    if (f.letter == 'p' || f.letter == 's' || f.letter == 'q') return to_program_string(ctx, v);
    bad_letter("Object", f, "spq");
  }

  static bool list_or_hash(const Value& v) { return v.is_list() || v.is_hash(); }
  static bool container(const Value& v) { return list_or_hash(v) || v.is(Kind::Object) || v.is(Kind::Deferred); }

  static size_t characters(std::string_view s) {
    size_t n = 0;
    for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
    return n;
  }
  static void strip_right(std::string& s) {
    while (!s.empty() && (s.back() == ' ' || (s.back() >= '\t' && s.back() <= '\r') || s.back() == '\0')) s.pop_back();
  }

  std::string array(const Type* type, const Value& v, const Formats& formats, Indentation indentation) {
    const Format& f = format_for(type, *formats);
    std::string separator = f.separator.value_or(", ");
    Formats elements = f.elements ? f.elements : container_formats();
    auto [open, close] = f.delimiters("[", "]");
    indentation.indenting = f.alternate || indentation.indenting;
    if (f.letter != 'a' && f.letter != 's' && f.letter != 'p') bad_letter("Array", f, "asp");
    std::string out;
    if (indentation.breaks()) out += "\n" + indentation.padding();
    out += open;
    auto items = v.items();
    Indentation inner = indentation.increased(f.alternate);
    inner.first = false;
    std::vector<std::string> texts;
    for (const Value& item : items) texts.push_back(convert(infer_detailed(ctx, item), item, container(item) ? formats : elements, inner));
    bool break_each = false;
    if (f.alternate && f.width) {
      // The widest run of elements between nested containers decides whether to break lines.
      size_t widest = 0, run = 0;
      for (size_t i = 0; i < items.size(); ++i) {
        run = list_or_hash(items[i]) ? 0 : run + characters(texts[i]);
        widest = std::max(widest, run);
      }
      break_each = widest > static_cast<size_t>(*f.width);
    }
    for (size_t i = 0; i < items.size(); ++i) {
      bool nested = list_or_hash(items[i]);
      if (i == 0) {
        if (break_each && !nested) out += ' ';
      } else {
        out += separator;
        if ((break_each && !nested) || (f.alternate && list_or_hash(items[i - 1]) && !nested)) {
          if (out.back() != '\n') strip_right(out);
          out += "\n" + inner.padding();
        }
      }
      if (!out.empty() && out.back() == ' ' && texts[i].starts_with('\n')) strip_right(out);
      out += texts[i];
    }
    return out.append(close);
  }

  std::string hash(const Type* type, const Value& v, const Formats& formats, Indentation indentation) {
    const Format& f = format_for(type, *formats);
    std::string separator = f.separator.value_or(", "), association = f.separator2.value_or(" => ");
    Formats elements = f.elements ? f.elements : container_formats();
    auto [open, close] = f.delimiters("{", "}");
    if (f.alternate) {
      if (!separator.ends_with('\n')) strip_right(separator);
      separator += '\n';
    }
    if (f.letter == 'a') {
      ListBuilder pairs(ctx.arena, v.hash->size);
      for (const auto& e : v.hash->entries()) {
        Value pair[] = {e.key, e.value};
        pairs.add(make_list(ctx.arena, pair));
      }
      Value list = pairs.finish();
      return convert(infer_detailed(ctx, list), list, formats, indentation);
    }
    if (f.letter != 'h' && f.letter != 's' && f.letter != 'p') bad_letter("Hash", f, "hasp");
    indentation.indenting = f.alternate || indentation.indenting;
    std::string out;
    if (indentation.breaks()) out += "\n" + indentation.padding();
    Indentation inner = indentation.increased();
    std::string padding = f.alternate ? inner.padding() : "";
    out += open;
    if (f.alternate) out += '\n';
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += separator;
      first = false;
      out += padding + convert(infer_detailed(ctx, e.key), e.key, container(e.key) ? formats : elements, inner);
      out += association + convert(infer_detailed(ctx, e.value), e.value, container(e.value) ? formats : elements, inner);
    }
    if (f.alternate) out += "\n" + indentation.padding();
    return out.append(close);
  }
};

} // namespace

std::string format_value(TypeContext& ctx, const Value& v, const Value& format) {
  const Type* type = infer_detailed(ctx, v);
  Formats formats = default_formats();
  if (format.is_string()) {
    auto own = std::make_shared<FormatMap>();
    const Type* key = is_assignable(ctx, types::array(), type)  ? types::array()
                      : is_assignable(ctx, types::hash(), type) ? types::hash()
                                                                : type;
    own->entries.emplace_back(key, Format::parse(format.str()));
    formats = Merger(ctx).merge(formats, own);
  } else if (format.is_hash()) {
    formats = Merger(ctx).merge(formats, read_formats(ctx, format));
  } else if (!format.is(Kind::Default)) {
    fail_conversion(
        fmt::format("string conversion expects a Default value or a Hash of type to format mappings, got a '{}'", ruby_class_name(format)));
  }
  return Converter(ctx).convert(type, v, formats, {});
}

} // namespace pupc::compiler
