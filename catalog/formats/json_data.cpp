// Reads JSON data, with errors at the places that Ruby's library tells.
#include "catalog/formats/data_file.h"
#include "catalog/json/json_values.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace pupc::catalog {
namespace {

constexpr size_t most_levels = 1000;

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

DataError error_at(std::string_view text, size_t parser_at) {
  const Stop stop = where_it_stops(text, std::min(parser_at > 0 ? parser_at - 1 : 0, text.size()));
  auto place = [&](size_t at, uint32_t& line, uint32_t& column) {
    line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n')) + 1;
    size_t line_start = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    column = static_cast<uint32_t>(line_start == std::string_view::npos ? at + 1 : at - line_start);
  };
  DataError out;
  place(stop.ruby, out.line, out.column);
  place(stop.token, out.wrong_line, out.wrong_column);
  out.wrong_token = token_at(text, stop.token);
  out.message = fmt::format("unexpected token at '{}'", text.substr(stop.ruby));
  return out;
}

} // namespace

std::optional<DataError> read_json(std::string_view text, Arena& arena, Value& out, bool big_integers) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const JsonValues values = read_json_values(text, arena, {.most_levels = most_levels, .comments = true, .big_integers = big_integers});
  if (values.ok) {
    out = values.value;
    return std::nullopt;
  }
  if (values.too_deep) return DataError{fmt::format("nesting of {} is too deep", most_levels + 1)};
  return error_at(text, values.failed_at);
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
