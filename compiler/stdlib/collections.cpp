// stdlib functions on arrays and hashes. The texts of errors are those of stdlib 8, with its own ways to print numbers of arguments.
#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/digest.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/iteration.h"
#include "compiler/function/mersenne_twister.h"
#include "compiler/function/regex_text.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_blank(const Value& v) { return v.is_undef() || (v.is_string() && (v.str().empty())); }

Value pick(FunctionCall& c) {
  for (const Value& v : c.args)
    if (!is_blank(v)) return v;
  c.fail("pick(): must receive at least one non empty value");
}
Value pick_default(FunctionCall& c) {
  if (c.size() == 0) c.fail("Must receive at least one argument.");
  for (const Value& v : c.args.first(c.size() - 1))
    if (!is_blank(v)) return v;
  return legacy_argument(c, c.size() - 1);
}

Value any2array(FunctionCall& c) {
  if (c.size() != 1) return make_list(c.arena(), legacy_arguments(c));
  const Value& v = c.args[0];
  if (v.is_list()) return v;
  if (is_blank(v)) return make_list(c.arena(), {});
  if (!v.is_hash()) return make_list(c.arena(), c.args);
  ListBuilder out(c.arena());
  for (const auto& e : v.hash->entries()) {
    out.add(e.key);
    out.add(e.value);
  }
  return out.finish();
}

Value concat(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "< 2");
  if (!c.args[0].is_list()) c.fail("concat(): Requires array to work with");
  ListBuilder out(c.arena());
  out.add_all(c.args[0].items());
  for (size_t i = 1; i < c.size(); ++i) {
    if (c.args[i].is_list())
      out.add_all(c.args[i].items());
    else
      out.add(legacy_argument(c, i));
  }
  return out.finish();
}

Value count(FunctionCall& c) {
  if (c.size() == 0) c.fail("count(): Wrong number of arguments given (0 for at least 1)");
  if (c.size() > 2) c.fail(fmt::format("count(): Wrong number of arguments given {} for 1 or 2.", c.size()));
  std::vector<Value> items;
  if (c.args[0].is_list())
    items = as_array(c.args[0]);
  else if (c.args[0].is_hash())
    for (const auto& e : c.args[0].hash->entries()) items.push_back(make_pair(c.arena(), e.key, e.value));
  else if (c.args[0].is_string()) {
    // Ruby's String#count: counts the characters that are in a set.
    if (!c.given(1)) c.fail("wrong number of arguments (given 0, expected 1+)");
    if (!c.args[1].is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(c.args[1])));
    std::vector<Value> chars, set;
    characters_of(c.args[0].str(), chars);
    characters_of(c.args[1].str(), set);
    int64_t found = 0;
    for (const Value& ch : chars) found += contains(set, ch);
    return Value::integer(found);
  } else
    c.fail(fmt::format("undefined method `count' for {}", ruby_inspect(c.types(), c.args[0])));
  int64_t n = 0;
  Value wanted = legacy_argument(c, 1);
  bool given = c.size() == 2 && !(wanted.is_bool() && !wanted.b);
  for (const Value& v : items) n += given ? ruby_equal(v, wanted) : !is_blank(v);
  return Value::integer(n);
}

Value merged_deep(FunctionCall& c, const Hash& a, const Hash& b) {
  check_native_stack();
  HashBuilder out(c.arena(), a);
  for (const auto& e : b.entries()) {
    const Value* old = out.find(e.key);
    out.set(e.key, old != nullptr && old->is_hash() && e.value.is_hash() ? merged_deep(c, *old->hash, *e.value.hash) : e.value);
  }
  return out.finish();
}
Value deep_merge(FunctionCall& c) {
  if (c.size() < 2) c.fail(fmt::format("deep_merge(): wrong number of arguments ({}; must be at least 2)", c.size()));
  Value result = HashBuilder(c.arena()).finish();
  for (const Value& v : c.args) {
    if (is_blank(v)) continue;
    if (!v.is_hash()) c.fail(fmt::format("deep_merge: unexpected argument type {}, only expects hash arguments", ruby_class_name(v)));
    result = merged_deep(c, *result.hash, *v.hash);
  }
  return result;
}

