// stdlib functions on arrays and hashes. The texts of errors are those of stdlib 8, with its own ways to print numbers of arguments.
#include "catalog/base/limits.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/regex_text.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

const Regex* regex(FunctionCall& c, std::string_view source) {
  try {
    return c.types().regexes.get(source);
  } catch (const RegexError& e) { c.fail(fmt::format("{}: /{}/", e.message, source)); }
}

bool alphanumeric(char ch) { return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z'); }

/// Ruby's String#succ for ASCII texts. The last letter or digit is incremented and carries to the next one on its left, unless a letter and
/// a digit have something else between them. Without letters and digits the last character is incremented.
std::string successor(std::string s) {
  size_t first = std::string::npos; // the leftmost position that carried
  for (size_t i = s.size(); i-- > 0;) {
    char& ch = s[i];
    if (!alphanumeric(ch)) {
      if (first == std::string::npos) continue;
      // "1.9" becomes "2.0", "a.9" becomes "b.0", "-9" becomes "-10": a carry passes other characters if a letter or digit can take it.
      size_t left = i;
      while (left > 0 && !alphanumeric(s[left])) --left;
      if (!alphanumeric(s[left])) break;
      bool digit = s[first] == '0', letter = s[left] < '0' || s[left] > '9';
      if (digit && letter) break;
      continue;
    }
    first = i;
    if (ch != 'z' && ch != 'Z' && ch != '9') {
      ++ch;
      return s;
    }
    ch = ch == 'z' ? 'a' : ch == 'Z' ? 'A' : '0';
  }
  if (first != std::string::npos) return s.insert(first, 1, s[first] == '0' ? '1' : s[first]);
  for (size_t i = s.size(); i-- > 0;) {
    if (++s[i] != 0) return s;
  }
  return s.insert(0, 1, '\1');
}

Value range(FunctionCall& c) {
  if (c.size() == 0) c.fail("range(): Wrong number of arguments given (0 for 1)");
  std::string start, stop;
  int64_t step = 1;
  bool exclusive = false;
  if (c.size() > 1) {
    start = ruby_to_s(c.types(), legacy_argument(c, 0));
    stop = ruby_to_s(c.types(), legacy_argument(c, 1));
    if (c.size() > 2 && !c.args[2].is_undef()) step = std::abs(ruby_to_i(c.args[2]));
    if (step == 0) c.fail("range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)");
  } else {
    std::string text = ruby_to_s(c.types(), legacy_argument(c, 0));
    auto m = regex(c, "^(\\w+)(\\.\\.\\.?|\\-)(\\w+)$")->search(text);
    if (!m.matched) {
      if (some_line(text, [](std::string_view line) { return !line.empty(); }))
        c.fail(fmt::format("range(): Unable to compute range from the value: {}", text));
      c.fail(fmt::format("range(): Unknown range format: {}", text));
    }
    auto group = [&](size_t g) {
      return text.substr(static_cast<size_t>(m.groups[g].begin), static_cast<size_t>(m.groups[g].end - m.groups[g].begin));
    };
    start = group(1);
    stop = group(3);
    exclusive = group(2) == "...";
  }
  ListBuilder out(c.arena());
  if (has_line_of_digits(start)) {
    int64_t from = ruby_to_i(Value::string(start)), to = ruby_to_i(Value::string(stop));
    for (int64_t i = from; exclusive ? i < to : i <= to; i += step) {
      check_time();
      out.add(Value::integer(i));
      if (i > INT64_MAX - step) break;
    }
    return out.finish();
  }
  // Ruby's String#upto: counts single characters by their codes, other texts until the end or until they get longer than the end.
  int64_t n = 0;
  if (start.size() == 1 && stop.size() == 1) {
    for (auto ch = static_cast<unsigned char>(start[0]);
         ch < static_cast<unsigned char>(stop[0]) || (!exclusive && ch == static_cast<unsigned char>(stop[0])); ++ch, ++n) {
      if (n % step == 0) out.add(c.string(std::string(1, static_cast<char>(ch))));
      if (ch == 255) break;
    }
    return out.finish();
  }
  if (start > stop || (exclusive && start == stop)) return out.finish();
  if (start.empty()) { // the empty text has no successor
    if (!stop.empty()) out.add(Value::string(""));
    return out.finish();
  }
  const std::string after = successor(stop);
  for (std::string s = start; s != after; ++n) {
    check_time();
    if (exclusive && s == stop) break;
    if (n % step == 0) out.add(c.string(s));
    bool last = s == stop;
    s = successor(s);
    if (last || s.size() > stop.size() || s.empty()) break;
  }
  return out.finish();
}

const FunctionEntry stdlib_collection_table[] = {
    {"range", "Array from a first to a last number or text, with an optional step.", {{"3.x", range}}},
};

} // namespace

FunctionTable stdlib_collection_functions() { return stdlib_collection_table; }

} // namespace pupc::compiler
