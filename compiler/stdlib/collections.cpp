// stdlib functions on arrays and hashes. The texts of errors are those of stdlib 8, with its own ways to print numbers of arguments.
#include "catalog/base/limits.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/iteration.h"
#include "compiler/function/mersenne_twister.h"
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

/// The elements of an array, or the characters of a text.
std::vector<Value> parts_to_rotate(const Value& v) {
  if (v.is_list()) return as_array(v);
  std::vector<Value> characters;
  characters_of(v.str(), characters);
  return characters;
}
Value rotated(FunctionCall& c, const Value& v, std::vector<Value>& items, std::string_view seed) {
  uint64_t offset = random_below(seed, items.size());
  std::rotate(items.begin(), items.begin() + static_cast<ptrdiff_t>(offset), items.end());
  if (v.is_list()) return make_list(c.arena(), items);
  std::string out;
  for (const Value& ch : items) out += ch.str();
  return c.string(out);
}
Value fqdn_rotate(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c, "1");
  Value v = legacy_argument(c, 0);
  if (!v.is_list() && !v.is_string()) c.fail("fqdn_rotate(): Requires either array or string to work with");
  std::vector<Value> items = parts_to_rotate(v);
  if (items.size() <= 1) return v;
  Value fqdn;
  std::string seed;
  if (!c.evaluator.lookup_variable("::fqdn", c.frame, fqdn)) return c.run_file(); // an error where it is strict
  if (!fqdn.is_undef()) seed = ruby_to_s(c.types(), fqdn);
  for (size_t i = 1; i < c.size(); ++i) {
    std::vector<Value> flat;
    flatten_into(legacy_argument(c, i), flat);
    for (const Value& f : flat) seed += ":" + ruby_to_s(c.types(), f);
  }
  if (c.size() == 1) seed += ":"; // an empty list adds no text, but the separator stays
  return rotated(c, v, items, seed);
}
/// Since stdlib 9.4 with the structured fact.
Value stdlib_fqdn_rotate(FunctionCall& c) {
  Value facts;
  const Value* networking = c.evaluator.lookup_variable("facts", c.frame, facts) && facts.is_hash() ? facts.hash->find("networking")
                                                                                                    : nullptr;
  if (networking == nullptr || !networking->is_hash()) return c.run_file();
  const Value& v = c.args[0];
  std::vector<Value> items = parts_to_rotate(v);
  if (items.size() <= 1) return v;
  const Value* fqdn = networking->hash->find("fqdn");
  std::string seed = fqdn == nullptr || fqdn->is_undef() ? std::string() : ruby_to_s(c.types(), *fqdn);
  for (const Value& more : c.args.subspan(1)) seed += ":" + ruby_to_s(c.types(), more);
  if (c.size() == 1) seed += ":";
  return rotated(c, v, items, seed);
}

const FunctionEntry stdlib_collection_table[] = {
    {"range", "Array from a first to a last number or text, with an optional step.", {{"3.x", range}}},
    {"fqdn_rotate", "An array or text rotated by an amount that depends on the node's name and a seed.", {{"3.x", fqdn_rotate}}},
    {"stdlib::fqdn_rotate",
     "An array or text rotated by an amount that depends on the node's name and a seed.",
     {{"String $input, Variant[Integer,String] $seeds*", stdlib_fqdn_rotate},
      {"Array $input, Variant[Integer,String] $seeds*", stdlib_fqdn_rotate}}},
};

} // namespace

FunctionTable stdlib_collection_functions() { return stdlib_collection_table; }

} // namespace pupc::compiler