Value merge(FunctionCall& c) {
  HashBuilder out(c.arena());
  for (const Value& v : c.args)
    if (v.is_hash())
      for (const auto& e : v.hash->entries()) out.set(e.key, e.value);
  return out.finish();
}
Value merge_with_lambda(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("wrong number of arguments (given {}, expected 1)", c.size()));
  Elements elements;
  elements_of(c, c.args[0], elements);
  bool three = c.block_arity().first == 3;
  Value memo = HashBuilder(c.arena()).finish();
  int64_t i = 0;
  for (const Value& item : elements.values) {
    Value r;
    bool more = !three                ? c.yield({memo, item}, r)
                : elements.hash_style ? c.yield({memo, item.items()[0], item.items()[1]}, r)
                                      : c.yield({memo, Value::integer(i), item}, r);
    if (!more) break;
    ++i;
    if (!r.is_hash()) continue;
    HashBuilder out(c.arena(), *memo.hash);
    for (const auto& e : r.hash->entries()) out.set(e.key, e.value);
    memo = out.finish();
  }
  return memo;
}

std::string without(std::string_view text, std::string_view part) {
  if (part.empty()) return std::string(text);
  std::string out;
  size_t at = 0;
  for (size_t found; (found = text.find(part, at)) != std::string_view::npos; at = found + part.size()) out += text.substr(at, found - at);
  return out.append(text.substr(at));
}
Value delete_items(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("delete(): Wrong number of arguments given {} for 2", c.size()));
  Value from = legacy_argument(c, 0);
  if (legacy_argument(c, 1).is_hash()) return c.run_file(); // deletes pairs, of which no text has any
  std::vector<Value> items = as_array(legacy_argument(c, 1));
  if (from.is_list()) {
    ListBuilder out(c.arena());
    for (const Value& v : from.items()) {
      bool drop = false;
      for (const Value& item : items) drop = drop || ruby_equal(v, item);
      if (!drop) out.add(v);
    }
    return out.finish();
  }
  if (from.is_hash()) {
    HashBuilder out(c.arena(), *from.hash);
    for (const Value& item : items) out.erase(item);
    return out.finish();
  }
  if (!from.is_string())
    c.fail(
        fmt::format("delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.", ruby_class_name(from)));
  std::string text(from.str());
  for (const Value& item : items)
    if (!item.is_string()) c.fail(fmt::format("wrong argument type {} (expected Regexp)", conversion_name(item)));
  for (const Value& item : items) text = without(text, ruby_to_s(c.types(), item));
  return c.string(text);
}

Value delete_at(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "2");
  if (!c.args[0].is_list()) c.fail("delete_at(): Requires array to work with");
  const Value& index = c.args[1];
  if (index.is_string() && !has_line_of_digits(index.str())) c.fail("delete_at(): You must provide non-negative numeric index");
  if (!index.is_string() && !index.is_number()) c.fail(fmt::format("delete_at(): the index is {}", label_of(index)));
  int64_t at = ruby_to_i(index), size = c.args[0].list->size;
  if (at > size - 1) c.fail("delete_at(): Given index exceeds size of array given");
  if (at < 0) at += size;
  ListBuilder out(c.arena());
  for (int64_t i = 0; i < size; ++i)
    if (i != at) out.add(c.args[0].items()[static_cast<size_t>(i)]);
  return out.finish();
}

const Regex* regex(FunctionCall& c, std::string_view source) {
  try {
    return c.types().regexes.get(source);
  } catch (const RegexError& e) { c.fail(fmt::format("{}: /{}/", e.message, source)); }
}

