// Turns the tree of hocon_parser.cpp into values and replaces its substitutions.
#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/formats/hocon_tree.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/rich_data.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::catalog {
namespace hocon {
namespace {

/// Replaces substitutions and builds values.
class Resolver {
public:
  Resolver(NodePtr root, Arena& arena) : root_(std::move(root)), arena_(arena) {}

  std::optional<Value> value(const NodePtr& node) {
    check_native_stack();
    check_time();
    if (++made_ > 5'000'000) throw Failure{"the substitutions make too much of it", node->line, node->origin};
    switch (node->kind) {
    case Node::Kind::Null: return Value::undef();
    case Node::Kind::Bool: return Value::boolean(node->flag);
    case Node::Kind::Number: {
      Value number = node->number;
      if (is_big_integer(number)) {
        number = Value::string(arena_.copy(node->text));
        number.flags = big_integer_flag;
      }
      return number;
    }
    case Node::Kind::Text: return Value::string(arena_.copy(node->text));
    case Node::Kind::List: {
      ListBuilder out(arena_);
      for (const auto& item : node->items)
        if (auto v = value(item)) out.add(*v);
      return out.finish();
    }
    case Node::Kind::Object: {
      HashBuilder out(arena_);
      for (const auto& [name, member] : node->members)
        if (auto v = value(member)) out.set(Value::string(arena_.copy(name)), *v);
      return out.finish();
    }
    case Node::Kind::Substitution: return substitution(*node);
    case Node::Kind::Merge: {
      std::optional<Value> result;
      for (const auto& item : node->items)
        if (auto v = value(item)) result = result && result->is_hash() && v->is_hash() ? merged(*result, *v) : *v;
      return result;
    }
    case Node::Kind::Concat: return concat(*node);
    }
    return std::nullopt;
  }

private:
  /// Merges two hashes. The members of the later one come first.
  Value merged(const Value& earlier, const Value& later) {
    HashBuilder out(arena_);
    for (const auto& e : later.hash->entries()) {
      const Value* known = earlier.hash->find(e.key);
      out.set(e.key, known && known->is_hash() && e.value.is_hash() ? merged(*known, e.value) : e.value);
    }
    for (const auto& e : earlier.hash->entries())
      if (!later.hash->find(e.key)) out.set(e.key, e.value);
    return out.finish();
  }

  /// Thrown when a substitution leads to itself. The innermost substitution that is not optional reports the error.
  struct Cycle {
    std::string closing;
  };

  /// One part of a concatenation. `text` is its value as a string.
  struct Part {
    enum class Kind : uint8_t { Unquoted, Quoted, Other } kind = Kind::Other;
    Value value;
    std::string text;
    uint32_t line;
  };

  /// Joins the parts from the left, but first the parts between two substitutions. Therefore blanks and unquoted words directly after a
  /// list or an object have no effect, while after a substitution they count.
  std::optional<Value> concat(const Node& node) {
    std::vector<Part> parts;
    bool open = true; // the next part is not joined yet
    for (const auto& item : node.items) {
      // The earlier value that has replaced `${path}` is a part like a substitution.
      const bool substitution = item->kind == Node::Kind::Substitution || item->kind == Node::Kind::Concat ||
                                item->kind == Node::Kind::Merge;
      auto v = value(item);
      if (v) {
        Part part{item->kind != Node::Kind::Text ? Part::Kind::Other
                  : item->quoted                 ? Part::Kind::Quoted
                                                 : Part::Kind::Unquoted,
                  *v, item->text, item->kind == Node::Kind::Substitution ? found_line_ : item->line};
        if (item->kind == Node::Kind::Null) part.text = "null";
        if (substitution) part.text = text_of(*v);
        if (substitution && v->is_string()) part.kind = Part::Kind::Quoted;
        if (open || substitution)
          parts.push_back(std::move(part));
        else
          join(parts.back(), part, node);
      }
      open = substitution;
    }
    if (parts.empty()) return std::nullopt;
    for (size_t i = 1; i < parts.size(); ++i) join(parts[0], parts[i], node);
    return parts[0].value;
  }

  void join(Part& left, const Part& right, const Node& node) {
    const bool left_structure = left.value.is_list() || left.value.is_hash(),
               right_structure = right.value.is_list() || right.value.is_hash();
    if (left.value.is_hash() && right.value.is_hash()) {
      left.value = merged(left.value, right.value);
    } else if (left.value.is_list() && right.value.is_list()) {
      ListBuilder out(arena_);
      for (const Value& v : left.value.items()) out.add(v);
      for (const Value& v : right.value.items()) out.add(v);
      left.value = out.finish();
    } else if (left_structure && right.kind == Part::Kind::Unquoted) {
      return;
    } else if (left_structure || right_structure) {
      throw Failure{fmt::format("Cannot concatenate object or list with a non-object-or-list, {} and {} are not compatible",
                                described(left), described(right)),
                    left.line, node.origin};
    } else {
      left.text += right.text;
      left.value = Value::string(arena_.copy(left.text));
      left.kind = Part::Kind::Quoted;
    }
  }

