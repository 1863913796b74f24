// Tests what golden cases cannot: classes and parameters of an ENC, many threads, limits, and secrets that stay out of errors.
#include "compiler/build/compile.h"

#include "catalog/json/catalog_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

using namespace pupc::compiler;

namespace {

std::shared_ptr<const Environment> environment_of(std::string code) {
  EnvironmentOptions options;
  options.code = std::move(code);
  return open_environment(std::move(options));
}

struct Outcome {
  std::string resources; // "Type[title] Type[title] …" without stage, settings and main
  std::string classes;
  std::string error;
  std::vector<std::string> logs;
};

Outcome run(const std::shared_ptr<const Environment>& environment, const NodeData& node) {
  LogCollector log;
  CompileResult result = compile(environment, node, {}, log);
  Outcome out;
  out.error = result.error_text;
  for (const auto& e : log.entries) out.logs.push_back(std::string(name_of(e.level)) + ": " + e.message);
  if (!result.ok()) return out;
  Catalog& c = *result.catalog;
  for (ResourceId id = 3; id < c.size(); ++id) out.resources += (out.resources.empty() ? "" : " ") + c.reference(id);
  for (auto name : c.classes()) out.classes += (out.classes.empty() ? "" : " ") + std::string(name);
  return out;
}

NodeData node_named(std::string name) {
  NodeData node;
  node.input.name = std::move(name);
  return node;
}

Value hash(Arena& arena, std::initializer_list<std::pair<const char*, Value>> entries) {
  HashBuilder out(arena);
  for (const auto& [k, v] : entries) out.set(std::string_view(k), v);
  return out.finish();
}

} // namespace

// Confirmed with Puppet's compiler, with classes given to the node.
TEST(Enc, ClassesComeAfterTheNodeAndAreEvaluatedInTheQueue) {
  NodeData node = node_named("n");
  node.input.classes = {{"a", {}}, {"b", {}}};
  Outcome out = run(environment_of("class a { notify { a: } } class b { notify { b: } } include a notify { m: }"), node);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.resources, "Class[A] Notify[a] Notify[m] Class[B] Notify[b]");
  EXPECT_EQ(out.classes, "a b settings a b");
}

TEST(Enc, ClassParameters) {
  NodeData node = node_named("n");
  node.input.classes = {{"a", hash(*node.arena, {{"p", Value::integer(5)}})}};
  Outcome out = run(environment_of("class a(Integer $p) { notify { \"a ${p}\": } }"), node);
  EXPECT_EQ(out.error, "");
  EXPECT_EQ(out.resources, "Class[A] Notify[a 5]");

  node.input.classes = {{"a", hash(*node.arena, {{"q", Value::integer(5)}})}};
  EXPECT_EQ(run(environment_of("class a { }"), node).error,
            "Evaluation Error: Error while evaluating a Resource Statement, Class[A]: has no parameter named 'q' on node n");
}

TEST(Enc, UnknownClass) {
  NodeData node = node_named("n");
  node.input.classes = {{"zz", {}}};
  EXPECT_EQ(run(environment_of(""), node).error, "Could not find class zz for n on node n");
}

TEST(Enc, ParametersWinOverFacts) {
  NodeData node = node_named("n");
  node.input.facts = hash(*node.arena, {{"f", Value::integer(1)}, {"g", Value::integer(3)}});
  node.input.parameters = hash(*node.arena, {{"role", Value::string("web")}, {"f", Value::integer(2)}});
  Outcome out = run(environment_of("notice($role, $f, $facts['f'], $g)"), node);
  ASSERT_EQ(out.logs.size(), 2u);
  EXPECT_EQ(out.logs[0], "warning: The node parameter 'f' for node 'n' was already set to '2'. It could not be set to '1'");
  EXPECT_EQ(out.logs[1], "notice: web 2 1 3");
}

