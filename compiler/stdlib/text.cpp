// stdlib functions on texts, numbers and booleans, and assert_private.
#include "catalog/base/limits.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/iteration.h"
#include "compiler/function/mersenne_twister.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The value of a fact by a dotted path ("os.family"; quote a segment that contains dots). Undef when there is no such fact.
Value fact(FunctionCall& c) {
  Value at;
  if (!c.evaluator.lookup_variable("facts", c.frame, at)) return Value::undef();
  std::string_view path = c.args[0].str();
  std::string walked;
  for (size_t i = 0; i < path.size();) {
    std::string_view segment;
    if (path[i] == '"') {
      size_t close = std::min(path.find('"', i + 1), path.size());
      segment = path.substr(i + 1, close - i - 1);
      i = close + 1;
    } else if (path[i] == '.') {
      ++i;
      continue;
    } else {
      size_t end = std::min(path.find_first_of(".\"", i), path.size());
      segment = path.substr(i, end - i);
      i = end;
    }
    if (at.is_undef()) return at;
    if (at.is_list()) {
      bool digits = !segment.empty() && segment.find_first_not_of("0123456789") == std::string_view::npos;
      if (!digits) {
        c.evaluator.log(LogLevel::Warning, "",
                        fmt::format("fact request for {} returning nil: '{}' is an array; cannot index to '{}'", path, walked, segment));
        return Value::undef();
      }
      auto n = static_cast<size_t>(ruby_to_i(Value::string(segment)));
      at = n < at.items().size() ? at.items()[n] : Value::undef();
    } else if (at.is_hash()) {
      const Value* found = at.hash->find(segment);
      at = found != nullptr ? *found : Value::undef();
    } else {
      c.evaluator.log(
          LogLevel::Warning, "",
          fmt::format("fact request for {} returning nil: '{}' is not a collection; cannot walk to '{}'", path, walked, segment));
      return Value::undef();
    }
    walked += (walked.empty() ? "" : ".") +
              (segment.find('.') == std::string_view::npos ? std::string(segment) : fmt::format("\"{}\"", segment));
  }
  return at;
}

Value variable_or_undef(FunctionCall& c, std::string_view name) {
  Value v;
  return c.evaluator.lookup_variable(name, c.frame, v) ? v : Value::undef();
}

Value assert_private(FunctionCall& c) {
  if (c.size() > 1) c.fail(fmt::format("assert_private(): Wrong number of arguments given ({}}}) for 0 or 1)", c.size()));
  Value own = variable_or_undef(c, "module_name"), caller = variable_or_undef(c, "caller_module_name");
  if (eql(own, caller)) return Value::undef();
  if (c.size() == 1 && c.args[0].is_string()) c.fail(std::string(c.args[0].str()));
  const Scope& scope = *c.frame.scope;
  c.fail(fmt::format("{} {} is private", scope.kind == ScopeKind::Define ? "Definition" : "Class", scope.class_name));
}

/// The place of the warning in the file of stdlib's `deprecation`: "location: FILE:LINE:in `deprecation'". Puppet prints it as the place
/// of the deprecated call, because it knows no place in Puppet code. Empty when the file does not contain the warning.
std::string place_of_warning(const FunctionCall& c) {
  if (c.file == nullptr || c.file->old_api()) return {};
  const auto text = c.evaluator.environment().read_file(c.file->path());
  const size_t at = text == nullptr ? std::string::npos : text->find("Puppet.deprecation_warning(");
  if (at == std::string::npos) return {};
  return fmt::format("location: {}:{}:in `deprecation'", c.file->path(),
                     1 + std::count(text->begin(), text->begin() + static_cast<ptrdiff_t>(at), '\n'));
}

