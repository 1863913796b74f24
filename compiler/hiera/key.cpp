#include "compiler/hiera/key.h"

#include "catalog/base/text.h"
#include "compiler/hiera/errors.h"
#include "compiler/hiera/explain.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The length of the segment at the start of `s`: a quoted text with blanks around it, or a text without quotes and dots. 0 = none.
size_t segment_length(std::string_view s) {
  size_t i = 0;
  while (i < s.size() && is_space(s[i])) ++i;
  if (i < s.size() && (s[i] == '"' || s[i] == '\'')) {
    size_t end = s.find(s[i], i + 1);
    if (end != std::string_view::npos && end > i + 1) {
      ++end;
      while (end < s.size() && is_space(s[end])) ++end;
      return end;
    }
  }
  size_t end = s.find_first_of("'\".");
  return end == std::string_view::npos ? s.size() : end;
}

Value segment_value(std::string_view raw) {
  std::string_view s = trimmed(raw, ruby_blanks);
  if (!s.empty() && (s[0] == '"' || s[0] == '\'')) return Value::string(s.substr(1, s.size() - 2));
  std::string_view digits = s;
  bool negative = false;
  if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string_view::npos) return Value::string(s);
  int64_t n = 0;
  for (char c : digits) n = n * 10 + (c - '0');
  return Value::integer(negative ? -n : n);
}

std::string show(const Value& segment) { return segment.is_int() ? std::to_string(segment.i) : std::string(segment.str()); }

} // namespace

bool split_key(std::string_view key, std::vector<Value>& segments) {
  if (key.find_first_of("'\".") == std::string_view::npos) {
    segments.push_back(Value::string(key));
    return true;
  }
  for (std::string_view rest = key;;) {
    size_t n = segment_length(rest);
    if (n == 0) return false;
    segments.push_back(segment_value(rest.substr(0, n)));
    rest.remove_prefix(n);
    if (rest.empty()) return true;
    if (rest[0] != '.') return false;
    rest.remove_prefix(1);
  }
}

LookupKey::LookupKey(std::string_view key) : text(key), root(key) {
  if (key.find_first_of("'\".") != std::string_view::npos) {
    if (!split_key(key, segments)) throw_lookup_error(fmt::format("Syntax error in key: '{}'", key));
    // A root of digits is a text, because the keys of data are strings.
    root = segments.front().is_string() ? segments.front().str() : trimmed(key.substr(0, segment_length(key)), ruby_blanks);
    segments.erase(segments.begin());
  }
  size_t cut = root.find("::");
  if (cut != std::string_view::npos) {
    has_module = true;
    module = root.substr(0, cut);
  }
}

std::string shown_segments(std::span<const Value> segments) {
  std::string out;
  for (const Value& s : segments) {
    if (!out.empty()) out += '.';
    out += s.is_int() ? std::to_string(s.i) : std::string(s.str());
  }
  return out;
}

bool dig(std::string_view key, std::span<const Value> segments, Value& value, Explainer* explainer) {
  for (const Value& segment : segments) {
    ExplainNode node(explainer, Explainer::Node::Segment, explainer ? show(segment) : std::string());
    const Value* next = nullptr;
    if (value.is_undef()) {
      // an undef has no members
    } else if (value.is_list() && segment.is_int()) {
      if (segment.i >= 0 && segment.i < static_cast<int64_t>(value.list->size)) next = &value.list->data[segment.i];
    } else if (value.is_hash()) {
      next = value.hash->find(segment);
    } else {
      throw_lookup_error(
          fmt::format("Data Provider type mismatch: Got {} when a hash-like object was expected to access value using '{}' from key '{}'",
                      ruby_class_name(value), show(segment), key));
    }
    if (!next) {
      if (explainer) explainer->not_found(show(segment));
      return false;
    }
    value = *next;
    if (explainer) explainer->found(show(segment), value);
  }
  return true;
}

} // namespace pupc::compiler
