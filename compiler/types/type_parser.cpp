// Reads types from their printed form: names with parameters, literals, arrays and hashes.
#include "compiler/types/core_types.h"

#include <charconv>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

class TypeReader {
public:
  TypeReader(TypeContext& c, std::string_view t) : ctx(c), text(t) {}

  const Type* run() {
    Value v = value();
    blanks();
    if (at != text.size()) bad();
    const Type* t = as_type(v);
    if (t == nullptr)
      throw_error(ErrorCode::invalid_type, {}, fmt::format("The expression <{}> is not a valid type specification.", text),
                  PositionStyle::None);
    return t;
  }

private:
  TypeContext& ctx;
  std::string_view text;
  size_t at = 0;
  int depth = 0;

  [[noreturn]] void bad() const {
    if (at >= text.size() && !text.empty()) throw_error(ErrorCode::invalid_type, {}, "Syntax error at end of input", PositionStyle::None);
    throw_error(ErrorCode::invalid_type, {}, fmt::format("The expression <{}> is not a valid type specification.", text),
                PositionStyle::None);
  }
  void blanks() {
    while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
  }
  bool take(char ch) {
    blanks();
    if (at >= text.size() || text[at] != ch) return false;
    ++at;
    return true;
  }
  void need(char ch) {
    if (!take(ch)) bad();
  }

  std::vector<Value> list(char close) {
    std::vector<Value> out;
    while (!take(close)) {
      out.push_back(value());
      if (!take(',')) {
        need(close);
        break;
      }
    }
    return out;
  }

  std::string_view word() {
    size_t begin = at;
    auto letter = [&](size_t i) { return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'); };
    while (letter(at) || (text.substr(at, 2) == "::" && letter(at + 2))) at += letter(at) ? 1 : 2;
    return text.substr(begin, at - begin);
  }

  Value quoted(char quote) {
    std::string out;
    for (++at;; ++at) {
      if (at >= text.size()) bad();
      char ch = text[at];
      if (ch == quote) break;
      if (ch == '\\' && at + 1 < text.size()) {
        char next = text[at + 1];
        if (quote == '\'') {
          if (next == '\'' || next == '\\') ch = text[++at];
        } else {
          ++at;
          ch = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next == 's' ? ' ' : next;
        }
      }
      out += ch;
    }
    ++at;
    return Value::string(ctx.arena.copy(out));
  }

  Value regex() {
    std::string out;
    for (++at;; ++at) {
      if (at >= text.size()) bad();
      if (text[at] == '/') break;
      if (text[at] == '\\' && at + 1 < text.size()) {
        if (text[at + 1] != '/') out += '\\';
        ++at;
      }
      out += text[at];
    }
    ++at;
    try {
      return Value::of(ctx.regexes.get(out));
    } catch (const RegexError& e) {
      throw_error(ErrorCode::invalid_type, {}, fmt::format("{}: /{}/", e.message, out), PositionStyle::None);
    }
  }

  Value number() {
    size_t begin = at;
    if (text[at] == '-') ++at;
    bool is_float = false;
    while (at < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.' || text[at] == 'e' || text[at] == 'E' ||
            ((text[at] == '-' || text[at] == '+') && (text[at - 1] == 'e' || text[at - 1] == 'E')))) {
      is_float = is_float || text[at] == '.' || text[at] == 'e' || text[at] == 'E';
      ++at;
    }
    const char *from = text.data() + begin, *to = text.data() + at;
    if (is_float) {
      double d = 0;
      if (std::from_chars(from, to, d).ptr != to) bad();
      return Value::floating(d);
    }
    int64_t i = 0;
    auto r = std::from_chars(from, to, i);
    if (r.ec != std::errc() || r.ptr != to) bad();
    return Value::integer(i);
  }

  Value value() {
    if (++depth > 200) bad();
    Value v = one();
    --depth;
    return v;
  }

  Value one() {
    blanks();
    if (at >= text.size()) bad();
    char ch = text[at];
    if (ch == '\'' || ch == '"') return quoted(ch);
    if (ch == '/') return regex();
    if (ch == '[') {
      ++at;
      return make_list(ctx.arena, list(']'));
    }
    if (ch == '{') {
      ++at;
      HashBuilder h(ctx.arena);
      while (!take('}')) {
        Value key = value();
        blanks();
        need('=');
        need('>');
        h.set(key, value());
        if (!take(',')) {
          need('}');
          break;
        }
      }
      return h.finish();
    }
    if (ch == '-' || std::isdigit(static_cast<unsigned char>(ch))) return number();
    std::string_view name = word();
    if (name.empty()) bad();
    if (name == "default") return Value::default_value();
    if (name == "undef") return Value::undef();
    if (name == "true") return Value::boolean(true);
    if (name == "false") return Value::boolean(false);
    if (name[0] >= 'a' && name[0] <= 'z') {
      if (at < text.size() && text[at] == '[') {
        ++at;
        list(']');
        bad();
      }
      return Value::string(ctx.arena.copy(name));
    }
    return type(name);
  }

  Value type(std::string_view name) {
    if (name.starts_with("::")) name.remove_prefix(2);
    for (size_t i = 0; i != std::string_view::npos; i = name.find("::", i))
      if (i += i > 0 ? 2 : 0; i >= name.size() || name[i] < 'A' || name[i] > 'Z')
        throw_error(ErrorCode::invalid_type, {}, "Illegal class reference", PositionStyle::None);
    const Type* base = builtin_type(name);
    if (base == nullptr) base = ctx.load_type(name);
    if (base == nullptr) {
      std::string lower(name);
      for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
      base = ctx.resource_type_exists(lower) ? resource_type(ctx.arena, name) : ctx.arena.make<TypeReferenceType>(ctx.arena.copy(name));
    }
    if (at < text.size() && text[at] == '[') {
      ++at;
      std::vector<Value> args = list(']');
      if (base->kind == TypeKind::TypeReference && type_cast<TypeReferenceType>(base).text != "UnresolvedReference") {
        std::string whole = base->to_string();
        return Value::type(ctx.arena.make<TypeReferenceType>(ctx.arena.copy(std::string(name) + text_of(args))));
      }
      // Only data (not a manifest) may contain TypeReference['Foo']: in manifests the bare name is an error.
      if (base->kind == TypeKind::TypeReference && args.size() == 1 && args[0].is_string())
        return Value::type(ctx.arena.make<TypeReferenceType>(ctx.arena.copy(args[0].str())));
      return parameterize(ctx, base, args);
    }
    return Value::type(base);
  }
  std::string text_of(const std::vector<Value>& args) {
    std::string out = "[";
    for (const Value& v : args) out.append(out.size() > 1 ? ", " : "").append(to_program_string(ctx, v));
    return out + "]";
  }
};

} // namespace

const Type* parse_type(TypeContext& ctx, std::string_view text) { return TypeReader(ctx, text).run(); }

} // namespace pupc::compiler