TEST(Compile, ManyThreadsShareAnEnvironment) {
  auto environment = environment_of("define d($m) { notify { \"${title} ${m}\": } }\n"
                                    "class a(Array[Integer] $n = [1, 2, 3]) { $n.each |$i| { d { \"d${i}\": m => $facts['x'] } } }\n"
                                    "include a\nNotify <| title == 'd1 7' |> { message => 'm' }\n");
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        NodeData node = node_named("n" + std::to_string(i));
        node.input.facts = hash(*node.arena, {{"x", Value::integer(static_cast<int64_t>(i))}});
        Outcome out = run(environment, node);
        seen[i] = out.error + out.resources;
      }
    });
  for (auto& t : threads) t.join();
  for (size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i], fmt::format("Class[A] D[d1] D[d2] D[d3] Notify[d1 {0}] Notify[d2 {0}] Notify[d3 {0}]", i));
}

TEST(Compile, CatalogOutlivesWhatItWasMadeFrom) {
  std::unique_ptr<Catalog> catalog;
  {
    NodeData node = node_named("n");
    node.input.facts = hash(*node.arena, {{"x", Value::string(node.arena->copy("from a fact"))}});
    LogCollector log;
    CompileResult result = compile(environment_of("notify { 'x': message => [\"literal\", $facts['x']] }"), node, {}, log);
    ASSERT_TRUE(result.ok()) << result.error_text;
    catalog = std::move(result.catalog);
  }
  std::string document;
  write_catalog(*catalog, document);
  EXPECT_NE(document.find(R"("message":["literal","from a fact"])"), std::string::npos);
}

TEST(Compile, EndlessDefinesAreAnError) {
  NodeData node = node_named("n");
  EXPECT_EQ(run(environment_of("define d() { d { \"${title}x\": } } d { a: }"), node).error,
            "Somehow looped more than 1000 times while evaluating host catalog on node n");
}

TEST(Compile, InheritanceInACircleIsAnError) {
  NodeData node = node_named("n");
  EXPECT_EQ(run(environment_of("class a inherits b { }\nclass b inherits a { }\ninclude a"), node).error,
            "Class 'b' inherits itself (line: 2) on node n");
  EXPECT_EQ(run(environment_of("class a inherits a { }\ninclude a"), node).error, "Class 'a' inherits itself (line: 1) on node n");
}

TEST(Compile, SensitiveValuesStayOutOfErrors) {
  NodeData node = node_named("n");
  Outcome out = run(environment_of("class a(Integer $p) { }\nclass { 'a': p => Sensitive('hunter2') }"), node);
  EXPECT_NE(out.error, "");
  for (const auto& line : out.logs) EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
}

// Each of these walks a value or type of 50,000 levels. It must give an error or a result, and never exhaust the stack.
TEST(Limits, DeeplyNestedValuesAreNoCrash) {
  for (std::string level : {"[$m]", "{'a' => $m}", "Sensitive($m)", "Array[$m]", "Struct[{'a' => $m}]", "Type[$m]"})
    for (std::string use :
         {"$x = $a =~ Data", "$x = $a.unique", "$x = \"${a}\"", "$x = String($a, '%p')", "$x = $a == $b", "$x = type($a) == type($b)",
          "$x = flatten([$a])", "notify { x: message => $a }", "class c(Data $p) {} class { c: p => $a }", "$x = {$a => 1}", "notice($a)",
          "$x = assert_type(Array[Integer], $a)", "$x = $a.tree_each |$k| { }", "$x = [$a, $b].sort", "$x = join([$a], ',')",
          "$x = create_resources(notify, {x => $a})", "$x = Variant[$a, $b]", "fail($a)"}) {
      std::string first = level[0] == '[' || level[0] == '{' || level[1] == 'e' ? "[]" : "Integer";
      std::string make = fmt::format(" = Integer[1, 50000].reduce({}) |$m, $i| {{ {} }} ", first, level);
      (void)run(environment_of("$a" + make + "$b" + make + use), node_named("n"));
    }
}
