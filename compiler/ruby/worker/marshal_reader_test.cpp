// Ruby's Marshal format: what Ruby 3.1 dumps is read, what is written is read back, and bytes that are cut off or wrong never crash.
#include "compiler/ruby/worker/marshal_reader.h"

#include "catalog/value/bytes_text.h"
#include "compiler/ruby/worker/wire.h"
#include "compiler/types/core_types.h"

#include <gtest/gtest.h>

using namespace pupc::compiler;
using namespace std::literals;

namespace {

class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view name) override { return name == "file"; }
};

class Marshal : public testing::Test {
protected:
  Value read(std::string_view bytes) { return MarshalReader(bytes, arena_, types_, handles_).read(); }
  std::string text(std::string_view bytes) { return to_program_string(types_, read(bytes)); }
  std::string written(const Value& v) {
    std::string out;
    MarshalWriter(out, handles_).value(v);
    return out;
  }

  Arena arena_;
  RegexCache regexes_;
  NoTypes types_{arena_, regexes_};
  std::vector<Value> handles_;
};

TEST_F(Marshal, ReadsWhatRubyDumps) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"\x04\x08\x30"sv, "undef"},
      {"\x04\x08\x54"sv, "true"},
      {"\x04\x08\x46"sv, "false"},
      {"\x04\x08\x69\x06"sv, "1"},
      {"\x04\x08\x69\xfa"sv, "-1"},
      {"\x04\x08\x69\x7f"sv, "122"},
      {"\x04\x08\x69\x01\x7b"sv, "123"},
      {"\x04\x08\x69\x01\xff"sv, "255"},
      {"\x04\x08\x69\x02\x00\x01"sv, "256"},
      {"\x04\x08\x69\x03\x00\x00\x01"sv, "65536"},
      {"\x04\x08\x69\xff\x7f"sv, "-129"},
      {"\x04\x08\x69\xfd\xff\xff\xfe"sv, "-65537"},
      {"\x04\x08\x6c\x2b\x07\x00\x00\x00\x40"sv, "1073741824"},
      {"\x04\x08\x6c\x2b\x09\xff\xff\xff\xff\xff\xff\xff\x7f"sv, "9223372036854775807"},
      {"\x04\x08\x6c\x2d\x09\x00\x00\x00\x00\x00\x00\x00\x80"sv, "-9223372036854775808"},
      {"\x04\x08\x66\x08\x31\x2e\x35"sv, "1.5"},
      {"\x04\x08\x49\x22\x07\xc3\xa9\x06\x3a\x06\x45\x54"sv, "'é'"},
      {"\x04\x08\x3a\x08sym"sv, "sym"}, // no String: an object of Ruby's
      {"\x04\x08\x3a\x0aundef"sv, "undef"},
      {"\x04\x08\x3a\x0c"
       "default"sv,
       "default"},
      {"\x04\x08\x5b\x07\x69\x06\x5b\x06\x69\x07"sv, "[1, [2]]"},
      {"\x04\x08\x7b\x06\x49\x22\x06\x61\x06\x3a\x06\x45\x54\x69\x06"sv, "{'a' => 1}"},
      {"\x04\x08\x5b\x09\x3a\x06\x61\x3b\x00\x49\x22\x06\x78\x06\x3a\x06\x45\x54\x49\x22\x06\x79\x06\x3b\x06\x54"sv, "[a, a, 'x', 'y']"},
      {"\x04\x08\x5b\x07\x49\x22\x0bshared\x06\x3a\x06\x45\x54\x40\x06"sv, "['shared', 'shared']"}};
  for (const auto& [bytes, expected] : cases) EXPECT_EQ(text(bytes), expected);
  EXPECT_TRUE(is_bytes_text(read("\x04\x08\x22\x06\x62"sv))); // ASCII-8BIT
  EXPECT_FALSE(is_bytes_text(read("\x04\x08\x49\x22\x06\x78\x06\x3a\x06\x45\x54"sv)));
}

TEST_F(Marshal, AsksForTaggedBytesWhereItsOwnDoNotTell) {
  // An integer beyond 64 bits, a text in ISO-8859-1, infinity, an array that holds itself, an object, a hash with a default.
  for (std::string_view bytes :
       {"\x04\x08\x6c\x2b\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00"sv,
        "\x04\x08\x49\x22\x06s\x06\x3a\x0d"
        "encoding\x22\x0fISO-8859-1"sv,
        "\x04\x08\x66\x08inf"sv, "\x04\x08\x5b\x06\x40\x00"sv, "\x04\x08\x6f\x3a\x0bObject\x00"sv, "\x04\x08\x7d\x00\x69\x06"sv})
    EXPECT_THROW(read(bytes), NeedsTaggedBytes);
}

TEST_F(Marshal, ReadsBackWhatIsWritten) {
  Value inner[] = {Value::integer(INT64_MIN), Value::floating(0.1),
                   Value::string("é'x"),      Value::undef(),
                   Value::default_value(),    Value::sensitive(arena_, Value::string("s"))};
  HashBuilder hash(arena_);
  hash.set(Value::string("list"), make_list(arena_, inner));
  hash.set(Value::integer(7), Value::type(parse_type(types_, "Array[String[1], 2, 3]")));
  hash.set(Value::string("bytes"), bytes_text(Value::string("\xff\x00"sv)));
  hash.set(Value::string("file"), Value::type(resource_type(arena_, "File", "/x")));
  Value all = hash.finish();
  Value back = read(written(all));
  EXPECT_TRUE(eql(all, back));
  EXPECT_TRUE(is_bytes_text(*back.hash->find("bytes")));
}

TEST_F(Marshal, WhatIsCutOffOrWrongNeverCrashes) {
  Value inner[] = {Value::integer(1 << 30), Value::string("text"), Value::floating(2.5), Value::type(types::integer())};
  const std::string whole = written(make_list(arena_, inner));
  for (size_t n = 2; n < whole.size(); ++n) EXPECT_THROW(read(std::string_view(whole).substr(0, n)), NeedsTaggedBytes) << n;
  for (size_t i = 2; i < whole.size(); ++i)
    for (int byte : {0, 1, 4, 0x22, 0x40, 0x49, 0x55, 0x5b, 0x7b, 0x7f, 0x80, 0xff}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(byte);
      try {
        read(changed);
      } catch (const NeedsTaggedBytes&) {
      } catch (const CompileError&) {}
    }
}

} // namespace
