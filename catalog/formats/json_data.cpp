// Reads JSON with nlohmann's event parser, directly into arena values.
#include "catalog/formats/data_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace pupc::catalog {
namespace {

constexpr size_t max_json_depth = 1000;

/// Where a text goes wrong.
struct Stop {
  size_t token; // that is wrong, or the text's size
  size_t ruby;  // where Ruby's json says so: at the token if that stands in a list, else at the start of the outermost of the objects
                // around it that stand in each other directly
};

/// The same of the place `at` where the parser gave up.
Stop where_it_stops(std::string_view text, size_t at) {
  std::vector<std::pair<char, size_t>> open;
  size_t token = text.size(), i = 0;
  while (i <= at && i < text.size()) {
    const char c = text[i];
    if (std::strchr(" \t\r\n", c)) {
      ++i;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i).starts_with("/*")) {
      size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      token = i++;
      if (c == '"') {
        while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
        ++i;
      } else if (!std::strchr("{}[],:", c)) {
        while (i < text.size() && !std::strchr("{}[],:\" \t\r\n/", text[i])) ++i;
      }
      if (i > at) break; // this is the wrong token
      if (c == '{' || c == '[') open.emplace_back(c, token);
      if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
    }
  }
  if (i >= text.size() && token < at) {
    std::string_view last = text.substr(token); // if this token is complete, the error is at the end
    if (!std::isalpha(static_cast<unsigned char>(last[0])) || last == "true" || last == "false" || last == "null") token = text.size();
  }
  const std::string_view word = text.substr(std::min(token, text.size()));
  if (word.starts_with("NaN") || word.starts_with("-Infinity")) return {token, token};
  if (word.starts_with("Infinity") && token > 0) return {token, token - 1};
  if (open.empty() || open.back().first == '[') return {token, token};
  size_t first = open.size() - 1;
  while (first > 0 && open[first - 1].first == '{') --first;
  return {token, open[first].second};
}

/// The token at a place, cut short where it is long.
std::string token_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  size_t end = at + 1;
  if (text[at] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
    end = std::min(end + 1, text.size());
  } else if (!std::strchr("{}[],:", text[at])) {
    while (end < text.size() && !std::strchr("{}[],:\" \t\r\n", text[end])) ++end;
  }
  std::string token(text.substr(at, std::min<size_t>(end - at, 40)));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return token;
}

