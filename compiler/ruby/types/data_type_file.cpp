#include "compiler/ruby/types/data_type_file.h"

#include "compiler/ruby/syntax/ruby_static.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

bool loads_file(std::string_view name) { return name == "require" || name == "require_relative" || name == "load_file"; }

/// Reads the block of create_type; false when it has a statement that this reader does not know.
bool read_block_body(RubyFileSet& program, RubyRange body, RubyDataType& out) {
  bool interface = false;
  RubyLocals locals;
  RubyRange s;
  while (next_statement(body, s)) {
    const RubyToken& first = s[s.begin];
    if (first.kind != RubyTokenKind::Identifier) return false;
    RubyCall call = read_call(s, s.begin);
    if (first.text == "interface") {
      auto values = program.arguments(call.arguments, locals, "");
      if (interface || call.has_block || call.end != s.end || values.size() != 1 || !values[0].is(StaticRubyValue::Kind::String))
        return false;
      interface = true;
      out.interface = values[0].text;
    } else if (first.text == "implementation" || first.text == "implementation_class") {
      if (out.implemented) return false;
      out.implemented = true;
    } else if (!loads_file(first.text)) {
      return false;
    }
  }
  return interface;
}

} // namespace

std::optional<RubyDataType> read_data_type(const std::string& path, std::string text) {
  RubyFileSet program({});
  std::string error;
  const RubyFile* file = program.load(read_ruby_file(path, std::move(text)), error);
  if (file == nullptr) return std::nullopt;
  RubyRange rest{file, 0, static_cast<uint32_t>(file->tokens.tokens.size())};
  RubyRange s;
  std::optional<RubyDataType> out;
  while (next_statement(rest, s)) {
    const RubyToken& first = s[s.begin];
    if (first.kind == RubyTokenKind::Identifier && loads_file(first.text)) continue;
    constexpr std::string_view start[] = {"Puppet", "::", "DataTypes", ".", "create_type"};
    if (out || s.end - s.begin < std::size(start)) return std::nullopt;
    for (uint32_t i = 0; i < std::size(start); ++i)
      if (s[s.begin + i].text != start[i]) return std::nullopt;
    RubyCall call = read_call(s, s.begin + static_cast<uint32_t>(std::size(start)) - 1);
    RubyLocals locals;
    auto values = program.arguments(call.arguments, locals, "");
    if (!call.has_block || call.end != s.end || values.size() != 1 || !values[0].is_name()) return std::nullopt;
    out.emplace();
    out->name = values[0].text;
    if (!read_block_body(program, call.block, *out)) return std::nullopt;
  }
  return out;
}

} // namespace pupc::compiler
