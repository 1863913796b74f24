// Compares with Puppet's answers to thousands of expressions about types and values (testdata/types, made by make_cases.rb).
// A small reader evaluates the expressions with this library's public functions only.
#include "catalog/value/time_text.h"
#include "compiler/conversion/new_instance.h"
#include "compiler/conversion/string_format.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace pupc::compiler;

namespace {

std::string unescape(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out += s[i];
      continue;
    }
    char c = s[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
  }
  return out;
}

std::vector<std::vector<std::string>> read_table(const std::string& name) {
  std::ifstream in("testdata/types/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> row;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(unescape(field));
    rows.push_back(row);
  }
  return rows;
}

class Aliases : public TypeContext {
public:
  Aliases(Arena& a, RegexCache& r) : TypeContext(a, r) {
    std::ifstream in("testdata/types/aliases.pp");
    for (std::string line; std::getline(in, line);) {
      size_t equals = line.find(" = ");
      texts[line.substr(5, equals - 5)] = line.substr(equals + 3);
    }
  }
  const Type* load_type(std::string_view name) override {
    auto text = texts.find(std::string(name));
    if (text == texts.end()) return nullptr;
    auto& slot = loaded[text->first];
    if (slot == nullptr) {
      auto* alias = arena.make<TypeAliasType>(text->first);
      slot = alias;
      alias->resolved = normalize(*this, parse_type(*this, text->second));
    }
    return slot;
  }
  bool resource_type_exists(std::string_view name) override { return name == "file" || name == "notify"; }

  std::map<std::string, std::string> texts;
  std::map<std::string, const Type*> loaded;
};

/// Evaluates the expressions of the case files.
class Reader {
public:
  Reader(TypeContext& c, std::string_view t) : ctx(c), text(t) {}
  Value run() {
    Value v = expression();
    blanks();
    if (at != text.size()) throw std::runtime_error("cannot read the case: " + std::string(text.substr(at)));
    return v;
  }

private:
  TypeContext& ctx;
  std::string_view text;
  size_t at = 0;

