#include "compiler/check/literal_text.h"

#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/regex.h"
#include "compiler/ast/ast.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

void inspect(std::string& out, const Value& v);

void plain(std::string& out, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return;
  case Kind::Default: out += "default"; return;
  case Kind::String: out += v.str(); return;
  case Kind::Regex: out.append("(?-mix:").append(v.regex->source()).append(")"); return;
  default: inspect(out, v);
  }
}

void inspect(std::string& out, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: out += "nil"; return;
  case Kind::Default: out += ":default"; return;
  case Kind::Bool: out += v.b ? "true" : "false"; return;
  case Kind::Int: out += std::to_string(v.i); return;
  case Kind::Float: out += format_float(v.d); return;
  case Kind::String: return append_inspected(out, v.str());
  case Kind::Regex: out.append("/").append(v.regex->source()).append("/"); return;
  case Kind::List:
    out += '[';
    for (const Value& item : v.items()) {
      if (&item != v.items().data()) out += ", ";
      inspect(out, item);
    }
    out += ']';
    return;
  case Kind::Hash:
    out += '{';
    for (const HashEntry& entry : v.hash->entries()) {
      if (&entry != v.hash->entries().data()) out += ", ";
      inspect(out, entry.key);
      out += "=>";
      inspect(out, entry.value);
    }
    out += '}';
    return;
  default: return; // literals have no other kind
  }
}

} // namespace

std::string literal_text(const Value& value) {
  std::string out;
  plain(out, value);
  return out;
}

std::string hexadecimal(std::string_view digits, uint8_t flags) {
  std::vector<uint64_t> limbs; // least significant first
  auto multiply_add = [&limbs](uint64_t factor, uint64_t addend) {
    for (uint64_t& limb : limbs) {
      auto product = static_cast<unsigned __int128>(limb) * factor + addend;
      limb = static_cast<uint64_t>(product);
      addend = static_cast<uint64_t>(product >> 64);
    }
    if (addend != 0) limbs.push_back(addend);
  };
  const bool hex = (flags & literal_hex) != 0;
  const uint64_t base = hex ? 16 : (flags & literal_octal) != 0 ? 8 : 10;
  if (hex) digits.remove_prefix(2);
  uint64_t chunk = 0, factor = 1;
  for (char c : digits) {
    chunk = chunk * base + static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    factor *= base;
    if (factor >= (uint64_t(1) << 56)) {
      multiply_add(factor, chunk);
      chunk = 0;
      factor = 1;
    }
  }
  if (factor != 1) multiply_add(factor, chunk);
  std::string out;
  for (size_t i = limbs.size(); i-- > 0;) out += i + 1 == limbs.size() ? fmt::format("{:x}", limbs[i]) : fmt::format("{:016x}", limbs[i]);
  return out.empty() ? "0" : out;
}

} // namespace pupc::compiler
