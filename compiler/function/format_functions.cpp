// sprintf and scanf.
#include "compiler/conversion/ruby_format.h"
#include "compiler/function/function_tables.h"
#include "compiler/types/ruby_class.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

Value sprintf_text(FunctionCall& c) {
  if (!c.args[0].is_string())
    c.fail(fmt::format("no implicit conversion of {} into String", c.args[0].is_undef()  ? "nil"
                                                                   : c.args[0].is_bool() ? (c.args[0].b ? "true" : "false")
                                                                                         : ruby_class_name(c.args[0])));
  try {
    return c.string(ruby_sprintf(c.types(), c.args[0].str(), c.args.subspan(1)));
  } catch (const FormatError& e) { c.fail(e.message); }
}

bool blank(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

/// Ruby's String#scanf for one pass over the format: collects values until the first mismatch.
class Scanner {
public:
  Scanner(FunctionCall& call, std::string_view text, std::string_view f) : c(call), s(text), format(f), out(call.arena()) {}

  Value run() {
    while (at < format.size()) {
      char ch = format[at];
      if (blank(ch)) {
        while (at < format.size() && blank(format[at])) ++at;
        skip_blanks();
      } else if (ch != '%') {
        if (i >= s.size() || s[i] != ch) break;
        ++at, ++i;
      } else if (!directive()) {
        break;
      }
    }
    return out.finish();
  }

private:
  FunctionCall& c;
  std::string_view s;
  std::string_view format;
  ListBuilder out;
  size_t at = 0, i = 0;

  void skip_blanks() {
    while (i < s.size() && blank(s[i])) ++i;
  }
  void add(bool suppressed, Value v) {
    if (!suppressed) out.add(v);
  }

  bool directive() {
    ++at; // skips the %
    bool suppressed = at < format.size() && format[at] == '*';
    if (suppressed) ++at;
    size_t width = 0;
    while (at < format.size() && format[at] >= '0' && format[at] <= '9') width = width * 10 + static_cast<size_t>(format[at++] - '0');
    size_t limit = width == 0 ? std::string_view::npos : width;
    if (at >= format.size()) return false;
    char kind = format[at++];
    switch (kind) {
    case '%':
      skip_blanks();
      if (i >= s.size() || s[i] != '%') return false;
      ++i;
      return true;
    case 'd':
    case 'u': return integer(10, limit, suppressed);
    case 'i': return integer(0, limit, suppressed);
    case 'x':
    case 'X': return integer(16, limit, suppressed);
    case 'o': return integer(8, limit, suppressed);
    case 'f':
    case 'g':
    case 'e':
    case 'a':
    case 'E':
    case 'F':
    case 'G':
    case 'A': return real(limit, suppressed);
    case 's': {
      skip_blanks();
      size_t begin = i;
      while (i < s.size() && !blank(s[i]) && i - begin < limit) ++i;
      if (i == begin) return false;
      add(suppressed, Value::string(s.substr(begin, i - begin)));
      return true;
    }
    case 'c': {
      size_t n = width == 0 ? 1 : width;
      if (i >= s.size()) return false;
      size_t end = i; // counts characters, not bytes
      for (; n > 0 && end < s.size(); --n) do
          ++end;
        while (end < s.size() && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80);
      add(suppressed, Value::string(s.substr(i, end - i)));
      i = end;
      return true;
    }
    case '[': {
      bool negated = at < format.size() && format[at] == '^';
      if (negated) ++at;
      size_t close = format.find(']', at + 1);
      if (close == std::string_view::npos) return false;
      std::string_view set = format.substr(at, close - at);
      at = close + 1;
      auto member = [&](char ch) {
        for (size_t k = 0; k < set.size(); ++k) {
          if (k + 2 < set.size() && set[k + 1] == '-') {
            if (ch >= set[k] && ch <= set[k + 2]) return true;
            k += 2;
          } else if (set[k] == ch) {
            return true;
          }
        }
        return false;
      };
      size_t begin = i;
      while (i < s.size() && member(s[i]) != negated && i - begin < limit) ++i;
      if (i == begin) return false;
      add(suppressed, Value::string(s.substr(begin, i - begin)));
      return true;
    }
    default: return false;
    }
  }

  bool integer(int base, size_t limit, bool suppressed) {
    skip_blanks();
    size_t begin = i, end = i;
    auto room = [&] { return end < s.size() && end - begin < limit; };
    bool negative = false;
    if (room() && (s[end] == '-' || s[end] == '+')) negative = s[end++] == '-';
    if ((base == 16 || base == 0) && end + 1 < s.size() && s[end] == '0' && (s[end + 1] == 'x' || s[end + 1] == 'X')) {
      base = 16;
      end += 2;
    } else if (base == 0) {
      base = end < s.size() && s[end] == '0' ? 8 : 10;
    }
    size_t digits = end;
    auto digit = [&](char ch) {
      int v = ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 99;
      return v < base;
    };
    while (room() && digit(s[end])) ++end;
    if (end == digits) return false;
    int64_t n = 0;
    if (std::from_chars(s.data() + digits, s.data() + end, n, base).ec != std::errc()) c.fail("scanf(): integer does not fit 64 bits");
    i = end;
    add(suppressed, Value::integer(negative ? -n : n));
    return true;
  }

  bool real(size_t limit, bool suppressed) {
    skip_blanks();
    std::string_view rest = s.substr(i, limit);
    size_t skip = rest.starts_with('+') ? 1 : 0;
    double d = 0;
    auto r = std::from_chars(rest.data() + skip, rest.data() + rest.size(), d);
    if (r.ec != std::errc()) return false;
    i += static_cast<size_t>(r.ptr - rest.data());
    add(suppressed, Value::floating(d));
    return true;
  }
};

Value scanf_text(FunctionCall& c) {
  Value found = Scanner(c, c.args[0].str(), c.args[1].str()).run();
  return c.block != nullptr ? c.call_block({found}) : found;
}

const FunctionEntry format_table[] = {
    {"sprintf", "Text by a format as of Ruby's sprintf; a hash gives named values.", {{"3.x -2", sprintf_text}}, FunctionTrait::OldApi},
    {"scanf",
     "Values read from a text by a format: %d %i %x %o %f %s %c %[set]; stops at the first mismatch.",
     {{"String $data, String $format, Callable &block?", scanf_text}}},
};

} // namespace

FunctionTable format_functions() { return format_table; }

} // namespace pupc::compiler
