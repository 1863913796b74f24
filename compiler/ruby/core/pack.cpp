// Array#pack and String#unpack.
#include "compiler/ruby/core/methods.h"

#include "catalog/base/utf8.h"
#include "catalog/value/base64.h"
#include "catalog/value/unicode_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace pupc::compiler::ruby {
namespace {

/// One item of a format: a letter, what stands behind it, and how often it counts.
struct Directive {
  char type = 0;
  bool native = false; // _ or !
  bool big = false;    // >
  std::optional<size_t> count;
  bool all = false; // *
};

std::vector<Directive> read_format(Core& core, const MethodCall& c, std::string_view format) {
  std::vector<Directive> out;
  for (size_t i = 0; i < format.size();) {
    Directive d;
    d.type = format[i++];
    if (d.type == ' ' || (d.type >= '\t' && d.type <= '\r') || d.type == '\0') continue;
    if (d.type == '#') {
      while (i < format.size() && format[i] != '\n') ++i;
      continue;
    }
    constexpr std::string_view known = "aAZbBhHcCsSiIlLqQjJnNvVUuxX@mdDfFeEgG";
    if (known.find(d.type) == std::string_view::npos) core.not_rendered(c.line, fmt::format("'{}' in a format of pack", d.type));
    constexpr std::string_view integers = "sSiIlLqQjJ";
    for (; i < format.size() && std::string_view("_!<>").find(format[i]) != std::string_view::npos; ++i) {
      if (integers.find(d.type) == std::string_view::npos) core.not_rendered(c.line, "a format of pack");
      (format[i] == '>' ? d.big : d.native) |= format[i] != '<';
    }
    if (i < format.size() && format[i] == '*') {
      d.all = true;
      ++i;
    } else if (i < format.size() && format[i] >= '0' && format[i] <= '9') {
      size_t n = 0;
      for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i) {
        n = n * 10 + static_cast<size_t>(format[i] - '0');
        if (n > 10'000'000) core.not_rendered(c.line, "a format of pack");
      }
      d.count = n;
    }
    out.push_back(d);
  }
  return out;
}

/// Bytes of an integer; 0 for what is none.
size_t width_of(const Directive& d) {
  switch (d.type) {
  case 'c':
  case 'C': return 1;
  case 's':
  case 'S':
  case 'n':
  case 'v': return 2;
  case 'i':
  case 'I':
  case 'N':
  case 'V': return 4;
  case 'l':
  case 'L': return d.native ? 8 : 4;
  case 'q':
  case 'Q':
  case 'j':
  case 'J': return 8;
  default: return 0;
  }
}

bool is_big_endian(const Directive& d) { return d.big || d.type == 'n' || d.type == 'N'; }
bool is_signed(char type) { return std::string_view("csilqj").find(type) != std::string_view::npos; }
size_t float_width(char type) {
  if (std::string_view("fFeg").find(type) != std::string_view::npos) return 4;
  return std::string_view("dDEG").find(type) != std::string_view::npos ? 8 : 0;
}

int digit_of(char ch) { // as pack takes any byte for a digit
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ? ((ch & 7) + 9) & 15 : ch & 15;
}

// ---------------------------------------------------------------------------------------------------------------------
// pack

class Packer {
public:
  Packer(Core& core, const MethodCall& c) : core_(core), c_(c), items_(c.self.a->items) {}

  RubyValue run(const std::vector<Directive>& format) {
    for (const Directive& d : format) {
      if (d.type == 'U' && encoding_ == Encoding::Ascii)
        encoding_ = Encoding::Utf8;
      else if (d.type != 'U' && d.type != 'm' && d.type != 'u')
        encoding_ = Encoding::Binary;
      add(d);
      if (out_.size() > 100'000'000) core_.not_rendered(c_.line, "a long text");
    }
    if (encoding_ == Encoding::Binary) return core_.heap.bytes(std::move(out_));
    if (!valid_utf8(out_)) core_.not_rendered(c_.line, "bytes that are no text");
    return core_.str(std::move(out_));
  }

private:
  enum class Encoding : uint8_t { Ascii, Binary, Utf8 };

