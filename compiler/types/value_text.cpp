#include "compiler/types/value_text.h"

#include "catalog/base/stack.h"
#include "catalog/value/base64.h"
#include "catalog/value/number_format.h"
#include "catalog/value/semver.h"
#include "catalog/value/source_text.h"
#include "catalog/value/time_format.h"
#include "compiler/types/core_types.h"

namespace pupc::compiler {

namespace {

/// Program: as source code. Display: as string interpolation prints it, also inside arrays and hashes.
enum class Style : uint8_t { Display, Program };

void append_text(std::string& out, const Value& v, Style style) {
  check_native_stack();
  bool program = style == Style::Program;
  switch (v.kind) {
  case Kind::Undef:
    if (program) out += "undef";
    break;
  case Kind::Default: out += "default"; break;
  case Kind::Bool: out += v.b ? "true" : "false"; break;
  case Kind::Int: out += std::to_string(v.i); break;
  case Kind::Float: out += format_float(v.d); break;
  case Kind::String:
    if (program)
      out += to_puppet_quoted(v.str());
    else
      out += v.str();
    break;
  case Kind::Regex: out += regex_literal(*v.regex); break;
  case Kind::List: {
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ", ";
      first = false;
      append_text(out, item, style);
    }
    out += ']';
    break;
  }
  case Kind::Hash: {
    out += '{';
    bool first = true;
    for (const auto& e : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      append_text(out, e.key, style);
      out += " => ";
      append_text(out, e.value, style);
    }
    out += '}';
    break;
  }
  case Kind::Type: out += v.opaque->to_string(); break;
  case Kind::Ref:
    out += v.ref->type;
    out += '[';
    out += to_puppet_quoted(v.ref->title);
    out += ']';
    break;
  case Kind::Sensitive: out += program ? "#<Sensitive [value redacted]>" : "Sensitive [value redacted]"; break;
  case Kind::Deferred: append_literal(out, v); break;
  case Kind::Timestamp: out += program ? "Timestamp('" + format_timestamp(v.i) + "')" : format_timestamp(v.i); break;
  case Kind::Timespan: out += program ? "Timespan('" + format_timespan(v.i) + "')" : format_timespan(v.i); break;
  case Kind::SemVer: out += to_string(*v.semver); break;
  case Kind::SemVerRange: out += program ? comparators_of(*v.semver_range) : std::string(v.semver_range->text); break;
  case Kind::Binary: out += program ? "Binary(\"" + base64_encode(v.str()) + "\")" : base64_encode(v.str()); break;
  case Kind::Uri:
    if (program)
      append_literal(out, v);
    else
      out += v.str();
    break;
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: out += v.opaque->to_string(); break;
  }
}

} // namespace

std::string to_display_string(TypeContext&, const Value& v) {
  std::string out;
  append_text(out, v, Style::Display);
  return out;
}

std::string to_program_string(TypeContext&, const Value& v) {
  std::string out;
  append_text(out, v, Style::Program);
  return out;
}

} // namespace pupc::compiler
