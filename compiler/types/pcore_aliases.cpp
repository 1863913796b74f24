#include "compiler/types/pcore_aliases.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <cctype>

namespace pupc::compiler {
namespace {

/// Matches a URI with a scheme anywhere in a text. It keeps the exact layout of Ruby's URI library, because messages that refuse a
/// text print the pattern.
constexpr std::string_view uri_pattern =
    R"((?x-mi:)"
    "\n"
    R"(        ([a-zA-Z][\-+.a-zA-Z\d]*):                           (?# 1: scheme))"
    "\n"
    R"(        (?:)"
    "\n"
    R"(           ((?:[\-_.!~*'()a-zA-Z\d;?:@&=+$,]|%[a-fA-F\d]{2})(?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*)              )"
    R"(      (?# 2: opaque))"
    "\n"
    R"(        |)"
    "\n"
    R"(           (?:(?:)"
    "\n"
    R"(             \/\/(?:)"
    "\n"
    R"(                 (?:(?:((?:[\-_.!~*'()a-zA-Z\d;:&=+$,]|%[a-fA-F\d]{2})*)@)?        (?# 3: userinfo))"
    "\n"
    R"(                   (?:((?:(?:[a-zA-Z0-9\-.]|%\h\h)+|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[(?:(?:[a-fA-F\d]{1,4}:)*(?:[a-fA-F\d]{1,4)"
    R"(}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})|(?:(?:[a-fA-F\d]{1,4}:)*[a-fA-F\d]{1,4})?::(?:(?:[a-fA-F\d]{1,4}:)*(?:[a-fA-F\d]{1,4}|\d{1,3)"
    R"(}\.\d{1,3}\.\d{1,3}\.\d{1,3}))?)\]))(?::(\d*))?))? (?# 4: host, 5: port))"
    "\n"
    R"(               |)"
    "\n"
    R"(                 ((?:[\-_.!~*'()a-zA-Z\d$,;:@&=+]|%[a-fA-F\d]{2})+)                 (?# 6: registry))"
    "\n"
    R"(               ))"
    "\n"
    R"(             |)"
    "\n"
    R"(             (?!\/\/))                           (?# XXX: '\/\/' is the mark for hostport))"
    "\n"
    R"(             (\/(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*(?:;(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*)*(?:\/(?:[\-_.!)"
    R"(~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*(?:;(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*)*)*)?                    (?# 7: path))"
    "\n"
    R"(           )(?:\?((?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*))?                 (?# 8: query))"
    "\n"
    R"(        ))"
    "\n"
    R"(        (?:\#((?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*))?                  (?# 9: fragment))"
    "\n"
    R"(      ))";

/// Made once per process and immutable afterwards, so all threads may read it.
struct PcoreAliases {
  Arena arena;
  RegexCache regexes;
  const Type* uri_regexp;
  TypeAliasType uri{"Pcore::URI"}, simple_type_name{"Pcore::SimpleTypeName"}, type_name{"Pcore::TypeName"}, qualified{"Pcore::QRef"},
      member{"Pcore::MemberName"};

  PcoreAliases() : uri_regexp(arena.make<RegexpType>(regexes.get(uri_pattern))) {
    uri.resolved = pattern(uri_pattern);
    simple_type_name.resolved = pattern(R"(\A[A-Z]\w*\z)");
    qualified.resolved = type_name.resolved = pattern(R"(\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z)");
    member.resolved = pattern(R"(\A[a-z_]\w*\z)");
  }

private:
  const Type* pattern(std::string_view source) {
    const Regex* regex = regexes.get(source);
    return arena.make<PatternType>(std::span<const Regex* const>(arena.copy_span<const Regex*>(std::vector<const Regex*>{regex})));
  }
};

const PcoreAliases& all_aliases() {
  static const PcoreAliases aliases;
  return aliases;
}

} // namespace

const Type* pcore_alias(std::string_view name) {
  std::string lower = ascii_lower(name);
  if (!lower.starts_with("pcore::")) return nullptr;
  lower.erase(0, 7);
  if (lower == "uri") return &all_aliases().uri;
  if (lower == "uri_rx") return all_aliases().uri_regexp;
  if (lower == "simpletypename") return &all_aliases().simple_type_name;
  if (lower == "typename") return &all_aliases().type_name;
  if (lower == "qref") return &all_aliases().qualified;
  if (lower == "membername") return &all_aliases().member;
  return nullptr;
}

} // namespace pupc::compiler
