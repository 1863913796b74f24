#include "catalog/diff/diff.h"

#include "catalog/json/json_reader.h"

#include <gtest/gtest.h>

namespace pupc {
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
  EXPECT_EQ(text(a, b), "- environment production\n+ environment test\n- class a\n+ class c\n- A[1] contains B[2]\n+ A[9] contains B[2]\n");
  DiffOptions no_edges;
  no_edges.edges = false;
  EXPECT_EQ(text(a, b, no_edges).find("contains"), std::string::npos);
}

TEST_F(Diff, TextsLineByLine) {
  auto a = catalog("{'type':'File','title':'/a','parameters':{'content':'1\\n2\\n3\\n4\\n5\\n6\\n7\\n'}}");
  auto b = catalog("{'type':'File','title':'/a','parameters':{'content':'1\\n2\\n3\\nfour\\n5\\nnew\\n6\\n7'}}");
  EXPECT_EQ(text(a, b), "  File[/a]\n    content:\n      2\n      3\n-     4\n+     four\n      5\n+     new\n      6\n      7\n+     (no "
                        "line end at the end)\n");
  EXPECT_EQ(text(a, a), "");
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
} // namespace pupc
