// Functions on text: case, stripping, split, regsubst, match, join, versioncmp, shellquote.
#include "catalog/base/stack.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/function/function_tables.h"
#include "compiler/function/iteration.h"
#include "compiler/function/regex_text.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/types/core_types.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using TextOperation = std::string (*)(std::string_view);

/// Applies an operation to a text. A text without encoding stays without.
template <TextOperation Operation> Value operated(FunctionCall& c, const Value& text) {
  Value out = c.string(Operation(text.str()));
  return is_bytes_text(text) ? bytes_text(out) : out;
}

/// Applies an operation to a string, or to every string of an array or other iterable; numbers stay as they are.
template <TextOperation Operation> Value on_text(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_string()) return operated<Operation>(c, v);
  if (v.is_number()) return v;
  if (v.is_type())
    c.fail(fmt::format("{}(): a type has no elements that are texts", c.name)); // an accident of Puppet, which maps only arrays
  Elements e;
  elements_of(c, v, e);
  ListBuilder out(c.arena(), e.values.size());
  for (const Value& item : e.values) out.add(item.is_string() ? operated<Operation>(c, item) : item);
  return out.finish();
}

/// downcase and upcase also change the texts in nested arrays and hashes.
template <TextOperation Operation> Value on_data(FunctionCall& c, const Value& v) {
  if (v.is_string()) return operated<Operation>(c, v);
  return map_parts(c.arena(), v, [&](const Value& part) { return on_data<Operation>(c, part); });
}
template <TextOperation Operation> Value on_data_argument(FunctionCall& c) { return on_data<Operation>(c, c.args[0]); }

