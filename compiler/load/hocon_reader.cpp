// HOCON (https://github.com/lightbend/config/blob/main/HOCON.md) as far as data is written in it: all of JSON, comments, unquoted and triple-quoted strings,
// dotted keys, objects that merge, concatenation, `+=` and substitutions. Not: include.
#include "catalog/base/stack.h"
#include "catalog/json/json_writer.h"
#include "compiler/load/data_file.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <list>
#include <memory>

namespace pupc {
namespace {

using Path = std::vector<std::string>;

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// A value before its substitutions are replaced.
struct Node {
  enum class Kind : uint8_t { Null, Bool, Number, Text, List, Object, Substitution, Concat, Merge } kind = Kind::Null;
  std::string text; // as written: of Bool, Number, Text
  Value number;
  bool flag = false;                                // of Bool; of Substitution: ${?x}
  std::vector<NodePtr> items;                       // of List, Concat (with Text nodes for blanks), Merge (later ones win)
  std::vector<std::pair<std::string, NodePtr>> members; // of Object
  Path path;                                        // of Substitution
  uint32_t line = 0;
  bool blank = false; // Text between other parts of a Concat

  NodePtr* find(std::string_view key) {
    for (auto& [name, value] : members)
      if (name == key) return &value;
    return nullptr;
  }
};

NodePtr make(Node::Kind kind, uint32_t line = 0) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->line = line;
  return node;
}

std::string shown(const Path& path) {
  std::string out;
  for (const auto& p : path) out += (out.empty() ? "" : ".") + p;
  return out;
}

struct Failure {
  std::string message;
  uint32_t line;
};

bool depends(const Node& node, const Path& path) {
  if (node.kind == Node::Kind::Substitution) return node.path == path;
  for (const auto& item : node.items)
    if (depends(*item, path)) return true;
  for (const auto& [name, value] : node.members)
    if (depends(*value, path)) return true;
  return false;
}

/// `node` with `${path}` replaced by what stood there before; null: nothing did.
NodePtr with_former(const NodePtr& node, const Path& path, const NodePtr& former) {
  if (node->kind == Node::Kind::Substitution && node->path == path) {
    if (former) return former;
    if (!node->flag) throw Failure{fmt::format("could not resolve substitution to a value: ${{{}}}", shown(path)), node->line};
    return node;
  }
  auto copy = std::make_shared<Node>(*node);
  for (auto& item : copy->items) item = with_former(item, path, former);
  for (auto& [name, value] : copy->members) value = with_former(value, path, former);
  return copy;
}

constexpr size_t max_depth = 500;

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePtr document() {
    blanks(true);
    NodePtr root;
    Path here;
    if (peek() == '{') {
      root = object(here);
    } else if (peek() == '[') {
      root = list(here);
    } else {
      root = make(Node::Kind::Object, line_);
      members(*root, here, '\0');
    }
    blanks(true);
    if (!at_end()) fail(fmt::format("expected the end of the text, got '{}'", next_words()));
    return root;
  }

private:
  static constexpr std::string_view not_in_words = "$\"{}[]:=,+#`^?!@*&\\";