template <class Keep> Value kept_of(FunctionCall& c, const Value& from, Keep keep) {
  if (from.is_hash()) {
    HashBuilder out(c.arena());
    for (const auto& e : from.hash->entries())
      if (keep(e.key, e.value)) out.set(e.key, e.value);
    return out.finish();
  }
  ListBuilder out(c.arena());
  for (const Value& v : from.items())
    if (keep(v, v)) out.add(v);
  return out.finish();
}

Value delete_regex(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("delete_regex(): Wrong number of arguments given {} for 2", c.size()));
  Value from = legacy_argument(c, 0);
  if (!from.is_list() && !from.is_hash()) return c.run_file(); // an error only where there is a pattern
  if (legacy_argument(c, 1).is_hash()) return c.run_file();
  for (const Value& item : as_array(legacy_argument(c, 1))) {
    const Regex* r = regex(c, "\\b" + ruby_to_s(c.types(), item) + "\\b");
    from = kept_of(c, from, [&](const Value& k, const Value&) { return !k.is_string() || !r->matches(k.str()); });
  }
  return from;
}
Value delete_undef_values(FunctionCall& c) {
  if (c.size() == 0) c.fail("delete_undef_values(): Wrong number of arguments given (0)");
  if (!c.args[0].is_list() && !c.args[0].is_hash())
    c.fail(fmt::format("delete_undef_values(): expected an array or hash, got {} type  {} ", ruby_to_s(c.types(), c.args[0]),
                       ruby_class_name(legacy_argument(c, 0))));
  return kept_of(c, c.args[0], [](const Value&, const Value& v) { return !v.is_undef(); });
}
Value delete_values(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("delete_values(): Wrong number of arguments given ({} of 2)", c.size()));
  if (!c.args[0].is_hash())
    c.fail(fmt::format("delete_values(): First argument must be a Hash. Given an argument of class {}.",
                       ruby_class_name(legacy_argument(c, 0))));
  Value item = legacy_argument(c, 1);
  return kept_of(c, c.args[0], [&](const Value&, const Value& v) { return !ruby_equal(item, v); });
}

void two_arrays(FunctionCall& c, std::string_view message) {
  if (c.size() != 2) wrong_count(c, "2");
  if (!c.args[0].is_list() || !c.args[1].is_list()) c.fail(std::string(message));
}
Value difference(FunctionCall& c) {
  two_arrays(c, "difference(): Requires 2 arrays");
  return kept_of(c, c.args[0], [&](const Value& v, const Value&) { return !contains(c.args[1].items(), v); });
}
Value intersection(FunctionCall& c) {
  if (c.size() != 2) wrong_count(c, "2");
  if (!c.args[0].is_list() || !c.args[1].is_list())
    c.fail(fmt::format("intersection(): Requires 2 arrays, got {} and {}", ruby_class_name(legacy_argument(c, 0)),
                       ruby_class_name(legacy_argument(c, 1))));
  std::vector<Value> seen;
  return kept_of(c, c.args[0], [&](const Value& v, const Value&) {
    if (!contains(c.args[1].items(), v) || contains(seen, v)) return false;
    seen.push_back(v);
    return true;
  });
}
Value union_of(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "< 2");
  ListBuilder out(c.arena());
  for (const Value& list : c.args) {
    if (!list.is_list()) c.fail("union(): Every parameter must be an array");
    for (const Value& v : list.items())
      if (!contains(out.items(), v)) out.add(v);
  }
  return out.finish();
}

Value has_key(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("has_key(): wrong number of arguments ({}; must be 2)", c.size()));
  Value h = legacy_argument(c, 0);
  if (!h.is_hash())
    c.fail(fmt::format("has_key(): expects the first argument to be a hash, got {} which is of type {}", ruby_inspect(c.types(), h),
                       ruby_class_name(h)));
  return Value::boolean(h.hash->find(legacy_argument(c, 1)) != nullptr);
}