  const RubyValue& next() {
    if (at_ >= items_.size()) throw RubyError{c_.line, "too few arguments", RubyClass::ArgumentError};
    return items_[at_++];
  }
  std::string next_text(bool nil_is_empty) {
    const RubyValue& v = next();
    if (v.is(RubyKind::Bytes)) return std::string(any_text(core_, {c_.self, c_.method, c_.name, {&v, 1}, nullptr, c_.line}, 0));
    if (v.is_nil() && nil_is_empty) return "";
    if (!v.is_string()) core_.not_rendered(c_.line, "pack of this value");
    return v.s->text;
  }
  int64_t next_integer() {
    const RubyValue& v = next();
    if (!v.is_integer()) core_.not_rendered(c_.line, "pack of this value");
    return v.i;
  }

  void add(const Directive& d) {
    if (width_of(d) > 0 || float_width(d.type) > 0 || d.type == 'U') {
      const size_t times = d.all ? items_.size() - std::min(at_, items_.size()) : d.count.value_or(1);
      for (size_t i = 0; i < times; ++i) add_number(d);
      return;
    }
    switch (d.type) {
    case 'a':
    case 'A':
    case 'Z': return add_text(d);
    case 'b':
    case 'B': return add_bits(d, 1);
    case 'h':
    case 'H': return add_bits(d, 4);
    case 'm': return add_base64(d);
    case 'u': return add_uuencoded(d);
    case 'x': out_.append(d.all ? 0 : d.count.value_or(1), '\0'); return;
    case 'X': {
      const size_t back = d.all ? 0 : d.count.value_or(1);
      if (back > out_.size()) throw RubyError{c_.line, "X outside of string", RubyClass::ArgumentError};
      out_.resize(out_.size() - back);
      return;
    }
    default: // @
      if (d.all) core_.not_rendered(c_.line, "a format of pack");
      out_.resize(d.count.value_or(1));
    }
  }

  void add_number(const Directive& d) {
    if (d.type == 'U') {
      const int64_t code = next_integer();
      if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) core_.not_rendered(c_.line, "pack of this character");
      append_utf8(out_, static_cast<char32_t>(code));
      return;
    }
    uint64_t bits = 0;
    size_t width = width_of(d);
    bool big = is_big_endian(d);
    if (width > 0) {
      bits = static_cast<uint64_t>(next_integer());
    } else {
      const RubyValue& v = next();
      if (!v.is_number()) core_.not_rendered(c_.line, "pack of this value");
      width = float_width(d.type);
      bits = width == 4 ? std::bit_cast<uint32_t>(static_cast<float>(v.number())) : std::bit_cast<uint64_t>(v.number());
      big = d.type == 'g' || d.type == 'G';
    }
    for (size_t i = 0; i < width; ++i) out_ += static_cast<char>(bits >> (8 * (big ? width - 1 - i : i)));
  }

  void add_text(const Directive& d) {
    std::string text = next_text(true);
    size_t size = d.count.value_or(1);
    if (d.all) size = text.size() + (d.type == 'Z');
    text.resize(std::min(text.size(), size));
    text.resize(size, d.type == 'A' ? ' ' : '\0');
    out_ += text;
  }

  /// Binary or hexadecimal digits; the letter in lower case means the lower bits first.
  void add_bits(const Directive& d, int bits) {
    const std::string digits = next_text(true);
    const size_t count = d.all ? digits.size() : d.count.value_or(1), in_byte = static_cast<size_t>(8 / bits);
    const bool low_first = d.type == 'b' || d.type == 'h';
    size_t size = (count + in_byte - 1) / in_byte;
    if (bits == 1 && count > digits.size()) size = (digits.size() + 7) / 8 + (count - digits.size() + 1) / 2; // as Ruby fills up
    std::string made(size, '\0');
    for (size_t i = 0; i < std::min(count, digits.size()); ++i) {
      const int digit = bits == 1 ? digits[i] & 1 : digit_of(digits[i]);
      const int place = static_cast<int>(i % in_byte) * bits;
      made[i / in_byte] = static_cast<char>(made[i / in_byte] | digit << (low_first ? place : 8 - bits - place));
    }
    out_ += made;
  }

  void add_base64(const Directive& d) {
    const std::string text = next_text(false);
    if (d.count && *d.count == 0) {
      out_ += base64_encode(text);
      return;
    }
    const size_t line = d.all || d.count.value_or(1) <= 2 ? 45 : *d.count / 3 * 3;
    for (size_t i = 0; i < text.size(); i += line) out_ += base64_encode(std::string_view(text).substr(i, line)) + "\n";
  }

  /// A line is its number of bytes, then four digits for each three; a digit is 6 bits above a blank, of which 0 is written "`".
  void add_uuencoded(const Directive& d) {
    const std::string text = next_text(false);
    const size_t line = d.all || d.count.value_or(1) <= 2 ? 45 : std::min<size_t>(*d.count / 3 * 3, 63);
    const auto add_digit = [&](uint32_t six) { out_ += six == 0 ? '`' : static_cast<char>(six + ' '); };
    for (size_t i = 0; i < text.size(); i += line) {
      const std::string_view part = std::string_view(text).substr(i, line);
      add_digit(static_cast<uint32_t>(part.size()));
      for (size_t j = 0; j < part.size(); j += 3) {
        uint32_t bits = 0;
        for (size_t k = j; k < j + 3; ++k) bits = bits << 8 | (k < part.size() ? static_cast<unsigned char>(part[k]) : 0);
        for (int shift = 18; shift >= 0; shift -= 6) add_digit(bits >> shift & 63);
      }
      out_ += '\n';
    }
  }

  Core& core_;
  const MethodCall& c_;
  std::vector<RubyValue> items_;
  size_t at_ = 0;
  std::string out_;
  Encoding encoding_ = Encoding::Ascii;
};

