#include "catalog/formats/data_file.h"
#include "catalog/formats/key_line.h"
#include "catalog/json/rich_data.h"

#include "catalog/value/number_format.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pupc::catalog {
namespace {

std::string quoted(std::string_view s) { return nlohmann::json(s).dump(); }

bool valid_utf8(std::string_view s) {
  try {
    (void)nlohmann::json(s).dump();
    return true;
  } catch (const nlohmann::json::exception&) { return false; }
}

/// Prints a value in the notation of testdata/load/make_yaml_cases.rb.
std::string show(const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return "n";
  case Kind::Bool: return v.b ? "true" : "false";
  case Kind::Int: return fmt::format("i{}", v.i);
  case Kind::Float: return "f" + format_float(v.d);
  case Kind::String: {
    if (is_symbol(v)) return "y" + quoted(v.str());
    if (valid_utf8(v.str())) return quoted(v.str());
    std::string out = "x";
    for (unsigned char c : v.str()) out += fmt::format("{:02x}", c);
    return out;
  }
  case Kind::List: {
    std::string out;
    for (const Value& item : v.items()) out += (out.empty() ? "" : ",") + show(item);
    return "[" + out + "]";
  }
  case Kind::Hash: {
    std::string out;
    for (const auto& e : v.hash->entries()) out += (out.empty() ? "" : ",") + show(e.key) + ":" + show(e.value);
    return "{" + out + "}";
  }
  default: return "?";
  }
}

TEST(Yaml, ReadsWhatPsychReads) {
  std::ifstream in("testdata/load/yaml_cases.jsonl");
  ASSERT_TRUE(in.good());
  size_t cases = 0;
  for (std::string line; std::getline(in, line);) {
    auto c = nlohmann::json::parse(line);
    std::string text = c["yaml"];
    Arena arena;
    Value v;
    YamlOptions options;
    options.file = "F";
    auto error = read_yaml(text, arena, v, options);
    if (c.contains("error"))
      EXPECT_EQ(error ? error->message : show(v), c["error"].get<std::string>()) << quoted(text);
    else
      EXPECT_EQ(error ? "error: " + error->message : show(v), c["value"].get<std::string>()) << quoted(text);
    ++cases;
  }
  EXPECT_GT(cases, 400u);
}

TEST(Yaml, TakesATextThatIsNoMoreThanAnEmptyView) {
  Arena arena;
  Value value = Value::integer(1);
  EXPECT_FALSE(read_yaml(std::string_view(), arena, value, {}));
  EXPECT_TRUE(value.is_undef());
}

TEST(Yaml, KeepsSymbolsAmongKeysForWhoAsksForThem) {
  for (bool kept : {false, true}) {
    Arena arena;
    Value v;
    YamlOptions options;
    options.symbol_keys = kept;
    ASSERT_FALSE(read_yaml(":a:\n  :b: :c\nd: 1\n", arena, v, options));
    EXPECT_EQ(show(v), kept ? R"({y"a":{y"b":y"c"},"d":i1})" : R"({"a":{"b":y"c"},"d":i1})");
    EXPECT_FALSE(is_rich_data(v));
    ASSERT_FALSE(read_yaml(":a: 1\n", arena, v, options));
    EXPECT_EQ(is_rich_data(v), !kept);
  }
}

TEST(Yaml, TakesTheSymbolUndefForUndefInData) {
  Arena arena;
  Value value;
  YamlOptions options;
  const char* text = "a: :undef\nb:\n  - :undef\n  - ':undef'\n  - :other\n:undef: 1\n";
  ASSERT_FALSE(read_yaml(text, arena, value, options));
  EXPECT_EQ(show(value), R"({"a":y"undef","b":[y"undef",":undef",y"other"],"undef":i1})");
  options.undef_symbols = true;
  ASSERT_FALSE(read_yaml(text, arena, value, options));
  EXPECT_EQ(show(value), R"({"a":n,"b":[n,":undef",y"other"],"undef":i1})");
}

TEST(Yaml, SaysWhereAnIntegerIsTooLarge) {
  Arena arena;
  Value v;
  YamlOptions options;
  options.file = "F";
  auto error = read_yaml("a: 1\nb: 99999999999999999999\n", arena, v, options);
  EXPECT_EQ(error ? error->message : "no error", "(F): the integer 99999999999999999999 is out of range (64 bits) at line 2 column 4");
}