Value hash_from(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c, "1");
  if (!c.args[0].is_list()) c.fail("hash(): Requires array to work with");
  std::vector<Value> flat;
  flatten_into(c.args[0], flat);
  if (flat.size() % 2 != 0) return c.run_file(); // as the Ruby that is there sees it: of a hash in a list, or an error
  HashBuilder out(c.arena());
  for (size_t i = 0; i < flat.size(); i += 2) out.set(flat[i], flat[i + 1]);
  return out.finish();
}

Value join_keys_to_values(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("join_keys_to_values(): Takes exactly two arguments, but {} given.", c.size()));
  if (!c.args[0].is_hash())
    c.fail(fmt::format("join_keys_to_values(): The first argument must be a hash, but a {} was given.",
                       ruby_class_name(legacy_argument(c, 0))));
  if (!legacy_argument(c, 1).is_string())
    c.fail(fmt::format("join_keys_to_values(): The second argument must be a string, but a {} was given.", ruby_class_name(c.args[1])));
  std::string separator(legacy_argument(c, 1).str());
  ListBuilder out(c.arena());
  for (const auto& e : c.args[0].hash->entries()) {
    std::string key = ruby_to_s(c.types(), e.key);
    if (e.value.is_list()) {
      for (const Value& v : e.value.items()) out.add(c.string(key + separator + ruby_to_s(c.types(), v)));
    } else {
      std::string text = ruby_to_s(c.types(), e.value);
      out.add(c.string(text == "undef" ? key : key + separator + text));
    }
  }
  return out.finish();
}

Value member(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "2");
  if (!c.args[0].is_list()) c.fail("member(): Requires array to work with");
  Value item = legacy_argument(c, 1);
  if (!item.is_string() && !item.is_int() && !item.is_list()) c.fail("member(): Item to search for must be a string, fixnum, or array");
  std::vector<Value> items = as_array(item);
  if (items.empty()) c.fail("member(): You must provide item to search for within array given");
  for (const Value& v : items)
    if (!contains(c.args[0].items(), v)) return Value::boolean(false);
  return Value::boolean(true);
}

template <bool Front> Value affixed(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c, "1");
  Value from = legacy_argument(c, 0);
  if (!from.is_list() && !from.is_hash())
    c.fail(fmt::format("{}(): expected first argument to be an Array or a Hash, got {}", c.name, ruby_inspect(c.types(), from)));
  std::string affix;
  if (c.size() > 1 && legacy_argument(c, 1).truthy()) {
    if (!legacy_argument(c, 1).is_string())
      c.fail(fmt::format("{}(): expected second argument to be a String, got {}", c.name, ruby_inspect(c.types(), c.args[1])));
    affix = legacy_argument(c, 1).str();
  }
  auto text = [&](const Value& v) {
    std::string s = ruby_to_s(c.types(), v);
    return c.string(Front ? affix + s : s + affix);
  };
  if (from.is_list()) {
    ListBuilder out(c.arena());
    for (const Value& v : from.items()) out.add(text(v));
    return out.finish();
  }
  HashBuilder out(c.arena());
  for (const auto& e : from.hash->entries()) out.set(text(e.key), e.value);
  return out.finish();
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

template <bool Keep> Value by_pattern(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("{}(): Wrong number of arguments given {} for 2", c.name, c.size()));
  if ((!c.args[0].is_list() && !c.args[0].is_hash()) || (!legacy_argument(c, 1).is_string() && !c.args[1].is(Kind::Regex)))
    return c.run_file(); // Ruby's own errors
  const Regex* r = c.args[1].is(Kind::Regex) ? c.args[1].regex : regex(c, ruby_to_s(c.types(), legacy_argument(c, 1)));
  if (c.args[0].is_hash())
    return Keep ? make_list(c.arena(), std::span<const Value>())
                : HashBuilder(c.arena()).finish(); // [key, value] matches no pattern: accidents of Ruby
  return kept_of(c, c.args[0], [&](const Value& v, const Value&) { return (v.is_string() && r->matches(v.str())) == Keep; });
}

