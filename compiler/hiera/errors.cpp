#include "compiler/hiera/errors.h"

#include "catalog/value/number_format.h"
#include "compiler/load/data_file.h"

namespace pupc {
namespace {

Diagnostic make(std::string message, ErrorCode code) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  return d;
}

void append_utf8_escape(std::string& out, unsigned char c) { out += fmt::format("\\x{:02X}", c); }

/// Ruby's String#inspect for UTF-8 strings.
std::string inspect_string(std::string_view s) {
  std::string out = "\"";
  for (size_t i = 0; i < s.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(s[i]);
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    case '\f': out += "\\f"; break;
    case '\v': out += "\\v"; break;
    case '\b': out += "\\b"; break;
    case '\a': out += "\\a"; break;
    case 27: out += "\\e"; break;
    case '#':
      if (i + 1 < s.size() && (s[i + 1] == '{' || s[i + 1] == '$' || s[i + 1] == '@')) out += '\\';
      out += '#';
      break;
    default:
      if (c < 0x20 || c == 0x7F)
        append_utf8_escape(out, c);
      else
        out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string inspect(TypeContext& types, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "nil";
  case Kind::Default: return ":default";
  case Kind::String: return is_symbol(v) ? ":" + std::string(v.str()) : inspect_string(v.str());
  case Kind::List: {
    std::string out = "[";
    for (const Value& item : v.items()) {
      if (out.size() > 1) out += ", ";
      out += inspect(types, item);
    }
    return out + "]";
  }
  case Kind::Hash: {
    std::string out = "{";
    for (const auto& e : v.hash->entries()) {
      if (out.size() > 1) out += ", ";
      out += inspect(types, e.key) + "=>" + inspect(types, e.value);
    }
    return out + "}";
  }
  default: return ruby_to_s(types, v);
  }
}

} // namespace

void throw_lookup_error(std::string message, bool numbered, std::string file, uint32_t line) {
  Diagnostic d = make(std::move(message), ErrorCode::lookup_error);
  d.preformatted = true;
  d.file = std::move(file);
  d.line = line;
  throw LookupError(std::move(d), numbered);
}

void throw_puppet_error(std::string message) { throw CompileError(make(std::move(message), ErrorCode::lookup_error)); }

// The code tells the kinds apart; nothing else in a lookup uses it.
void throw_argument_error(std::string message) { throw CompileError(make(std::move(message), ErrorCode::argument_mismatch)); }

bool is_ruby_error(const CompileError& error) {
  ErrorCode code = error.diagnostic.code;
  return code == ErrorCode::argument_mismatch || code == ErrorCode::unknown_variable || code == ErrorCode::stack_overflow || code == ErrorCode::not_implemented;
}

std::string_view ruby_class(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "NilClass";
  case Kind::Default: return "Symbol";
  case Kind::Bool: return v.b ? "TrueClass" : "FalseClass";
  case Kind::Int: return "Integer";
  case Kind::Float: return "Float";
  case Kind::String: return is_symbol(v) ? "Symbol" : "String";
  case Kind::List: return "Array";
  case Kind::Hash: return "Hash";
  case Kind::Sensitive: return "Puppet::Pops::Types::PSensitiveType::Sensitive";
  default: return "Object";
  }
}

std::string ruby_to_s(TypeContext& types, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return {};
  case Kind::Default: return "default";
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return std::to_string(v.i);
  case Kind::Float: return format_float(v.d);
  case Kind::String: return std::string(v.str());
  case Kind::Sensitive: return "Sensitive [value redacted]";
  case Kind::List:
  case Kind::Hash: return inspect(types, v);
  default: return to_display_string(types, v);
  }
}

} // namespace pupc