/// stdlib's `deprecation`: an error with strict=error, a warning once per key with strict=warning. If the third argument is false (since
/// stdlib 9.2), it is always a warning.
Value deprecation(FunctionCall& c) {
  // Ruby prints the two innermost entries of the call stack as arrays, and a missing one as nothing.
  std::string places[2];
  size_t known = 0;
  for (const CallPlace& place : innermost_calls(c.evaluator, 2)) places[known++] = fmt::format("[\"{}\", {}]", place.file, place.line);
  std::string_view key = c.args[0].str();
  std::string message = fmt::format("{} at {}:{}", c.args[1].str(), places[0], places[1]);
  const bool by_strictness = !c.arg(2).is_bool() || c.args[2].b;
  const Strict strict = c.evaluator.settings().strict;
  if (by_strictness && strict == Strict::Off) return Value::undef();
  if (by_strictness && strict == Strict::Error) c.fail(fmt::format("deprecation. {}. {}", key, message));
  const char* silent = std::getenv("STDLIB_LOG_DEPRECATIONS");
  if (silent != nullptr && std::string_view(silent) == "false") return Value::undef();
  if (!c.evaluator.settings().tell_deprecations) return Value::undef();
  const std::string once = fmt::format("deprecation-{}", key);
  if (const std::string place = place_of_warning(c); !place.empty())
    c.evaluator.warn_once(once, {}, fmt::format("{}\n   ({})", message, place));
  else
    c.warn_once(once, std::move(message));
  return Value::undef();
}

bool str2bool_of(FunctionCall& c, const Value& v) {
  if (v.is_bool()) return v.b;
  if (!v.is_string()) c.fail("str2bool(): Requires string to work with");
  int b = boolean_text(v.str());
  if (b < 0) c.fail("str2bool(): Unknown type of boolean given");
  return b == 1;
}
Value str2bool(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c);
  return Value::boolean(str2bool_of(c, legacy_argument(c, 0)));
}
Value bool2num(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c);
  return Value::integer(c.call_old("str2bool", {legacy_argument(c, 0)}).truthy() ? 1 : 0);
}
Value bool2str(FunctionCall& c) {
  if (c.size() != 1 && c.size() != 3) wrong_count(c, "3");
  Value yes = c.size() == 3 ? legacy_argument(c, 1) : Value::string("true"),
        no = c.size() == 3 ? legacy_argument(c, 2) : Value::string("false");
  if (yes.is_bool() && !yes.b) yes = Value::string("true");
  if (no.is_bool() && !no.b) no = Value::string("false");
  if (!c.args[0].is_bool()) c.fail("bool2str(): Requires a boolean to work with");
  if (!yes.is_string() || !no.is_string()) c.fail("bool2str(): Requires strings to convert to");
  return c.args[0].b ? yes : no;
}
bool num2bool_of(FunctionCall& c, const Value& v) {
  if (v.is_int()) return v.i > 0;
  if (v.is_float()) return v.d >= 1; // Ruby compares the whole part
  if (!v.is_string()) return ruby_to_i(Value::string(c.arena().copy(ruby_to_s(c.types(), v)))) > 0;
  double d = 0;
  if (!ruby_float(v.str(), d))
    c.fail(fmt::format("num2bool(): '{}' does not look like a number: invalid value for Float(): {}", v.str(), ruby_inspect(c.types(), v)));
  return d >= 1;
}
Value num2bool(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  return Value::boolean(num2bool_of(c, legacy_argument(c, 0)));
}
Value any2bool(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c);
  Value v = legacy_argument(c, 0);
  if (v.is_bool()) return v;
  double d = 0;
  if (v.is_undef()) return Value::boolean(false);
  if (v.is_number() || (v.is_string() && ruby_float(v.str(), d))) return c.call_old("num2bool", {v});
  return v.is_string() ? c.call_old("str2bool", {v}) : Value::boolean(true);
}

// -- file names

