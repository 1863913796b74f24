#include "catalog/store/pql.h"

#include "catalog/base/stack.h"
#include "catalog/store/values.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace pupc::catalog {
namespace {

class Parser {
public:
  Parser(std::string_view text, Arena& into) : text_(text), into_(into) {}

  Value whole() {
    const Value query = from();
    blanks();
    if (at_ < text_.size()) fail("the end of the query");
    return query;
  }

private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string_view found = text_.substr(at_, 12);
    store_failed(fmt::format("The query is no PQL: expected {} at column {}, not '{}'", expected, at_ + 1, found));
  }

  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool sees(std::string_view token) {
    blanks();
    return text_.substr(at_).starts_with(token);
  }
  bool take(std::string_view token) {
    if (!sees(token)) return false;
    at_ += token.size();
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}'", token));
  }
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '?'; }
  /// Takes the word when it stands there as a whole.
  bool take_word(std::string_view word) {
    if (!sees(word)) return false;
    const size_t end = at_ + word.size();
    if (end < text_.size() && (in_word(text_[end]) || text_[end] == '.')) return false;
    at_ = end;
    return true;
  }
  std::string_view word() {
    blanks();
    const size_t begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    if (at_ == begin) fail("a name");
    return text_.substr(begin, at_ - begin);
  }

  Value text(std::string_view t) { return Value::string(into_.copy(t)); }
  Value list(std::initializer_list<Value> items) { return make_list(into_, std::vector<Value>(items)); }

  /// "facts.os.family": a name, and below it names, numbers and quoted keys.
  Value field() {
    std::string path(word());
    while (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '[')) {
      if (text_[at_] == '[') {
        const size_t end = text_.find(']', at_);
        if (end == std::string_view::npos) fail("']'");
        path += text_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        continue;
      }
      ++at_;
      path += '.';
      if (sees("\"") || sees("'")) {
        const char quote = text_[at_];
        path += fmt::format("\"{}\"", string(quote));
      } else {
        path += word();
      }
    }
    return text(path);
  }

  std::string string(char quote) {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == quote || text_[at_ + 1] == '\\')) ++at_;
      out += text_[at_];
    }
    if (at_ == text_.size()) fail("the end of the text");
    ++at_;
    return out;
  }

  Value value() {
    blanks();
    if (at_ == text_.size()) fail("a value");
    const char c = text_[at_];
    if (c == '"' || c == '\'') return text(string(c));
    if (take_word("true")) return Value::boolean(true);
    if (take_word("false")) return Value::boolean(false);
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    fail("a value");
  }

  Value number() {
    size_t end = at_ + 1;
    while (end < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.' || text_[end] == 'e'))
      ++end;
    const std::string_view digits = text_.substr(at_, end - at_);
    int64_t whole = 0;
    double real = 0;
    const char* last = digits.data() + digits.size();
    if (const auto [p, e] = std::from_chars(digits.data(), last, whole); e == std::errc() && p == last) {
      at_ = end;
      return Value::integer(whole);
    }
    if (const auto [p, e] = std::from_chars(digits.data(), last, real); e != std::errc() || p != last) fail("a number");
    at_ = end;
    return Value::floating(real);
  }

  /// `entity[fields] { expression paging }`.
  Value from() {
    check_native_stack();
    const std::string_view entity = word();
    std::vector<Value> columns;
    bool extracts = false;
    if (take("[")) {
      extracts = true;
      while (!take("]")) {
        if (!columns.empty()) need(",");
        columns.push_back(column());
      }
    }
    need("{");
    Value condition;
    bool some = false;
    std::vector<Value> groups;
    if (!sees("}") && !at_paging()) {
      condition = disjunction();
      some = true;
    }
    std::vector<Value> out = {text("from"), text(entity)};
    std::vector<Value> paging = modifiers(groups);
    need("}");
    if (extracts) {
      std::vector<Value> extract = {text("extract"), make_list(into_, columns)};
      if (some) extract.push_back(condition);
      if (!groups.empty()) {
        groups.insert(groups.begin(), text("group_by"));
        extract.push_back(make_list(into_, groups));
      }
      out.push_back(make_list(into_, extract));
    } else if (some) {
      out.push_back(condition);
    }
    out.insert(out.end(), paging.begin(), paging.end());
    return make_list(into_, out);
  }

  Value column() {
    const size_t begin = at_;
    const std::string_view name = word();
    if (!take("(")) {
      at_ = begin;
      return field();
    }
    std::vector<Value> call = {text("function"), text(name)};
    if (!sees(")")) call.push_back(field());
    need(")");
    return make_list(into_, call);
  }

  bool at_paging() {
    for (const char* start : {"limit", "offset", "order", "group"}) {
      const size_t begin = at_;
      const bool there = take_word(start);
      const size_t after = at_;
      at_ = begin;
      if (!there) continue;
      // A field may have that name, too.
      at_ = after;
      const bool paging = (start[0] == 'o' && start[1] == 'r') || start[0] == 'g'
                              ? take_word("by")
                              : (blanks(), at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0);
      at_ = begin;
      if (paging) return true;
    }
    return false;
  }

  std::vector<Value> modifiers(std::vector<Value>& groups) {
    std::vector<Value> out;
    while (!sees("}")) {
      if (take_word("limit"))
        out.push_back(list({text("limit"), value()}));
      else if (take_word("offset"))
        out.push_back(list({text("offset"), value()}));
      else if (take_word("order"))
        out.push_back(list({text("order_by"), order()}));
      else if (take_word("group")) {
        if (!take_word("by")) fail("'by'");
        do groups.push_back(field());
        while (take(","));
      } else
        fail("'}'");
    }
    return out;
  }

  Value order() {
    if (!take_word("by")) fail("'by'");
    std::vector<Value> fields;
    do {
      const Value name = field();
      if (take_word("desc"))
        fields.push_back(list({name, text("desc")}));
      else if (take_word("asc"))
        fields.push_back(list({name, text("asc")}));
      else
        fields.push_back(name);
    } while (take(","));
    return make_list(into_, fields);
  }

  Value disjunction() {
    return joined("or", [&] { return conjunction(); });
  }
  Value conjunction() {
    return joined("and", [&] { return negation(); });
  }

  template <class Part> Value joined(std::string_view op, const Part& part) {
    std::vector<Value> parts = {text(op), part()};
    while (take_word(op)) parts.push_back(part());
    return parts.size() == 2 ? parts[1] : make_list(into_, parts);
  }

  Value negation() {
    check_native_stack();
    if (!sees("!=") && !sees("!~") && take("!")) return list({text("not"), negation()});
    if (!take("(")) return comparison();
    const Value inner = disjunction();
    need(")");
    return inner;
  }

  Value comparison() {
    if (take("[")) {
      std::vector<Value> fields;
      do fields.push_back(field());
      while (take(","));
      need("]");
      if (!take_word("in")) fail("'in'");
      return list({text("in"), make_list(into_, fields), set()});
    }
    const Value name = field();
    if (take_word("in")) return list({text("in"), name, set()});
    if (take_word("is")) {
      const bool negated = take_word("not");
      if (!take_word("null")) fail("'null'");
      return list({text("null?"), name, Value::boolean(!negated)});
    }
    for (const char* op : {"!=", "!~", ">=", "<=", "~>", "=", "~", "<", ">"}) {
      if (!take(op)) continue;
      const std::string_view plain = op[0] == '!' ? (op[1] == '=' ? "=" : "~") : std::string_view(op);
      const Value compared = list({text(plain), name, plain == "~>" ? values() : value()});
      return op[0] == '!' ? list({text("not"), compared}) : compared;
    }
    fail("an operator");
  }

  /// What follows `in`: values, or another query.
  Value set() { return sees("[") ? list({text("array"), values()}) : from(); }

  Value values() {
    need("[");
    std::vector<Value> out;
    while (!take("]")) {
      if (!out.empty()) need(",");
      out.push_back(value());
    }
    return make_list(into_, out);
  }

  std::string_view text_;
  Arena& into_;
  size_t at_ = 0;
};

} // namespace

Value parse_pql(std::string_view text, Arena& into) { return Parser(text, into).whole(); }

} // namespace pupc::catalog
