#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/rich_data.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"

#include <gtest/gtest.h>

using namespace pupc::catalog;

namespace {

std::string rich(const Value& v) {
  Arena a;
  std::string out;
  JsonWriter json(out);
  write_rich_value(json, v, a);
  return out;
}

TEST(JsonReader, ErrorsSayWhereAndWhat) {
  struct Case {
    const char* text;
    size_t line, column;
    const char* message;
  };
  for (const Case& c : {Case{"{\"name\":\n", 2, 1, "unexpected end of input; expected '[', '{', or a literal"},
                        Case{"[1,\n  x]", 2, 3, "invalid literal; last read: '1,<U+000A>  x'"},
                        Case{"{} x", 1, 4, "invalid literal; last read: '{} x'; expected end of input"},
                        Case{"[1e999]", 1, 6, "the number '1e999' is out of range"},
                        Case{"", 1, 1, "unexpected end of input; expected '[', '{', or a literal"}}) {
    Arena arena;
    Value out;
    JsonError error;
    ASSERT_FALSE(parse_json(c.text, arena, out, error)) << c.text;
    EXPECT_EQ(error.line, c.line) << c.text;
    EXPECT_EQ(error.column, c.column) << c.text;
    EXPECT_EQ(error.message, c.message) << c.text;
  }
}

} // namespace