std::string_view trim_slashes(std::string_view s) {
  while (s.size() > 1 && s.ends_with('/')) s.remove_suffix(1);
  return s;
}
Value basename(FunctionCall& c) {
  if (c.size() == 0) c.fail("basename(): No arguments given");
  if (c.size() > 2) c.fail(fmt::format("basename(): Too many arguments given ({})", c.size()));
  Value path = legacy_argument(c, 0);
  if (!path.is_string()) c.fail("basename(): Requires string as first argument");
  std::string_view name = trim_slashes(path.str());
  if (name.size() > 1) name = name.substr(name.rfind('/') + 1);
  if (c.size() == 2) {
    Value suffix = legacy_argument(c, 1);
    if (!suffix.is_string()) c.fail("basename(): Requires string as second argument");
    std::string_view s = suffix.str();
    if (s == ".*") {
      if (size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
    } else if (name.size() > s.size() && name.ends_with(s)) {
      name.remove_suffix(s.size());
    }
  }
  return c.string(name);
}
Value dirname(FunctionCall& c) {
  if (c.size() == 0) c.fail("dirname(): No arguments given");
  if (c.size() > 1) c.fail(fmt::format("dirname(): Too many arguments given ({})", c.size()));
  Value path = legacy_argument(c, 0);
  if (!path.is_string()) c.fail("dirname(): Requires string as argument");
  if (path.str().empty()) c.fail("dirname(): Requires a non-empty string as argument");
  std::string_view s = trim_slashes(path.str());
  size_t slash = s.rfind('/');
  if (slash == std::string_view::npos) return Value::string(".");
  return c.string(trim_slashes(s.substr(0, std::max<size_t>(slash, 1))));
}
Value extname(FunctionCall& c) {
  std::string_view s = c.args[0].str();
  s = s.substr(s.rfind('/') + 1);
  size_t dot = s.rfind('.');
  if (dot == std::string_view::npos || s.find_first_not_of('.') > dot) return bytes_text(Value::string(""));
  return c.string(s.substr(dot));
}

// -- base64

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
std::string encode(std::string_view bytes, size_t line_length) {
  std::string out;
  size_t on_line = 0;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t n = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? alphabet[group >> (18 - 6 * k) & 63] : '=';
    on_line += 4;
    if (line_length != 0 && on_line >= line_length) {
      out += '\n';
      on_line = 0;
    }
  }
  if (line_length != 0 && on_line > 0) out += '\n';
  return out;
}
bool decode(std::string_view text, bool strict, std::string& out) {
  uint32_t bits = 0;
  int have = 0;
  size_t count = 0;
  for (char ch : text) {
    const char* at = ch == '\0' ? nullptr : std::char_traits<char>::find(alphabet, 64, ch);
    if (at == nullptr) {
      if (!strict && ch == '=' && count % 4 >= 2) return true; // Ruby reads no further
      if (strict && ch != '=') return false;
      count += strict;
      continue;
    }
    ++count;
    bits = bits << 6 | static_cast<uint32_t>(at - alphabet);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 255);
    }
  }
  return !strict || count % 4 == 0;
}
void replace_all(std::string& s, char from, char to) {
  for (char& ch : s)
    if (ch == from) ch = to;
}
Value base64(FunctionCall& c) {
  if (c.size() < 2) c.fail(fmt::format("base64(): Wrong number of arguments ({}; must be >= 2)", c.size()));
  Value action = legacy_argument(c, 0), text = legacy_argument(c, 1);
  std::string_view verb = action.is_string() ? action.str() : std::string_view();
  if (verb != "encode" && verb != "decode") c.fail("base64(): the first argument must be one of 'encode' or 'decode'");
  if (!text.is_string()) c.fail("base64(): the second argument must be a string to base64");
  Value method = c.size() > 2 ? legacy_argument(c, 2) : Value::string("default");
  std::string_view how = method.is_string() ? method.str() : std::string_view();
  if (how != "default" && how != "strict" && how != "urlsafe")
    c.fail("base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'");
  if (verb == "encode") {
    std::string out = encode(text.str(), how == "default" ? 60 : 0);
    if (how == "urlsafe") {
      replace_all(out, '+', '-');
      replace_all(out, '/', '_');
    }
    return c.string(out);
  }
  std::string given(text.str()), out;
  if (how == "urlsafe") {
    replace_all(given, '-', '+');
    replace_all(given, '_', '/');
    while (given.size() % 4 != 0) given += '=';
  }
  if (!decode(given, how != "default", out)) c.fail("invalid base64");
  return bytes_text(c.string(out));
}