  std::string described(const Part& part) {
    const Value& v = part.value;
    std::string json;
    JsonWriter writer(json);
    write_rich_value(writer, v, arena_);
    if (v.is_list()) return fmt::format("SimpleConfigList({})", json);
    if (v.is_hash()) return fmt::format("SimpleConfigObject({})", json);
    if (is_big_integer(v)) return fmt::format("ConfigInt({})", v.str());
    if (v.is_string()) return fmt::format("{}({})", part.kind == Part::Kind::Unquoted ? "Unquoted" : "Quoted", json);
    return fmt::format("Config{}({})", v.is_int() ? "Int" : v.is_float() ? "Double" : v.is_bool() ? "Boolean" : "Null", json);
  }

  static std::string text_of(const Value& v) {
    if (v.is_string()) return std::string(v.str());
    if (v.is_int()) return std::to_string(v.i);
    if (v.is_bool()) return v.b ? "true" : "false";
    if (v.is_float()) return fmt::format("{}", v.d);
    return v.is_undef() ? "null" : "";
  }

  std::optional<Value> substitution(const Node& node) {
    const std::string written = fmt::format("${{{}{}}}", node.flag ? "?" : "", shown(node.path));
    for (const auto& [path, text] : active_)
      if (path == node.path) throw Cycle{written};
    if (active_.size() > 200) throw Failure{"substitutions are nested too deeply", node.line, node.origin};
    active_.emplace_back(node.path, written);
    std::optional<Value> found;
    try {
      found = at(root_, node.path, 0);
    } catch (const Cycle& cycle) {
      std::string trace;
      for (const auto& [path, text] : active_) trace += text + ", ";
      active_.pop_back();
      if (node.flag) return std::nullopt;
      throw Failure{fmt::format("Could not resolve substitution to a value: {} was part of a cycle of substitutions involving {}{}",
                                written, trace, cycle.closing),
                    node.line, node.origin};
    }
    Path own(node.path.begin() + static_cast<ptrdiff_t>(node.prefix), node.path.end());
    if (!found && node.prefix > 0) found = at(root_, own, 0);
    active_.pop_back();
    if (found) return found;
    if (const char* variable = std::getenv(shown(own).c_str())) return Value::string(arena_.copy(variable));
    if (!node.flag)
      throw Failure{fmt::format("Could not resolve substitution to a value: ${{{}}}", shown(node.path)), node.line, node.origin};
    return std::nullopt;
  }

  std::optional<Value> at(const NodePtr& node, const Path& path, size_t depth) {
    if (depth == path.size()) {
      auto v = value(node);
      found_line_ = node->line;
      return v;
    }
    if (node->kind == Node::Kind::Object) {
      NodePtr* inner = node->find(path[depth]);
      return inner ? at(*inner, path, depth + 1) : std::nullopt;
    }
    auto v = value(node);
    for (; v && depth < path.size(); ++depth) {
      const Value* inner = v->is_hash() ? v->hash->find(path[depth]) : nullptr;
      if (!inner) return std::nullopt;
      v = *inner;
    }
    return v;
  }

  NodePtr root_;
  Arena& arena_;
  std::vector<std::pair<Path, std::string>> active_; // substitutions being replaced, with their source text
  uint32_t found_line_ = 0;                          // line of the value that the last substitution found
  size_t made_ = 0;                                  // number of values made; each use of a substitution counts again
};

/// The start of the first line that is not valid UTF-8, or npos.
size_t invalid_utf8(std::string_view text) {
  if (valid_utf8(text)) return std::string_view::npos;
  // A line end is never part of a longer character, so each line can be checked alone.
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (!valid_utf8(text.substr(begin, end - begin))) return begin;
    begin = end + 1;
  }
  return 0;
}

std::string placed(const Failure& failure) {
  if (failure.line == 0) return failure.origin ? fmt::format("{}: {}", *failure.origin, failure.message) : failure.message;
  return fmt::format("{}: {}: {}", failure.origin ? *failure.origin : "String", failure.line, failure.message);
}

} // namespace
} // namespace hocon

std::optional<DataError> read_hocon(std::string_view text, Arena& arena, Value& out) {
  if (size_t bad = hocon::invalid_utf8(text); bad != std::string_view::npos) {
    auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(bad), '\n')) + 1;
    return DataError{fmt::format("line {}: invalid UTF-8", line), line, 0};
  }
  hocon::Origins origins;
  try {
    hocon::NodePtr root = hocon::parse(text, origins);
    if (root->kind == hocon::Node::Kind::List) throw hocon::Failure{" has type LIST rather than object at file root", 1, nullptr};
    out = hocon::Resolver(root, arena).value(root).value_or(Value::undef());
  } catch (const hocon::Failure& failure) { return DataError{hocon::placed(failure), failure.origin ? 0 : failure.line, 0}; }
  return std::nullopt;
}

} // namespace pupc::catalog
