// Reads YAML with libyaml, which Ruby's Psych also uses, so both reject the same texts. Scalars follow Psych's rules.
#include "catalog/base/limits.h"
#include "catalog/formats/data_file.h"
#include "catalog/formats/ruby_yaml.h"
#include "catalog/value/bytes_text.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>
#include <yaml.h>

namespace pupc::catalog {
namespace {

constexpr int max_yaml_depth = 1000;

struct Failure {
  DataError error;
};

[[noreturn]] void fail(std::string message, uint32_t line = 0, uint32_t column = 0) { throw Failure{{std::move(message), line, column}}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool equals_ignoring_case(std::string_view s, std::string_view lower_case) {
  return s.size() == lower_case.size() &&
         std::equal(s.begin(), s.end(), lower_case.begin(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

/// The characters of a word in Psych's sense. A scalar that begins with one is a string, a boolean or null, never a number.
bool word_char(char c) {
  return is_alpha(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("_ \t\r\f\v!@#$%^&*(){}<>|/\\~;=").find(c) != std::string_view::npos;
}

/// Whether the text has only allowed characters.
bool all_of(std::string_view s, std::string_view allowed) { return s.find_first_not_of(allowed) == std::string_view::npos; }

std::string without(std::string_view s, std::string_view dropped) {
  std::string out;
  for (char c : s)
    if (dropped.find(c) == std::string_view::npos) out += c;
  return out;
}

struct Sign {
  bool negative;
  std::string_view rest;
};
Sign split_sign(std::string_view s) {
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) return {s[0] == '-', s.substr(1)};
  return {false, s};
}

std::optional<Value> integer(std::string_view text) {
  auto [negative, s] = split_sign(text);
  int base = 10;
  std::string_view digits = s;
  if (s.starts_with("0b") && s.size() > 2 && all_of(s.substr(2), "01_,")) {
    base = 2;
    digits = s.substr(2);
  } else if (s.starts_with("0x") && s.size() > 2 && all_of(s.substr(2), "0123456789abcdefABCDEF_,")) {
    base = 16;
    digits = s.substr(2);
  } else if (s.size() > 1 && s[0] == '0' && all_of(s.substr(1), "01234567_,")) {
    base = 8;
    digits = s.substr(1);
  } else {
    if (s.empty() || !is_digit(s[0]) || (s[0] == '0' && s.size() > 1)) return std::nullopt;
    for (size_t i = 1; i < s.size(); ++i)
      if (!is_digit(s[i]) && ((s[i] != ',' && s[i] != '_') || i + 1 >= s.size() || !is_digit(s[i + 1]))) return std::nullopt;
  }
  std::string plain = without(digits, "_,");
  if (plain.empty()) {
    if (base == 8) return Value::integer(0);
    fail(fmt::format("invalid value for Integer(): \"{}\"", without(text, "_,")));
  }
  uint64_t magnitude = 0;
  auto r = std::from_chars(plain.data(), plain.data() + plain.size(), magnitude, base);
  uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (r.ec != std::errc() || magnitude > limit) fail(fmt::format("the integer {} is out of range (64 bits)", text));
  return Value::integer(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
}

/// [-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?
std::optional<Value> floating(std::string_view text) {
  std::string_view s = split_sign(text).rest;
  size_t i = 0;
  if (i < s.size() && is_digit(s[i]))
    while (i < s.size() && (is_digit(s[i]) || s[i] == '_' || s[i] == ',')) ++i;
  if (i >= s.size() || s[i] != '.') return std::nullopt;
  if (s.size() == 1) return std::nullopt; // "." is a string
  size_t whole = i++;
  while (i < s.size() && is_digit(s[i])) ++i;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    size_t digits = i + 2;
    if (digits >= s.size() || (s[i + 1] != '-' && s[i + 1] != '+') || !all_of(s.substr(digits), "0123456789")) return std::nullopt;
    if (whole == 0 && i == 1) fail(fmt::format("invalid value for Float(): \"{}\"", without(text, ".")));
    i = s.size();
  }
  if (i != s.size()) return std::nullopt;
  std::string plain = without(text, "_,");
  if (plain[0] == '+') plain.erase(0, 1);
  double d = 0;
  auto r = std::from_chars(plain.data(), plain.data() + plain.size(), d);
  if (r.ec == std::errc::result_out_of_range) d = std::strtod(plain.c_str(), nullptr);
  return Value::floating(d);
}

/// Sexagesimal: [-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2} with an optional fraction `.[0-9_]*`. As in Psych, the first part counts 3600 and
/// the next one 60.
std::optional<Value> sexagesimal(std::string_view text) {
  std::string_view s = split_sign(text).rest;
  if (s.empty() || !is_digit(s[0]) || s.find(':') == std::string_view::npos) return std::nullopt;
  size_t point = s.find('.');
  std::string_view fraction = point == std::string_view::npos ? std::string_view() : s.substr(point + 1);
  if (!all_of(fraction, "0123456789_")) return std::nullopt;
  std::string_view body = s.substr(0, point);
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= body.size();) {
    size_t end = std::min(body.find(':', begin), body.size());
    parts.push_back(body.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() > 3 || !all_of(parts[0], "0123456789_")) return std::nullopt;
  for (size_t i = 1; i < parts.size(); ++i) {
    std::string_view p = parts[i];
    bool ok = (p.size() == 1 && is_digit(p[0])) || (p.size() == 2 && p[0] >= '0' && p[0] <= '5' && is_digit(p[1]));
    if (!ok) return std::nullopt;
  }
  static constexpr int64_t weights[] = {3600, 60, 1};
  bool negative = text[0] == '-';
  if (point == std::string_view::npos) {
    int64_t sum = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      int64_t n = 0;
      std::string plain = without(parts[i], "_");
      if (std::from_chars(plain.data(), plain.data() + plain.size(), n).ec != std::errc() || n > INT64_MAX / 3600 - 1)
        fail(fmt::format("the integer {} is out of range (64 bits)", text));
      sum += (i == 0 && negative ? -n : n) * weights[i];
    }
    return Value::integer(sum);
  }
  double sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string plain = without(parts[i], "_");
    if (i + 1 == parts.size()) plain += "." + without(fraction, "_");
    double d = std::strtod(plain.c_str(), nullptr);
    sum += (i == 0 && negative ? -d : d) * static_cast<double>(weights[i]);
  }
  return Value::floating(sum);
}

/// The length of a run of `least` to `most` digits at `i`, or 0 if there is none.
size_t digits_at(std::string_view s, size_t i, size_t least, size_t most) {
  size_t n = 0;
  while (n < most && i + n < s.size() && is_digit(s[i + n])) ++n;
  return n >= least ? n : 0;
}

bool is_time(std::string_view s) {
  size_t i = s.starts_with('-') ? 1 : 0, n;
  if (!digits_at(s, i, 4, 4)) return false;
  i += 4;
  for (int part = 0; part < 2; ++part) {
    if (i >= s.size() || s[i] != '-' || !(n = digits_at(s, i + 1, 1, 2))) return false;
    i += 1 + n;
  }
  if (i < s.size() && (s[i] == 'T' || s[i] == 't')) {
    ++i;
  } else {
    size_t begin = i;
    while (i < s.size() && (s[i] == ' ' || s[i] == '\t')) ++i;
    if (i == begin) return false;
  }
  if (!(n = digits_at(s, i, 1, 2))) return false;
  i += n;
  for (int part = 0; part < 2; ++part) {
    if (i >= s.size() || s[i] != ':' || !digits_at(s, i + 1, 2, 2)) return false;
    i += 3;
  }
  if (i < s.size() && s[i] == '.')
    for (++i; i < s.size() && is_digit(s[i]);) ++i;
  if (i == s.size()) return true;
  while (i < s.size() && (s[i] == ' ' || s[i] == '\t')) ++i;
  if (i < s.size() && s[i] == 'Z') return i + 1 == s.size();
  if (i >= s.size() || (s[i] != '+' && s[i] != '-') || !(n = digits_at(s, i + 1, 1, 2))) return false;
  i += 1 + n;
  if (i < s.size() && s[i] == ':') ++i;
  i += digits_at(s, i, 2, 2);
  return i == s.size();
}

/// Whether the text looks like a date. The day need not exist, because Psych rejects the class before it checks that.
bool is_date(std::string_view s) {
  if (!digits_at(s, 0, 4, 4) || s.size() < 8 || s[4] != '-') return false;
  size_t cut = s.find('-', 5);
  if (cut == std::string_view::npos) return false;
  auto part = [](std::string_view p, std::string_view tens, int last_of_highest) {
    if (p.size() == 1) return is_digit(p[0]);
    if (p.size() != 2 || !is_digit(p[1]) || tens.find(p[0]) == std::string_view::npos) return false;
    return p[0] != tens.back() || p[1] - '0' <= last_of_highest;
  };
  return part(s.substr(5, cut - 5), "01", 2) && part(s.substr(cut + 1), "0123", 1);
}

class Reader {
public:
  Reader(std::string_view text, Arena& arena, const YamlOptions& options, DataEntryNotes* notes, const RubyObjects* objects = nullptr)
      : arena_(arena), options_(options), notes_(notes), objects_(objects) {
    if (text.data() == nullptr) text = ""; // libyaml does not accept null for an empty text
    if (!yaml_parser_initialize(&parser_)) fail("out of memory");
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Reader() {
    drop_event();
    yaml_parser_delete(&parser_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Value read() {
    next(); // stream start
    next();
    if (event_.type == YAML_STREAM_END_EVENT) return Value::undef();
    next(); // document start -> root
    bool special = false;
    Value v = node(special, 0);
    next(); // Puppet also reads only up to the end of the document
    return v;
  }

private:
  struct Anchored {
    Value value;
    bool special;
    bool finished;
    size_t nodes = 1; // number of nodes in the value; each alias in it counts with all its nodes
  };

  // An alias costs nothing here, but later code visits its value each time. A few lines with aliases can expand to more data than fits
  // into memory, so limit the expanded size.
  static constexpr size_t most_nodes = 5'000'000;
  void count_nodes(size_t n) {
    nodes_ += n;
    if (nodes_ > most_nodes)
      fail(fmt::format("the data, with the values that aliases stand for, have more than {} values", most_nodes),
           static_cast<uint32_t>(event_.start_mark.line) + 1);
  }

  void drop_event() {
    if (have_event_) yaml_event_delete(&event_);
    have_event_ = false;
  }

  void next() {
    drop_event();
    if (!yaml_parser_parse(&parser_, &event_)) {
      // Psych's message has the place of the context, even if there is no context.
      std::string what = parser_.problem ? parser_.problem : "";
      if (parser_.context) what += (what.empty() ? "" : " ") + std::string(parser_.context);
      uint32_t line = static_cast<uint32_t>(parser_.context_mark.line) + 1, column = static_cast<uint32_t>(parser_.context_mark.column) + 1;
      // The place of our own diagnostic is that of the problem, which helps more.
      uint32_t at_line = static_cast<uint32_t>(parser_.problem_mark.line) + 1,
               at_column = static_cast<uint32_t>(parser_.problem_mark.column) + 1;
      fail(fmt::format("({}): {} at line {} column {}", options_.file.empty() ? "<unknown>" : options_.file, what, line, column), at_line,
           at_column);
    }
    have_event_ = true;
  }

  static std::string_view text_of(const yaml_char_t* s) {
    return s ? std::string_view(reinterpret_cast<const char*>(s)) : std::string_view();
  }

  [[noreturn]] void disallowed(std::string_view name) {
    fail(fmt::format("({}): Tried to load unspecified class: {}", options_.file.empty() ? "<unknown>" : options_.file, name),
         static_cast<uint32_t>(event_.start_mark.line) + 1, static_cast<uint32_t>(event_.start_mark.column) + 1);
  }

  /// Reads the node that the current event starts. Afterwards the current event is the last one of the node.
  Value node(bool& special, int depth) {
    if (depth > max_yaml_depth) fail("the data is nested too deeply", static_cast<uint32_t>(event_.start_mark.line) + 1);
    ++nodes_;
    check_time();
    switch (event_.type) {
    case YAML_ALIAS_EVENT: {
      auto it = anchors_.find(std::string(text_of(event_.data.alias.anchor)));
      if (!options_.aliases)
        fail("Unknown alias: " + std::string(text_of(event_.data.alias.anchor)), static_cast<uint32_t>(event_.start_mark.line) + 1);
      if (it == anchors_.end())
        fail(fmt::format("Unknown alias: {}", text_of(event_.data.alias.anchor)), static_cast<uint32_t>(event_.start_mark.line) + 1);
      if (!it->second.finished)
        fail(fmt::format("The alias {} stands inside the value it refers to", text_of(event_.data.alias.anchor)),
             static_cast<uint32_t>(event_.start_mark.line) + 1);
      special |= it->second.special;
      count_nodes(it->second.nodes);
      return it->second.value;
    }
    case YAML_SCALAR_EVENT: {
      std::string anchor(text_of(event_.data.scalar.anchor));
      Value v;
      try {
        v = scalar();
      } catch (Failure& failure) {
        DataError& error = failure.error;
        const bool big = error.line == 0 && error.message.starts_with("the integer ");
        if (big && options_.big_integers) {
          v = string({reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length});
          v.flags = big_integer_flag;
          special = true;
          if (!anchor.empty()) anchors_[anchor] = {v, true, true};
          return v;
        }
        if (big) { // Puppet fails only when it uses the value; we fail here, so add the place
          error.line = static_cast<uint32_t>(event_.start_mark.line) + 1;
          error.column = static_cast<uint32_t>(event_.start_mark.column) + 1;
          error.message = fmt::format("({}): {} at line {} column {}", options_.file.empty() ? "<unknown>" : options_.file, error.message,
                                      error.line, error.column);
        }
        throw;
      }
      bool here = v.is_string() && (is_symbol(v) || v.str().find("%{") != std::string_view::npos);
      special |= here;
      if (!anchor.empty()) anchors_[anchor] = {v, here, true};
      return v;
    }
    case YAML_SEQUENCE_START_EVENT: {
      std::string anchor(text_of(event_.data.sequence_start.anchor));
      std::string_view tag = text_of(event_.data.sequence_start.tag);
      if (!options_.object_tags)
        for (std::string_view prefix : {"!ruby/array:", "!seq:"})
          if (tag.starts_with(prefix)) disallowed(tag.substr(prefix.size()));
      bool pairs = tag == "!omap" || tag == "tag:yaml.org,2002:omap";
      if (!anchor.empty()) anchors_[anchor] = {Value::undef(), false, false};
      bool here = false;
      const size_t nodes_before = nodes_;
      ListBuilder list(arena_);
      for (next(); event_.type != YAML_SEQUENCE_END_EVENT; next()) list.add(meant(node(here, depth + 1)));
      Value v;
      if (pairs) {
        HashBuilder hash(arena_);
        for (const Value& item : list.items())
          if (item.is_hash())
            for (const auto& e : item.hash->entries()) hash.set(e.key, e.value);
        v = hash.finish();
      } else {
        v = list.finish();
      }
      if (!anchor.empty()) anchors_[anchor] = {v, here, true, nodes_ - nodes_before + 1};
      special |= here;
      return v;
    }
    case YAML_MAPPING_START_EVENT: return mapping(special, depth);
    default: fail("unexpected event");
    }
  }

  void check_mapping_tag(std::string_view tag) {
    if (tag.empty() || options_.object_tags) return;
    for (std::string_view prefix : {"!ruby/object:", "!ruby/struct:", "!map:", "!ruby/hash:", "!ruby/exception:", "!ruby/marshalable:",
                                    "!ruby/array:", "!ruby/hash-with-ivars:"})
      if (tag.starts_with(prefix)) {
        std::string_view name = tag.substr(prefix.size());
        if (name != "Hash") disallowed(name);
        return;
      }
    if (tag == "!ruby/object") disallowed("Object");
    if (tag == "!ruby/range") disallowed("Range");
    if (tag == "!ruby/exception") disallowed("Exception");
    if (tag == "!ruby/struct") disallowed("Struct");
    if (tag == "!set" || tag == "tag:yaml.org,2002:set") disallowed("Psych::Set");
    if (tag == "!omap" || tag == "tag:yaml.org,2002:omap") disallowed("Psych::Omap");
  }

  Value mapping(bool& special, int depth) {
    std::string anchor(text_of(event_.data.mapping_start.anchor));
    check_mapping_tag(text_of(event_.data.mapping_start.tag));
    if (!anchor.empty()) anchors_[anchor] = {Value::undef(), false, false};
    bool here = false;
    const size_t nodes_before = nodes_;
    DataEntryNotes* notes = depth == 0 ? notes_ : nullptr;
    HashBuilder hash(arena_);
    std::map<std::string_view, uint32_t> own; // lines of the keys that stand here, for `repeated`
    auto note = [&](const Value& key, bool is_special, uint32_t line) {
      if (!notes) return;
      size_t before = notes->lines.size();
      if (hash.size() > before) { // a new entry
        notes->lines.push_back(line);
        notes->special.push_back(is_special);
        positions_.emplace_back(key, before);
        return;
      }
      for (const auto& [known, index] : positions_)
        if (eql(known, key)) {
          notes->lines[index] = line;
          notes->special[index] = notes->special[index] || is_special;
        }
    };
    for (next(); event_.type != YAML_MAPPING_END_EVENT; next()) {
      uint32_t line = static_cast<uint32_t>(event_.start_mark.line) + 1;
      bool merge = event_.type == YAML_SCALAR_EVENT && text_of(event_.data.scalar.tag) != "tag:yaml.org,2002:str" &&
                   event_.data.scalar.length == 2 && std::memcmp(event_.data.scalar.value, "<<", 2) == 0;
      bool entry = false;
      Value key = node(entry, depth + 1);
      if (!key.is_string() && !key.is_number()) entry = true;
      if (is_symbol(key) && !options_.symbol_keys) key.flags = 0; // Puppet converts symbols in keys to strings
      next();
      yaml_event_type_t form = event_.type;
      Value value = meant(node(entry, depth + 1));
      here |= entry;
      if (merge && merge_into(hash, form, value, [&](const Value& k) { note(k, entry, line); })) continue;
      hash.set(key, value);
      note(key, entry, line);
      if (options_.repeated == nullptr || !key.is_string()) continue;
      if (const auto [at, fresh] = own.try_emplace(key.str(), line); !fresh) options_.repeated->push_back({key.str(), line, at->second});
    }
    Value v = hash.finish();
    if (!anchor.empty()) anchors_[anchor] = {v, here, true, nodes_ - nodes_before + 1};
    special |= here;
    return v;
  }

  /// Replaces the symbol :undef, which Ruby programs write for undef, by undef.
  Value meant(const Value& v) const { return options_.undef_symbols && is_symbol(v) && v.str() == "undef" ? Value::undef() : v; }

  /// Merges `<<: value`. False when the value cannot be merged: then `<<` is an ordinary key.
  template <class Note> static bool merge_into(HashBuilder& hash, yaml_event_type_t form, const Value& value, Note note) {
    if (form == YAML_SEQUENCE_START_EVENT) {
      if (!value.is_list()) return false;
      for (const Value& v : value.items())
        if (!v.is_hash()) return false;
      auto items = value.items();
      // Of several hashes the first wins, but its keys come after those of the later ones.
      for (size_t i = items.size(); i-- > 0;)
        for (const auto& e : items[i].hash->entries()) {
          check_time();
          hash.set(e.key, e.value);
          note(e.key);
        }
      return true;
    }
    if (form == YAML_SCALAR_EVENT || !value.is_hash()) return false;
    for (const auto& e : value.hash->entries()) {
      check_time();
      hash.set(e.key, e.value);
      note(e.key);
    }
    return true;
  }

  Value string(std::string_view s) { return Value::string(arena_.copy(s)); }
  Value symbol(std::string_view s) {
    Value v = string(s);
    v.flags = symbol_flag;
    return v;
  }

  /// /source/flags
  Value regexp(std::string_view s) {
    const size_t end = s.rfind('/');
    if (!s.starts_with('/') || end == 0) disallowed("Regexp");
    const std::string_view flags = s.substr(end + 1);
    if (!all_of(flags, "imx")) disallowed("Regexp");
    auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
    try {
      return Value::of(objects_->regexes->get(s.substr(1, end - 1), has('i'), has('x'), has('m')));
    } catch (const RegexError& error) { fail(error.message); }
  }

  /// A text that names no day of the calendar stays one.
  Value date(std::string_view s) {
    const size_t cut = s.find('-', 5);
    auto number = [&](std::string_view digits) { return digits.size() == 2 ? (digits[0] - '0') * 10 + digits[1] - '0' : digits[0] - '0'; };
    const int year = number(s.substr(0, 2)) * 100 + number(s.substr(2, 2));
    const int month = number(s.substr(5, cut - 5)), day = number(s.substr(cut + 1));
    const std::chrono::year_month_day calendar(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day)));
    if (!calendar.ok()) return string(s);
    return objects_->date(fmt::format("{:04}-{:02}-{:02}", year, month, day));
  }

  Value scalar() {
    const auto& data = event_.data.scalar;
    std::string_view s(reinterpret_cast<const char*>(data.value), data.length);
    std::string_view tag = text_of(data.tag);
    if (data.quoted_implicit) return string(s);
    if (tag.empty()) return plain(s);
    if (tag == "!binary" || tag == "tag:yaml.org,2002:binary") return bytes_text(string(decode_base64(s)));
    if (tag == "tag:yaml.org,2002:str" || tag == "!str" || tag == "!ruby/string") return string(s);
    if (tag == "tag:yaml.org,2002:float" || tag == "!float") {
      Value v = plain(s);
      if (v.is_int()) return Value::floating(static_cast<double>(v.i));
      if (v.is_float()) return v;
      fail(fmt::format("invalid value for Float(): \"{}\"", s), static_cast<uint32_t>(event_.start_mark.line) + 1);
    }
    if (tag.starts_with("!ruby/sym")) return symbol(s);
    for (std::string_view prefix : {"!ruby/string:", "!str:"})
      if (tag.starts_with(prefix) && !options_.object_tags) disallowed(tag.substr(prefix.size()));
    struct Forbidden {
      std::string_view tag, name;
    };
    static constexpr Forbidden forbidden[] = {{"!ruby/object:BigDecimal", "BigDecimal"},
                                              {"!ruby/object:DateTime", "DateTime"},
                                              {"!ruby/object:Complex", "Complex"},
                                              {"!ruby/object:Rational", "Rational"},
                                              {"!ruby/regexp", "Regexp"},
                                              {"!ruby/range", "Range"}};
    if (objects_ != nullptr && objects_->regexes != nullptr && tag == "!ruby/regexp") return regexp(s);
    for (const auto& f : forbidden)
      if (tag == f.tag && !options_.object_tags) disallowed(f.name);
    if ((tag == "!ruby/class" || tag == "!ruby/module") && !options_.object_tags) disallowed(s);
    return plain(s);
  }

  /// Reads a scalar without quotes and tag, by the rules of Psych's ScalarScanner.
  Value plain(std::string_view s) {
    if (s.empty()) return Value::undef();
    char first = s[0];
    bool word = word_char(first) || (s.size() > 1 && !is_digit(first) && first != '.' && first != ':' && first != '-' && word_char(s[1]));
    if (word || s.find('\n') != std::string_view::npos) {
      if (s.size() > 5) return string(s);
      if (s == "~" || equals_ignoring_case(s, "null")) return Value::undef();
      if (equals_ignoring_case(s, "yes") || equals_ignoring_case(s, "true") || equals_ignoring_case(s, "on")) return Value::boolean(true);
      if (equals_ignoring_case(s, "no") || equals_ignoring_case(s, "false") || equals_ignoring_case(s, "off")) return Value::boolean(false);
      return string(s);
    }
    if (is_digit(first) || first == '-') {
      if (is_time(s)) {
        if (!options_.dates) disallowed("Time");
        return string(s);
      }
      if (is_date(s)) {
        if (objects_ != nullptr) return date(s);
        if (!options_.dates) disallowed("Date");
        return string(s);
      }
    }
    if (equals_ignoring_case(s, ".inf") || equals_ignoring_case(s, "+.inf")) return Value::floating(INFINITY);
    if (equals_ignoring_case(s, "-.inf")) return Value::floating(-INFINITY);
    if (equals_ignoring_case(s, ".nan")) return Value::floating(NAN);
    if (first == ':' && s.size() > 1) {
      std::string_view name = s.substr(1);
      if (name[0] == '"' || name[0] == '\'') {
        size_t end = name.rfind(name[0]);
        if (end > 0) {
          name = name.substr(1, end - 1);
          if (name.starts_with(':')) name.remove_prefix(1);
        }
      }
      return symbol(name);
    }
    if (auto v = sexagesimal(s)) return *v;
    if (auto v = floating(s)) return *v;
    if (auto v = integer(s)) return *v;
    return string(s);
  }

  static std::string decode_base64(std::string_view s) {
    std::string out;
    uint32_t bits = 0;
    int have = 0;
    for (char c : s) {
      int v = c >= 'A' && c <= 'Z'   ? c - 'A'
              : c >= 'a' && c <= 'z' ? c - 'a' + 26
              : is_digit(c)          ? c - '0' + 52
              : c == '+'             ? 62
              : c == '/'             ? 63
                                     : -1;
      if (c == '=') break;
      if (v < 0) continue;
      bits = bits << 6 | static_cast<uint32_t>(v);
      if ((have += 6) >= 8) out += static_cast<char>(bits >> (have -= 8) & 0xFF);
    }
    return out;
  }

  Arena& arena_;
  const YamlOptions& options_;
  DataEntryNotes* notes_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool have_event_ = false;
  const RubyObjects* objects_; // may be null
  std::unordered_map<std::string, Anchored> anchors_;
  size_t nodes_ = 0;
  std::vector<std::pair<Value, size_t>> positions_; // entries of the root hash, to find duplicate keys
};

} // namespace

std::optional<DataError> read_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options, DataEntryNotes* notes) {
  try {
    Reader reader(text, arena, options, notes);
    out = reader.read();
    return std::nullopt;
  } catch (Failure& f) { return std::move(f.error); }
}

std::optional<DataError> read_ruby_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options,
                                        const RubyObjects* objects) {
  try {
    Reader reader(text, arena, options, nullptr, objects);
    out = reader.read();
    return std::nullopt;
  } catch (Failure& f) { return std::move(f.error); }
}

} // namespace pupc::catalog