bool is_space(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

std::string lstrip(std::string_view s) {
  while (!s.empty() && (is_space(s.front()) || s.front() == '\0')) s.remove_prefix(1);
  return std::string(s);
}
std::string rstrip(std::string_view s) {
  while (!s.empty() && (is_space(s.back()) || s.back() == '\0')) s.remove_suffix(1);
  return std::string(s);
}
std::string strip(std::string_view s) { return lstrip(rstrip(s)); }
std::string chomp(std::string_view s) {
  if (s.ends_with("\r\n"))
    s.remove_suffix(2);
  else if (s.ends_with('\n') || s.ends_with('\r'))
    s.remove_suffix(1);
  return std::string(s);
}
std::string chop(std::string_view s) {
  if (s.ends_with("\r\n")) return std::string(s.substr(0, s.size() - 2));
  if (s.empty()) return {};
  size_t n = s.size() - 1;
  while (n > 0 && (static_cast<unsigned char>(s[n]) & 0xC0) == 0x80) --n;
  return std::string(s.substr(0, n));
}
std::string camelcase(std::string_view s) {
  std::string out;
  size_t at = 0;
  while (at <= s.size()) {
    size_t end = std::min(s.find('_', at), s.size());
    out += capitalize(s.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::shared_ptr<const Regex> compile(FunctionCall& c, std::string_view pattern, bool ignore_case = false, bool extended = false,
                                     bool multi_line = false) {
  try {
    return c.types().regexes.recent(pattern, ignore_case, extended, multi_line);
  } catch (const RegexError& e) { c.fail(fmt::format("{}: /{}/", e.message, pattern)); }
}

/// The pattern of a Regexp value or of a Regexp[…] type.
const Regex* pattern_of(FunctionCall& c, const Value& v) {
  if (v.is(Kind::Regex)) return v.regex;
  const Regex* regex = type_cast<RegexpType>(resolve_alias(c.types(), as_type(v))).regex;
  return regex != nullptr ? regex : c.types().regexes.get("");
}

Value split_result(FunctionCall& c, std::string_view text, const Regex& pattern) {
  ListBuilder out(c.arena());
  for (std::string_view part : split_text(text, pattern)) out.add(Value::string(part));
  return out.finish();
}
/// A pattern of one plain character needs no regular expression. A single space is plain, too: only Ruby's String#split(" ") splits at all
/// white space, and Puppet compiles the pattern first.
Value split_value(FunctionCall& c, std::string_view text, const Value& pattern) {
  if (pattern.is_string()) {
    std::string_view p = pattern.str();
    static constexpr std::string_view special = "\\^$.|?*+()[]{}#";
    if (p.size() == 1 && special.find(p[0]) == std::string_view::npos && static_cast<unsigned char>(p[0]) < 0x80) {
      std::vector<Value> out;
      size_t at = 0;
      while (at < text.size()) {
        size_t end = std::min(text.find(p[0], at), text.size());
        out.push_back(Value::string(text.substr(at, end - at)));
        at = end + 1;
      }
      while (!out.empty() && out.back().str().empty()) out.pop_back();
      return make_list(c.arena(), out);
    }
    return split_result(c, text, *compile(c, p));
  }
  return split_result(c, text, *pattern_of(c, pattern));
}
Value split(FunctionCall& c) { return split_value(c, c.args[0].str(), c.args[1]); }
Value split_sensitive(FunctionCall& c) { return Value::sensitive(c.arena(), split_value(c, c.args[0].unwrap().str(), c.args[1])); }

Value regsubst_one(FunctionCall& c, const Value& target, const Regex& pattern, bool global) {
  const Value& replacement = c.args[2];
  return c.string(replacement.is_hash() ? substitute(target.str(), pattern, *replacement.hash, global)
                                        : substitute(target.str(), pattern, replacement.str(), global));
}
Value regsubst_target(FunctionCall& c, const Value& target, const Regex& pattern, bool global) {
  if (target.is(Kind::Sensitive)) return Value::sensitive(c.arena(), regsubst_target(c, target.unwrap(), pattern, global));
  if (!target.is_list()) return regsubst_one(c, target, pattern, global);
  ListBuilder out(c.arena());
  for (const Value& item : target.items())
    out.add(item.is(Kind::Sensitive) ? Value::sensitive(c.arena(), regsubst_one(c, item.unwrap(), pattern, global))
                                     : regsubst_one(c, item, pattern, global));
  return out.finish();
}
Value regsubst_string(FunctionCall& c) {
  std::string_view flags = c.given(3) && c.args[3].is_string() ? c.args[3].str() : std::string_view();
  auto has = [&](char f) { return flags.find(f) != std::string_view::npos; };
  if (c.given(4))
    c.warn_once("regsubst_function_encoding",
                "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release");
  return regsubst_target(c, c.args[0], *compile(c, c.args[1].str(), has('I'), has('E'), has('M')), has('G'));
}
Value regsubst_regexp(FunctionCall& c) {
  bool global = c.given(3) && c.args[3].is_string() && c.args[3].str() == "G";
  return regsubst_target(c, c.args[0], *pattern_of(c, c.args[1]), global);
}

Value groups_of(FunctionCall& c, std::string_view text, const Regex& pattern) {
  MatchResult m = pattern.search(text);
  if (!m.matched) return Value::undef();
  ListBuilder out(c.arena());
  for (const auto& g : m.groups)
    out.add(g.begin < 0 ? Value::undef() : Value::string(text.substr(static_cast<size_t>(g.begin), static_cast<size_t>(g.end - g.begin))));
  return out.finish();
}
Value match_pattern(FunctionCall& c, std::string_view text, const Value& pattern) {
  if (pattern.is_string()) return groups_of(c, text, *compile(c, pattern.str()));
  if (pattern.is(Kind::Regex)) return groups_of(c, text, *pattern.regex);
  if (pattern.is_list()) {
    for (const Value& p : pattern.items())
      if (Value r = match_pattern(c, text, p); !r.is_undef()) return r;
    return Value::undef();
  }
  if (const Type* t = as_type(pattern)) {
    t = resolve_alias(c.types(), t);
    std::vector<Value> inner;
    if (t->kind == TypeKind::Regexp) {
      if (type_cast<RegexpType>(t).regex == nullptr) c.fail("Given Regexp Type has no regular expression");
      return groups_of(c, text, *type_cast<RegexpType>(t).regex);
    }
    if (t->kind == TypeKind::Pattern)
      for (const Regex* r : type_cast<PatternType>(t).patterns) inner.push_back(Value::of(r));
    if (t->kind == TypeKind::Variant)
      for (const Type* one : type_cast<VariantType>(t).types) inner.push_back(Value::type(one));
    if (t->kind == TypeKind::Pattern || t->kind == TypeKind::Variant) return match_pattern(c, text, make_list(c.arena(), inner));
  }
  c.fail(fmt::format("match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {}",
                     ruby_class_name(pattern)));
}
Value match(FunctionCall& c) { return match_pattern(c, c.args[0].str(), c.args[1]); }
Value match_array(FunctionCall& c) {
  ListBuilder out(c.arena());
  for (const Value& s : c.args[0].items()) out.add(match_pattern(c, s.str(), c.args[1]));
  return out.finish();
}

int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  int r = a.compare(b);
  return r < 0 ? -1 : r > 0 ? 1 : 0;
}
int sign(int v) { return v < 0 ? -1 : v > 0 ? 1 : 0; }

/// Splits a version into pieces: "-", ".", runs of digits, and runs of anything else.
std::vector<std::string_view> version_pieces(std::string_view s) {
  std::vector<std::string_view> out;
  auto digit = [](char ch) { return ch >= '0' && ch <= '9'; };
  for (size_t i = 0; i < s.size();) {
    size_t end = i + 1;
    if (digit(s[i]))
      while (end < s.size() && digit(s[end])) ++end;
    else if (s[i] != '-' && s[i] != '.')
      while (end < s.size() && !digit(s[end]) && s[end] != '-' && s[end] != '.') ++end;
    out.push_back(s.substr(i, end - i));
    i = end;
  }
  return out;
}

/// "1.10.0-1" -> "1.1-1": drops points and zeros at the end of the part before the first dash.
std::string without_trailing_zeroes(std::string_view version) {
  size_t dash = std::min(version.find('-'), version.size());
  std::string_view head = version.substr(0, dash);
  size_t last = head.find_last_not_of(".0");
  std::string out(head.substr(0, last == std::string_view::npos ? 0 : last + 1));
  std::string_view tail = version.substr(dash);
  while (tail.ends_with('-')) tail.remove_suffix(1); // a split at dashes loses empty parts at the end
  return out.append(tail);
}

/// Puppet's version comparison. The first two pieces whose texts differ decide, even if they differ only in case.
int compare_versions(std::string_view a, std::string_view b) {
  auto x = version_pieces(a), y = version_pieces(b);
  auto number = [](std::string_view s) { return s[0] >= '0' && s[0] <= '9'; };
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    std::string_view p = x[i], q = y[i];
    if (p == q) continue;
    if (p == "-") return -1;
    if (q == "-") return 1;
    if (p == ".") return -1;
    if (q == ".") return 1;
    if (number(p) && number(q) && p[0] != '0' && q[0] != '0') return compare_digits(p, q);
    return sign(upcase(p).compare(upcase(q)));
  }
  return sign(a.compare(b));
}
Value versioncmp(FunctionCall& c) {
  std::string a(c.args[0].str()), b(c.args[1].str());
  if (c.given(2) && c.args[2].b) {
    a = without_trailing_zeroes(a);
    b = without_trailing_zeroes(b);
  }
  return Value::integer(compare_versions(a, b));
}

/// Ruby's Array#join: nested arrays are joined with the same separator, and an empty array is an empty text.
void join_into(FunctionCall& c, std::span<const Value> items, std::string_view separator, std::string& out) {
  check_native_stack();
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& v = items[i];
    if (i > 0) out += separator;
    if (v.is_string())
      out += v.str();
    else if (v.is_list())
      join_into(c, v.items(), separator, out);
    else if (v.is(Kind::Regex)) // Regexp#to_s
      out += fmt::format(
          "(?{}{}{}{}:{})", v.regex->multi_line() ? "m" : "", v.regex->ignore_case() ? "i" : "", v.regex->extended() ? "x" : "",
          v.regex->multi_line() && v.regex->ignore_case() && v.regex->extended()
              ? ""
              : fmt::format("-{}{}{}", v.regex->multi_line() ? "" : "m", v.regex->ignore_case() ? "" : "i", v.regex->extended() ? "" : "x"),
          v.regex->source());
    else if (!v.is_undef())
      out += ruby_to_s(c.types(), v);
  }
}
Value join(FunctionCall& c) {
  std::string out;
  join_into(c, c.args[0].items(), c.given(1) ? c.args[1].str() : std::string_view(), out);
  return c.string(out);
}

Value shellquote(FunctionCall& c) {
  static constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
  static constexpr std::string_view dangerous = "!\"`$\\";
  std::string out;
  std::vector<Value> words;
  for (const Value& v : c.args) flatten_into(v, words);
  for (const Value& v : words) {
    if (v.is_hash()) c.fail("no implicit conversion of Hash into String");
    if (!v.is_string())
      c.fail(fmt::format("Can't shellquote the value of type {}: {}", type_name_of(c.types(), v), to_program_string(c.types(), v)));
    std::string_view word = v.str();
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(safe) == std::string_view::npos) {
      out += word;
    } else if (word.find_first_of(dangerous) == std::string_view::npos) {
      out.append("\"").append(word).append("\"");
    } else if (word.find('\'') == std::string_view::npos) {
      out.append("'").append(word).append("'");
    } else {
      out += '"';
      for (char ch : word) {
        if (dangerous.find(ch) != std::string_view::npos) out += '\\';
        out += ch;
      }
      out += '"';
    }
  }
  return c.string(out);
}
#define TEXT_ENTRY(name, operation, doc)                                                                                                   \
  {                                                                                                                                        \
    name, doc, {                                                                                                                           \
      {"Numeric $arg", on_text<operation>}, {"String $arg", on_text<operation>}, {                                                         \
        "Iterable[Variant[String, Numeric]] $arg", on_text<operation>                                                                      \
      }                                                                                                                                    \
    }                                                                                                                                      \
  }

