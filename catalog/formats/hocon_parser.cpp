// The grammar of HOCON (https://github.com/lightbend/config/blob/main/HOCON.md), as far as data files use it: all of JSON, comments,
// unquoted and triple-quoted strings, dotted keys, merging objects, concatenation, `+=`, substitutions and includes.
#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/formats/hocon_tree.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/unicode_case.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace pupc::catalog::hocon {
namespace {

NodePtr make(Node::Kind kind, uint32_t line = 0, const std::string* origin = nullptr) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->line = line;
  node->origin = origin;
  return node;
}

bool depends(const Node& node, const Path& path) {
  if (node.kind == Node::Kind::Substitution) return node.path == path;
  for (const auto& item : node.items)
    if (depends(*item, path)) return true;
  for (const auto& [name, value] : node.members)
    if (depends(*value, path)) return true;
  return false;
}

/// `node` with `${path}` replaced by `former`, the earlier value of that path. Without an earlier value, an included text leaves the
/// substitution to the including text; any other text replaces `${?path}` by nothing.
NodePtr with_former(const NodePtr& node, const Path& path, const NodePtr& former, bool included) {
  if (node->kind == Node::Kind::Substitution && node->path == path) {
    if (former) return former;
    if (included) return node;
    if (node->flag) return make(Node::Kind::Concat, node->line, node->origin);
    return node; // refers to itself, which is an error unless a later value replaces it
  }
  auto copy = std::make_shared<Node>(*node);
  for (auto& item : copy->items) item = with_former(item, path, former, included);
  for (auto& [name, value] : copy->members) value = with_former(value, path, former, included);
  return copy;
}

/// Adds the place of an include to the substitutions of the included text, because they refer to the included object first. Returns
/// whether there are any.
bool prefix_substitutions(Node& node, const Path& here) {
  check_native_stack();
  bool any = node.kind == Node::Kind::Substitution;
  if (any) {
    node.path.insert(node.path.begin(), here.begin(), here.end());
    node.prefix += here.size();
  }
  for (auto& item : node.items) any |= prefix_substitutions(*item, here);
  for (auto& [name, value] : node.members) any |= prefix_substitutions(*value, here);
  return any;
}

/// Thrown when an included text includes a missing file by its absolute path. Puppet's library then treats the included text itself as
/// missing.
struct AbsentInclude {};

NodePtr plain_tree(const Value& v, const std::string* origin) {
  check_native_stack();
  NodePtr node = make(Node::Kind::Null, 1, origin);
  if (v.is_bool()) {
    node->kind = Node::Kind::Bool;
    node->flag = v.b;
    node->text = v.b ? "true" : "false";
  } else if (v.is_number()) {
    node->kind = Node::Kind::Number;
    node->number = v;
    node->text = v.is_int() ? std::to_string(v.i) : fmt::format("{}", v.d);
  } else if (is_big_integer(v)) {
    node->kind = Node::Kind::Number;
    node->text = v.str();
    node->number = Value::string({}); // node->text has the digits
    node->number.flags = big_integer_flag;
  } else if (v.is_string()) {
    node->kind = Node::Kind::Text;
    node->text = v.str();
    node->quoted = true;
  } else if (v.is_list()) {
    node->kind = Node::Kind::List;
    for (const Value& item : v.items()) node->items.push_back(plain_tree(item, origin));
  } else if (v.is_hash()) {
    node->kind = Node::Kind::Object;
    for (const auto& e : v.hash->entries()) node->members.emplace_back(e.key.str(), plain_tree(e.value, origin));
  }
  return node;
}

constexpr size_t max_hocon_depth = 500, max_includes = 50, max_included_files = 5000;

class Parser {
public:
  /// `origin` is the included file, null for the given text. `depth` is the number of includes around the text.
  Parser(std::string_view text, Origins& origins, const std::string* origin = nullptr, size_t depth = 0)
      : text_(text), origins_(origins), origin_(origin), depth_of_include_(depth) {}

  NodePtr document() {
    blanks(true);
    NodePtr root;
    Path here;
    if (peek() == '{') {
      root = object(here);
    } else if (peek() == '[') {
      root = list(here);
    } else {
      root = make(Node::Kind::Object, line_, origin_);
      members(*root, here, '\0');
    }
    blanks(true);
    if (!at_end()) fail(fmt::format("Document has trailing tokens after first object or array: {}", token()));
    return root;
  }

private:
  static constexpr std::string_view not_in_words = "$\"{}[]:=,+#`^?!@*&\\";