// -- shell, regex, case

std::string shell_escaped(std::string_view s) {
  if (s.empty()) return "''";
  std::string out;
  for (char ch : s) {
    if (ch == '\n') {
      out += "'\n'";
      continue;
    }
    bool plain = std::isalnum(static_cast<unsigned char>(ch)) || std::string_view("_-.,:+/@").find(ch) != std::string_view::npos ||
                 (static_cast<unsigned char>(ch) & 0xc0) == 0x80;
    if (!plain) out += '\\';
    out += ch;
  }
  return out;
}
Value shell_escape(FunctionCall& c) { return c.string(shell_escaped(ruby_to_s(c.types(), c.args[0]))); }
Value shell_join(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  Value list = legacy_argument(c, 0);
  if (!list.is_list()) c.fail(fmt::format("First argument is not an Array: {}", ruby_inspect(c.types(), list)));
  std::string out;
  for (const Value& v : list.items()) out += (out.empty() ? "" : " ") + shell_escaped(ruby_to_s(c.types(), v));
  return c.string(out);
}
Value batch_escape(FunctionCall& c) {
  std::string out = "\"";
  for (char ch : ruby_to_s(c.types(), c.args[0])) {
    if (ch == '"') out += '"';
    if (ch == '$' || ch == '\\') out += '\\';
    out += ch;
  }
  return c.string(out + "\"");
}
std::string regex_escaped(std::string_view s) {
  std::string out;
  for (char ch : s) {
    switch (ch) {
    case '\n': out += "\\n"; continue;
    case '\t': out += "\\t"; continue;
    case '\r': out += "\\r"; continue;
    case '\f': out += "\\f"; continue;
    case '\v': out += "\\v"; continue;
    default: break;
    }
    if (std::string_view("[]{}()|-*.\\?+^$# ").find(ch) != std::string_view::npos) out += '\\';
    out += ch;
  }
  return out;
}
std::string swapped_case(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    size_t begin = i;
    bool valid = true;
    next_code_point(s, i, valid);
    std::string_view one = s.substr(begin, i - begin);
    std::string up = upcase(one);
    out += up != one ? up : downcase(one);
  }
  return out;
}
template <std::string (*Operation)(std::string_view)> Value text_or_array(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c);
  Value v = legacy_argument(c, 0);
  if (v.is_string()) return c.string(Operation(v.str()));
  if (!v.is_list()) c.fail(fmt::format("{}(): Requires either array or string to work with", c.name));
  ListBuilder out(c.arena());
  for (const Value& item : v.items()) out.add(item.is_string() ? c.string(Operation(item.str())) : item);
  return out.finish();
}
/// Whether a set in the syntax of Ruby's String#tr contains a character: a leading `^` negates, `a-z` is a range, a backslash takes the
/// next character literally.
bool in_character_set(const std::vector<std::string>& set, std::string_view ch) {
  size_t i = 0;
  bool negated = set.size() > 1 && set[0] == "^";
  if (negated) ++i;
  bool found = false;
  for (; i < set.size(); ++i) {
    std::string_view from = set[i];
    if (from == "\\" && i + 1 < set.size()) from = set[++i];
    if (i + 2 < set.size() && set[i + 1] == "-") { // comparing UTF-8 bytes keeps the order of characters
      found = found || (from.size() <= ch.size() && ch.size() <= set[i + 2].size() && from <= ch && ch <= set[i + 2]);
      i += 2;
    } else {
      found = found || from == ch;
    }
  }
  return found != negated;
}
Value squeeze(FunctionCall& c) {
  if (c.size() != 1 && c.size() != 2) c.fail(fmt::format("squeeze(): Wrong number of arguments given {} for 2 or 1", c.size()));
  const Value v = legacy_argument(c, 0);
  const bool has_set = c.size() == 2 && legacy_argument(c, 1).truthy();
  auto is_text = [](const Value& item) { return item.is_string(); };
  if (v.is_list() ? !std::ranges::all_of(v.items(), is_text) : !is_text(v)) return c.run_file(); // Ruby's own errors
  if (has_set && !legacy_argument(c, 1).is_string()) return c.run_file();
  std::vector<std::string> set;
  if (has_set) {
    std::vector<Value> chars;
    characters_of(legacy_argument(c, 1).str(), chars);
    for (const Value& one : chars) set.emplace_back(one.str());
  }
  auto squeezed = [&](const Value& text) -> Value {
    std::vector<Value> chars;
    characters_of(text.str(), chars);
    std::string out;
    for (size_t i = 0; i < chars.size(); ++i) {
      bool in_set = !has_set || in_character_set(set, chars[i].str());
      if (i > 0 && in_set && chars[i].str() == chars[i - 1].str()) continue;
      out += chars[i].str();
    }
    return c.string(out);
  };
  if (!v.is_list()) return squeezed(v);
  ListBuilder out(c.arena());
  for (const Value& item : v.items()) out.add(squeezed(item));
  return out.finish();
}
Value dos2unix(FunctionCall& c) {
  Value v = legacy_argument(c, 0);
  if (!v.is_string()) c.fail("dos2unix(): Requires string as argument");
  std::string out;
  for (size_t i = 0; i < v.str().size(); ++i) {
    if (v.str()[i] == '\r' && i + 1 < v.str().size() && v.str()[i + 1] == '\n') continue;
    out += v.str()[i];
  }
  return c.string(out);
}
Value unix2dos(FunctionCall& c) {
  Value v = legacy_argument(c, 0);
  if (!v.is_string()) c.fail("unix2dos(): Requires string as argument");
  std::string out;
  for (char ch : v.str()) {
    if (ch == '\n') {
      while (out.ends_with('\r')) out.pop_back();
      out += '\r';
    }
    out += ch;
  }
  return c.string(out);
}