  [[noreturn]] void fail(std::string message) const { throw Failure{std::move(message), line_}; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view s) const { return text_.substr(std::min(at_, text_.size())).starts_with(s); }
  std::string next_words() const { return at_end() ? "end of file" : std::string(text_.substr(at_, std::min<size_t>(text_.find('\n', at_) - at_, 20))); }
  char take() {
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

  /// Skips blanks and comments, with `lines` ends of lines too. Whether there was an end of line.
  bool blanks(bool lines) {
    bool newline = false;
    while (!at_end()) {
      if (starts("\xC2\xA0")) {
        at_ += 2;
      } else if (starts("\xEF\xBB\xBF")) {
        at_ += 3;
      } else if (is_blank(peek())) {
        ++at_;
      } else if (peek() == '#' || starts("//")) {
        while (!at_end() && peek() != '\n') ++at_;
      } else if (peek() == '\n' && lines) {
        take();
        newline = true;
      } else {
        break;
      }
    }
    return newline;
  }

  NodePtr object(Path& here) {
    NodePtr node = make(Node::Kind::Object, line_);
    take();
    members(*node, here, '}');
    take();
    return node;
  }

  /// Members up to `end` ('\0': the end of the text), which is left.
  void members(Node& object, Path& here, char end) {
    check_native_stack();
    for (;;) {
      blanks(true);
      if (end != '\0' && at_end()) fail("expected '}', got end of file");
      if (at_end() || peek() == end) return;
      if (end == '\0' && peek() == '}') fail("there is no '{' for this '}'");
      uint32_t line = line_;
      Path key = path_expression(false);
      if (key.size() == 1 && key[0] == "include" && peek() == '"') fail("include is not implemented");
      blanks(true);
      Path full = here;
      full.insert(full.end(), key.begin(), key.end());
      if (full.size() > max_depth) fail("objects are nested too deeply");
      NodePtr value;
      bool append = false;
      if (peek() == '{') {
        value = concat(full);
      } else if (starts("+=")) {
        at_ += 2;
        blanks(true);
        append = true;
        value = concat(full);
      } else if (peek() == '=' || peek() == ':') {
        take();
        blanks(true);
        value = concat(full);
      } else {
        fail(fmt::format("expected '=', ':' or '{{' after the key '{}', got '{}'", shown(key), next_words()));
      }
      if (append) {
        NodePtr one = make(Node::Kind::List, line), self = make(Node::Kind::Substitution, line), both = make(Node::Kind::Concat, line);
        one->items.push_back(value);
        self->path = full;
        self->flag = true;
        both->items = {self, one};
        value = both;
      }
      set(object, key, full, value);
      bool newline = blanks(true);
      if (peek() == ',')
        take();
      else if (!newline && !at_end() && peek() != end)
        fail(fmt::format("expected a comma, an end of line or '}}' after the value of '{}', got '{}'", shown(key), next_words()));
    }
  }

  void set(Node& object, const Path& key, const Path& full, NodePtr value) {
    if (depends(*value, full)) {
      Node* inner = &object;
      NodePtr former;
      for (size_t i = 0; inner && i < key.size(); ++i) {
        NodePtr* found = inner->kind == Node::Kind::Object ? inner->find(key[i]) : nullptr;
        if (found && i + 1 == key.size()) former = *found;
        inner = found ? found->get() : nullptr;
      }
      value = with_former(value, full, former);
    }
    for (size_t i = key.size(); i-- > 1;) {
      NodePtr outer = make(Node::Kind::Object, value->line);
      outer->members.emplace_back(key[i], value);
      value = outer;
    }
    if (NodePtr* known = object.find(key[0]))
      *known = combined(*known, value);
    else
      object.members.emplace_back(key[0], value);
  }

  /// What a later value makes of an earlier one of the same key. Of two objects the later one's members come first, as in the reference's library.
  static NodePtr combined(const NodePtr& earlier, const NodePtr& later) {
    auto open = [](const Node& n) { return n.kind == Node::Kind::Substitution || n.kind == Node::Kind::Concat || n.kind == Node::Kind::Merge; };
    const bool both_objects = earlier->kind == Node::Kind::Object && later->kind == Node::Kind::Object;
    if (!both_objects) {
      if (!open(*later) && !(open(*earlier) && later->kind == Node::Kind::Object)) return later;
      if (open(*later) && earlier->kind != Node::Kind::Object && !open(*earlier)) return later;
      NodePtr both = make(Node::Kind::Merge, later->line);
      both->items = {earlier, later};
      return both;
    }
    NodePtr out = make(Node::Kind::Object, later->line);
    for (auto& [name, value] : later->members) {
      NodePtr* known = earlier->find(name);
      out->members.emplace_back(name, known ? combined(*known, value) : value);
    }
    for (auto& member : earlier->members)
      if (!later->find(member.first)) out->members.push_back(member);
    return out;
  }

  NodePtr list(Path& here) {
    check_native_stack();
    struct Depth {
      size_t& depth;
      ~Depth() { --depth; }
    } inner{depth_};
    if (++depth_ > max_depth) fail("lists are nested too deeply");
    NodePtr node = make(Node::Kind::List, line_);
    take();
    for (;;) {
      blanks(true);
      if (at_end()) fail("expected ']', got end of file");
      if (peek() == ']') break;
      node->items.push_back(concat(here));
      bool newline = blanks(true);
      if (peek() == ',')
        take();
      else if (!newline && peek() != ']')
        fail(fmt::format("expected a comma or ']', got '{}'", next_words()));
    }
    take();
    return node;
  }

  /// A value: the parts up to the end of the line, a comma or a closing bracket.
  NodePtr concat(Path& here) {
    NodePtr all = make(Node::Kind::Concat, line_);
    for (;;) {
      size_t begin = at_;
      while (is_blank(peek())) ++at_;
      std::string between(text_.substr(begin, at_ - begin));
      char c = peek();
      if (at_end() || c == '\n' || c == ',' || c == '}' || c == ']' || c == '#' || starts("//")) break;
      if (!between.empty() && !all->items.empty()) {
        NodePtr blank = make(Node::Kind::Text, line_);
        blank->text = std::move(between);
        blank->blank = true;
        all->items.push_back(blank);
      }
      if (c == '{')
        all->items.push_back(object(here));
      else if (c == '[')
        all->items.push_back(list(here));
      else if (c == '"')
        all->items.push_back(quoted_node());
      else if (c == '$')
        all->items.push_back(substitution());
      else
        all->items.push_back(word());
    }
    if (all->items.empty()) fail(fmt::format("expected a value, got '{}'", next_words()));
    return all->items.size() == 1 ? all->items[0] : all;
  }

  NodePtr word() {
    size_t begin = at_;
    while (!at_end() && !is_blank(peek()) && peek() != '\n' && not_in_words.find(peek()) == std::string_view::npos && !starts("//")) ++at_;
    // Numbers may have a + in them.
    std::string_view text = text_.substr(begin, at_ - begin);
    if (text.size() > 1 && peek() == '+' && (text.back() == 'e' || text.back() == 'E') && std::isdigit(static_cast<unsigned char>(text[0]))) {
      ++at_;
      while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
      text = text_.substr(begin, at_ - begin);
    }
    if (text.empty()) fail(fmt::format("the character '{}' needs quotes in a value", peek()));
    NodePtr node = make(Node::Kind::Text, line_);
    node->text = text;
    if (text == "true" || text == "false") {
      node->kind = Node::Kind::Bool;
      node->flag = text == "true";
    } else if (text == "null") {
      node->kind = Node::Kind::Null;
    } else if (text[0] == '-' || std::isdigit(static_cast<unsigned char>(text[0]))) {
      number(text, *node);
    }
    return node;
  }

  static void number(std::string_view text, Node& node) {
    const char* end = text.data() + text.size();
    if (text.find_first_of(".eE") == std::string_view::npos) {
      int64_t i = 0;
      // As Ruby reads integers: those that begin with 0 are octal.
      const size_t digits = text[0] == '-' ? 1 : 0;
      auto [stop, error] = std::from_chars(text.data(), end, i, text.size() > digits + 1 && text[digits] == '0' ? 8 : 10);
      if (stop != end || error != std::errc{}) return;
      node.number = Value::integer(i);
    } else {
      double d = 0;
      auto [stop, error] = std::from_chars(text.data(), end, d);
      if (stop != end || error != std::errc{}) return;
      const bool whole = std::floor(d) == d && std::abs(d) < 9e15; // these are integers in the reference's library
      node.number = whole ? Value::integer(static_cast<int64_t>(d)) : Value::floating(d);
    }
    node.kind = Node::Kind::Number;
  }

  NodePtr quoted_node() {
    NodePtr node = make(Node::Kind::Text, line_);
    node->text = quoted();
    return node;
  }

  std::string quoted() {
    if (starts("\"\"\"")) {
      at_ += 3;
      size_t end = text_.find("\"\"\"", at_);
      if (end == std::string_view::npos) fail("a triple-quoted string has no end");
      while (end + 3 < text_.size() && text_[end + 3] == '"') ++end; // quotes at the end belong to the text
      std::string out(text_.substr(at_, end - at_));
      line_ += static_cast<uint32_t>(std::count(out.begin(), out.end(), '\n'));
      at_ = end + 3;
      return out;
    }
    ++at_;
    std::string out;
    for (;;) {
      if (at_end() || peek() == '\n') fail("a quoted string has no end");
      char c = take();
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
        continue;
      }
      char e = at_end() ? '\0' : take();
      switch (e) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case '"':
      case '\\':
      case '/': out += e; break;
      case 'u': append_code(out); break;
      default: fail(fmt::format("the escape '\\{}' is not known", e));
      }
    }
  }

  uint32_t four_digits() {
    uint32_t code = 0;
    std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || stop != digits.data() + 4 || error != std::errc{}) fail("\\u needs four hexadecimal digits");
    at_ += 4;
    return code;
  }

  void append_code(std::string& out) {
    uint32_t code = four_digits();
    if (code >= 0xD800 && code < 0xDC00 && starts("\\u")) {
      at_ += 2;
      uint32_t low = four_digits();
      if (low < 0xDC00 || low > 0xDFFF) fail("a surrogate has no second half");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code < 0xE000) fail("a surrogate stands alone");
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
      out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (code & 0x3F));
    }
  }

  NodePtr substitution() {
    NodePtr node = make(Node::Kind::Substitution, line_);
    ++at_;
    if (peek() != '{') fail("'$' needs quotes in a value");
    ++at_;
    if (peek() == '?') {
      node->flag = true;
      ++at_;
    }
    node->path = path_expression(true);
    if (peek() != '}') fail("a substitution has no '}'");
    ++at_;
    return node;
  }

  /// `a.b."c.d"`; of a key it ends before `=`, `:`, `{` and `+=`.
  Path path_expression(bool in_substitution) {
    Path path;
    std::string part;
    bool any = false, quoted_part = false;
    while (is_blank(peek())) ++at_;
    while (!at_end()) {
      char c = peek();
      if (c == '"') {
        part += quoted();
        any = quoted_part = true;
      } else if (c == '.') {
        ++at_;
        if (!any) fail("a key has an empty part");
        path.push_back(std::move(part));
        part.clear();
        any = quoted_part = false;
      } else if (is_blank(c)) {
        size_t begin = at_;
        while (is_blank(peek())) ++at_;
        c = peek();
        if (at_end() || c == '\n' || not_in_words.find(c) != std::string_view::npos) {
          if (c != '"' || (part == "include" && path.empty() && !in_substitution)) break;
        }
        part += text_.substr(begin, at_ - begin);
      } else if (c == '\n' || not_in_words.find(c) != std::string_view::npos || starts("//")) {
        break;
      } else {
        part += c;
        any = true;
        ++at_;
      }
    }
    if (!any) fail(fmt::format("expected a key, got '{}'", next_words()));
    path.push_back(std::move(part));
    if (path.size() > max_depth) fail("a key has too many parts");
    return path;
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  size_t depth_ = 0; // of lists
};