TEST(Yaml, KeepsIntegersThatAreTooLargeForWhoAsksForThem) {
  // The expected texts are from Ruby's format.
  const std::pair<const char*, const char*> cases[] = {{"9223372036854775808", "max range, got '0x8000000000000000'"},
                                                       {"-9223372036854775809", "min range, got '0x..f7fffffffffffffff'"},
                                                       {"99_999_999_999_999_999_999", "max range, got '0x56bc75e2d630fffff'"},
                                                       {"0xffffffffffffffffff", "max range, got '0xffffffffffffffffff'"},
                                                       {"07777777777777777777777", "max range, got '0x3ffffffffffffffff'"},
                                                       {"-99999999999999999999", "min range, got '0x..fa9438a1d29cf00001'"},
                                                       {"-0x10000000000000000", "min range, got '0x..f0000000000000000'"},
                                                       {"99999999999999999999:1:1", "max range, got '0x4c3ba39c5e4110fff22d'"}};
  for (const auto& [text, end] : cases) {
    Arena arena;
    Value v;
    YamlOptions options;
    options.big_integers = true;
    DataEntryNotes notes;
    auto error = read_yaml(fmt::format("a: 1\nb: [x, {{k: {}}}]\n", text), arena, v, options, &notes);
    ASSERT_FALSE(error) << error->message;
    EXPECT_EQ(big_integer_error(v), fmt::format("Use of a Ruby Integer outside of Puppet Integer {}", end)) << text;
    EXPECT_EQ(notes.special, (std::vector<bool>{false, true}));
    EXPECT_EQ(big_integer_error(*v.hash->find("a")), "");
  }
}

TEST(Json, KeepsIntegersThatAreTooLargeForWhoAsksForThem) {
  for (const char* text : {"9223372036854775808", "18446744073709551616", "-9223372036854775809"}) {
    Arena arena;
    Value kept, lost;
    ASSERT_FALSE(read_json(text, arena, kept, true));
    ASSERT_FALSE(read_json(text, arena, lost));
    EXPECT_TRUE(is_big_integer(kept));
    EXPECT_TRUE(lost.is_float());
  }
}

TEST(Json, FindsKeysThatAreThereTwice) {
  EXPECT_FALSE(duplicate_json_key(R"({"a": {"x": "a\"b\":{"}, "b": [{"x": 1}, {"x": 2}], "x": "a"})"));
  EXPECT_TRUE(duplicate_json_key(R"({"": 1, "": 2})"));
  auto found = duplicate_json_key("{\"a\": 1,\n\"b\": {\"a\": \"b\"},\n\"b\"\n:\n2}");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, "JSON does not allow duplicate fields: 'b' was already seen");
  EXPECT_EQ(found->line, 5u);
}