template <bool Start> Value starts_or_ends(FunctionCall& c) {
  std::string_view s = c.args[0].str();
  for (const Value& v : as_array(c.args[1]))
    if (Start ? s.starts_with(v.str()) : s.ends_with(v.str())) return Value::boolean(true);
  return Value::boolean(false);
}

// -- numbers

Value to_bytes(FunctionCall& c) {
  if (c.size() != 1) wrong_count(c);
  Value v = legacy_argument(c, 0);
  if (v.is_number()) return v;
  if (!v.is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(v)));
  std::string_view s = v.str();
  size_t i = 0;
  while (i < s.size() && std::string_view("0123456789.e+-").find(s[i]) != std::string_view::npos) ++i;
  double number = std::strtod(std::string(s.substr(0, i)).c_str(), nullptr);
  while (i < s.size() && std::string_view(" \t\n\v\f\r").find(s[i]) != std::string_view::npos) ++i;
  size_t end = std::min(i + 1, s.size());
  while (end < s.size() && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) ++end;
  const std::string_view prefix = i < s.size() && s[i] != 'b' && s[i] != 'B' ? s.substr(i, end - i) : std::string_view();
  static constexpr std::string_view prefixes = "kMGTPE";
  size_t power = prefix.empty() ? 0 : prefixes.find(prefix) + 1;
  if (!prefix.empty() && power == 0) c.fail(fmt::format("to_bytes(): Unknown prefix {}", prefix));
  const double bytes = std::ldexp(number, static_cast<int>(10 * power));
  // 2^63 is the first number beyond 64 bits; Ruby's own would go on.
  if (!(bytes >= -0x1p63 && bytes < 0x1p63)) c.fail(fmt::format("to_bytes(): '{}' is more than 64 bits can hold", s));
  return Value::integer(static_cast<int64_t>(bytes));
}
Value clamp(FunctionCall& c) {
  std::vector<Value> flat;
  for (const Value& v : legacy_arguments(c)) flatten_into(v, flat);
  if (flat.size() != 3) c.fail("clamp(): Wrong number of arguments, need three to clamp");
  // Ruby's own errors.
  if (std::any_of(flat.begin(), flat.end(),
                  [](const Value& v) { return !v.is_string() && !v.is_number() && !v.is_undef() && !v.is_hash(); }))
    return c.run_file();
  std::vector<int64_t> numbers;
  for (const Value& v : flat) {
    if (v.is_string() && !has_line_of_digits(v.str())) c.fail(fmt::format("clamp(): Required explicit numeric ({}:String)", v.str()));
    if (v.is_hash()) c.fail(fmt::format("clamp(): The Hash type is not allowed ({})", ruby_inspect(c.types(), v)));
    numbers.push_back(ruby_to_i(v));
  }
  std::sort(numbers.begin(), numbers.end());
  return Value::integer(numbers[1]);
}
Value convert_base(FunctionCall& c) {
  auto number = [&](size_t i, std::string_view which) {
    Value v = legacy_argument(c, i);
    if (!v.is_int() && !v.is_string()) c.fail(fmt::format("convert_base(): {} argument must be either a string or an integer", which));
  };
  auto checked = [&](size_t i) {
    Value v = legacy_argument(c, i);
    if (v.is_string() && !has_line_of_digits(v.str()))
      c.fail("convert_base(): First argument must be an integer or a string corresponding to an integer in base 10");
    if (!v.is_string()) return std::to_string(v.i);
    const std::string digits(v.str().substr(0, v.str().find_first_not_of("0123456789"))); // of the first line
    return digits.empty() ? std::string("0") : digits;
  };
  number(0, "First");
  number(1, "Second");
  std::string decimal = checked(0);
  checked(1);
  int64_t base = ruby_to_i(legacy_argument(c, 1));
  if (base < 2 || base > 36) c.fail("convert_base(): base must be at least 2 and must not be greater than 36");
  bool negative = decimal.starts_with('-');
  if (negative) decimal.erase(0, 1);
  // Long division, because Ruby's numbers have no limit.
  std::string out;
  do {
    int64_t rest = 0;
    std::string quotient;
    for (char ch : decimal) {
      rest = rest * 10 + (ch - '0');
      if (!quotient.empty() || rest >= base) quotient += static_cast<char>('0' + rest / base);
      rest %= base;
    }
    out.insert(out.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[rest]);
    decimal = std::move(quotient);
  } while (!decimal.empty());
  return c.string(negative ? "-" + out : out);
}
/// stdlib's is_integer.
bool integer_text(const Value& v) {
  if (!v.is_string()) return v.is_int();
  std::string_view s = v.str();
  if (s.starts_with('-')) s.remove_prefix(1);
  return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos && (s.size() == 1 || s[0] != '0');
}
Value seeded_rand(FunctionCall& c) {
  Value max = legacy_argument(c, 0), seed = legacy_argument(c, 1);
  if (!integer_text(max) || ruby_to_i(max) <= 0) c.fail("seeded_rand(): first argument must be a positive integer");
  if (!seed.is_string()) c.fail("seeded_rand(): second argument must be a string");
  return Value::integer(static_cast<int64_t>(random_below(seed.str(), static_cast<uint64_t>(ruby_to_i(max)))));
}
/// Ruby's Array#join of seeds and a count.
void join_seeds(FunctionCall& c, std::span<const Value> seeds, std::string& out) {
  for (const Value& seed : seeds) {
    if (seed.is_list() && !seed.items().empty()) {
      join_seeds(c, seed.items(), out);
      continue;
    }
    if (!seed.is_list() && !seed.is_undef()) out += ruby_to_s(c.types(), seed);
    out += ':';
  }
}
Value random_string(FunctionCall& c, int64_t length, std::string_view charset, std::span<const Value> seeds) {
  if (charset.empty()) charset = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::vector<Value> chars;
  characters_of(charset, chars);
  std::string seed, out;
  join_seeds(c, seeds, seed);
  for (int64_t n = 1; n <= length; ++n) {
    check_time();
    Value at = c.call("fqdn_rand", {Value::integer(static_cast<int64_t>(chars.size())), c.string(seed + std::to_string(n))});
    out += chars[static_cast<size_t>(at.i)].str();
  }
  return c.string(out);
}
Value stdlib_fqdn_rand_string(FunctionCall& c) {
  return random_string(c, c.args[0].i, c.arg(1).is_string() ? c.args[1].str() : std::string_view(),
                       c.args.subspan(std::min<size_t>(c.size(), 2)));
}
Value stdlib_seeded_rand(FunctionCall& c) {
  return Value::integer(static_cast<int64_t>(random_below(c.args[1].str(), static_cast<uint64_t>(c.args[0].i))));
}
Value fqdn_rand_string(FunctionCall& c) {
  if (c.size() == 0) c.fail("fqdn_rand_string(): wrong number of arguments (0 for 1)");
  int64_t length = ruby_to_i(c.args[0]);
  if (!integer_text(c.args[0]) || length <= 0) c.fail("fqdn_rand_string(): first argument must be a positive integer");
  Value set = legacy_argument(c, 1);
  if (!set.is_string()) c.fail("fqdn_rand_string(): second argument must be undef or a string");
  return random_string(c, length, set.str(), c.args.subspan(std::min<size_t>(c.size(), 2)));
}

