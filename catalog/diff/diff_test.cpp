#include "catalog/diff/diff.h"

#include "catalog/diff/groups.h"
#include "catalog/diff/ignore_rules.h"
#include "catalog/diff/pattern.h"
#include "catalog/diff/unified_text.h"
#include "catalog/json/json_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::catalog {
namespace {

class Diff : public testing::Test {
protected:
  Value read(std::string text) {
    for (char& c : text)
      if (c == '\'') c = '"';
    Value v;
    JsonError error;
    EXPECT_TRUE(parse_json(arena_.copy(text), arena_, v, error)) << error.message;
    return v;
  }
  std::string catalog(const std::string& resources, const std::string& rest = "") {
    return "{'name':'n','version':1,'environment':'production','resources':[" + resources + "]" + rest + "}";
  }
  CatalogDiff compare(const std::string& before, const std::string& after, const DiffOptions& options = {}) {
    std::string problem;
    auto diff = diff_catalogs(read(before), read(after), options, problem);
    EXPECT_TRUE(diff.has_value()) << problem;
    return diff.value_or(CatalogDiff());
  }
  std::string text(const std::string& before, const std::string& after, const DiffOptions& options = {}) {
    std::string problem;
    auto a = read(before), b = read(after);
    return diff_text(*diff_catalogs(a, b, options, problem));
  }
  Arena arena_;
};

TEST_F(Diff, EqualInSubstance) {
  auto a = catalog("{'type':'File','title':'/"
                   "a','tags':['x','y'],'file':'f','line':1,'parameters':{'a':1,'h':{'x':1,'y':2}}},{'type':'Class','title':'C'}");
  auto b = catalog("{'type':'Class','title':'C'},{'type':'File','title':'/"
                   "a','tags':['y','x'],'file':'g','line':2,'parameters':{'h':{'y':2,'x':1},'a':1}}");
  EXPECT_TRUE(compare(a, b).empty());
  EXPECT_EQ(text(a, b), "");
  DiffOptions places;
  places.places = true;
  EXPECT_EQ(text(a, b, places), "  File[/a]\n-   at f:1\n+   at g:2\n");
  EXPECT_TRUE(compare(a, "{'data':" + b + "}").empty()) << "Puppet's wire format";
}

TEST_F(Diff, ResourcesAndParameters) {
  auto a = catalog("{'type':'T','title':'gone','parameters':{'p':1}},{'type':'T','title':'stays','file':'s.pp','line':3,"
                   "'parameters':{'was':true,'changes':1,'same':null,'list':[1,2]},'tags':['a','b']}");
  auto b = catalog(
      "{'type':'T','title':'stays','file':'s.pp','line':3,'exported':true,'parameters':{'changes':1.0,'same':null,'list':[2,1],'new':'é'},"
      "'tags':['b','c']},{'type':'T','title':'came','parameters':{'q':{'k':[]}}}");
  EXPECT_EQ(text(a, b), "- T[gone]\n-   p = 1\n"
                        "  T[stays]  (s.pp:3)\n~   exported\n-   was = true\n-   changes = 1\n+   changes = 1.0\n-   list = [1,2]\n+   "
                        "list = [2,1]\n+   new = \"é\"\n"
                        "-   #a\n+   #c\n"
                        "+ T[came]\n+   q = {\"k\":[]}\n");
  DiffOptions no_tags;
  no_tags.tags = false;
  EXPECT_EQ(text(a, b, no_tags).find('#'), std::string::npos);
}

TEST_F(Diff, EdgesClassesEnvironment) {
  auto a = catalog("", ",'classes':['a','b'],'edges':[{'source':'A[1]','target':'B[2]'},{'source':'A[1]','target':'C[3]'}]");
  auto b = "{'environment':'test','resources':[],'classes':['b','c'],'edges':[{'source':'A[1]','target':'C[3]'},{'source':'A[9]','target':'"
           "B[2]'}]}";
  DiffOptions all;
  all.edges = DiffEdges::All;
  EXPECT_EQ(text(a, b, all),
            "- environment production\n+ environment test\n- class a\n+ class c\n- A[1] contains B[2]\n+ A[9] contains B[2]\n");
  DiffOptions no_edges;
  no_edges.edges = DiffEdges::None;
  EXPECT_EQ(text(a, b, no_edges).find("contains"), std::string::npos);
}

TEST_F(Diff, EdgesOfWhatBothHave) {
  auto three = "{'type':'A','title':'1'},{'type':'A','title':'9'},{'type':'B','title':'2'}";
  auto a = catalog(std::string(three) + ",{'type':'B','title':'old'}",
                   ",'edges':[{'source':'A[1]','target':'B[2]'},{'source':'A[1]','target':'B[old]'}]");
  auto b = catalog(three, ",'edges':[{'source':'A[9]','target':'B[2]'}]");
  EXPECT_EQ(text(a, b), "- B[old]\n- A[1] contains B[2]\n+ A[9] contains B[2]\n") << "that B[old] is nowhere now is told already";
}

TEST_F(Diff, TextsLineByLine) {
  auto a = catalog("{'type':'File','title':'/a','parameters':{'content':'1\\n2\\n3\\n4\\n5\\n6\\n7\\n'}}");
  auto b = catalog("{'type':'File','title':'/a','parameters':{'content':'1\\n2\\n3\\nfour\\n5\\nnew\\n6\\n7'}}");
  EXPECT_EQ(text(a, b), "  File[/a]\n    content:\n      @@ -1,7 +1,8 @@\n      1\n      2\n      3\n-     4\n+     four\n      5\n+     "
                        "new\n      6\n-     7\n+     7\n\\     No newline at end\n");
  EXPECT_EQ(text(a, a), "");
}

TEST(UnifiedText, Hunks) {
  std::string a, b;
  for (int i = 1; i <= 30; ++i) {
    a += fmt::format("{}\n", i);
    b += i == 5 ? "five\n" : i == 20 ? "" : fmt::format("{}\n", i);
  }
  auto heads = [](const std::vector<DiffHunk>& hunks) {
    std::string out;
    for (const DiffHunk& h : hunks) out += h.head() + fmt::format(" {} lines;", h.lines.size());
    return out;
  };
  EXPECT_EQ(heads(unified_diff(a, b)), "@@ -2,7 +2,7 @@ 8 lines;@@ -17,7 +17,6 @@ 7 lines;");
  EXPECT_EQ(heads(unified_diff(a, b, 7)), "@@ -1,27 +1,26 @@ 28 lines;") << "near changes share one";
  EXPECT_EQ(heads(unified_diff("", "x\n")), "@@ -0,0 +1 @@ 1 lines;");
  EXPECT_EQ(heads(unified_diff(a, a)), "");
}

TEST(UnifiedText, LongTextsAreReplaced) {
  std::string a, b;
  for (int i = 0; i < 3000; ++i) {
    a += fmt::format("a{}\n", i);
    b += fmt::format("b{}\n", i);
  }
  const auto hunks = unified_diff("same\n" + a, "same\n" + b);
  ASSERT_EQ(hunks.size(), 1u);
  EXPECT_EQ(hunks[0].lines.size(), 6001u);
}

TEST(UnifiedText, LongTextsKeepWhatStandsOnceInBoth) {
  std::string a, b;
  for (int i = 0; i < 4000; ++i) {
    const std::string line = i % 3 == 0 ? "repeated\n" : fmt::format("{}\n", i);
    a += i % 500 == 7 ? "old\n" : line;
    b += i % 500 == 7 ? "new\n" : line;
  }
  const auto hunks = unified_diff(a, b);
  ASSERT_EQ(hunks.size(), 8u);
  for (const DiffHunk& h : hunks) EXPECT_EQ(h.lines.size(), 8u) << h.head();
  EXPECT_EQ(hunks[1].head(), "@@ -505,7 +505,7 @@");
}

TEST(Pattern, StarsAndQuestionMarks) {
  EXPECT_TRUE(fits_pattern("/etc/*", "/etc/a/b"));
  EXPECT_TRUE(fits_pattern("a?c*", "abc"));
  EXPECT_FALSE(fits_pattern("a?c", "ac"));
  EXPECT_FALSE(fits_pattern("*.conf", "x.conf.bak"));
  EXPECT_TRUE(fits_pattern("FILE", "file", true));
  EXPECT_FALSE(fits_pattern(std::string(200, '*') + "b", std::string(20000, 'a'))) << "and soon";
}

TEST_F(Diff, IgnoreRules) {
  IgnoreRules rules;
  std::string problem;
  ASSERT_TRUE(rules.add_lines("# what cron does\nfile[/etc/cron*]\n\nPackage ensure source\n*[a [b] c] tag\n", problem)) << problem;
  EXPECT_TRUE(rules.covers("File", "/etc/cron.d/x"));
  EXPECT_FALSE(rules.covers("File", "/etc/passwd"));
  EXPECT_FALSE(rules.covers("Package", "x"));
  EXPECT_TRUE(rules.covers("Package", "x", "source"));
  EXPECT_FALSE(rules.covers("Package", "x", "name"));
  EXPECT_TRUE(rules.covers("Anything", "a [b] c", "tag"));
  for (const char* wrong : {"", "[x]", "File[x", "File[x]y"}) EXPECT_FALSE(rules.add(wrong, problem)) << wrong;
  EXPECT_FALSE(rules.add_lines("File\n[x]\n", problem));
  EXPECT_EQ(problem.substr(0, 8), "line 2: ");

  auto a = catalog("{'type':'File','title':'/etc/cron.d/x'},{'type':'Package','title':'p','parameters':{'ensure':'1','name':'x'}},"
                   "{'type':'T','title':'a [b] c','tags':['was']}");
  auto b = catalog("{'type':'Package','title':'p','parameters':{'ensure':'2','name':'y'}},{'type':'T','title':'a [b] c'}");
  DiffOptions options;
  options.ignore = &rules;
  EXPECT_EQ(text(a, b, options), "  Package[p]\n-   name = \"x\"\n+   name = \"y\"\n");
}

TEST_F(Diff, IdenticalChangesAreGrouped) {
  auto old_one = catalog("{'type':'T','title':'x','parameters':{'p':1,'secret':'s1'},'sensitive_parameters':['secret']}");
  auto new_one = catalog("{'type':'T','title':'x','parameters':{'p':[2,{'a':'b'}],'secret':'s2'},'sensitive_parameters':['secret']}");
  auto other = catalog(
      "{'type':'T','title':'x','parameters':{'p':3,'secret':'s3'},'sensitive_parameters':['secret']},{'type':'T','title':'y'}");
  DiffGrouper grouper(false, false), by_node(true, false);
  for (DiffGrouper* g : {&grouper, &by_node}) {
    g->add("a", compare(old_one, new_one));
    g->add("b", compare(old_one, other));
    g->add("c", compare(old_one, new_one));
    g->add("d", compare(old_one, old_one));
    g->add_failure({"e", "", "broken"});
    g->add_added("f");
  }
  const DiffReport report = grouper.finish();
  EXPECT_EQ(report_text(report), "== 2 nodes: a, c\n  T[x]\n-   p = 1\n+   p = [2,{\"a\":\"b\"}]\n-   secret = (sensitive)\n+   secret = "
                                 "(sensitive)\n"
                                 "== b\n  T[x]\n-   p = 1\n+   p = 3\n-   secret = (sensitive)\n+   secret = (sensitive)\n+ T[y]\n"
                                 "== f\n+ the catalog\n== e\n+ does not compile: broken\n");
  EXPECT_EQ(report.summary(), "4 nodes compared: 3 different in 2 groups, 1 equal; 1 added; 1 compile no more");
  EXPECT_EQ(by_node.finish().groups.size(), 3u);
  for (const std::string& page : {report_json(report), report_markdown(report), report_html(report)})
    for (const char* secret : {"s1", "s2", "s3"}) EXPECT_EQ(page.find(fmt::format("\"{}", secret)), std::string::npos);
}

TEST_F(Diff, PagesAreSafe) {
  auto a = catalog("{'type':'T','title':'</script><b>','parameters':{'p':'x\\n```\\n<i>'}}");
  auto b = catalog("{'type':'T','title':'</script><b>','parameters':{'p':'x\\n````\\n<i>'}}");
  DiffGrouper grouper(false, false);
  grouper.add("<node>", compare(a, b));
  const DiffReport report = grouper.finish();
  const std::string html = report_html(report), markdown = report_markdown(report);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("<node>"), std::string::npos);
  EXPECT_NE(html.find("&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(markdown.find("`````diff\n"), std::string::npos) << "the fence is longer than any in the text";
}

TEST_F(Diff, SensitiveValuesStaySecret) {
  auto a = catalog("{'type':'File','title':'/a','parameters':{'content':'secret1'},'sensitive_parameters':['content']}");
  auto b = catalog("{'type':'File','title':'/a','parameters':{'content':'secret2'},'sensitive_parameters':['content']}");
  auto open = catalog("{'type':'File','title':'/a','parameters':{'content':'secret1'}}");
  for (const auto& [x, y] :
       {std::pair(a, b), std::pair(a, open), std::pair(open, a), std::pair(a, catalog("")), std::pair(catalog(""), b)}) {
    std::string problem;
    auto before = read(x), after = read(y);
    auto diff = *diff_catalogs(before, after, {}, problem);
    EXPECT_FALSE(diff.empty());
    EXPECT_EQ((diff_text(diff) + diff_json(diff)).find("secret"), std::string::npos);
    EXPECT_NE(diff_text(diff).find("content = (sensitive)"), std::string::npos);
  }
}

TEST_F(Diff, SensitiveValuesWithinOthersStaySecret) {
  auto with = [&](const std::string& secret) {
    return catalog("{'type':'T','title':'x','parameters':{'h':{'a':1,'pw':[{'__ptype':'Sensitive','__pvalue':{'k':'" + secret + "'}}]}}}");
  };
  const auto a = with("secret1"), b = with("secret2");
  const std::string shown = text(a, b);
  EXPECT_EQ(shown, "  T[x]\n-   h = {\"a\":1,\"pw\":[\"(sensitive)\"]}\n+   h = {\"a\":1,\"pw\":[\"(sensitive)\"]}\n");
  DiffGrouper grouper(false, false);
  grouper.add("n", compare(a, b));
  const DiffReport report = grouper.finish();
  for (const std::string& page : {report_text(report), report_json(report), report_markdown(report), report_html(report)})
    EXPECT_EQ(page.find("secret"), std::string::npos);
}

TEST_F(Diff, ControlCharactersAreEscaped) {
  auto a = catalog("{'type':'T','title':'\\u001b[31m','parameters':{'p':'x\\n\\u001b[31m\\ny'}}");
  auto b = catalog("{'type':'T','title':'\\u001b[31m','parameters':{'p':'x\\n\\u001b[32m\\nz'}}");
  EXPECT_EQ((text(a, b) + text(a, catalog(""))).find('\x1b'), std::string::npos);
}

TEST_F(Diff, Json) {
  auto a = read(catalog("{'type':'T','title':'x','parameters':{'p':1,'q':[]}},{'type':'T','title':'old'}"));
  auto b = read(catalog("{'type':'T','title':'x','parameters':{'p':2,'q':[]}}"));
  std::string problem;
  EXPECT_EQ(diff_json(*diff_catalogs(a, b, {}, problem)),
            "{\"equal\":false,\"classes\":{\"removed\":[],\"added\":[]},\"resources\":["
            "{\"reference\":\"T[x]\",\"change\":\"changed\",\"parameters\":{\"p\":{\"before\":1,\"after\":2}},\"tags\":{\"removed\":[],"
            "\"added\":[]}},"
            "{\"reference\":\"T[old]\",\"change\":\"removed\",\"parameters\":{},\"tags\":{\"removed\":[],\"added\":[]}}],"
            "\"edges\":{\"removed\":[],\"added\":[]}}");
  EXPECT_EQ(diff_json(*diff_catalogs(a, a, {}, problem)).substr(0, 13), "{\"equal\":true");
}

TEST_F(Diff, WhatIsNoCatalog) {
  std::string problem;
  EXPECT_FALSE(diff_catalogs(read("{}"), read(catalog("")), {}, problem));
  EXPECT_NE(problem.find("old"), std::string::npos);
  EXPECT_FALSE(diff_catalogs(read(catalog("")), read("[1]"), {}, problem));
  EXPECT_NE(problem.find("new"), std::string::npos);
  EXPECT_TRUE(diff_catalogs(read(catalog("1,{'type':5}")), read(catalog("null")), {}, problem))
      << "odd ones are compared as far as they go";
}

} // namespace
} // namespace pupc::catalog
