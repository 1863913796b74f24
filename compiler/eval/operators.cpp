// + - * / % << >> and unary minus: numbers, times, collections, URIs, binaries.
#include "catalog/value/ruby_equality.h"
#include "catalog/value/time_format.h"
#include "catalog/value/time_text.h"
#include "catalog/value/uri.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/members.h"
#include "compiler/eval/numeric_text.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace pupc::compiler {
namespace {

using BigInt = boost::multiprecision::cpp_int;

// A wider shift would make a number too long to print in a message.
constexpr int64_t widest_shift = 1 << 16;

/// Prints the integer out of range as Puppet's messages do: "+0x8000000000000000".
[[noreturn]] void fail_overflow(Evaluator& e, const Node& node, const BigInt& value) {
  BigInt magnitude = abs(value);
  e.fail(ErrorCode::evaluation_error, node,
         fmt::format("{} resulted in a value outside of Puppet Integer {} range, got '{}0x{}'", a_an_upper(label(node)),
                     value > 0 ? "max" : "min", value > 0 ? "+" : "-", magnitude.str(0, std::ios_base::hex)));
}

[[noreturn]] void not_applicable(Evaluator& e, const Binary& node, const Value& left) {
  e.fail(ErrorCode::evaluation_error, *node.left,
         fmt::format("Operator '{}' is not applicable to {}.", spelling(node.op()), a_an(label(left))));
}

[[noreturn]] void not_applicable_when(Evaluator& e, const Binary& node, const Value& left, const Value& right) {
  e.fail(ErrorCode::evaluation_error, *node.left,
         fmt::format("Operator '{}' is not applicable to {} when right side is {}.", spelling(node.op()), a_an(label(left)),
                     a_an(label(right))));
}

int64_t floor_divide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t floor_modulo(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Value shift(Evaluator& e, const Binary& node, int64_t value, int64_t by) {
  if (by >= 0) {
    if (value == 0) return Value::integer(0);
    if (by > widest_shift)
      e.fail(ErrorCode::evaluation_error, node, fmt::format("Error while evaluating {}, shift width too big", a_an(label(node))));
    BigInt big = value;
    big <<= static_cast<unsigned>(by);
    if (big > std::numeric_limits<int64_t>::max() || big < std::numeric_limits<int64_t>::min()) fail_overflow(e, node, big);
    return Value::integer(static_cast<int64_t>(big));
  }
  if (by <= -64) return Value::integer(value < 0 ? -1 : 0);
  return Value::integer(value >> -by);
}

Value integers(Evaluator& e, const Binary& node, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (node.op()) {
  case BinaryOp::Add:
    if (__builtin_add_overflow(a, b, &r)) fail_overflow(e, node, BigInt(a) + b);
    return Value::integer(r);
  case BinaryOp::Subtract:
    if (__builtin_sub_overflow(a, b, &r)) fail_overflow(e, node, BigInt(a) - b);
    return Value::integer(r);
  case BinaryOp::Multiply:
    if (__builtin_mul_overflow(a, b, &r)) fail_overflow(e, node, BigInt(a) * b);
    return Value::integer(r);
  case BinaryOp::Divide:
  case BinaryOp::Modulo:
    if (b == 0) e.fail(ErrorCode::evaluation_error, *node.right, "Division by 0");
    if (b == -1) { // the only quotient that does not fit; its remainder would raise a processor trap
      if (node.op() == BinaryOp::Modulo) return Value::integer(0);
      if (a == std::numeric_limits<int64_t>::min()) fail_overflow(e, node, -BigInt(a));
      return Value::integer(-a);
    }
    return Value::integer(node.op() == BinaryOp::Divide ? floor_divide(a, b) : floor_modulo(a, b));
  case BinaryOp::ShiftLeft: return shift(e, node, a, b);
  case BinaryOp::ShiftRight: return shift(e, node, a, b == std::numeric_limits<int64_t>::min() ? std::numeric_limits<int64_t>::max() : -b);
  default: break;
  }
  e.fail(ErrorCode::evaluation_error, node, fmt::format("The operator '{}' is not supported.", spelling(node.op())));
}

Value floats(Evaluator& e, const Binary& node, const Value& left, const Value& right) {
  double a = left.is_int() ? static_cast<double>(left.i) : left.d;
  double b = right.is_int() ? static_cast<double>(right.i) : right.d;
  double r = 0;
  switch (node.op()) {
  case BinaryOp::Add: r = a + b; break;
  case BinaryOp::Subtract: r = a - b; break;
  case BinaryOp::Multiply: r = a * b; break;
  case BinaryOp::Divide: r = a / b; break;
  case BinaryOp::ShiftLeft:
  case BinaryOp::ShiftRight:
    if (left.is_float()) not_applicable(e, node, left);
    return integers(e, node, left.i, static_cast<int64_t>(right.d)); // Ruby cuts the width to an integer
  default: not_applicable(e, node, left);
  }
  if (std::isinf(r))
    e.fail(ErrorCode::evaluation_error, *node.left, fmt::format("The result of the {} expression is Infinity", spelling(node.op())));
  return Value::floating(r);
}

/// Wide enough for any sum or product of two times.
using Wide = __int128;

int64_t narrow(Wide ns) {
  if (ns > std::numeric_limits<int64_t>::max() || ns < std::numeric_limits<int64_t>::min())
    fail_unplaced("The time is too far away: its nanoseconds do not fit 64 bits");
  return static_cast<int64_t>(ns);
}
int64_t narrow(double ns) {
  if (!(std::abs(ns) < 9.2e18)) narrow(std::numeric_limits<Wide>::max());
  return static_cast<int64_t>(ns);
}

/// Converts seconds to nanoseconds, rounded towards zero.
Wide seconds_to_ns(const Value& v) {
  if (v.is_int()) return static_cast<Wide>(v.i) * ns_per_second;
  return narrow(v.d * static_cast<double>(ns_per_second));
}

Value times(Evaluator& e, const Binary& node, Value left, Value right) {
  BinaryOp op = node.op();
  if (!is_time(left)) {
    if (op == BinaryOp::Add || (op == BinaryOp::Multiply && right.is(Kind::Timespan)))
      std::swap(left, right);
    else if (op == BinaryOp::Subtract && right.is(Kind::Timespan))
      left = Value::timespan(narrow(seconds_to_ns(left)));
    else
      not_applicable_when(e, node, left, right);
  }
  bool stamp = left.is(Kind::Timestamp);
  auto nanoseconds = [](const Value& v) { return is_time(v) ? Wide{v.i} : seconds_to_ns(v); };
  switch (op) {
  case BinaryOp::Add:
    if (stamp && right.is(Kind::Timestamp)) fail_unplaced("A Timestamp cannot be added to a Timestamp");
    if (right.is(Kind::Timestamp) || stamp) return Value::timestamp(narrow(left.i + nanoseconds(right)));
    return Value::timespan(narrow(left.i + nanoseconds(right)));
  case BinaryOp::Subtract:
    if (!stamp && right.is(Kind::Timestamp)) fail_unplaced("A Timestamp cannot be subtracted from a Timespan");
    if (stamp && !right.is(Kind::Timestamp)) return Value::timestamp(narrow(left.i - nanoseconds(right)));
    return Value::timespan(narrow(left.i - nanoseconds(right)));
  case BinaryOp::Multiply:
    if (stamp) break;
    if (is_time(right)) fail_unplaced(fmt::format("A Timestamp cannot be multiplied by {}", a_an(label(right))));
    return Value::timespan(right.is_int() ? narrow(Wide{left.i} * right.i) : narrow(static_cast<double>(left.i) * right.d));
  case BinaryOp::Divide:
    if (stamp) break;
    if (right.is(Kind::Timespan)) return Value::floating(static_cast<double>(left.i) / static_cast<double>(right.i));
    if (right.is(Kind::Timestamp)) fail_unplaced(fmt::format("A Timespan cannot be divided by {}", a_an(label(right))));
    if (right.is_int()) {
      if (right.i == 0) e.fail(ErrorCode::evaluation_error, *node.right, "Division by 0");
      return Value::timespan(floor_divide(left.i, right.i));
    }
    if (right.d == 0) e.fail(ErrorCode::evaluation_error, *node.right, "Division by 0");
    return Value::timespan(narrow(std::floor(static_cast<double>(left.i) / right.d)));
  case BinaryOp::Modulo:
    if (stamp) break;
    if (right.is_int()) {
      if (right.i == 0) e.fail(ErrorCode::evaluation_error, *node.right, "Division by 0");
      return Value::integer(floor_modulo(floor_divide(left.i, ns_per_second), right.i));
    }
    if (is_time(right)) fail_unplaced(fmt::format("Can not do modulus on a Timespan using a {}", a_an(label(right))));
    break;
  default: break;
  }
  not_applicable(e, node, left);
}

/// To Ruby versions are numbers, but they support no arithmetic.
[[noreturn]] void fail_version(Evaluator& e, const Binary& node, const Value& left, const Value& right) {
  BinaryOp op = node.op();
  bool shift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  const Value& time = is_time(left) ? left : right;
  std::string what(label(time));
  if (is_time(time) && op == BinaryOp::Add) fail_unplaced(fmt::format("A Version cannot be added to a {}", what));
  if (time.is(Kind::Timespan) && op == BinaryOp::Multiply) fail_unplaced("A Timestamp cannot be multiplied by a Version");
  if (is_time(left)) {
    if (op == BinaryOp::Subtract) fail_unplaced(fmt::format("A Version cannot be subtracted from a {}", what));
    if (left.is(Kind::Timespan) && op == BinaryOp::Divide) fail_unplaced("A Timespan cannot be divided by a Version");
    if (left.is(Kind::Timespan) && op == BinaryOp::Modulo) fail_unplaced("Can not do modulus on a Timespan using a a Version");
    not_applicable(e, node, left);
  }
  if (left.is_number() && !shift && !(left.is_float() && op == BinaryOp::Modulo))
    fail_unplaced("can't convert SemanticPuppet::Version into Float");
  bool less_span = op == BinaryOp::Subtract && right.is(Kind::Timespan);
  if (left.is(Kind::SemVer) && ((is_time(right) && !less_span) || (op == BinaryOp::Modulo && right.is_float())))
    not_applicable_when(e, node, left, right);
  not_applicable(e, node, left);
}

Value pair_of(Arena& arena, const HashEntry& entry) {
  const Value pair[2] = {entry.key, entry.value};
  return make_list(arena, pair);
}

/// Ruby's Hash[…] of an array: pairs when all elements are arrays, else alternating keys and values.
void merge_list(HashBuilder& out, std::span<const Value> items) {
  bool pairs = !items.empty();
  for (const Value& item : items) pairs &= item.is_list();
  if (pairs) {
    for (const Value& item : items) {
      size_t n = item.items().size();
      if (n < 1 || n > 2) fail_unplaced(fmt::format("invalid number of elements ({} for 1..2)", n));
      out.set(item.items()[0], n == 2 ? item.items()[1] : Value::undef());
    }
    return;
  }
  if (items.size() == 1 && items[0].is_hash()) {
    for (const auto& entry : items[0].hash->entries()) out.set(entry.key, entry.value);
    return;
  }
  if (items.size() % 2 != 0) fail_unplaced("odd number of arguments for Hash");
  for (size_t i = 0; i < items.size(); i += 2) out.set(items[i], items[i + 1]);
}

Value concatenate(Evaluator& e, const Value& left, const Value& right) {
  Arena& arena = e.arena();
  switch (left.kind) {
  case Kind::List: {
    auto items = left.items();
    size_t extra = right.is_list() ? right.items().size() : right.is_hash() ? right.hash->size : 1;
    Value* out = arena.make_array<Value>(items.size() + extra);
    std::copy(items.begin(), items.end(), out);
    Value* next = out + items.size();
    if (right.is_list()) {
      std::copy(right.items().begin(), right.items().end(), next);
    } else if (right.is_hash()) {
      for (const auto& entry : right.hash->entries()) *next++ = pair_of(arena, entry);
    } else {
      *next = right;
    }
    return Value::of(arena.make<List>(List{static_cast<uint32_t>(items.size() + extra), out}));
  }
  case Kind::Hash: {
    HashBuilder out(arena, *left.hash);
    if (right.is_hash()) {
      for (const auto& entry : right.hash->entries()) out.set(entry.key, entry.value);
    } else if (right.is_list()) {
      merge_list(out, right.items());
    } else {
      fail_unplaced("Can only append Array or Hash to a Hash");
    }
    return out.finish();
  }
  case Kind::Binary:
    if (!right.is(Kind::Binary)) fail_unplaced("Can only append Binary to a Binary");
    return Value::binary(arena.copy(std::string(left.str()) + std::string(right.str())));
  default:
    if (!right.is_string() && !right.is(Kind::Uri)) fail_unplaced("An URI can only be merged with an URI or String");
    parse_uri(right.str()); // throws when the text is not a URI
    return merge_uri(arena, left, right);
  }
}

Value remove_items(Evaluator& e, const Value& left, const Value& right) {
  Arena& arena = e.arena();
  if (left.is_list()) {
    std::vector<Value> unwanted;
    if (right.is_list())
      unwanted.assign(right.items().begin(), right.items().end());
    else if (right.is_hash())
      for (const auto& entry : right.hash->entries()) unwanted.push_back(pair_of(arena, entry));
    else
      unwanted.push_back(right);
    ListBuilder out(arena, left.items().size());
    for (const Value& item : left.items()) {
      bool keep = true;
      for (const Value& u : unwanted) keep &= !ruby_equal(item, u);
      if (keep) out.add(item);
    }
    return out.finish();
  }
  HashBuilder unwanted(arena);
  if (right.is_list())
    for (const Value& key : right.items()) unwanted.set(key, Value::undef());
  else if (right.is_hash())
    for (const auto& entry : right.hash->entries()) unwanted.set(entry.key, Value::undef());
  else
    unwanted.set(right, Value::undef());
  HashBuilder out(arena, left.hash->size);
  for (const auto& entry : left.hash->entries())
    if (unwanted.find(entry.key) == nullptr) out.set(entry.key, entry.value);
  return out.finish();
}

Value append(Evaluator& e, const Value& left, const Value& right) {
  auto items = left.items();
  Value* out = e.arena().make_array<Value>(items.size() + 1);
  std::copy(items.begin(), items.end(), out);
  out[items.size()] = right;
  return Value::of(e.arena().make<List>(List{static_cast<uint32_t>(items.size() + 1), out}));
}

} // namespace

Value EvaluatorImpl::coerce_numeric(Evaluator& e, const Value& v, const Node& at) {
  if (v.is_number() || is_time(v) || v.is(Kind::SemVer)) return v;
  std::optional<Value> number;
  if (v.is_string()) number = number_from_text(v.str());
  if (!number) e.fail(ErrorCode::evaluation_error, at, fmt::format("The value '{}' cannot be converted to Numeric.", ruby_to_s(v)));
  if (e.settings_.strict != Strict::Off) {
    std::string message = fmt::format("The string '{}' was automatically coerced to the numerical value {}", v.str(), ruby_to_s(*number));
    if (e.settings_.strict == Strict::Error) e.fail(ErrorCode::evaluation_error, at, std::move(message));
    e.warn(e.loc_of(at), std::move(message));
  }
  return *number;
}

Value EvaluatorImpl::arithmetic(Evaluator& e, const Binary& node, Frame& frame) {
  Value left = e.evaluate(*node.left, frame);
  Value right = e.evaluate(*node.right, frame);
  if (left.is_int() && right.is_int()) return integers(e, node, left.i, right.i);
  BinaryOp op = node.op();
  try {
    if (op == BinaryOp::Add && (left.is(Kind::Uri) || left.is(Kind::Binary))) return concatenate(e, left, right);
    if (left.is_list() || left.is_hash()) {
      if (op == BinaryOp::Add) return concatenate(e, left, right);
      if (op == BinaryOp::Subtract) return remove_items(e, left, right);
      if (op == BinaryOp::ShiftLeft) {
        if (left.is_hash()) not_applicable(e, node, left);
        return append(e, left, right);
      }
    }
    left = coerce_numeric(e, left, *node.left);
    right = coerce_numeric(e, right, *node.right);
    if (left.is(Kind::SemVer) || right.is(Kind::SemVer)) fail_version(e, node, left, right);
    if (op == BinaryOp::Modulo && (left.is_float() || right.is_float())) {
      if (left.is_float()) not_applicable(e, node, left);
      not_applicable_when(e, node, left, right);
    }
    if (is_time(left) || is_time(right)) return times(e, node, left, right);
    if (left.is_int() && right.is_int()) return integers(e, node, left.i, right.i);
    return floats(e, node, left, right);
  } catch (CompileError& error) {
    e.place(error, node);
    throw;
  }
}

Value EvaluatorImpl::minus(Evaluator& e, const Unary& node, Frame& frame) {
  Value v = coerce_numeric(e, e.evaluate(*node.operand, frame), node);
  switch (v.kind) {
  case Kind::Int:
    // In Puppet this one value becomes a number beyond 64 bits, of which nothing can make use.
    if (v.i == std::numeric_limits<int64_t>::min()) fail_overflow(e, node, -BigInt(v.i));
    return Value::integer(-v.i);
  case Kind::Timespan: return Value::timespan(narrow(-Wide{v.i}));
  case Kind::SemVer: {
    CompileError error{Diagnostic{}};
    error.diagnostic.code = ErrorCode::evaluation_error;
    error.diagnostic.message = "can't convert SemanticPuppet::Version into Float";
    e.place(error, node);
    throw error;
  }
  case Kind::Timestamp: {
    CompileError error{Diagnostic{}};
    error.diagnostic.code = ErrorCode::evaluation_error;
    error.diagnostic.message = "Operator '-' is not applicable to a Timestamp.";
    e.place(error, node);
    throw error;
  }
  default: return Value::floating(-v.d);
  }
}

} // namespace pupc::compiler
