// == < =~ in, and how case and selector options match.
#include "catalog/base/text.h"
#include "catalog/value/semver.h"
#include "catalog/value/semver_range.h"
#include "catalog/value/time_format.h"
#include "catalog/value/time_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/labels.h"

#include <cmath>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Ruby's casecmp: compares bytes, with ASCII letters in lower case.
int compare_folded(std::string_view a, std::string_view b) {
  size_t n = std::min(a.size(), b.size());
  for (size_t i = 0; i < n; ++i) {
    auto x = static_cast<unsigned char>(fold(a[i])), y = static_cast<unsigned char>(fold(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

bool equal_folded(std::string_view a, std::string_view b) { return a.size() == b.size() && compare_folded(a, b) == 0; }

template <class T> int order(T a, T b) { return a < b ? -1 : a > b ? 1 : 0; }

/// Exact comparison of an integer and a float, also beyond 2^53.
int compare_int_float(int64_t a, double b) {
  if (b >= 9223372036854775808.0) return -1;
  if (b < -9223372036854775808.0) return 1;
  double whole = std::floor(b);
  int by_whole = order(a, static_cast<int64_t>(whole));
  return by_whole != 0 ? by_whole : b > whole ? -1 : 0;
}

int compare_numbers(const Value& a, const Value& b) {
  if (a.is_int()) return b.is_int() ? order(a.i, b.i) : compare_int_float(a.i, b.d);
  return b.is_int() ? -compare_int_float(b.i, a.d) : order(a.d, b.d);
}

/// A time value against a number of seconds: whole seconds against integers, exact ones against floats.
int compare_time_number(int64_t ns, const Value& number) {
  if (number.is_int()) {
    int64_t seconds = ns / ns_per_second - (ns % ns_per_second < 0 ? 1 : 0);
    return order(seconds, number.i);
  }
  return order(static_cast<double>(ns) / static_cast<double>(ns_per_second), number.d);
}

bool range_includes(const SemVerRange& range, const Value& version) {
  if (version.is(Kind::SemVer)) return pupc::compiler::includes(range, *version.semver);
  if (!version.is_string()) return false;
  auto parsed = parse_semver(version.str());
  return parsed && pupc::compiler::includes(range, *parsed);
}

} // namespace

bool Evaluator::equals(const Value& a, const Value& b) {
  switch (a.kind) {
  case Kind::String: return b.is_string() && equal_folded(a.str(), b.str());
  case Kind::Int:
  case Kind::Float:
    if (is_time(b)) return compare_time_number(b.i, a) == 0;
    return b.is_number() && compare_numbers(a, b) == 0;
  case Kind::Timespan:
  case Kind::Timestamp:
    if (b.is_number()) return compare_time_number(a.i, b) == 0;
    return a.kind == b.kind && a.i == b.i;
  case Kind::List: {
    if (!b.is_list() || a.items().size() != b.items().size()) return false;
    check_native_stack();
    for (size_t i = 0; i < a.items().size(); ++i)
      if (!equals(a.items()[i], b.items()[i])) return false;
    return true;
  }
  case Kind::Hash: {
    if (!b.is_hash() || a.hash->size != b.hash->size) return false;
    check_native_stack();
    for (const auto& entry : a.hash->entries()) {
      const Value* other = b.hash->find(entry.key);
      if (!equals(other ? *other : Value::undef(), entry.value)) return false;
    }
    return true;
  }
  case Kind::SemVer: // unlike < and >, equality compares the builds, too
  case Kind::Undef:
  case Kind::Default:
  case Kind::Bool:
  case Kind::Regex:
  case Kind::Type:
  case Kind::Ref:
  case Kind::Sensitive:
  case Kind::Deferred:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Uri:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: break;
  }
  return eql(a, b);
}

int Evaluator::compare(const Value& a, const Value& b, Loc) {
  switch (a.kind) {
  case Kind::String:
    if (!b.is_string()) fail_unplaced("A String is not comparable to a non String");
    return compare_folded(a.str(), b.str());
  case Kind::Int:
  case Kind::Float:
    if (is_time(b)) return -compare_time_number(b.i, a);
    if (!b.is_number()) fail_unplaced("A Numeric is not comparable to non Numeric");
    return compare_numbers(a, b);
  case Kind::Timespan:
  case Kind::Timestamp:
    if (b.is_number()) return compare_time_number(a.i, b);
    if (a.kind != b.kind)
      fail_unplaced(a.is(Kind::Timespan) ? "Timespans are only comparable to Timespans, Integers, and Floats"
                                         : "Timestamps are only comparable to Timestamps, Integers, and Floats");
    return order(a.i, b.i);
  case Kind::SemVer:
    if (!b.is(Kind::SemVer)) fail_unplaced("Versions not comparable to non Versions");
    return pupc::compiler::compare(*a.semver, *b.semver);
  case Kind::Default:
    if (!b.is(Kind::Default)) fail_unplaced("Symbol not comparable to non Symbol");
    return 0;
  default: fail_unplaced("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable");
  }
}

namespace {

/// Equality of types for the operators: the same type, or each assignable to the other. Elsewhere (in, selectors, keys of hashes) types
/// are equal only when they are written alike. Throws what is_assignable throws, such as for an Init of a type without `new`.
bool same_type(TypeContext& types, const Value& a, const Value& b) {
  const Type *left = as_type(a), *right = as_type(b);
  if (right == nullptr) return false;
  // An alias and its meaning are written differently, so skip eql() when only one side is an alias.
  if ((left->kind == TypeKind::TypeAlias) == (right->kind == TypeKind::TypeAlias) && eql(a, b)) return true;
  return is_assignable(types, right, left) && is_assignable(types, left, right);
}

} // namespace

Value EvaluatorImpl::comparison(Evaluator& e, const Binary& node, Frame& frame) {
  Value left = e.evaluate(*node.left, frame);
  Value right = e.evaluate(*node.right, frame);
  BinaryOp op = node.op();
  try {
    if (op == BinaryOp::Equal || op == BinaryOp::NotEqual) {
      const bool equal = left.is_type() ? same_type(e.types(), left, right) : e.equals(left, right);
      return Value::boolean(equal == (op == BinaryOp::Equal));
    }
    if (left.is_int() && right.is_int()) {
      switch (op) {
      case BinaryOp::Less: return Value::boolean(left.i < right.i);
      case BinaryOp::LessEqual: return Value::boolean(left.i <= right.i);
      case BinaryOp::Greater: return Value::boolean(left.i > right.i);
      default: return Value::boolean(left.i >= right.i);
      }
    }
    if (const Type* a = as_type(left)) {
      const Type* b = as_type(right);
      // A type and any other value are not comparable, except that Any takes everything.
      if (b == nullptr) return Value::boolean(a->kind == TypeKind::Any && (op == BinaryOp::Greater || op == BinaryOp::GreaterEqual));
      // A type is smaller than another when it is a subtype of it.
      switch (op) {
      case BinaryOp::Less: return Value::boolean(!same_type(e.types(), left, right) && is_assignable(e.types(), b, a));
      case BinaryOp::LessEqual: return Value::boolean(is_assignable(e.types(), b, a));
      case BinaryOp::Greater: return Value::boolean(!same_type(e.types(), left, right) && is_assignable(e.types(), a, b));
      default: return Value::boolean(is_assignable(e.types(), a, b));
      }
    }
    if ((left.is_float() && std::isnan(left.d)) || (right.is_float() && std::isnan(right.d))) return Value::boolean(false);
    if (left.is_number() && right.is(Kind::SemVer)) {
      CompileError error{Diagnostic{}};
      error.diagnostic.code = ErrorCode::evaluation_error;
      error.diagnostic.message = "can't convert SemanticPuppet::Version into Float";
      e.place(error, node);
      throw error;
    }
    int order_of_values = e.compare(left, right, {});
    switch (op) {
    case BinaryOp::Less: return Value::boolean(order_of_values < 0);
    case BinaryOp::LessEqual: return Value::boolean(order_of_values <= 0);
    case BinaryOp::Greater: return Value::boolean(order_of_values > 0);
    default: return Value::boolean(order_of_values >= 0);
    }
  } catch (const CompileError& error) {
    if (error.diagnostic.loc || is_limit(error.diagnostic.code)) throw;
    e.fail(ErrorCode::evaluation_error, node,
           fmt::format("Comparison of: {} {} {}, is not possible. Caused by '{}'.", label(left), spelling(op), label(right),
                       error.diagnostic.message));
  }
}

bool EvaluatorImpl::match_regex(Evaluator& e, const Regex& regex, std::string_view text) {
  MatchResult result = regex.search(text);
  if (!result.matched) return false;
  Value* groups = e.arena().make_array<Value>(result.groups.size());
  for (size_t i = 0; i < result.groups.size(); ++i) {
    auto range = result.groups[i];
    groups[i] = range.begin < 0
                    ? Value::undef()
                    : Value::string(text.substr(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin)));
  }
  e.match_.groups = e.arena().make<List>(List{static_cast<uint32_t>(result.groups.size()), groups});
  return true;
}

Value EvaluatorImpl::match(Evaluator& e, const Binary& node, Frame& frame) {
  Value left = e.evaluate(*node.left, frame);
  Value pattern = e.evaluate(*node.right, frame);
  bool wanted = node.op() == BinaryOp::Matches;
  if (const Type* type = as_type(pattern)) {
    try {
      return Value::boolean(is_instance(e.types(), type, left) == wanted);
    } catch (CompileError& error) {
      e.place(error, node);
      throw;
    }
  }
  if (pattern.is(Kind::SemVerRange)) return Value::boolean(range_includes(*pattern.semver_range, left) == wanted);
  const Regex* regex = nullptr;
  std::shared_ptr<const Regex> made;
  if (pattern.is(Kind::Regex)) {
    regex = pattern.regex;
  } else if (pattern.is_string()) {
    try {
      made = e.regexes_->recent(pattern.str());
      regex = made.get();
    } catch (const RegexError& error) {
      e.fail(
          ErrorCode::evaluation_error, *node.right,
          fmt::format("Can not convert right match operand to a regular expression. Caused by '{}: /{}/'.", error.message, pattern.str()));
    }
  } else {
    e.fail(ErrorCode::evaluation_error, *node.right,
           fmt::format("Can not convert right match operand to a regular expression. Caused by 'no implicit conversion of {} into String'.",
                       ruby_class_or_nil(pattern)));
  }
  if (!left.is_string())
    e.fail(ErrorCode::evaluation_error, *node.left,
           fmt::format("Left match operand must result in a String value. Got {}.", a_an(label(left))));
  return Value::boolean(match_regex(e, *regex, left.str()) == wanted);
}

bool EvaluatorImpl::match_pattern(Evaluator& e, const Value& pattern, const Value& test) {
  switch (pattern.kind) {
  case Kind::Regex: return test.is_string() && match_regex(e, *pattern.regex, test.str());
  case Kind::Type: return is_instance(e.types(), as_type(pattern), test);
  case Kind::Default: return true;
  case Kind::SemVer: {
    if (test.is(Kind::SemVer)) return pupc::compiler::compare(*pattern.semver, *test.semver) == 0;
    if (!test.is_string()) return false;
    auto parsed = parse_semver(test.str());
    return parsed && pupc::compiler::compare(*pattern.semver, *parsed) == 0;
  }
  case Kind::SemVerRange: return range_includes(*pattern.semver_range, test);
  case Kind::List: {
    if (!test.is_list() || test.items().size() != pattern.items().size()) return false;
    check_native_stack();
    for (size_t i = 0; i < pattern.items().size(); ++i)
      if (!match_pattern(e, pattern.items()[i], test.items()[i])) return false;
    return true;
  }
  case Kind::Hash: {
    if (!test.is_hash()) return false;
    check_native_stack();
    for (const auto& entry : pattern.hash->entries()) {
      const Value* value = test.hash->find(entry.key);
      if (!match_pattern(e, entry.value, value ? *value : Value::undef())) return false;
    }
    return true;
  }
  default: return e.equals(test, pattern);
  }
}

namespace {

/// Lower case by Unicode's rules: unlike ==, `in` folds more than ASCII letters.
std::string folded(std::string_view s) {
  if (!is_ascii(s)) return downcase(s);
  std::string out(s);
  for (char& c : out) c = fold(c);
  return out;
}

bool string_includes(Evaluator& e, std::string_view text, const Value& item) {
  if (item.is_string()) return folded(text).find(folded(item.str())) != std::string::npos;
  return item.is(Kind::Regex) && EvaluatorImpl::match_regex(e, *item.regex, text);
}

bool binary_includes(std::string_view bytes, const Value& item) {
  if (item.is_string() || item.is(Kind::Binary)) return bytes.find(item.str()) != std::string_view::npos;
  if (!item.is_int()) return false;
  for (char c : bytes)
    if (static_cast<unsigned char>(c) == item.i) return true;
  return false;
}

/// Whether one of `count` values, given by `at`, matches by the rules of `in`.
template <class At> bool any_includes(Evaluator& e, size_t count, At at, const Value& item) {
  for (size_t i = 0; i < count; ++i) {
    const Value& element = at(i);
    switch (item.kind) {
    case Kind::Regex:
      if (element.is_string() && EvaluatorImpl::match_regex(e, *item.regex, element.str())) return true;
      break;
    case Kind::String:
    case Kind::SemVer:
      if (EvaluatorImpl::match_pattern(e, element, item)) return true;
      break;
    case Kind::Type:
      if (is_instance(e.types(), as_type(item), element)) return true;
      break;
    default:
      if (e.equals(element, item)) return true;
    }
  }
  return false;
}

} // namespace

bool Evaluator::includes(const Value& container, const Value& item) {
  switch (container.kind) {
  case Kind::String: return string_includes(*this, container.str(), item);
  case Kind::Binary: return binary_includes(container.str(), item);
  case Kind::List: {
    auto items = container.items();
    return any_includes(
        *this, items.size(), [&](size_t i) -> const Value& { return items[i]; }, item);
  }
  case Kind::Hash: {
    auto entries = container.hash->entries();
    return any_includes(
        *this, entries.size(), [&](size_t i) -> const Value& { return entries[i].key; }, item);
  }
  case Kind::SemVerRange: return range_includes(*container.semver_range, item);
  default: return false;
  }
}

} // namespace pupc::compiler