// ---------------------------------------------------------------------------------------------------------------------
// unpack

class Unpacker {
public:
  Unpacker(Core& core, const MethodCall& c, std::string_view text) : core_(core), c_(c), text_(text) {}

  RubyValue run(const std::vector<Directive>& format) {
    for (const Directive& d : format) take(d);
    return core_.list(std::move(out_));
  }

private:
  std::string_view rest() const { return text_.substr(at_); }

  void take(const Directive& d) {
    if (const size_t width = std::max(width_of(d), float_width(d.type)); width > 0) {
      const size_t there = rest().size() / width, wanted = d.all ? there : d.count.value_or(1);
      for (size_t i = 0; i < std::min(wanted, there); ++i) take_number(d, width);
      for (size_t i = there; i < wanted; ++i) out_.emplace_back();
      return;
    }
    switch (d.type) {
    case 'a':
    case 'A':
    case 'Z': return take_text(d);
    case 'b':
    case 'B': return take_bits(d, 1);
    case 'h':
    case 'H': return take_bits(d, 4);
    case 'U': return take_characters(d);
    case 'm': return take_base64(d);
    case 'u': return take_uuencoded(d);
    case 'x': return move(d.all ? text_.size() : at_ + d.count.value_or(1), 'x');
    case 'X':
      if (d.all) core_.not_rendered(c_.line, "a format of unpack");
      if (d.count.value_or(1) > at_) throw RubyError{c_.line, "X outside of string", RubyClass::ArgumentError};
      return move(at_ - d.count.value_or(1), 'X');
    default: // @
      if (!d.count) core_.not_rendered(c_.line, "a format of unpack");
      return move(*d.count, '@');
    }
  }

  void move(size_t to, char type) {
    if (to > text_.size()) throw RubyError{c_.line, fmt::format("{} outside of string", type), RubyClass::ArgumentError};
    at_ = to;
  }

  void take_number(const Directive& d, size_t width) {
    const bool real = width_of(d) == 0, big = real ? d.type == 'g' || d.type == 'G' : is_big_endian(d);
    uint64_t bits = 0;
    for (size_t i = 0; i < width; ++i) {
      const uint64_t byte = static_cast<unsigned char>(text_[at_ + i]);
      bits |= byte << (8 * (big ? width - 1 - i : i));
    }
    at_ += width;
    if (real) {
      const float narrow = std::bit_cast<float>(static_cast<uint32_t>(bits));
      out_.push_back(RubyValue::floating(width == 4 ? static_cast<double>(narrow) : std::bit_cast<double>(bits)));
    } else if (is_signed(d.type)) {
      const int shift = static_cast<int>(64 - 8 * width);
      out_.push_back(RubyValue::integer(static_cast<int64_t>(bits << shift) >> shift));
    } else {
      out_.push_back(integer_of_unsigned(core_, bits));
    }
  }

  void take_text(const Directive& d) {
    std::string_view taken = rest().substr(0, d.all ? std::string_view::npos : d.count.value_or(1));
    at_ += taken.size();
    if (d.type == 'Z') {
      const size_t end = taken.find('\0');
      if (d.all && end != std::string_view::npos) at_ -= taken.size() - end - 1;
      taken = taken.substr(0, end);
    }
    if (d.type == 'A')
      while (taken.ends_with(' ') || taken.ends_with('\0')) taken.remove_suffix(1);
    out_.push_back(core_.heap.bytes(std::string(taken)));
  }