  [[noreturn]] void fail(std::string message) const { throw Failure{std::move(message), line_, origin_}; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view s) const { return text_.substr(std::min(at_, text_.size())).starts_with(s); }
  /// The next token, as messages of Puppet's library show it.
  std::string token() {
    if (at_end()) return "end of file";
    char c = peek();
    if (c == '"') return fmt::format("'{}' (STRING)", quoted());
    if (at_comment()) return fmt::format("'#{}' (COMMENT)", comment_text());
    if (c == '&' || c == '`' || c == '^' || c == '?' || c == '!' || c == '@' || c == '*' || c == '\\')
      return fmt::format("'{0}' (Reserved character '{0}' is not allowed outside quotes)", c);
    if (not_in_words.find(c) != std::string_view::npos || c == '\n') return fmt::format("'{}'", c);
    std::string_view rest = text_.substr(at_), digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789eE+-."), rest.size()));
    const bool may_be_number = (c >= '0' && c <= '9') || c == '-'; // ".5" is text
    if (Node n; may_be_number && !digits.empty() && (number(digits, n), n.kind == Node::Kind::Number))
      return fmt::format("'{}' (NUMBER)", digits);
    NodePtr node = word();
    if (node->kind == Node::Kind::Null) return "'' (NULL)";
    std::string_view kind = may_be_number && node->kind == Node::Kind::Number ? " (NUMBER)"
                            : node->kind == Node::Kind::Bool                  ? " (BOOLEAN)"
                                                                              : "";
    return fmt::format("'{}'{}", node->text, kind);
  }
  [[noreturn]] void fail_with_advice(std::string_view message, const std::string& token) const {
    fail(token == "end of file"
             ? std::string(message)
             : fmt::format("{} (if you intended {} to be part of a key or string value, try enclosing the key or value in double quotes",
                           message, token));
  }
  char take() {
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

  /// Skips blanks and comments, and with `lines` also line ends. Returns whether there was a line end.
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
    NodePtr node = make(Node::Kind::Object, line_, origin_);
    take();
    members(*node, here, '}');
    take();
    return node;
  }

  /// Reads members up to `end` ('\0': the end of the text), but does not consume it.
  void members(Node& object, Path& here, char end) {
    check_native_stack();
    for (;;) {
      blanks(true);
      if (end != '\0' && at_end()) fail("expecting a close brace or a field name here, got end of file");
      if (at_end() || peek() == end) return;
      if (end == '\0' && peek() == '}') fail_with_advice("unbalanced close brace '}' with no open brace", "'}'");
      uint32_t line = line_;
      if (at_include()) {
        include(object, here);
        end_of_member(end);
        continue;
      }
      Path key = path_expression();
      blanks(true);
      Path full = here;
      full.insert(full.end(), key.begin(), key.end());
      if (full.size() > max_hocon_depth) fail("objects are nested too deeply");
      NodePtr value;
      bool append = false;
      if (peek() == '{') {
        value = concat(full);
      } else if (starts("+=")) {
        at_ += 2;
        blanks(true);
        append = true;
        if (depth_ > 0)
          fail("Due to current limitations of the config parser, += does not work nested inside a list. += expands to a ${} substitution "
               "and the path in ${} cannot currently "
               "refer to list elements. You might be able to move the += outside of the list and then refer to it from inside the list "
               "with ${}.");
        ++depth_;
        value = concat(full);
        --depth_;
      } else if (peek() == '=' || peek() == ':') {
        take();
        blanks(true);
        value = concat(full);
      } else {
        std::string got = token();
        fail_with_advice(fmt::format("Key '{}' may not be followed by token: {}", shown(key), got), got);
      }
      if (append) {
        NodePtr one = make(Node::Kind::List, line, origin_), self = make(Node::Kind::Substitution, line, origin_),
                both = make(Node::Kind::Concat, line, origin_);
        one->items.push_back(value);
        self->path = full;
        self->flag = true;
        both->items = {self, one};
        value = both;
      }
      set(object, key, full, value);
      end_of_member(end);
    }
  }

  void end_of_member(char end) {
    const uint32_t line = line_;
    bool newline = blanks(true);
    if (peek() == ',') {
      take();
      return;
    }
    if (newline || peek() == end || (end == '\0' && at_end())) return;
    line_ = line;
    if (end == '\0' && peek() == '}') fail_with_advice("unbalanced close brace '}' with no open brace", "'}'");
    std::string got = token();
    fail_with_advice(fmt::format("Expecting close brace }} or a comma, got {}", got), got);
  }