  void blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  }
  bool take(std::string_view s) {
    blanks();
    if (text.substr(at, s.size()) != s) return false;
    at += s.size();
    return true;
  }
  void need(std::string_view s) {
    if (!take(s)) throw std::runtime_error("expected " + std::string(s) + " at " + std::string(text.substr(at)));
  }
  std::vector<Value> list(std::string_view close) {
    std::vector<Value> out;
    while (!take(close)) {
      out.push_back(expression());
      if (!take(",")) {
        need(close);
        break;
      }
    }
    return out;
  }
  Value arena_string(const std::string& s) { return Value::string(ctx.arena.copy(s)); }

  Value single_quoted() {
    std::string out;
    for (++at; text[at] != '\''; ++at) {
      if (text[at] == '\\' && (text[at + 1] == '\'' || text[at + 1] == '\\')) ++at;
      out += text[at];
    }
    ++at;
    return arena_string(out);
  }
  Value double_quoted() {
    std::string out;
    for (++at; text[at] != '"'; ++at) {
      if (text[at] == '$' && text[at + 1] == '{') {
        at += 2;
        out += to_display_string(ctx, expression());
        blanks();
        if (text[at] != '}') throw std::runtime_error("expected }");
      } else if (text[at] == '\\') {
        char c = text[++at];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 's' ? ' ' : c;
      } else {
        out += text[at];
      }
    }
    ++at;
    return arena_string(out);
  }
  Value number() {
    size_t begin = at;
    bool real = false;
    for (++at; at < text.size(); ++at) {
      char c = text[at];
      bool exponent_sign = (c == '-' || c == '+') && text[at - 1] == 'e';
      if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && c != 'e' && !exponent_sign) break;
      real = real || c == '.' || c == 'e';
    }
    if (real) {
      double d = 0;
      std::from_chars(text.data() + begin, text.data() + at, d);
      return Value::floating(d);
    }
    int64_t i = 0;
    std::from_chars(text.data() + begin, text.data() + at, i);
    return Value::integer(i);
  }

  Value expression() {
    blanks();
    char c = text[at];
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) return number();
    if (take("[")) return make_list(ctx.arena, list("]"));
    if (take("{")) {
      HashBuilder h(ctx.arena);
      while (!take("}")) {
        Value key = expression();
        need("=>");
        h.set(key, expression());
        if (!take(",")) {
          need("}");
          break;
        }
      }
      return h.finish();
    }
    if (c == '/') {
      std::string out;
      for (++at; text[at] != '/'; ++at) {
        if (text[at] == '\\' && text[at + 1] != '/')
          out += text[at++];
        else if (text[at] == '\\')
          ++at;
        out += text[at];
      }
      ++at;
      return Value::of(ctx.regexes.get(out));
    }
    size_t begin = at;
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == ':')) ++at;
    return named(text.substr(begin, at - begin));
  }

  Value named(std::string_view name) {
    if (name.empty()) throw std::runtime_error("cannot read " + std::string(text.substr(at)));
    if (name == "true" || name == "false") return Value::boolean(name == "true");
    if (name == "undef") return Value::undef();
    if (name == "default") return Value::default_value();
    if (std::islower(static_cast<unsigned char>(name[0]))) {
      if (!take("(")) return Value::string(name);
      return call(name, list(")"));
    }
    Value v = Value::type(type_named(name));
    while (at < text.size()) {
      if (text[at] == '[') {
        ++at;
        v = parameterize(ctx, as_type(v), list("]"));
      } else if (text[at] == '(') {
        ++at;
        v = new_instance(ctx, as_type(v), list(")"));
      } else {
        break;
      }
    }
    return v;
  }
  const Type* type_named(std::string_view name) {
    // A bare name that is no type is an error of the evaluator, not of the types.
    bool parameters = at < text.size() && text[at] == '[';
    if (const Type* t = builtin_type(name); t != nullptr && (t->kind != TypeKind::TypeReference || parameters)) return t;
    if (const Type* t = ctx.load_type(name)) return t;
    std::string lower(name);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    if (ctx.resource_type_exists(lower)) return resource_type(ctx.arena, name);
    throw_error(ErrorCode::evaluation_error, {},
                "Resource type not found: " + std::string(name == "TypeReference" ? "UnresolvedReference" : name));
  }
  Value call(std::string_view name, std::vector<Value> args) {
    if (name == "type") {
      std::string_view how = args.size() > 1 ? args[1].str() : "detailed";
      if (how == "detailed") return Value::type(infer_detailed(ctx, args[0]));
      const Type* t = infer(ctx, args[0]);
      return Value::type(how == "generalized" ? generalize(ctx, t) : t);
    }
    if (name == "assert_type") {
      const Type* t = as_type(args[0]);
      if (is_instance(ctx, t, args[1])) return args[1];
      throw_error(ErrorCode::type_mismatch, {}, describe_mismatch(ctx, "assert_type():", t, args[1]));
    }
    if (name == "strftime") {
      std::string_view zone = args.size() > 2 ? args[2].str() : std::string_view();
      return arena_string(args[0].is(Kind::Timespan) ? format_timespan(args[0].i, args[1].str())
                                                     : format_timestamp(args[0].i, args[1].str(), zone));
    }
    throw std::runtime_error("no such function: " + std::string(name));
  }
};

struct Conformance : testing::Test {
  Arena arena;
  RegexCache regexes;
  Aliases ctx{arena, regexes};

  std::map<std::string, std::string> known_;
  void SetUp() override {
    for (const auto& row : read_table("known_differences.tsv")) known_[row[0]] = row.size() > 1 ? row[1] : "";
  }

  std::string show(const Value& v) {
    if (v.is(Kind::Timestamp)) return fmt::format("Timestamp:{}", v.i);
    if (v.is(Kind::Timespan)) return fmt::format("Timespan:{}", v.i);
    return to_program_string(ctx, v);
  }
  std::string answer(const std::string& expression) {
    try {
      return show(Reader(ctx, expression).run());
    } catch (const CompileError& e) { return "! " + e.diagnostic.message; } catch (const RegexError& e) {
      return "! " + e.message;
    }
  }
  const Type* type(const std::string& expression) { return as_type(Reader(ctx, expression).run()); }