TEST(Json, SaysLikeRubyWhereATextGoesWrong) {
  // Messages of JSON.parse of Ruby 3.1, without the line number of its source.
  const std::pair<const char*, const char*> cases[] = {{R"({"a": [1,})", "}"},
                                                       {R"({"a": [1 2]})", "2]}"},
                                                       {"[1,]", "]"},
                                                       {R"({"a" 1})", R"({"a" 1})"},
                                                       {R"({"a": {b: 1}})", R"({"a": {b: 1}})"},
                                                       {R"([{"a": 1,}])", R"({"a": 1,}])"},
                                                       {R"({"a": tru})", R"({"a": tru})"},
                                                       {R"({"a": "x)", R"({"a": "x)"},
                                                       {"{", "{"},
                                                       {"[1", ""},
                                                       {"nul", "nul"},
                                                       {R"({"a": [1, {"b": }]})", R"({"b": }]})"},
                                                       {R"({"a": -Infinity})", "-Infinity}"},
                                                       {R"({"a": NaN})", "NaN}"},
                                                       {R"({"a": 1} x)", "x"},
                                                       {"", ""},
                                                       {"[1, 23 45]", "45]"},
                                                       {"//x\n", ""}};
  for (const auto& [text, rest] : cases) {
    Arena arena;
    Value v;
    auto error = read_json(text, arena, v);
    EXPECT_EQ(error ? error->message : "no error", fmt::format("unexpected token at '{}'", rest)) << text;
  }
  Arena arena;
  Value v;
  EXPECT_FALSE(read_json("{\"a\"/*c*/: /*d*/1} // x\n", arena, v));
}

TEST(Hocon, ReadsWhatTheReferencesLibraryReads) {
  std::ifstream in("testdata/load/hocon_cases.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const std::string directory = testing::TempDir() + "hocon-includes";
  std::filesystem::create_directories(directory + "/sub");
  auto in_directory = [&](std::string text) {
    for (size_t at = 0; (at = text.find("DIR", at)) != std::string::npos; at += directory.size()) text.replace(at, 3, directory);
    return text;
  };
  const auto files = nlohmann::json::parse(line)["files"];
  for (const auto& [name, text] : files.items()) std::ofstream(directory + "/" + name) << in_directory(text);
  // Relative names in `include file(…)` start at the working directory.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory);
  size_t cases = 0;
  while (in.is_open() && std::getline(in, line)) {
    auto c = nlohmann::json::parse(line);
    const std::string text = in_directory(c["hocon"]);
    Arena arena;
    Value v;
    auto error = read_hocon(text, arena, v);
    std::string got;
    if (error) {
      got = "error: " + error->message;
    } else {
      JsonWriter json(got);
      write_rich_value(json, v, arena);
    }
    if (c.contains("own"))
      EXPECT_TRUE(error) << text << got;
    else
      EXPECT_EQ(got, in_directory(c.contains("error") ? "error: " + c["error"].get<std::string>() : c["value"].get<std::string>())) << text;
    ++cases;
  }
  std::filesystem::current_path(before);
  std::filesystem::remove_all(directory);
  EXPECT_GT(cases, 140u);
}

// A value that takes up an earlier one is copied; the digits of a number in it must not stay behind.
TEST(Hocon, BigIntegersAreCopiedWithTheirDigits) {
  Arena arena;
  Value v;
  ASSERT_FALSE(read_hocon("a = [1]\na = [99999999999999999999999999, ${a}, {x: -88888888888888888888888888888888888888}]\n", arena, v));
  const Value& a = *v.hash->find("a");
  EXPECT_EQ(a.items()[0].str(), "99999999999999999999999999");
  EXPECT_EQ(a.items()[2].hash->find("x")->str(), "-88888888888888888888888888888888888888");
}

TEST(KeyLine, IsThatOfTheRoot) {
  EXPECT_EQ(json_key_line("{\n \"a\": {\"b::c\": [1,\n {\"b::c\": 2}]},\n \"b::c\"\n : 3 }", "b::c"), 4u)
      << "keys of other levels do not count";
  EXPECT_EQ(json_key_line("{\"x\": \"b::c\", \"q\\\"\": 1,\n\"\\u0062::c\": 2}", "b::c"), 2u) << "written otherwise";
  EXPECT_EQ(json_key_line("{\"a\": 1,\n\"a\": 2}", "a"), 2u) << "the last one counts";
  for (const char* broken : {"", "{", "\"", "{\"a", "{\"a\":", "[[[", "}}}\"a\":1", "{\"a\\"})
    EXPECT_LE(json_key_line(broken, "b"), 1u) << broken;

  const std::string top = std::filesystem::temp_directory_path() / "pupc_key_line";
  std::filesystem::create_directory(top);
  auto line = [&](const std::string& name, const std::string& text, std::string_view key) {
    std::ofstream(top + "/" + name) << text;
    return data_key_line(top + "/" + name, key);
  };
  EXPECT_EQ(line("x.yaml", "---\n# a::b: 1\nother:\n  a::b: 1\n'a::b': 2\n", "a::b"), 5u);
  EXPECT_EQ(line("x.yaml", "a: [\n", "a"), 0u);
  EXPECT_EQ(line("x.json", "{\n\"a\": 1}", "a"), 2u);
  EXPECT_EQ(line("x.conf", "o {\n a = 1\n}\n\"a\" = 2\n", "a"), 4u);
  EXPECT_EQ(line("x.conf", "{ b : 1\n o { a = 1 }\n a : { c = 2 }\n}", "a"), 3u);
  EXPECT_EQ(data_key_line(top + "/none.yaml", "a"), 0u);
  std::filesystem::remove_all(top);
}

} // namespace
} // namespace pupc::catalog