  // -- includes

  /// Whether the next word is exactly `include`: `include.x` and `"include"` are keys.
  bool at_include() const {
    if (!starts("include")) return false;
    char c = peek(7);
    return c == '\0' || c == '\n' || is_blank(c) || not_in_words.find(c) != std::string_view::npos ||
           text_.substr(at_ + 7).starts_with("//");
  }

  void include(Node& object, Path& here) {
    at_ += 7;
    blanks(true);
    bool of_file = false;
    if (peek() != '"') {
      std::string got = token();
      if (got == "'file('")
        of_file = true;
      else if (got == "'url('" || got == "'classpath('")
        fail(fmt::format("include {}) is not supported, nor is it by Puppet's library", std::string_view(got).substr(1, got.size() - 2)));
      else if (got.ends_with("'") && got.size() > 2 && (got.size() > 3 || not_in_words.find(got[1]) == std::string_view::npos))
        fail(fmt::format("expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before "
                         "the open paren. Not expecting: {}",
                         got));
      else
        fail(fmt::format("include keyword is not followed by a quoted string, but by: {}", got));
      blanks(true);
      if (peek() != '"') fail(fmt::format("expecting a quoted string inside file(), classpath(), or url(), rather than: {}", token()));
    }
    std::string name = quoted();
    if (of_file) {
      blanks(true);
      if (std::string got = token(); got != "')'") fail(fmt::format("expecting a close parentheses ')' here, not: {}", got));
    } else if (name.starts_with("http://") || name.starts_with("https://")) {
      fail("an include of a URL is not supported, nor is it by Puppet's library");
    }
    NodePtr content = by_base_name(name, of_file);
    if (!content) return;
    const bool open = prefix_substitutions(*content, here);
    if (open && depth_ > 0)
      fail("Due to current limitations of the config parser, when an include statement is nested inside a list value, ${} substitutions "
           "inside the included file cannot be "
           "resolved correctly. Either move the include outside of the list value or remove the ${} statements from the included file.");
    Path key(1), full = here;
    full.emplace_back();
    for (auto& [member, value] : content->members) {
      key[0] = full.back() = member;
      set(object, key, full, open ? settled(value, object, key, full) : value);
    }
  }

  /// Reads an included name. Without an extension it means NAME.conf and NAME.json, merged if both exist. Returns null if neither exists.
  NodePtr by_base_name(const std::string& name, bool of_file) {
    for (std::string_view extension : {".conf", ".json", ".properties"})
      if (name.ends_with(extension)) return included_file(place(name, of_file), extension == ".json");
    NodePtr conf = included_file(place(name + ".conf", of_file), false), json = included_file(place(name + ".json", of_file), true);
    return conf && json ? combined(json, conf) : conf ? conf : json;
  }

  /// The path of an included file. Empty for a plain name in a text whose file is unknown.
  std::string place(const std::string& name, bool of_file) const {
    if (of_file) return name;
    if (!origin_) return {};
    if (!name.starts_with('/')) return origin_->substr(0, origin_->rfind('/') + 1) + name;
    if (!read_whole_file(name)) throw AbsentInclude{};
    return name;
  }

  NodePtr included_file(const std::string& path, bool json) {
    if (path.empty()) return nullptr;
    auto text = read_whole_file(path);
    if (!text && (errno == ENOENT || errno == EISDIR || errno == ENOTDIR)) return nullptr;
    if (!text) fail(fmt::format("{} @ rb_sysopen - {}", std::strerror(errno), path));
    const std::string* origin = &origins_.emplace_back(path);
    if (depth_of_include_ + 1 >= max_includes || origins_.size() > max_included_files)
      throw Failure{fmt::format("include statements nested more than {} times, you probably have a cycle in your includes.", max_includes),
                    0, origin};
    if (!valid_utf8(*text)) throw Failure{"invalid UTF-8", 1, origin};
    if (json) {
      Arena arena;
      Value value;
      if (auto error = read_json(*text, arena, value, true)) throw Failure{error->message, std::max(error->line, 1u), origin};
      if (auto error = duplicate_json_key(*text)) throw Failure{error->message, error->line, origin};
      return object_at_root(plain_tree(value, origin), origin);
    }
    try {
      return object_at_root(Parser(*text, origins_, origin, depth_of_include_ + 1).document(), origin);
    } catch (const AbsentInclude&) { return nullptr; }
  }