const FunctionEntry string_table[] = {
    TEXT_ENTRY("capitalize", capitalize,
               "Text with its first character in upper case and the rest in lower case; also element by element."),
    TEXT_ENTRY("camelcase", camelcase, "Text with its parts between underscores capitalised and joined; also element by element."),
    TEXT_ENTRY("chomp", chomp, "Text without one line end; also element by element."),
    TEXT_ENTRY("chop", chop, "Text without its last character (or its last CR LF); also element by element."),
    TEXT_ENTRY("lstrip", lstrip, "Text without leading white space; also element by element."),
    TEXT_ENTRY("rstrip", rstrip, "Text without trailing white space; also element by element."),
    TEXT_ENTRY("strip", strip, "Text without white space around it; also element by element."),
    {"downcase",
     "Text in lower case; also in nested arrays and hashes.",
     {{"Numeric $arg", on_data_argument<downcase>},
      {"String $arg", on_data_argument<downcase>},
      {"Array[StringData] $arg", on_data_argument<downcase>},
      {"Hash[StringData, StringData] $arg", on_data_argument<downcase>}}},
    {"upcase",
     "Text in upper case; also in nested arrays and hashes.",
     {{"Numeric $arg", on_data_argument<upcase>},
      {"String $arg", on_data_argument<upcase>},
      {"Array[StringData] $arg", on_data_argument<upcase>},
      {"Hash[StringData, StringData] $arg", on_data_argument<upcase>}}},
    {"split",
     "Parts of a text between the matches of a pattern; empty parts at the end are dropped, groups are included.",
     {{"String $str, String $pattern", split},
      {"String $str, Regexp $pattern", split},
      {"String $str, Type[Regexp] $pattern", split},
      {"Sensitive[String] $sensitive, String $pattern", split_sensitive},
      {"Sensitive[String] $sensitive, Regexp $pattern", split_sensitive},
      {"Sensitive[String] $sensitive, Type[Regexp] $pattern", split_sensitive}}},
    {"regsubst",
     "Text (or every text of an array) with the first match of a pattern replaced, or all with the flag G. Flags: E extended, I ignore "
     "case, M multi-line, G global.",
     {{"Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive["
       "String]]] $target, "
       "String $pattern, Variant[String,Hash[String,String]] $replacement, Optional[Pattern[/^[GEIM]*$/]] $flags?, Enum['N','E','S','U'] "
       "$encoding?",
       regsubst_string},
      {"Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],Variant[String,Sensitive["
       "String]]] $target, "
       "Variant[Regexp,Type[Regexp]] $pattern, Variant[String,Hash[String,String]] $replacement, Pattern[/^G?$/] $flags?",
       regsubst_regexp}}},
    {"match",
     "The match and its groups as an array, or undef; for an array of texts an array of that.",
     {{"String $string, Variant[Any, Type] $pattern", match}, {"Array[String] $string, Variant[Any, Type] $pattern", match_array}}},
    {"join",
     "The elements of an array as one text, with a delimiter between them; nested arrays are flattened.",
     {{"Array $arg, String $delimiter?", join}}},
    {"versioncmp",
     "-1, 0 or 1: order of two version texts.",
     {{"String $a, String $b, Boolean $ignore_trailing_zeroes?", versioncmp}},
     FunctionTrait::OldApi},
    {"shellquote", "The arguments quoted for a Bourne shell, with blanks between.", {{"3.x", shellquote}}, FunctionTrait::OldApi},
};

} // namespace

FunctionTable string_functions() { return string_table; }

} // namespace pupc::compiler