/// Replaces substitutions and makes values.
class Resolver {
public:
  Resolver(NodePtr root, Arena& arena) : root_(std::move(root)), arena_(arena) {}

  std::optional<Value> value(const NodePtr& node) {
    check_native_stack();
    if (++made_ > 5'000'000) throw Failure{"the substitutions make too much of it", node->line};
    switch (node->kind) {
    case Node::Kind::Null: return Value::undef();
    case Node::Kind::Bool: return Value::boolean(node->flag);
    case Node::Kind::Number: return node->number;
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
  /// The members of the later one come first.
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

  std::optional<Value> concat(const Node& node) {
    struct Part {
      Value value;
      std::string text;
      bool blank;
    };
    std::vector<Part> parts;
    size_t lists = 0, hashes = 0, others = 0;
    for (const auto& item : node.items) {
      auto v = value(item);
      if (!v) continue;
      Part part{*v, item->text, item->blank};
      if (item->kind == Node::Kind::Null) part.text = "null";
      if (item->kind == Node::Kind::Substitution) part.text = text_of(*v);
      if (v->is_list()) ++lists;
      else if (v->is_hash()) ++hashes;
      else if (!item->blank) ++others;
      parts.push_back(std::move(part));
    }
    if (lists + hashes + others == 0) return std::nullopt;
    if ((lists > 0) + (hashes > 0) + (others > 0) > 1) throw Failure{"objects, lists and other values cannot stand together in one value", node.line};
    if (lists > 0) {
      ListBuilder out(arena_);
      for (const auto& p : parts)
        if (p.value.is_list())
          for (const Value& v : p.value.items()) out.add(v);
      return out.finish();
    }
    if (hashes > 0) {
      std::optional<Value> out;
      for (const auto& p : parts)
        if (p.value.is_hash()) out = out ? merged(*out, p.value) : p.value;
      return out;
    }
    if (parts.size() == 1) return parts[0].value;
    std::string text;
    for (const auto& p : parts) text += p.text;
    return Value::string(arena_.copy(text));
  }

  static std::string text_of(const Value& v) {
    if (v.is_string()) return std::string(v.str());
    if (v.is_int()) return std::to_string(v.i);
    if (v.is_bool()) return v.b ? "true" : "false";
    if (v.is_float()) return fmt::format("{}", v.d);
    return v.is_undef() ? "null" : "";
  }

  std::optional<Value> substitution(const Node& node) {
    if (std::find(active_.begin(), active_.end(), node.path) != active_.end())
      throw Failure{fmt::format("the substitution ${{{}}} leads back to itself", shown(node.path)), node.line};
    if (active_.size() > 200) throw Failure{"substitutions are nested too deeply", node.line};
    active_.push_back(node.path);
    std::optional<Value> found = at(root_, node.path, 0);
    active_.pop_back();
    if (found) return found;
    if (const char* variable = std::getenv(shown(node.path).c_str())) return Value::string(arena_.copy(variable));
    if (!node.flag) throw Failure{fmt::format("could not resolve substitution to a value: ${{{}}}", shown(node.path)), node.line};
    return std::nullopt;
  }

  std::optional<Value> at(const NodePtr& node, const Path& path, size_t depth) {
    if (depth == path.size()) return value(node);
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
  std::vector<Path> active_;
  size_t made_ = 0; // values, those of substitutions anew for each place
};

/// Where a text stops to be UTF-8; npos when it is.
size_t invalid_utf8(std::string_view text) {
  if (valid_utf8(text)) return std::string_view::npos;
  // The line is enough: no character spans several.
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    if (!valid_utf8(text.substr(begin, end - begin))) return begin;
    begin = end + 1;
  }
  return 0;
}

bool is_list(const NodePtr& node) { return node->kind == Node::Kind::List; }

} // namespace

std::optional<DataError> read_hocon(std::string_view text, Arena& arena, Value& out) {
  if (size_t bad = invalid_utf8(text); bad != std::string_view::npos) {
    auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(bad), '\n')) + 1;
    return DataError{fmt::format("line {}: invalid UTF-8", line), line, 0};
  }
  try {
    NodePtr root = Parser(text).document();
    if (is_list(root)) return DataError{"String: 1:  has type LIST rather than object at file root", 1, 0};
    out = Resolver(root, arena).value(root).value_or(Value::undef());
  } catch (const Failure& failure) {
    return DataError{fmt::format("line {}: {}", failure.line, failure.message), failure.line, 0};
  }
  return std::nullopt;
}

} // namespace pupc
