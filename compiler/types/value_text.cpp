#include "compiler/types/value_text.h"

#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"

#include <cstdio>

namespace pupc {
namespace {

std::string double_quoted(std::string_view s) {
  std::string out = "\"";
  for (char ch : s) {
    switch (ch) {
    case '\t': out += "\\t"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '"': out += "\\\""; break;
    case '$': out += "\\$"; break;
    case '\\': out += "\\\\"; break;
    default:
      if (static_cast<unsigned char>(ch) < 0x20)
        out += fmt::format("\\u{{{:X}}}", static_cast<unsigned>(ch));
      else
        out += ch;
    }
  }
  return out + "\"";
}

/// Days since 1970-01-01 as a civil date (proleptic Gregorian).
void civil_from_days(int64_t days, int64_t& year, unsigned& month, unsigned& day) {
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  auto doe = static_cast<unsigned>(days - era * 146097);
  unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  year = static_cast<int64_t>(yoe) + era * 400;
  unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  unsigned mp = (5 * doy + 2) / 153;
  day = doy - (153 * mp + 2) / 5 + 1;
  month = mp < 10 ? mp + 3 : mp - 9;
  if (month <= 2) ++year;
}

} // namespace

std::string to_puppet_quoted(std::string_view s) {
  std::string out = "'";
  bool backslash = false;
  for (char ch : s) {
    if (static_cast<unsigned char>(ch) < 0x20) return double_quoted(s);
    if (backslash) {
      out += '\\';
      out += ch;
      backslash = false;
    } else if (ch == '\'') {
      out += "\\'";
    } else if (ch == '\\') {
      backslash = true;
    } else {
      out += ch;
    }
  }
  if (backslash) out += "\\\\"; // one at the end would escape the quote
  return out + "'";
}

std::string regex_source(const Regex& r) {
  std::string on, off;
  auto option = [&](bool set, char letter) { (set ? on : off) += letter; };
  option(r.ignore_case(), 'i');
  option(r.multi_line(), 'm');
  option(r.extended(), 'x');
  if (on.empty()) return std::string(r.source());
  return "(?" + on + (off.empty() ? "" : "-" + off) + ":" + std::string(r.source()) + ")";
}

std::string regex_literal(const Regex& r) {
  std::string source = regex_source(r), out = "/";
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\' && i + 1 < source.size()) {
      out += source[i++];
      out += source[i];
    } else if (source[i] == '/') {
      out += "\\/";
    } else {
      out += source[i];
    }
  }
  return out + "/";
}

std::string timestamp_to_string(int64_t nanoseconds) {
  int64_t seconds = nanoseconds / 1000000000, fraction = nanoseconds % 1000000000;
  if (fraction < 0) {
    fraction += 1000000000;
    --seconds;
  }
  int64_t days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  int64_t year = 0;
  unsigned month = 0, day = 0;
  civil_from_days(days, year, month, day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09} UTC", year, month, day, rest / 3600, rest / 60 % 60, rest % 60, fraction);
}

std::string timespan_to_string(int64_t nanoseconds) {
  bool negative = nanoseconds < 0;
  uint64_t n = negative ? 0 - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  uint64_t seconds = n / 1000000000;
  std::string fraction = fmt::format("{:09}", n % 1000000000);
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}{}-{:02}:{:02}:{:02}.{}", negative ? "-" : "", seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, fraction);
}

namespace {

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() && (k < 2 || i + k - 1 < bytes.size()) ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// `quote`: strings in quotes, as inside of collections.
void append_text(TypeContext& ctx, std::string& out, const Value& v, bool quote) {
  switch (v.kind) {
  case Kind::Undef:
    if (quote) out += "undef";
    break;
  case Kind::Default: out += "default"; break;
  case Kind::Bool: out += v.b ? "true" : "false"; break;
  case Kind::Int: out += std::to_string(v.i); break;
  case Kind::Float: out += format_float(v.d); break;
  case Kind::String:
    if (quote)
      out += to_puppet_quoted(v.str());
    else
      out += v.str();
    break;
  case Kind::Regex: out += regex_literal(*v.regex); break;
  case Kind::List: {
    out += "[";
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ", ";
      first = false;
      append_text(ctx, out, item, true);
    }
    out += "]";
    break;
  }
  case Kind::Hash: {
    out += "{";
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      append_text(ctx, out, e.key, true);
      out += " => ";
      append_text(ctx, out, e.value, true);
    }
    out += "}";
    break;
  }
  case Kind::Type: out += v.opaque->to_string(); break;
  case Kind::Ref: {
    out += v.ref->type;
    out += "['";
    out += v.ref->title;
    out += "']";
    break;
  }
  case Kind::Sensitive: out += "Sensitive [value redacted]"; break;
  case Kind::Deferred: {
    out += "Deferred({'name' => ";
    out += to_puppet_quoted(v.deferred->name);
    if (v.deferred->arguments != nullptr && v.deferred->arguments->size > 0) {
      out += ", 'arguments' => ";
      append_text(ctx, out, Value::of(v.deferred->arguments), true);
    }
    out += "})";
    break;
  }
  case Kind::Timestamp: out += timestamp_to_string(v.i); break;
  case Kind::Timespan: out += timespan_to_string(v.i); break;
  case Kind::SemVer:
    if (quote) out += "'";
    out += to_string(*v.semver);
    if (quote) out += "'";
    break;
  case Kind::SemVerRange:
    if (quote) out += "'";
    out += v.semver_range->text;
    if (quote) out += "'";
    break;
  case Kind::Binary:
    if (quote) out += "Binary(\"";
    out += base64(v.str());
    if (quote) out += "\")";
    break;
  case Kind::Uri:
    if (quote) out += "URI('";
    out += v.str();
    if (quote) out += "')";
    break;
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: out += v.opaque->to_string(); break;
  }
}

} // namespace

std::string to_display_string(TypeContext& ctx, const Value& v) {
  std::string out;
  append_text(ctx, out, v, false);
  return out;
}

std::string to_program_string(TypeContext& ctx, const Value& v) {
  std::string out;
  append_text(ctx, out, v, true);
  return out;
}

std::string base64_encode(std::string_view bytes) { return base64(bytes); }

std::string IteratorValue::to_string() const {
  if (element_type == nullptr) return "Iterator-Value";
  return "Iterator[" + element_type->to_string() + "]-Value";
}
Value IteratorValue::to_rich_data(Arena& arena) const { return Value::string(arena.copy(to_string())); }

} // namespace pupc