  static NodePtr object_at_root(NodePtr root, const std::string* origin) {
    if (root->kind != Node::Kind::Object) throw Failure{" has type LIST rather than object at file root", root->line, origin};
    return root;
  }

  /// An included object in which substitutions that refer to their own place have the earlier values from `object`.
  NodePtr settled(const NodePtr& value, Node& object, Path& key, Path& full) {
    if (value->kind != Node::Kind::Object)
      return depends(*value, full) ? with_former(value, full, former_value(object, key), origin_ != nullptr) : value;
    auto copy = std::make_shared<Node>(*value);
    for (auto& [name, member] : copy->members) {
      key.push_back(name);
      full.push_back(name);
      member = settled(member, object, key, full);
      key.pop_back();
      full.pop_back();
    }
    return copy;
  }

  static NodePtr former_value(Node& object, const Path& key) {
    Node* inner = &object;
    NodePtr former;
    for (size_t i = 0; inner && i < key.size(); ++i) {
      NodePtr* found = inner->kind == Node::Kind::Object ? inner->find(key[i]) : nullptr;
      if (found && i + 1 == key.size()) former = *found;
      inner = found ? found->get() : nullptr;
    }
    return former;
  }

  void set(Node& object, const Path& key, const Path& full, NodePtr value) {
    if (depends(*value, full)) value = with_former(value, full, former_value(object, key), origin_ != nullptr);
    for (size_t i = key.size(); i-- > 1;) {
      NodePtr outer = make(Node::Kind::Object, value->line, value->origin);
      outer->members.emplace_back(key[i], value);
      value = outer;
    }
    if (NodePtr* known = object.find(key[0]))
      *known = combined(*known, value);
    else
      object.members.emplace_back(key[0], value);
  }

  /// Whether the value depends on substitutions: `${?x}` may keep the earlier value.
  static bool open(const Node& n) {
    if (n.kind == Node::Kind::Concat) return std::any_of(n.items.begin(), n.items.end(), [](const NodePtr& item) { return open(*item); });
    return n.kind == Node::Kind::Substitution || n.kind == Node::Kind::Merge;
  }

  /// Combines two values of the same key. For two objects, the members of the later one come first, as in Puppet's library.
  static NodePtr combined(const NodePtr& earlier, const NodePtr& later) {
    const bool both_objects = earlier->kind == Node::Kind::Object && later->kind == Node::Kind::Object;
    if (!both_objects) {
      if (!open(*later) && !(open(*earlier) && later->kind == Node::Kind::Object)) return later;
      NodePtr both = make(Node::Kind::Merge, later->line, later->origin);
      both->items = {earlier, later};
      return both;
    }
    NodePtr out = make(Node::Kind::Object, later->line, later->origin);
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
    if (++depth_ > max_hocon_depth) fail("lists are nested too deeply");
    NodePtr node = make(Node::Kind::List, line_, origin_);
    take();
    bool comma = false;
    for (;;) {
      blanks(true);
      if (peek() == ']' && !comma) break;
      if (peek() == ']' && !node->items.empty()) break; // a trailing comma is allowed
      if (at_end() || peek() == ']' || peek() == ',' || peek() == '}' || peek() == ':' || peek() == '=') {
        std::string got = token();
        if (node->items.empty())
          fail(fmt::format("List should have ] or a first element after the open [, instead had token: {0} (if you want {0} to be part of "
                           "a string value, then double-quote it)",
                           got));
        if (!comma)
          fail(fmt::format("List should have ended with ] or had a comma, instead had token: {0} (if you want {0} to be part of a string "
                           "value, then double-quote it)",
                           got));
        fail(fmt::format("List should have had new element after a comma, instead had token: {0} (if you want the comma or {0} to be part "
                         "of a string value, then double-quote it)",
                         got));
      }
      node->items.push_back(concat(here));
      comma = false;
      bool newline = blanks(true);
      if (peek() == ',') {
        take();
        comma = true;
      } else if (!newline && peek() != ']') {
        fail(fmt::format("List should have ended with ] or had a comma, instead had token: {0} (if you want {0} to be part of a string "
                         "value, then double-quote it)",
                         token()));
      }
    }
    take();
    return node;
  }