/// Since stdlib 9 by Ruby's Enumerable#grep_v: a hash becomes its pairs, which match no pattern.
Value reject_by_grep(FunctionCall& c) {
  if (c.size() == 2 && c.args[0].is_hash() && (c.args[1].is_string() || c.args[1].is(Kind::Regex))) {
    if (c.args[1].is_string()) regex(c, c.args[1].str());
    ListBuilder out(c.arena());
    for (const auto& e : c.args[0].hash->entries()) out.add(make_pair(c.arena(), e.key, e.value));
    return out.finish();
  }
  return by_pattern<false>(c);
}

Value reverse(FunctionCall& c) {
  if (c.size() == 0) wrong_count(c, "1");
  Value v = legacy_argument(c, 0);
  if (v.is_list()) {
    std::vector<Value> items = as_array(v);
    std::reverse(items.begin(), items.end());
    return make_list(c.arena(), items);
  }
  if (!v.is_string()) c.fail("reverse(): Requires either array or string to work with");
  std::vector<Value> chars;
  characters_of(v.str(), chars);
  std::string out;
  for (size_t i = chars.size(); i-- > 0;) out += chars[i].str();
  return c.string(out);
}

Value values_at(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "2");
  if (!c.args[0].is_list()) c.fail("values_at(): Requires array to work with");
  int64_t size = c.args[0].list->size;
  std::vector<Value> wanted;
  flatten_into(legacy_argument(c, 1), wanted);
  if (wanted.empty()) c.fail("values_at(): You must provide at least one positive index to collect");
  ListBuilder out(c.arena());
  auto add = [&](int64_t i) {
    const Value& v = c.args[0].items()[static_cast<size_t>(i)];
    if (!v.is_undef()) out.add(v);
  };
  const Regex* interval = regex(c, "^(\\d+)(\\.\\.\\.?|\\-)(\\d+)$");
  for (const Value& w : wanted) {
    std::string text = ruby_to_s(c.types(), w);
    if (auto m = interval->search(text); m.matched) {
      auto group = [&](size_t g) {
        return text.substr(static_cast<size_t>(m.groups[g].begin), static_cast<size_t>(m.groups[g].end - m.groups[g].begin));
      };
      int64_t from = ruby_to_i(c.string(group(1))), to = ruby_to_i(c.string(group(3)));
      if (from > to) c.fail("values_at(): Stop index in given indices range is smaller than the start index");
      if (to > size - 1) c.fail("values_at(): Stop index in given indices range exceeds array size");
      for (int64_t i = from; group(2) == "..." ? i < to : i <= to; ++i) add(i);
      continue;
    }
    if (!has_line_of_digits(text)) c.fail("values_at(): Unknown format of given index");
    int64_t i = ruby_to_i(c.string(text));
    if (i > size - 1) c.fail("values_at(): Given index exceeds array size");
    add(i);
  }
  return out.finish();
}

