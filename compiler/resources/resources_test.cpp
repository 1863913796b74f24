// What a catalog holds after a compile: relationships, collectors, lists that titles share. The language itself is tested by the golden
// cases.
#include "compiler/build/compile.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

class Quiet : public LogSink {
public:
  void log(LogEntry entry) override { lines.push_back(std::move(entry.message)); }
  std::vector<std::string> lines;
};

CompileResult compiled(std::string code, Quiet& log) {
  EnvironmentOptions options;
  options.code = std::move(code);
  NodeData node;
  node.input.name = "n";
  return compile(open_environment(std::move(options)), node, {}, log);
}

/// The parameter as text; "" without one.
std::string parameter(const Catalog& catalog, std::string_view title, Symbol name) {
  const ResourceId id = catalog.find(catalog.find_type("notify"), title);
  const Param* p = id == no_resource ? nullptr : catalog[id].find(name);
  if (p == nullptr) return {};
  std::string out;
  if (p->value.is_list())
    for (const Value& item : p->value.items()) out += (out.empty() ? "" : " ") + std::string(item.is_string() ? item.str() : "?");
  else
    out = p->value.is_string() ? std::string(p->value.str()) : "?";
  return out;
}

TEST(Relationships, TitlesOfABodyShareTheList) {
  Quiet log;
  const CompileResult result = compiled("notify { ['a', 'b']: before => ['Notify[c]'] } notify { ['c', 'd']: } Notify['a'] -> Notify['d']",
                                        log);
  ASSERT_TRUE(result.ok()) << result.error_text;
  EXPECT_EQ(parameter(*result.catalog, "a", sym::before), "Notify[c] Notify[d]");
  EXPECT_EQ(parameter(*result.catalog, "b", sym::before), "Notify[c] Notify[d]") << "as in Puppet, where both hold the same array";
}

TEST(Relationships, AListOfAVariableDoesNotChange) {
  Quiet log;
  const CompileResult result = compiled(
      "$l = ['Notify[c]'] notify { 'a': before => $l } notify { ['c', 'd']: } Notify['a'] -> Notify['d'] notice($l)", log);
  ASSERT_TRUE(result.ok()) << result.error_text;
  EXPECT_EQ(parameter(*result.catalog, "a", sym::before), "Notify[c] Notify[d]");
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_EQ(log.lines[0], "[Notify[c]]");
}

TEST(Collectors, RealizeAndRelate) {
  Quiet log;
  const CompileResult result = compiled("@notify { 'v': tag => 't' } notify { 'a': } Notify<| tag == 't' |> -> Notify['a']", log);
  ASSERT_TRUE(result.ok()) << result.error_text;
  EXPECT_EQ(parameter(*result.catalog, "v", sym::before), "Notify[a]");
}

TEST(Declarations, ATitleStandsOnce) {
  Quiet log;
  const CompileResult result = compiled("notify { 'a': } notify { 'a': }", log);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error_text.find("Duplicate declaration: Notify[a] is already declared"), std::string::npos) << result.error_text;
}

} // namespace
} // namespace pupc::compiler