/// Builds values from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  Builder(Arena& arena, std::string_view text, bool big_integers) : arena_(arena), text_(text), big_integers_(big_integers) {}

  Value root;
  DataError failure;

  bool null() override { return add(Value::undef()); }
  bool boolean(bool v) override { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) override { return add(Value::integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<number_unsigned_t>(INT64_MAX)) return add(Value::integer(static_cast<int64_t>(v)));
    return add(big_integers_ ? big(std::to_string(v)) : Value::floating(static_cast<double>(v)));
  }
  bool number_float(number_float_t v, const string_t& written) override {
    const bool integer = written.find_first_of(".eE") == string_t::npos;
    return add(integer && big_integers_ ? big(written) : Value::floating(v));
  }
  bool string(string_t& v) override { return add(Value::string(arena_.copy(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& v) override {
    stack_.back().key = Value::string(arena_.copy(v));
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    const Stop stop = where_it_stops(text_, std::min(position > 0 ? position - 1 : 0, text_.size()));
    auto place = [&](size_t at, uint32_t& line, uint32_t& column) {
      line = static_cast<uint32_t>(std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n')) + 1;
      size_t line_start = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
      column = static_cast<uint32_t>(line_start == std::string_view::npos ? at + 1 : at - line_start);
    };
    place(stop.ruby, failure.line, failure.column);
    place(stop.token, failure.wrong_line, failure.wrong_column);
    failure.wrong_token = token_at(text_, stop.token);
    failure.message = fmt::format("unexpected token at '{}'", text_.substr(stop.ruby));
    return false;
  }

private:
  struct Level {
    bool is_object;
    Value key;
    ListBuilder list;
    HashBuilder hash;
    Level(bool object, Arena& arena) : is_object(object), list(arena), hash(arena) {}
  };

  Value big(std::string_view written) {
    Value v = Value::string(arena_.copy(written));
    v.flags = big_integer_flag;
    return v;
  }
  bool add(Value v) {
    if (stack_.empty())
      root = v;
    else if (stack_.back().is_object)
      stack_.back().hash.set(stack_.back().key, v);
    else
      stack_.back().list.add(v);
    return true;
  }
  bool open(bool object) {
    if (stack_.size() >= max_json_depth) {
      failure.message = fmt::format("nesting of {} is too deep", stack_.size() + 1);
      return false;
    }
    stack_.emplace_back(object, arena_);
    return true;
  }
  bool close() {
    Level& level = stack_.back();
    Value v = level.is_object ? level.hash.finish() : level.list.finish();
    stack_.pop_back();
    return add(v);
  }

  Arena& arena_;
  std::string_view text_;
  bool big_integers_;
  std::vector<Level> stack_;
};

/// Reads JSON in its usual forms, several times as fast as the library. Every function returns false at an error and at forms that it does
/// not know (numbers that are no small integers, escapes, texts beyond ASCII): the library then reads the whole text, and tells the error.
class PlainReader {
public:
  PlainReader(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}
  bool whole(Value& out) {
    if (!value(out, 0)) return false;
    skip_blanks();
    return at_ == text_.size();
  }

private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (here() != c) return false;
    ++at_;
    return true;
  }

  bool value(Value& out, int depth) {
    skip_blanks();
    switch (here()) {
    case '{': return depth < 100 && object(out, depth + 1);
    case '[': return depth < 100 && array(out, depth + 1);
    case '"': return string(out);
    case 't': return word("true", Value::boolean(true), out);
    case 'f': return word("false", Value::boolean(false), out);
    case 'n': return word("null", Value::undef(), out);
    default: return integer(out);
    }
  }

  bool word(std::string_view spelling, const Value& meaning, Value& out) {
    if (!text_.substr(at_).starts_with(spelling)) return false;
    at_ += spelling.size();
    out = meaning;
    return true;
  }

  bool integer(Value& out) {
    const size_t begin = at_;
    uint64_t n = 0; // what overflows has more digits than are taken here
    while (here() >= '0' && here() <= '9') n = n * 10 + static_cast<uint64_t>(text_[at_++] - '0');
    const size_t digits = at_ - begin;
    if (digits == 0 || digits > 18 || (digits > 1 && text_[begin] == '0') || here() == '.' || here() == 'e' || here() == 'E') return false;
    out = Value::integer(static_cast<int64_t>(n));
    return true;
  }

  bool string(Value& out) {
    const size_t begin = ++at_, end = text_.find('"', begin);
    if (end == std::string_view::npos) return false;
    const std::string_view s = text_.substr(begin, end - begin);
    if (!std::all_of(s.begin(), s.end(), [](char c) { return c >= ' ' && c <= '~' && c != '\\'; })) return false;
    at_ = end + 1;
    out = Value::string(arena_.copy(s));
    return true;
  }

  bool array(Value& out, int depth) {
    ++at_;
    ListBuilder list(arena_);
    if (!accept(']')) {
      do {
        Value item;
        if (!value(item, depth)) return false;
        list.add(item);
      } while (accept(','));
      if (!accept(']')) return false;
    }
    out = list.finish();
    return true;
  }

  bool object(Value& out, int depth) {
    ++at_;
    HashBuilder hash(arena_);
    if (!accept('}')) {
      do {
        skip_blanks();
        Value key, item;
        if (here() != '"' || !string(key) || !accept(':') || !value(item, depth)) return false;
        hash.set(key, item);
      } while (accept(','));
      if (!accept('}')) return false;
    }
    out = hash.finish();
    return true;
  }

  std::string_view text_;
  Arena& arena_;
  size_t at_ = 0;
};

} // namespace

std::optional<DataError> read_json(std::string_view text, Arena& arena, Value& out, bool big_integers) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (Value plain; PlainReader(text, arena).whole(plain)) {
    out = plain;
    return std::nullopt;
  }
  Builder builder(arena, text, big_integers);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, true, true))
    return std::move(builder.failure);
  out = builder.root;
  return std::nullopt;
}

std::optional<DataError> duplicate_json_key(std::string_view text) {
  struct Open {
    bool object;
    std::set<std::string, std::less<>> keys;
    std::string_view last;
  };
  std::vector<Open> open;
  std::optional<std::string_view> repeated; // the duplicate key whose value comes next
  uint32_t line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (std::strchr(" \t\r\n,", c)) continue;
    if (c == ':') {
      if (open.empty()) return std::nullopt; // not JSON; its reader says so
      Open& object = open.back();
      if (!object.keys.emplace(object.last).second) repeated = object.last;
      continue;
    }
    if (repeated) return DataError{fmt::format("JSON does not allow duplicate fields: '{}' was already seen", *repeated), line, 0};
    if (c == '{' || c == '[') {
      open.push_back({c == '{', {}, {}});
    } else if (c == '}' || c == ']') {
      if (!open.empty()) open.pop_back();
    } else if (c == '"') {
      const size_t begin = ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      if (!open.empty() && open.back().object) open.back().last = text.substr(begin, i - begin);
    }
  }
  return std::nullopt;
}

} // namespace pupc::catalog
