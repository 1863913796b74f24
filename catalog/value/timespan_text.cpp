// Formats of timespans: %D %H %M %S %L %N.
#include "catalog/base/diagnostic.h"
#include "catalog/value/conversion_error.h"
#include "catalog/value/time_format.h"
#include "catalog/value/time_text.h"

#include "catalog/value/regex.h"

#include <fmt/format.h>
#include <optional>

namespace pupc::catalog {
namespace {

uint64_t power_of_ten(int n) {
  uint64_t p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

struct Segment {
  char unit = 0; // D H M S L N, or 0 for a literal
  std::string literal;
  char pad = '0'; // '0', ' ', or 0 for none
  std::optional<int> width;
  bool total = false; // the highest unit shows everything above it too

  int default_width() const { return unit == 'D' ? 1 : unit == 'L' ? 3 : unit == 'N' ? 9 : 2; }
  bool fraction() const { return unit == 'L' || unit == 'N'; }

  std::string number(uint64_t n) const {
    if (fraction()) {
      if (!total && pad != '0')
        while (n != 0 && n % 10 == 0) n /= 10;
      return pad == 0 ? std::to_string(n) : fmt::format("{:<{}}", n, width.value_or(default_width()));
    }
    if (pad == 0) return std::to_string(n);
    int w = width.value_or(default_width());
    return pad == '0' ? fmt::format("{:0{}}", n, w) : fmt::format("{:{}}", n, w);
  }

  void append_to(std::string& out, uint64_t ns) const {
    switch (unit) {
    case 'D': out += number(ns / 86400 / ns_per_second); break;
    case 'H': out += number(total ? ns / 3600 / ns_per_second : ns / 3600 / ns_per_second % 24); break;
    case 'M': out += number(total ? ns / 60 / ns_per_second : ns / 60 / ns_per_second % 60); break;
    case 'S': out += number(total ? ns / ns_per_second : ns / ns_per_second % 60); break;
    case 'L': out += number(total ? ns / 1000000 : ns / 1000000 % 1000); break;
    case 'N': {
      int w = width.value_or(9);
      if (w < 9) {
        ns /= power_of_ten(9 - w);
        if (!total) ns %= power_of_ten(w);
      } else if (!total) {
        ns %= ns_per_second;
      }
      out += number(ns);
      break;
    }
    default: out += literal;
    }
  }

  std::string pattern() const {
    if (unit == 0) {
      std::string escaped;
      for (char ch : literal) {
        if (std::string_view("\\^$.|?*+()[]{}-# \t\n").find(ch) != std::string_view::npos) escaped += '\\';
        escaped += ch;
      }
      return "(" + escaped + ")";
    }
    if (!width) {
      if (pad == ' ') return total ? "\\s*([0-9]+)" : fmt::format("([0-9\\s]{{1,{}}})", default_width());
      return total ? "([0-9]+)" : fmt::format("([0-9]{{1,{}}})", default_width());
    }
    if (pad == 0) return fmt::format("([0-9]{{1,{}}})", *width);
    return pad == '0' ? fmt::format("([0-9]{{{}}})", *width) : fmt::format("([0-9\\s]{{{}}})", *width);
  }
};

/// Wide enough that an intermediate result never overflows before timespan_of() checks it.
using Wide = __int128;

int64_t timespan_of(Wide ns) {
  if (ns > INT64_MAX || ns < INT64_MIN) fail_conversion("The Timespan is too large: its nanoseconds do not fit 64 bits");
  return static_cast<int64_t>(ns);
}

std::vector<Segment> parse_format(std::string_view format) {
  std::vector<Segment> out;
  auto literal = [&](std::string_view text) {
    if (out.empty() || out.back().unit != 0) out.emplace_back();
    out.back().literal += text;
  };
  enum class State : uint8_t { Literal, Pad, Width } state = State::Literal;
  Segment current;
  size_t position = 0, start = 0, characters = 0;
  auto bad = [&](size_t at, size_t character) {
    fail_conversion(fmt::format("Bad format specifier '{}' in '{}', at position {}", format.substr(start, at - start), format, character));
  };
  static constexpr std::string_view units = "NLSMHD"; // lowest first
  size_t highest = std::string_view::npos;
  for (; position < format.size(); ++characters) {
    size_t length = 1;
    while (position + length < format.size() && (static_cast<unsigned char>(format[position + length]) & 0xC0) == 0x80) ++length;
    std::string_view ch = format.substr(position, length);
    if (state == State::Literal) {
      if (ch == "%") {
        state = State::Pad;
        start = position;
        current = Segment{};
      } else {
        literal(ch);
      }
    } else if (ch == "%") {
      literal(ch);
      state = State::Literal;
    } else if (ch == "-" || ch == "_") {
      if (state != State::Pad) bad(position, characters);
      current.pad = ch == "-" ? 0 : ' ';
      state = State::Width;
    } else if (size_t u = units.find(ch); u != std::string_view::npos) {
      if (highest == std::string_view::npos || u > highest) highest = u;
      current.unit = ch[0];
      out.push_back(current);
      state = State::Literal;
    } else if (ch[0] >= '0' && ch[0] <= '9' && ch.size() == 1) {
      if (!(state == State::Pad && ch[0] == '0')) current.width = std::min(current.width.value_or(0) * 10 + (ch[0] - '0'), 1000);
      state = State::Width;
    } else {
      bad(position, characters);
    }
    position += length;
  }
  if (state != State::Literal) bad(format.size() - 1, characters - 1);
  if (highest != std::string_view::npos)
    for (Segment& s : out)
      if (s.unit == units[highest]) {
        s.total = true;
        break;
      }
  return out;
}

std::optional<Wide> parse_with(std::string_view text, const std::vector<Segment>& segments) {
  std::string pattern = "\\A-?";
  for (const Segment& s : segments) pattern += s.pattern();
  MatchResult m = Regex(pattern + "\\z").search(text);
  if (!m.matched) return std::nullopt;
  Wide ns = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    if (s.unit == 0) continue;
    std::string_view group = text.substr(static_cast<size_t>(m.groups[i + 1].begin),
                                         static_cast<size_t>(m.groups[i + 1].end - m.groups[i + 1].begin));
    while (!group.empty() && (group.front() == ' ' || (group.front() >= '\t' && group.front() <= '\r'))) group.remove_prefix(1);
    if (group.empty() || group.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    if (s.fraction() && s.total)
      fail_conversion("Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude");
    if (group.size() > 18) return Wide(INT64_MAX) * 2; // too large for any unit
    Wide n = 0;
    for (char ch : group) n = n * 10 + (ch - '0');
    if (s.fraction())
      ns += group.size() < 9 ? n * power_of_ten(9 - static_cast<int>(group.size())) : n;
    else
      ns += n * ns_per_second * (s.unit == 'D' ? 86400 : s.unit == 'H' ? 3600 : s.unit == 'M' ? 60 : 1);
  }
  return text.starts_with('-') ? -ns : ns;
}

constexpr std::string_view default_formats[] = {"%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N",
                                                "%D-%H:%M:%S",     "%H:%M:%S",     "%D-%H:%M",  "%S"};

} // namespace

std::string format_timespan(int64_t nanoseconds, std::string_view format) {
  std::string out = nanoseconds < 0 ? "-" : "";
  uint64_t n = nanoseconds < 0 ? 0 - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  for (const Segment& s : parse_format(format)) s.append_to(out, n);
  return out;
}

int64_t parse_timespan(std::string_view text, const TimeFormats& given) {
  TimeFormats formats = given;
  if (formats.list.empty()) formats = {default_formats, true};
  if (!formats.several) {
    if (auto ns = parse_with(text, parse_format(formats.list[0]))) return timespan_of(*ns);
    fail_conversion(fmt::format("Unable to parse '{}' using format '{}'", text, formats.list[0]));
  }
  for (std::string_view f : formats.list) {
    auto segments = parse_format(f);
    std::optional<Wide> ns;
    try {
      ns = parse_with(text, segments);
    } catch (const CompileError&) {
      // As in Puppet, a format that cannot be parsed with is skipped when there are others.
    }
    if (ns) return timespan_of(*ns);
  }
  fail_conversion(fmt::format("Unable to parse '{}' using any of the formats {}", text, fmt::join(formats.list, ", ")));
}

int64_t timespan_of_fields(bool negative, const int64_t (&fields)[7]) {
  static constexpr int64_t factors[] = {24, 60, 60, 1000, 1000, 1000};
  Wide ns = fields[0];
  for (size_t i = 0; i < 6; ++i) {
    ns = ns * factors[i] + fields[i + 1];
    // Each step stays below 2^127: a 64-bit number grows by at most 2^10 before the next check.
    if (ns > Wide(INT64_MAX) * 100000 || ns < Wide(INT64_MIN) * 100000) timespan_of(ns);
  }
  return timespan_of(negative ? -ns : ns);
}

int64_t timespan_of_hash(const Hash& h) {
  if (const Value* text = h.find("string")) {
    std::vector<std::string_view> formats;
    const Value* f = h.find("format");
    if (f != nullptr && f->is_string()) formats.push_back(f->str());
    if (f != nullptr && f->is_list())
      for (const Value& one : f->items()) formats.push_back(one.str());
    return parse_timespan(text->is_string() ? text->str() : std::string_view(), {formats, f != nullptr && f->is_list()});
  }
  static constexpr const char* names[] = {"days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"};
  int64_t fields[7] = {};
  for (size_t i = 0; i < 7; ++i)
    if (const Value* v = h.find(names[i]); v != nullptr && v->is_int()) fields[i] = v->i;
  const Value* negative = h.find("negative");
  return timespan_of_fields(negative != nullptr && negative->truthy(), fields);
}

} // namespace pupc::catalog