  /// Compares every row. Rows in known_differences.tsv (expression, reason) must differ.
  void check(const std::string& file) {
    size_t differences = 0;
    for (const auto& row : read_table(file)) {
      std::string got = answer(row[0]);
      bool equal = got == (row.size() > 1 ? row[1] : "");
      if (auto reason = known_.find(row[0]); reason != known_.end()) {
        if (equal) ADD_FAILURE() << "no longer differs: " << row[0];
        continue;
      }
      if (equal) continue;
      if (++differences < show_limit()) ADD_FAILURE() << file << ": " << row[0] << "\n  reference: " << row[1] << "\n  here:      " << got;
    }
    EXPECT_EQ(differences, 0u) << file;
  }
  static size_t show_limit() {
    const char* n = std::getenv("PUPC_SHOW");
    return n ? static_cast<size_t>(std::atoi(n)) : 20;
  }
};

} // namespace

TEST_F(Conformance, Types) { check("expressions_types.tsv"); }
TEST_F(Conformance, Inference) { check("expressions_infer.tsv"); }
TEST_F(Conformance, Mismatches) { check("expressions_mismatch.tsv"); }
TEST_F(Conformance, New) { check("expressions_new.tsv"); }
TEST_F(Conformance, Formats) { check("expressions_format.tsv"); }
TEST_F(Conformance, Texts) { check("expressions_text.tsv"); }

TEST_F(Conformance, Instances) {
  auto values = read_table("values.txt");
  size_t differences = 0;
  for (const auto& row : read_table("instances.tsv")) {
    const Type* t = type(row[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      if (row[1][i] == '-') continue;
      bool got = is_instance(ctx, t, Reader(ctx, values[i][0]).run());
      if (got == (row[1][i] == '1')) continue;
      if (++differences < show_limit()) ADD_FAILURE() << values[i][0] << " =~ " << row[0] << " is " << got;
    }
  }
  EXPECT_EQ(differences, 0u);
}

TEST_F(Conformance, Assignability) {
  auto others = read_table("types.txt");
  size_t differences = 0;
  for (const auto& row : read_table("assignable.tsv")) {
    const Type* t = type(row[0]);
    for (size_t i = 0; i < others.size(); ++i) {
      if (row[1][i] == '-') continue;
      bool got = is_assignable(ctx, t, type(others[i][0]));
      if (got == (row[1][i] == '1')) continue;
      if (++differences < show_limit()) ADD_FAILURE() << row[0] << " accepts " << others[i][0] << " is " << got;
    }
  }
  EXPECT_EQ(differences, 0u);
}

TEST_F(Conformance, CommonTypes) {
  size_t differences = 0;
  for (const auto& row : read_table("common.tsv")) {
    if (row[2] == "-") continue;
    std::string got = common_type(ctx, type(row[0]), type(row[1]))->to_string();
    if (got == row[2]) continue;
    if (++differences < show_limit())
      ADD_FAILURE() << row[0] << " and " << row[1] << "\n  reference: " << row[2] << "\n  here:      " << got;
  }
  EXPECT_EQ(differences, 0u);
}

/// Printing a type and reading the text gives the type back.
TEST_F(Conformance, PrintedTypesAreReadBack) {
  size_t count = 0;
  for (const auto& row : read_table("types.txt")) {
    const Type* t = nullptr;
    try {
      t = type(row[0]);
    } catch (const CompileError&) {
      continue; // a case of wrong parameters
    }
    // A bare alias or object prints with its meaning, and that text is not an expression.
    if (t->kind == TypeKind::TypeAlias || t->kind == TypeKind::Deferred || t->kind == TypeKind::Error || t->kind == TypeKind::TypeSet ||
        t->kind == TypeKind::Runtime)
      continue;
    std::string text = t->to_string();
    if (text.starts_with("Foo::")) continue; // an unknown resource type reads as a type reference
    const Type* again = parse_type(ctx, text);
    EXPECT_EQ(again->to_string(), text);
    // Different types may print alike: Sensitive[Any] and Sensitive, or a Callable with undeclared parameters and one with zero
    // parameters.
    if (text == "Callable[0, 0, Callable]" || text == "Callable[[0, 0], String]") continue;
    EXPECT_TRUE(again->equals(*t) || (is_assignable(ctx, again, t) && is_assignable(ctx, t, again))) << text;
    ++count;
  }
  EXPECT_GT(count, 100u);
}
