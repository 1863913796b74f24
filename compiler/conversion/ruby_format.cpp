#include "compiler/conversion/ruby_format.h"

#include "catalog/value/number_format.h"
#include "catalog/value/unicode_case.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/types/ruby_class.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace pupc::compiler {
namespace {

/// The text with bytes above 127 escaped, as Ruby's error message shows it.
std::string bytewise(std::string_view text) {
  std::string out;
  for (char ch : text) {
    if (static_cast<unsigned char>(ch) < 0x80)
      out += ch;
    else
      out += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(ch)));
  }
  return out;
}

/// Ruby makes the digits of `%e`, `%f` and `%g` with floating-point numbers first. Where what is left over is too near to a half for them
/// to say on which side it is, an even digit stays and an odd one is rounded up, whatever the number's own digits say: 12.345 is 12.34.
/// Answers a number that libc, which is exact, rounds to the same digits.
double as_ruby_rounds(double value, char ch, int precision) {
  constexpr int most_digits = 14;
  if (precision < 0) precision = 6;
  if (value == 0 || !std::isfinite(value) || precision > 400) return value;
  const double size = std::fabs(value);
  int binary = 0;
  const double mantissa = 2 * std::frexp(size, &binary); // from 1 to below 2
  const double estimate = (mantissa - 1.5) * 0.289529654602168 + 0.1760912590558 + (binary - 1) * 0.301029995663981;
  auto place = static_cast<int>(std::floor(estimate)); // of the first digit, or one too high
  constexpr std::array tens{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool certain = place >= 0 && place < static_cast<int>(tens.size());
  if (certain && size < tens[static_cast<size_t>(place)]) --place;
  const bool fixed = ch == 'f';
  int digits = fixed ? precision + place + 1 : ch == 'g' || ch == 'G' ? std::max(precision, 1) : precision + 1;
  if (digits < 0 || digits > most_digits) return value;

  double scaled = size, errors = 2;
  const auto exponent = static_cast<unsigned>(std::abs(place));
  double high = place > 0 ? tens[exponent & 15U] : 1;
  if (place < 0) scaled *= tens[exponent & 15U];
  double power = 1e16;
  for (unsigned left = exponent >> 4U; left != 0; left >>= 1U, power *= power) {
    if ((left & 1U) == 0) continue;
    ++errors;
    (place > 0 ? high : scaled) *= power;
  }
  if (place > 0) scaled /= high;
  if (!certain && scaled < 1 && digits > 0) {
    if (fixed) --digits;
    if (digits <= 0) return value;
    --place;
    scaled *= 10;
    ++errors;
  }
  if (digits == 0) return value;
  double unsure = std::ldexp(errors * scaled + 7, -52) * tens[static_cast<size_t>(digits - 1)];
  int last = 0;
  for (int i = 1;; ++i, scaled *= 10) {
    last = static_cast<int>(scaled);
    scaled -= last;
    if (scaled == 0) return value;
    if (i == digits) break;
  }
  if (scaled > 0.5 + unsure || scaled < 0.5 - unsure) return value;
  const double quarter = std::pow(10.0, place - digits + 1) / 4;
  return std::copysign(last % 2 != 0 ? size + quarter : size - quarter, value);
}

/// Ruby's integers have no bounds: the digits of a float or of a text may need more than 64 bits.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

struct Spec {
  bool space = false, alternate = false, plus = false, left = false, zero = false;
  int width = -1;
  int precision = -1;
};

size_t characters(std::string_view s) {
  size_t n = 0;
  for (char ch : s) n += (static_cast<unsigned char>(ch) & 0xC0) != 0x80;
  return n;
}

std::string first_characters(std::string_view s, size_t n) {
  size_t i = 0;
  while (i < s.size() && n > 0) {
    ++i;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    --n;
  }
  return std::string(s.substr(0, i));
}

std::string padded(const Spec& spec, std::string text) {
  size_t n = characters(text);
  if (spec.width < 0 || n >= static_cast<size_t>(spec.width)) return text;
  std::string pad(static_cast<size_t>(spec.width) - n, ' ');
  return spec.left ? text + pad : pad + text;
}

/// sign + prefix + zeroes + digits, padded to the width.
std::string number_text(const Spec& spec, std::string_view sign, std::string_view prefix, std::string digits, bool zero_fill) {
  size_t used = sign.size() + prefix.size() + digits.size();
  if (zero_fill && !spec.left && spec.width > 0 && used < static_cast<size_t>(spec.width))
    digits.insert(0, static_cast<size_t>(spec.width) - used, '0');
  std::string out;
  out.append(sign).append(prefix).append(digits);
  return padded(spec, std::move(out));
}

class Formatter {
public:
  Formatter(TypeContext& t, std::string_view f, std::span<const Value> a) : types(t), format(f), args(a) {}

  std::string run() {
    while (at < format.size()) {
      char ch = format[at++];
      if (ch != '%') {
        out += ch;
        continue;
      }
      directive();
    }
    return std::move(out);
  }

private:
  TypeContext& types;
  std::string_view format;
  std::span<const Value> args;
  std::string out;
  size_t at = 0;
  size_t next = 0;
  enum class Mode : uint8_t { None, Sequential, Positional, Named } mode = Mode::None;

  [[noreturn]] void malformed(char ch) { throw FormatError{fmt::format("malformed format string - %{}", ch)}; }

  const Value& take() {
    if (mode == Mode::Positional) throw FormatError{fmt::format("unnumbered({}) mixed with numbered", next + 1)};
    if (mode == Mode::Named) throw FormatError{fmt::format("unnumbered({}) mixed with named", next + 1)};
    mode = Mode::Sequential;
    if (next >= args.size()) throw FormatError{"too few arguments"};
    return args[next++];
  }
  const Value& position(int n) {
    if (mode == Mode::Sequential) throw FormatError{fmt::format("numbered({}) after unnumbered({})", n, next)};
    if (mode == Mode::Named) throw FormatError{fmt::format("numbered({}) after named", n)};
    mode = Mode::Positional;
    if (n < 1) throw FormatError{fmt::format("invalid index - {}$", n)};
    if (static_cast<size_t>(n) > args.size()) throw FormatError{"too few arguments"};
    return args[static_cast<size_t>(n - 1)];
  }
  const Value& named(std::string_view name, char open, char close) {
    if (mode == Mode::Sequential) throw FormatError{fmt::format("named{}{}{} after unnumbered({})", open, name, close, next)};
    if (mode == Mode::Positional) throw FormatError{fmt::format("named{}{}{} after numbered", open, name, close)};
    mode = Mode::Named;
    if (args.size() != 1 || !args[0].is_hash()) throw FormatError{"one hash required"};
    const Value* v = args[0].hash->find(name);
    if (v == nullptr) throw FormatError{fmt::format("key{}{}{} not found", open, name, close)};
    return *v;
  }

  int number() {
    int64_t n = 0;
    while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
      n = n * 10 + (format[at++] - '0');
      if (n > INT32_MAX) throw FormatError{"width too big"};
    }
    if (at >= format.size()) throw FormatError{"malformed format string - %*[0-9]"};
    return static_cast<int>(n);
  }

  void directive() {
    Spec spec;
    const Value* value = nullptr;
    if (at >= format.size()) throw FormatError{"incomplete format specifier; use %% (double %) instead"};
    while (at < format.size()) {
      char ch = format[at];
      switch (ch) {
      case ' ':
        spec.space = true;
        ++at;
        continue;
      case '#':
        spec.alternate = true;
        ++at;
        continue;
      case '+':
        spec.plus = true;
        ++at;
        continue;
      case '-':
        spec.left = true;
        ++at;
        continue;
      case '0':
        spec.zero = true;
        ++at;
        continue;
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        int n = number();
        if (format[at] == '$') {
          if (value != nullptr) throw FormatError{fmt::format("value given twice - {}$", n)};
          value = &position(n);
          ++at;
        } else {
          if (spec.width >= 0) throw FormatError{"width given twice"};
          spec.width = n;
        }
        continue;
      }
      case '*': {
        ++at;
        int n = small(take());
        if (n < 0) {
          spec.left = true;
          n = -n;
        }
        spec.width = n;
        continue;
      }
      case '.': {
        ++at;
        if (at < format.size() && format[at] == '*') {
          ++at;
          int n = small(take());
          spec.precision = n < 0 ? -1 : n;
        } else {
          spec.precision = number();
        }
        continue;
      }
      case '<':
      case '{': {
        char close = ch == '<' ? '>' : '}';
        size_t end = format.find(close, at);
        if (end == std::string_view::npos) throw FormatError{"malformed name - unmatched parenthesis"};
        std::string_view name = format.substr(at + 1, end - at - 1);
        value = &named(name, ch, close);
        at = end + 1;
        if (ch == '{') {
          text(spec, ruby_to_s(types, *value));
          return;
        }
        continue;
      }
      case '\n':
      case '\0': out += '%'; return;
      case '%':
        if (spec.width >= 0 || spec.precision >= 0 || spec.space || spec.alternate || spec.plus || spec.left || spec.zero ||
            value != nullptr)
          throw FormatError{"invalid format character - %"};
        out += '%';
        ++at;
        return;
      default:
        ++at;
        conversion(spec, ch, value);
        return;
      }
    }
    throw FormatError{"incomplete format specifier; use %% (double %) instead"};
  }

  void text(const Spec& spec, std::string s) {
    if (spec.precision >= 0) s = first_characters(s, static_cast<size_t>(spec.precision));
    out += padded(spec, std::move(s));
  }

  void conversion(const Spec& spec, char ch, const Value* value) {
    switch (ch) {
    case 's': text(spec, ruby_to_s(types, value ? *value : take())); break;
    case 'p': text(spec, ruby_inspect(types, value ? *value : take())); break;
    case 'c': {
      const Value& v = value ? *value : take();
      std::string c;
      if (v.is_string()) {
        c = first_characters(v.str(), 1);
        if (c.empty() || c.size() != v.str().size()) throw FormatError{"%c requires a character"};
      } else {
        if (v.is_undef()) throw FormatError{"no implicit conversion from nil to integer"};
        if (!v.is_number() && !v.is(Kind::Timestamp) && !v.is(Kind::Timespan))
          throw FormatError{
              fmt::format("no implicit conversion of {} into Integer", v.is_bool() ? (v.b ? "true" : "false") : ruby_class_name(v))};
        Integer code = integer(v);
        if (code < 0 || code > 0x10FFFF) throw FormatError{"invalid character"};
        append_utf8(c, static_cast<char32_t>(code.convert_to<uint32_t>()));
      }
      out += padded(spec, c);
      break;
    }
    case 'd':
    case 'i':
    case 'u': decimal(spec, integer(value ? *value : take())); break;
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B': radix(spec, ch, integer(value ? *value : take())); break;
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': floating(spec, ch, value ? *value : take()); break;
    default: malformed(ch);
    }
  }

  int small(const Value& v) {
    Integer n = integer(v);
    if (n > INT32_MAX || n < -INT32_MAX) throw FormatError{"width too big"};
    return n.convert_to<int>();
  }

  Integer integer(const Value& v) {
    switch (v.kind) {
    case Kind::Int: return v.i;
    case Kind::Timestamp:
    case Kind::Timespan: return v.i / 1000000000 - (v.i % 1000000000 < 0);
    case Kind::Float:
      if (std::isnan(v.d)) throw FormatError{"NaN"};
      if (std::isinf(v.d)) throw FormatError{v.d < 0 ? "-Infinity" : "Infinity"};
      return Integer(std::trunc(v.d));
    case Kind::String: return parse_integer(v.str());
    case Kind::Undef: throw FormatError{"can't convert nil into Integer"};
    case Kind::Bool: throw FormatError{v.b ? "can't convert true into Integer" : "can't convert false into Integer"};
    default: throw FormatError{fmt::format("can't convert {} into Integer", ruby_class_name(v))};
    }
  }

  /// Ruby's Integer(text): allows the prefixes 0x 0b 0o 0, underscores between digits and blanks around.
  Integer parse_integer(std::string_view text) {
    std::string_view s = text;
    auto bad = [&]() -> Integer {
      throw FormatError{fmt::format("invalid value for Integer(): {}", ruby_inspect(types, Value::string(text)))};
    };
    while (!s.empty() && (s.front() == ' ' || (s.front() >= '\t' && s.front() <= '\r'))) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || (s.back() >= '\t' && s.back() <= '\r'))) s.remove_suffix(1);
    bool negative = s.starts_with('-');
    if (negative || s.starts_with('+')) s.remove_prefix(1);
    int base = 10;
    if (s.size() > 1 && s[0] == '0') {
      char p = s[1];
      if (p == 'x' || p == 'X')
        base = 16;
      else if (p == 'b' || p == 'B')
        base = 2;
      else if (p == 'o' || p == 'O')
        base = 8;
      else if (p == 'd' || p == 'D')
        base = 10;
      else
        base = 8;
      s.remove_prefix(std::isalpha(static_cast<unsigned char>(p)) ? 2 : 1);
      if (s.starts_with('_') && base == 8) s.remove_prefix(1);
    }
    std::string digits;
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i] == '_') {
        if (i == 0 || i + 1 == s.size() || s[i - 1] == '_') return bad();
        continue;
      }
      digits += s[i];
    }
    if (digits.empty()) return bad();
    Integer n = 0;
    for (char ch : digits) {
      int d = ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 99;
      if (d >= base) return bad();
      n = n * base + d;
    }
    return negative ? -n : n;
  }

  double real(const Value& v) {
    switch (v.kind) {
    case Kind::Int: return static_cast<double>(v.i);
    case Kind::Timestamp:
    case Kind::Timespan: return static_cast<double>(v.i) / 1e9;
    case Kind::Float: return v.d;
    case Kind::String: {
      std::string_view s = v.str();
      while (!s.empty() && (s.front() == ' ' || (s.front() >= '\t' && s.front() <= '\r'))) s.remove_prefix(1);
      while (!s.empty() && (s.back() == ' ' || (s.back() >= '\t' && s.back() <= '\r'))) s.remove_suffix(1);
      std::string plain;
      for (char ch : s)
        if (ch != '_') plain += ch;
      double d = 0;
      bool negative = plain.starts_with('-');
      std::string_view digits = std::string_view(plain).substr(plain.starts_with('+') || negative ? 1 : 0);
      if (digits.starts_with("0x") || digits.starts_with("0X")) {
        digits.remove_prefix(2);
        auto h = std::from_chars(digits.data(), digits.data() + digits.size(), d, std::chars_format::hex);
        if (!digits.empty() && h.ec == std::errc() && h.ptr == digits.data() + digits.size()) return negative ? -d : d;
      }
      const char* begin = plain.data() + (plain.starts_with('+') ? 1 : 0);
      auto r = std::from_chars(begin, plain.data() + plain.size(), d);
      if (plain.empty() || r.ec != std::errc() || r.ptr != plain.data() + plain.size() || plain.ends_with('.') ||
          !std::isdigit(static_cast<unsigned char>(plain.back())))
        throw FormatError{fmt::format("invalid value for Float(): {}", bytewise(ruby_inspect(types, v)))};
      return d;
    }
    case Kind::Undef: throw FormatError{"can't convert nil into Float"};
    case Kind::Bool: throw FormatError{v.b ? "can't convert true into Float" : "can't convert false into Float"};
    default: throw FormatError{fmt::format("can't convert {} into Float", ruby_class_name(v))};
    }
  }

  static std::string_view sign_of(const Spec& spec, bool negative) { return negative ? "-" : spec.plus ? "+" : spec.space ? " " : ""; }

  void decimal(const Spec& spec, const Integer& n) {
    std::string digits = Integer(abs(n)).str();
    if (spec.precision > 0 && digits.size() < static_cast<size_t>(spec.precision))
      digits.insert(0, static_cast<size_t>(spec.precision) - digits.size(), '0');
    out += number_text(spec, sign_of(spec, n < 0), "", digits, spec.zero && spec.precision < 0);
  }

  /// Digits of a negative number in two's complement. Its leading digit repeats without end: Ruby prints it once, then the rest.
  static std::string complement_digits(Integer rest, unsigned bits, bool upper, char fill) {
    std::string digits;
    do {
      int d = Integer(rest % (1 << bits)).convert_to<int>();
      if (d < 0) d += 1 << bits;
      digits.insert(digits.begin(), (upper ? "0123456789ABCDEF" : "0123456789abcdef")[d]);
      rest = (rest - d) / (1 << bits);
    } while (rest != -1);
    if (digits[0] != fill) digits.insert(digits.begin(), fill);
    return digits;
  }

  void radix(const Spec& spec, char ch, const Integer& n) {
    int base = ch == 'o' ? 8 : ch == 'b' || ch == 'B' ? 2 : 16;
    std::string_view prefix = !spec.alternate ? "" : ch == 'o' ? "0" : ch == 'x' ? "0x" : ch == 'X' ? "0X" : ch == 'b' ? "0b" : "0B";
    bool dots = n < 0 && !spec.plus && !spec.space;
    char fill = !dots ? '0' : base == 8 ? '7' : base == 2 ? '1' : ch == 'X' ? 'F' : 'f';
    int width = std::max(spec.width, 0), precision = spec.precision;
    std::string digits;
    std::string_view sign;
    if (dots) {
      digits = complement_digits(n, base == 8 ? 3 : base == 2 ? 1 : 4, ch == 'X', fill);
      width -= 2;
      if (precision >= 0) precision -= 2;
    } else {
      sign = sign_of(spec, n < 0);
      for (Integer rest = abs(n); digits.empty() || rest != 0; rest /= base) {
        int d = Integer(rest % base).convert_to<int>(); // not inside the subscript: g++ 12 miscompiles the temporary there
        digits.insert(digits.begin(), (ch == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[d]);
      }
      width -= static_cast<int>(sign.size());
    }
    if (dots && base == 8) prefix = {};
    if (digits == "0") prefix = {};
    if (base == 8 && spec.precision > static_cast<int>(digits.size())) prefix = {};
    width -= static_cast<int>(prefix.size());
    if (spec.zero && !spec.left && spec.precision < 0) {
      precision = width;
      width = 0;
    } else {
      precision = std::max(precision, static_cast<int>(digits.size()));
      width -= precision;
    }
    if (!spec.left && width > 0) out.append(static_cast<size_t>(width), ' ');
    out.append(sign).append(prefix);
    if (dots) out += "..";
    if (precision > static_cast<int>(digits.size())) out.append(static_cast<size_t>(precision) - digits.size(), fill);
    out += digits;
    if (spec.left && width > 0) out.append(static_cast<size_t>(width), ' ');
  }

  void floating(const Spec& spec, char ch, const Value& v) {
    double d = real(v);
    if (std::isnan(d) || std::isinf(d)) {
      Spec plain = spec;
      plain.zero = false;
      out += number_text(plain, sign_of(spec, std::signbit(d) && !std::isnan(d)), "", std::isnan(d) ? "NaN" : "Inf", false);
      return;
    }
    std::string c_format = "%";
    if (spec.space) c_format += ' ';
    if (spec.alternate) c_format += '#';
    if (spec.plus) c_format += '+';
    if (spec.left) c_format += '-';
    if (spec.zero) c_format += '0';
    if (spec.width >= 0) c_format += std::to_string(spec.width);
    // A double has at most 1,074 digits behind the point: libc would work out each zero behind them.
    constexpr int most_digits = 1100;
    const bool plain_zeros = spec.precision > most_digits && ch == 'f' && spec.width < 0;
    if (spec.precision > 1'000'000 && !plain_zeros) throw FormatError{"precision too big"};
    if (spec.precision >= 0) c_format += "." + std::to_string(plain_zeros ? most_digits : spec.precision);
    c_format += ch;
    if (ch != 'a' && ch != 'A') d = as_ruby_rounds(d, ch, spec.precision);
    int n = std::snprintf(nullptr, 0, c_format.c_str(), d);
    std::string text(static_cast<size_t>(n) + 1, '\0');
    std::snprintf(text.data(), text.size(), c_format.c_str(), d);
    text.resize(static_cast<size_t>(n));
    out += text;
    if (plain_zeros) out.append(static_cast<size_t>(spec.precision - most_digits), '0');
  }
};

} // namespace

std::string ruby_sprintf(TypeContext& types, std::string_view format, std::span<const Value> args) {
  return Formatter(types, format, args).run();
}

} // namespace pupc::compiler