Value is_a(FunctionCall& c) { return Value::boolean(is_instance(c.types(), as_type(c.args[1]), c.args[0])); }
Value type_of(FunctionCall& c) { return Value::type(infer_detailed(c.types(), c.arg(0))); }
Value get_module_path(FunctionCall& c) {
  if (c.size() != 1) c.fail("get_module_path(): Wrong number of arguments, expects one");
  std::string name = ruby_to_s(c.types(), legacy_argument(c, 0));
  const Module* m = c.evaluator.environment().find_module(name);
  if (m == nullptr) c.fail(fmt::format("Could not find module {} in environment {}", name, c.evaluator.environment().options().name));
  return c.string(m->path);
}

#define LEGACY(code)                                                                                                                       \
  {                                                                                                                                        \
    { "3.x", code }                                                                                                                        \
  }
const FunctionEntry stdlib_text_table[] = {
    {"fact", "Value of a fact by a dotted path, undef when there is none.", {{"String $fact_name", fact}}},
    {"private", "Fails unless the caller belongs to the same module.", LEGACY(assert_private),
     FunctionTrait::Statement | FunctionTrait::Effects},
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness.",
     {{"String $key, String $message", deprecation}},
     FunctionTrait::Statement},
    {"deprecation",
     "Marks something deprecated: an error or a warning by the strictness, or always a warning.",
     {{"String $key, String $message, Boolean $use_strict_setting?", deprecation}},
     FunctionTrait::Statement,
     "stdlib",
     "9.2"},
    {"str2bool", "Boolean of a text such as yes, no, 1, 0, true, false.", LEGACY(str2bool)},
    {"bool2num", "1 or 0 of a boolean or a text that means one.", LEGACY(bool2num)},
    {"bool2str", "Text of a boolean: true and false, or two given texts.", LEGACY(bool2str)},
    {"num2bool", "Whether a number is above zero.", LEGACY(num2bool)},
    {"any2bool", "Boolean of a boolean, number or text; true for anything else.", LEGACY(any2bool)},
    {"basename", "Last part of a path, without a suffix when given.", LEGACY(basename)},
    {"dirname", "Path without its last part.", LEGACY(dirname)},
    {"stdlib::extname", "Extension of a file name with its dot.", {{"String $filename", extname}}},
    {"base64", "Text encoded to or decoded from base64.", LEGACY(base64)},
    {"shell_escape", "Text escaped for a Bourne shell.", {{"Any $string", shell_escape}}},
    {"stdlib::shell_escape", "Text escaped for a Bourne shell.", {{"Any $string", shell_escape}}},
    {"shell_join", "Words escaped for a Bourne shell, joined with blanks.", LEGACY(shell_join)},
    {"batch_escape", "Text quoted for a batch file.", {{"Any $string", batch_escape}}},
    {"stdlib::batch_escape", "Text quoted for a batch file.", {{"Any $string", batch_escape}}},
    {"regexpescape", "Text with the special characters of regular expressions escaped.", LEGACY(text_or_array<regex_escaped>)},
    {"swapcase", "Text with upper and lower case swapped.", LEGACY(text_or_array<swapped_case>)},
    {"squeeze", "Text with runs of the same character reduced to one.", LEGACY(squeeze)},
    {"dos2unix", "Text with CR LF replaced by LF.", {{"3.x 1", dos2unix}}},
    {"unix2dos", "Text with LF replaced by CR LF.", {{"3.x 1", unix2dos}}},
    {"stdlib::start_with",
     "Whether a text starts with one of the prefixes.",
     {{"String $test_string, Variant[String[1],Array[String[1], 1]] $prefixes", starts_or_ends<true>}}},
    {"stdlib::start_with",
     "Whether a text, which may not be empty, starts with one of the prefixes.",
     {{"String[1] $test_string, Variant[String[1],Array[String[1], 1]] $prefixes", starts_or_ends<true>}},
     FunctionTrait::None,
     "stdlib",
     "6.3"},
    {"stdlib::end_with",
     "Whether a text ends with one of the suffixes.",
     {{"String $test_string, Variant[String[1],Array[String[1], 1]] $suffixes", starts_or_ends<false>}}},
    {"stdlib::end_with",
     "Whether a text, which may not be empty, ends with one of the suffixes.",
     {{"String[1] $test_string, Variant[String[1],Array[String[1], 1]] $suffixes", starts_or_ends<false>}},
     FunctionTrait::None,
     "stdlib",
     "6.3"},
    {"to_bytes", "Number of bytes of a text such as \"4 kB\".", LEGACY(to_bytes)},
    {"clamp", "The middle one of three numbers.", {{"3.x -2", clamp}}},
    {"convert_base", "Text of a number in another base.", {{"3.x 2", convert_base}}},
    {"seeded_rand", "Random number below a maximum that depends only on the seed.", {{"3.x 2", seeded_rand}}},
    {"stdlib::seeded_rand",
     "Random number below a maximum that depends only on the seed.",
     {{"Integer[1] $max, String $seed", stdlib_seeded_rand}}},
    {"fqdn_rand_string", "Random text of a length that depends on the node's name and seeds.", {{"3.x -2", fqdn_rand_string}}},
    {"stdlib::fqdn_rand_string",
     "Random text of a length that depends on the node's name and seeds.",
     {{"Integer[1] $length, Optional[String] $charset?, Any $seed*", stdlib_fqdn_rand_string}}},
    {"stdlib::fqdn_rand_string",
     "Random text of a length that depends on the node's name and seeds.",
     {{"Integer[1] $length, String $charset?, Any $seed*", stdlib_fqdn_rand_string}},
     FunctionTrait::None,
     "stdlib",
     "9.0"},
    {"is_a", "Whether a value is an instance of a type.", {{"Any $value, Type $type", is_a}}},
    {"type_of", "The inferred type of a value.", {{"Any $value", type_of}}},
    {"stdlib::type_of", "The inferred type of a value.", {{"Any $value", type_of}}},
    {"get_module_path", "Absolute path of a module.", LEGACY(get_module_path)},
};

} // namespace

FunctionTable stdlib_text_functions() { return stdlib_text_table; }

} // namespace pupc::compiler