Value zip(FunctionCall& c) {
  if (c.size() < 2) wrong_count(c, "2");
  if (!c.args[0].is_list() || !c.args[1].is_list()) c.fail("zip(): Requires array to work with");
  const bool flat = c.size() > 2 && c.args[2].truthy() && c.call_old("str2bool", {c.args[2]}).truthy();
  ListBuilder out(c.arena());
  for (size_t i = 0; i < c.args[0].items().size(); ++i)
    out.add(make_pair(c.arena(), c.args[0].items()[i], i < c.args[1].items().size() ? c.args[1].items()[i] : Value::undef()));
  if (!flat) return out.finish();
  std::vector<Value> all;
  flatten_into(out.finish(), all);
  return make_list(c.arena(), all);
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
    {"pick", "The first argument that is neither undef nor the empty text; fails when there is none.", {{"3.x", pick}}},
    {"pick_default", "The first argument that is neither undef nor the empty text, else the last.", {{"3.x", pick_default}}},
    {"any2array",
     "An array as it is, a hash as flat list of keys and values, several arguments as array, anything else in an array.",
     {{"3.x", any2array}}},
    {"concat", "The first array with the elements of the further arguments appended.", {{"3.x", concat}}},
    {"count", "How many elements equal a value, or are neither undef nor the empty text.", {{"3.x -2", count}}},
    {"deep_merge", "Hashes merged; values that are hashes on both sides are merged, too. The last wins.", {{"3.x", deep_merge}}},
    {"merge",
     "Hashes merged, the last wins; or a hash built by a lambda from memo and element.",
     {{"Variant[Hash[Scalar,Any], Undef, String[0,0]] $args*", merge},
      {"Iterable $args*, Callable[3,3] &block", merge_with_lambda},
      {"Iterable $args*, Callable[2,2] &block", merge_with_lambda}}},
    {"stdlib::merge",
     "Hashes merged, the last wins; or a hash built by a lambda from memo and element.",
     {{"Variant[Hash[Scalar,Any], Undef, String[0,0]] $args*", merge},
      {"Iterable $args*, Callable[3,3] &block", merge_with_lambda},
      {"Iterable $args*, Callable[2,2] &block", merge_with_lambda}}},
    {"delete", "An array, hash or text without an element, key or part (or several).", {{"3.x", delete_items}}},
    {"delete_at", "An array without the element at an index.", {{"3.x", delete_at}}},
    {"delete_regex", "An array or hash without what matches a pattern as whole words.", {{"3.x", delete_regex}}},
    {"delete_undef_values", "An array or hash without undef values.", {{"3.x", delete_undef_values}}},
    {"delete_values", "A hash without the entries that have a value.", {{"3.x", delete_values}}},
    {"difference", "Elements of the first array that are not in the second.", {{"3.x", difference}}},
    {"intersection", "Elements that are in both arrays, each once.", {{"3.x", intersection}}},
    {"union", "Elements of all arrays, each once.", {{"3.x", union_of}}},
    {"has_key", "Whether a hash has a key.", {{"3.x", has_key}}},
    {"hash", "Hash of a flat or nested array of keys and values.", {{"3.x", hash_from}}},
    {"join_keys_to_values",
     "Array of texts: each key of a hash joined with its value (or with each of its values).",
     {{"3.x", join_keys_to_values}}},
    {"member", "Whether an array holds a value, or all values of another array.", {{"3.x", member}}},
    {"prefix", "Texts of an array (or keys of a hash) with a text in front.", {{"3.x", affixed<true>}}},
    {"suffix", "Texts of an array (or keys of a hash) with a text behind.", {{"3.x", affixed<false>}}},
    {"range", "Array from a first to a last number or text, with an optional step.", {{"3.x", range}}},
    {"grep", "Elements of an array that match a pattern.", {{"3.x", by_pattern<true>}}},
    {"reject", "Elements of an array that do not match a pattern.", {{"3.x", by_pattern<false>}}},
    {"reject", "Elements of an array that do not match a pattern.", {{"3.x", reject_by_grep}}, FunctionTrait::None, "stdlib", "9.0"},
    {"reverse", "An array or text backwards.", {{"3.x", reverse}}},
    {"values_at", "Elements of an array at indexes and ranges of indexes.", {{"3.x", values_at}}},
    {"zip", "Pairs of the elements of two arrays, flat when asked.", {{"3.x", zip}}},
    {"fqdn_rotate", "An array or text rotated by an amount that depends on the node's name and a seed.", {{"3.x", fqdn_rotate}}},
    {"stdlib::fqdn_rotate",
     "An array or text rotated by an amount that depends on the node's name and a seed.",
     {{"String $input, Variant[Integer,String] $seeds*", stdlib_fqdn_rotate},
      {"Array $input, Variant[Integer,String] $seeds*", stdlib_fqdn_rotate}}},
};

} // namespace

FunctionTable stdlib_collection_functions() { return stdlib_collection_table; }

} // namespace pupc::compiler