  void take_bits(const Directive& d, int bits) {
    const size_t in_byte = static_cast<size_t>(8 / bits), there = rest().size() * in_byte;
    const size_t count = d.all ? there : std::min(d.count.value_or(1), there);
    const bool low_first = d.type == 'b' || d.type == 'h';
    std::string digits;
    for (size_t i = 0; i < count; ++i) {
      const int place = static_cast<int>(i % in_byte) * bits;
      const int byte = static_cast<unsigned char>(text_[at_ + i / in_byte]);
      digits += "0123456789abcdef"[byte >> (low_first ? place : 8 - bits - place) & ((1 << bits) - 1)];
    }
    at_ += (count + in_byte - 1) / in_byte;
    out_.push_back(core_.str(std::move(digits)));
  }

  void take_characters(const Directive& d) {
    for (size_t i = 0; at_ < text_.size() && (d.all || i < d.count.value_or(1)); ++i) {
      bool valid = true;
      const char32_t code = next_code_point(text_, at_, valid);
      if (!valid) core_.not_rendered(c_.line, "bytes that are no text");
      out_.push_back(RubyValue::integer(static_cast<int64_t>(code)));
    }
  }

  /// What pack('m') makes; what is no digit is left out, unless the count is 0. A `=` ends the text only where padding can stand: after
  /// the second or third digit of a group.
  /// Only what add_uuencoded makes: of other texts Ruby makes something, too.
  void take_uuencoded(const Directive& d) {
    if (d.all || d.count) core_.not_rendered(c_.line, "a format of unpack");
    const auto broken = [&] { core_.not_rendered(c_.line, "unpack of this uuencoded text"); };
    std::string out;
    for (std::string_view left = rest(); !left.empty();) {
      const size_t end = left.find('\n');
      const std::string_view line = left.substr(0, end);
      const size_t count = line.empty() ? 0 : static_cast<size_t>(line[0] - ' ') & 63;
      if (end == std::string_view::npos || line.size() != 1 + (count + 2) / 3 * 4 || count == 0) broken();
      left.remove_prefix(end + 1);
      std::string bytes;
      for (size_t i = 1; i < line.size(); i += 4) {
        uint32_t bits = 0;
        for (size_t k = i; k < i + 4; ++k) {
          if (line[k] < ' ' || line[k] > '`') broken();
          bits = bits << 6 | (static_cast<uint32_t>(line[k] - ' ') & 63);
        }
        for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 255);
      }
      out += bytes.substr(0, count);
    }
    at_ = text_.size();
    out_.push_back(core_.heap.bytes(std::move(out)));
  }

  void take_base64(const Directive& d) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const bool strict = d.count && *d.count == 0;
    std::string out;
    uint32_t bits = 0;
    int have = 0;
    size_t used = 0, padding = 0;
    for (const char ch : rest()) {
      const size_t digit = digits.find(ch);
      if (ch == '=' || padding > 0) {
        if (!strict) {
          if (used % 4 >= 2) break;
          continue;
        }
        padding += ch == '=';
        if (ch != '=') invalid();
        continue;
      }
      if (digit == std::string_view::npos) {
        if (strict) invalid();
        continue;
      }
      bits = bits << 6 | static_cast<uint32_t>(digit);
      ++used;
      have += 6;
      if (have >= 8) {
        have -= 8;
        out += static_cast<char>(bits >> have);
      }
    }
    if (strict && ((used + padding) % 4 != 0 || padding > 2 || (bits & ((1U << have) - 1)) != 0)) invalid();
    at_ = text_.size();
    out_.push_back(core_.heap.bytes(std::move(out)));
  }

  [[noreturn]] void invalid() { throw RubyError{c_.line, "invalid base64", RubyClass::ArgumentError}; }

  Core& core_;
  const MethodCall& c_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<RubyValue> out_;
};

} // namespace

RubyValue pack(Core& core, const MethodCall& c) {
  core.need(c, 1);
  const std::vector<Directive> format = read_format(core, c, core.string_argument(c, 0));
  return Packer(core, c).run(format);
}

RubyValue unpack(Core& core, const MethodCall& c, std::string_view text) {
  core.need(c, 1);
  if (c.block != nullptr) core.not_rendered(c.line, "unpack with a block");
  std::vector<Directive> format = read_format(core, c, core.string_argument(c, 0));
  const RubyValue all = Unpacker(core, c, text).run(format);
  if (c.method == MethodId::m_unpack) return all;
  return all.a->items.empty() ? RubyValue() : all.a->items[0];
}

} // namespace pupc::compiler::ruby