  /// Reads a value: all parts up to the end of the line, a comma or a closing bracket.
  NodePtr concat(Path& here) {
    NodePtr all = make(Node::Kind::Concat, line_, origin_);
    for (;;) {
      size_t begin = at_;
      while (is_blank(peek())) ++at_;
      std::string between(text_.substr(begin, at_ - begin));
      char c = peek();
      if (!all->items.empty() && !at_end() && c != '"' && c != '$' && c != '{' && c != '[' &&
          not_in_words.find(c) != std::string_view::npos)
        break;
      if (at_end() || c == '\n' || c == ',' || c == '}' || c == ']' || c == '#' || starts("//")) break;
      // Blanks count only between words, quoted texts and substitutions.
      auto structure = [](const NodePtr& n) { return n->kind == Node::Kind::Object || n->kind == Node::Kind::List; };
      if (!between.empty() && !all->items.empty() && c != '{' && c != '[' && !structure(all->items.back())) {
        NodePtr blank = make(Node::Kind::Text, line_, origin_);
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
    if (all->items.empty()) {
      std::string got = token();
      fail_with_advice(fmt::format("Expecting a value but got wrong token: {}", got), got);
    }
    // Merge adjacent objects without substitutions between them.
    for (size_t i = 1; i < all->items.size();) {
      NodePtr &left = all->items[i - 1], right = all->items[i];
      if (left->kind != Node::Kind::Object || right->kind != Node::Kind::Object) {
        ++i;
        continue;
      }
      left = combined(left, right);
      all->items.erase(all->items.begin() + static_cast<ptrdiff_t>(i));
    }
    return all->items.size() == 1 ? all->items[0] : all;
  }

  /// Whether a token begins here that Puppet's library takes for a number and then cannot read: it has a + that no exponent explains.
  bool at_number_with_plus() const {
    if (peek() != '-' && !std::isdigit(static_cast<unsigned char>(peek()))) return false;
    std::string_view rest = text_.substr(at_), token = rest.substr(0, std::min(rest.find_first_not_of("0123456789eE+-."), rest.size()));
    if (token.find('+') == std::string_view::npos) return false;
    Node n;
    number(token, n);
    return n.kind != Node::Kind::Number;
  }
  static constexpr const char* reserved_plus = "'+' (Reserved character '+'is not allowed outside quotes)";

  NodePtr word() {
    if (at_number_with_plus()) fail_with_advice(fmt::format("Expecting a value but got wrong token: {}", reserved_plus), reserved_plus);
    size_t begin = at_;
    while (!at_end() && !is_blank(peek()) && peek() != '\n' && not_in_words.find(peek()) == std::string_view::npos && !starts("//")) ++at_;
    // A number may contain a + in its exponent.
    std::string_view text = text_.substr(begin, at_ - begin);
    if (text.size() > 1 && peek() == '+' && (text.back() == 'e' || text.back() == 'E') &&
        std::isdigit(static_cast<unsigned char>(text[0]))) {
      ++at_;
      while (std::isdigit(static_cast<unsigned char>(peek()))) ++at_;
      text = text_.substr(begin, at_ - begin);
    }
    if (text.empty()) {
      std::string got = token();
      fail_with_advice(fmt::format("Expecting a value but got wrong token: {}", got), got);
    }
    NodePtr node = make(Node::Kind::Text, line_, origin_);
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
      // As in Ruby, an integer that begins with 0 is octal.
      const size_t digits = text[0] == '-' ? 1 : 0;
      auto [stop, error] = std::from_chars(text.data(), end, i, text.size() > digits + 1 && text[digits] == '0' ? 8 : 10);
      if (stop != end || (error != std::errc{} && error != std::errc::result_out_of_range)) return;
      node.number = Value::integer(i);
      if (error != std::errc{}) {        // beyond 64 bits
        node.number = Value::string({}); // node.text has the digits: a copy of the node must not refer to this one
        node.number.flags = big_integer_flag;
      }
    } else {
      double d = 0;
      // A point must be followed by a digit.
      if (size_t point = text.find('.');
          point != std::string_view::npos && !std::isdigit(static_cast<unsigned char>(point + 1 < text.size() ? text[point + 1] : ' ')))
        return;
      auto [stop, error] = std::from_chars(text.data(), end, d);
      if (stop != end || error != std::errc{}) return;
      const bool whole = std::floor(d) == d && std::abs(d) < 9e15; // Puppet's library reads these as integers
      node.number = whole ? Value::integer(static_cast<int64_t>(d)) : Value::floating(d);
    }
    node.kind = Node::Kind::Number;
  }

  NodePtr quoted_node() {
    NodePtr node = make(Node::Kind::Text, line_, origin_);
    node->text = quoted();
    node->quoted = true;
    return node;
  }

  std::string quoted() {
    if (starts("\"\"\"")) {
      at_ += 3;
      size_t end = text_.find("\"\"\"", at_);
      if (end == std::string_view::npos) fail("a triple-quoted string has no end");
      while (end + 3 < text_.size() && text_[end + 3] == '"') ++end; // extra quotes at the end belong to the text
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
    append_utf8(out, code);
  }

  NodePtr substitution() {
    NodePtr node = make(Node::Kind::Substitution, line_, origin_);
    ++at_;
    if (peek() != '{') fail("'$' needs quotes in a value");
    ++at_;
    if (peek() == '?') {
      node->flag = true;
      ++at_;
    }
    const uint32_t line_of_close = find_close_of_substitution();
    while (is_blank(peek())) ++at_;
    if (peek() == '}') fail("Expecting a field name or path here, but got nothing");
    if (!at_comment() && peek() != '\n') node->path = path_expression(true);
    if (peek() != '}') {
      std::string got = peek() == '\n' ? "NEWLINE" : at_comment() ? fmt::format("'#{}' (COMMENT)", comment_text()) : token();
      line_ = line_of_close;
      fail(fmt::format("Token not allowed in path expression: {} (you can double-quote this token if you really want it here)", got));
    }
    ++at_;
    return node;
  }

  bool at_comment() const { return peek() == '#' || starts("//"); }
  /// The text of the comment at this place, without `#` or `//`.
  std::string_view comment_text() const {
    std::string_view line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    return line.substr(line[0] == '#' ? 1 : 2);
  }

  /// The line of the '}' that closes the substitution at this place. One in a quoted text or a comment closes nothing. Without any it is an
  /// error, at the end of the text.
  uint32_t find_close_of_substitution() {
    uint32_t line = line_;
    for (size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '}') return line;
      if (text_[i] == '"') {
        for (++i; i < text_.size() && text_[i] != '"' && text_[i] != '\n'; ++i)
          if (text_[i] == '\\') ++i;
      } else if (text_[i] == '#' || text_.substr(i).starts_with("//")) {
        while (i < text_.size() && text_[i] != '\n') ++i;
      }
      if (i < text_.size() && text_[i] == '\n') ++line;
    }
    line_ = line;
    at_ = text_.size();
    const std::string_view end = "'end of file' (Substitution ${ was not closed with a })";
    fail_with_advice(fmt::format("Expecting a value but got wrong token: {}", end), std::string(end));
  }

  /// The message names the line of a substitution, but not that of a key.
  [[noreturn]] void fail_path(bool in_substitution) const {
    constexpr const char* message =
        "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)";
    if (in_substitution) fail(message);
    throw Failure{message, 0, nullptr};
  }

  /// Reads a path such as `a.b."c.d"`. The path of a key ends before `=`, `:`, `{` and `+=`.
  Path path_expression(bool in_substitution = false) {
    Path path;
    std::string part;
    bool any = false;
    while (is_blank(peek())) ++at_;
    if (!in_substitution && at_number_with_plus()) fail(fmt::format("expecting a close brace or a field name here, got {}", reserved_plus));
    while (!at_end()) {
      char c = peek();
      if (c == '"') {
        part += quoted();
        any = true;
      } else if (c == '.') {
        ++at_;
        if (!any) fail_path(in_substitution);
        path.push_back(std::move(part));
        part.clear();
        any = false;
      } else if (is_blank(c)) {
        size_t begin = at_;
        while (is_blank(peek())) ++at_;
        c = peek();
        if (at_end() || c == '\n' || not_in_words.find(c) != std::string_view::npos) {
          if (c != '"') break;
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
    if (!any && !path.empty()) fail_path(in_substitution);
    if (!any) {
      std::string got = token();
      fail(fmt::format("expecting a close brace or a field name here, got {}", got));
    }
    path.push_back(std::move(part));
    if (path.size() > max_hocon_depth) fail("a key has too many parts");
    return path;
  }

  std::string_view text_;
  Origins& origins_;
  const std::string* origin_;
  size_t depth_of_include_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  size_t depth_ = 0; // of lists
};

} // namespace

NodePtr parse(std::string_view text, Origins& origins) { return Parser(text, origins).document(); }

} // namespace pupc::catalog::hocon