TEST(JsonWriter, Text) {
  EXPECT_EQ(rich(Value::string("a\x01\x7f/\xc3\xa9\t\n\\\"")), "\"a\\u0001\x7f/\xc3\xa9\\t\\n\\\\\\\"\"");
  EXPECT_EQ(rich(Value::string("\xff\xfe")), R"({"__ptype":"Binary","__pvalue":"//4="})");
}

TEST(JsonWriter, Numbers) {
  EXPECT_EQ(rich(Value::floating(100)), "100.0");
  EXPECT_EQ(rich(Value::floating(1.5e-5)), "1.5e-05");
  EXPECT_EQ(rich(Value::floating(1e16)), "1.0e+16");
  EXPECT_EQ(rich(Value::floating(-0.0)), "-0.0");
  EXPECT_EQ(rich(Value::integer(INT64_MIN)), "-9223372036854775808");
}

TEST(JsonWriter, Pretty) {
  std::string out;
  JsonWriter json(out, true);
  json.begin_object();
  json.key("a");
  json.begin_array();
  json.integer(1);
  json.begin_array();
  json.end_array();
  json.end_array();
  json.key("b");
  json.begin_object();
  json.end_object();
  json.end_object();
  EXPECT_EQ(out, "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {}\n}");
}

TEST(RichData, Scalars) {
  Arena a;
  EXPECT_EQ(rich(Value::default_value()), R"({"__ptype":"Default"})");
  Regex re("a/b+c");
  EXPECT_EQ(rich(Value::of(&re)), R"({"__ptype":"Regexp","__pvalue":"a/b+c"})");
  EXPECT_EQ(rich(Value::timestamp(1577836800500000000)), R"({"__ptype":"Timestamp","__pvalue":"2020-01-01T00:00:00.500000000 UTC"})");
  EXPECT_EQ(rich(Value::timestamp(-1)), R"({"__ptype":"Timestamp","__pvalue":"1969-12-31T23:59:59.999999999 UTC"})");
  EXPECT_EQ(rich(Value::timespan(11220000000000)), R"({"__ptype":"Timespan","__pvalue":"0-03:07:00.0"})");
  EXPECT_EQ(rich(Value::timespan(-1500000000)), R"({"__ptype":"Timespan","__pvalue":"-0-00:00:01.5"})");
  EXPECT_EQ(rich(Value::timespan(90061000000001)), R"({"__ptype":"Timespan","__pvalue":"1-01:01:01.1"})");
  EXPECT_EQ(rich(Value::binary("hello")), R"({"__ptype":"Binary","__pvalue":"aGVsbG8="})");
  EXPECT_EQ(rich(Value::uri("http://a.b/c?d")), R"({"__ptype":"URI","__pvalue":"http://a.b/c?d"})");
  EXPECT_EQ(rich(Value::sensitive(a, Value::integer(1))), R"({"__ptype":"Sensitive","__pvalue":1})");
  ResourceRef ref{"File", "/x"};
  EXPECT_EQ(rich(Value::of(&ref)), R"("File[/x]")");
}

TEST(RichData, Collections) {
  Arena a;
  HashBuilder plain(a);
  plain.set("a", Value::undef());
  EXPECT_EQ(rich(plain.finish()), R"({"a":null})");
  HashBuilder mixed(a);
  mixed.set(Value::integer(1), Value::integer(2));
  mixed.set("a", Value::undef());
  EXPECT_EQ(rich(mixed.finish()), R"({"__ptype":"Hash","__pvalue":[1,2,"a",null]})");
  HashBuilder reserved(a);
  reserved.set("__ptype", Value::integer(1));
  EXPECT_EQ(rich(reserved.finish()), R"({"__ptype":"Hash","__pvalue":["__ptype",1]})");
  ResourceRef ref{"File", "x"};
  HashBuilder by_ref(a);
  by_ref.set(Value::of(&ref), Value::integer(1));
  EXPECT_EQ(rich(by_ref.finish()), R"({"File[x]":1})");
  Value args[] = {Value::string(",")};
  DeferredData deferred{"join", make_list(a, args).list};
  EXPECT_EQ(rich(Value::of(&deferred)), R"({"__ptype":"Deferred","name":"join","arguments":[","]})");
  DeferredData bare{"now", nullptr};
  EXPECT_EQ(rich(Value::of(&bare)), R"({"__ptype":"Deferred","name":"now"})");
}

TEST(JsonReader, Values) {
  Arena a;
  Value v;
  JsonError e;
  ASSERT_TRUE(parse_json(R"({"a":[1,-2,2.5,true,null,"\u00e9"],"a":{"b":18446744073709551615}})", a, v, e)) << e.message;
  EXPECT_EQ(rich(v), R"({"a":{"b":1.8446744073709552e+19}})");
  EXPECT_FALSE(parse_json("{\"a\":", a, v, e));
  EXPECT_FALSE(parse_json(std::string(20000, '['), a, v, e));
}

TEST(CatalogWriter, Document) {
  Catalog c;
  c.name = "n";
  c.environment = "production";
  ResourceId stage = c.add(Catalog::stage_type, "main", ResourceKind::CompilableType);
  c[stage].set(Resource::symbol_title, true);
  ResourceId main = c.add(Catalog::class_type, "main", ResourceKind::Unknown);
  c[main].set(Resource::symbol_title, true);
  c.tag(main, "class");
  c.add_edge(stage, main);
  ResourceId x = c.add(c.type_id("notify"), "x", ResourceKind::CompilableType);
  c[x].file = c.file_index("/m.pp");
  c[x].line = 3;
  Param p;
  p.name = sym::before;
  Arena a;
  ResourceRef r1{"File", "a"}, r2{"File", "b"};
  Value inner[] = {Value::of(&r2), Value::undef()};
  Value items[] = {Value::of(&r1), make_list(a, inner)};
  p.value = make_list(a, items);
  c.set_param(x, p);
  p.name = sym::content;
  p.value = Value::string("s");
  p.flags = Param::sensitive;
  c.set_param(x, p);
  ResourceId v = c.add(c.type_id("notify"), "v", ResourceKind::CompilableType);
  c[v].set(Resource::is_virtual, true);
  c.add_edge(main, v);
  c.add_edge(main, x);
  c.add_class("settings");
  std::string out;
  write_catalog(c, out, {.volatile_head = false});
  EXPECT_EQ(out, R"({"tags":["settings"],"name":"n","catalog_format":2,"environment":"production","resources":[)"
                 R"({"type":"Stage","title":"main","tags":[],"exported":false,"kind":"compilable_type","parameters":{"name":"main"}},)"
                 R"({"type":"Class","title":"main","tags":["class"],"exported":false,"kind":"unknown","parameters":{"name":"main"}},)"
                 R"({"type":"Notify","title":"x","tags":[],"file":"/m.pp","line":3,"exported":false,"kind":"compilable_type",)"
                 R"("parameters":{"before":["File[a]","File[b]"],"content":"s"},"sensitive_parameters":["content"]}],)"
                 R"("edges":[{"source":"Stage[main]","target":"Class[main]"},{"source":"Class[main]","target":"Notify[x]"}],)"
                 R"("classes":["settings"]})");
}
