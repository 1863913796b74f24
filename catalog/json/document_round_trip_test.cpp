// Property test: a document that is read and written again has the same bytes.
#include "catalog/json/catalog_reader.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/rich_data.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/regex.h"
#include "catalog/value/semver.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace pupc::catalog;

namespace {

/// A value that the catalog does not know, which writes rich data as types and objects do.
struct Described : Opaque {
  std::string_view name;
  Value inner;
  std::string to_string() const override { return std::string(name); }
  bool equals(const Opaque& other) const override { return this == &other; }
  uint64_t hash() const override { return 1; }
  Value to_rich_data(Arena& arena) const override {
    HashBuilder h(arena);
    h.set("__ptype", Value::string(name));
    h.set("inner", inner);
    return h.finish();
  }
};

class Values {
public:
  Values(Arena& arena, unsigned seed) : arena_(arena), random_(seed) {}

  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  std::string_view text() {
    static constexpr std::string_view pieces[] = {"a",    "B",       " ", "\"", "\\", "\n", "\t",   "\x01", "/", "ü",
                                                  "日本", "__ptype", "[", "]",  "'",  "$x", "\xff", "0",    "::"};
    std::string s;
    for (size_t n = below(6); n > 0; --n) s += pieces[below(std::size(pieces))];
    return arena_.copy(s);
  }
  /// Valid UTF-8, as in names and titles.
  std::string_view name() {
    std::string s;
    for (char ch : text())
      if (ch != '\xff') s += ch;
    return arena_.copy("n" + s);
  }

  Value value(int depth) {
    switch (below(depth > 0 ? 20 : 14)) {
    case 0: return Value::undef();
    case 1: return Value::boolean(below(2) == 1);
    case 2: return Value::integer(static_cast<int64_t>(random_()));
    case 3: return Value::floating(std::ldexp(static_cast<double>(static_cast<int64_t>(random_())), static_cast<int>(below(200)) - 100));
    case 4: return Value::default_value();
    case 5: return Value::binary(text());
    case 6: return Value::timestamp(static_cast<int64_t>(random_() >> 2));
    case 7: return Value::timespan(static_cast<int64_t>(random_() >> 2));
    case 8: return Value::uri("http://a.example.com/b?c");
    case 9: return bytes_text(Value::string(text()));
    case 10: {
      static const Regex pattern("a/b\"[\\d]+");
      return Value::of(&pattern);
    }
    case 11: {
      auto* ref = arena_.make<ResourceRef>();
      ref->type = "File";
      ref->title = name();
      return Value::of(static_cast<const ResourceRef*>(ref));
    }
    case 14:
    case 15: {
      ListBuilder list(arena_);
      for (size_t n = below(4); n > 0; --n) list.add(value(depth - 1));
      return list.finish();
    }
    case 16: {
      HashBuilder hash(arena_);
      for (size_t n = below(4); n > 0; --n)
        hash.set(below(4) == 0 ? Value::integer(static_cast<int64_t>(below(9))) : Value::string(text()), value(depth - 1));
      return hash.finish();
    }
    case 17: return Value::sensitive(arena_, value(depth - 1));
    case 18: {
      auto* d = arena_.make<DeferredData>();
      d->name = "f";
      ListBuilder arguments(arena_);
      for (size_t n = below(3); n > 0; --n) arguments.add(value(depth - 1));
      d->arguments = below(3) == 0 ? nullptr : arguments.finish_list();
      return Value::of(static_cast<const DeferredData*>(d));
    }
    case 19: {
      auto* d = arena_.make<Described>();
      d->name = below(2) == 0 ? "Pcore::ObjectType" : "My::Object";
      // Results of to_rich_data contain no hashes except rich data.
      ListBuilder inner(arena_);
      for (size_t n = below(3); n > 0; --n) inner.add(value(0));
      d->inner = inner.finish();
      return Value::opaque_of(Kind::Object, d);
    }
    default: return Value::string(text());
    }
  }

private:
  Arena& arena_;
  std::mt19937_64 random_;
};

std::string written(const Value& v) {
  Arena scratch;
  std::string out;
  JsonWriter json(out);
  write_rich_value(json, v, scratch);
  return out;
}

/// Reads `document` and writes it again. Returns the problem when it is not a catalog.
std::string again(std::string_view document) {
  Catalog catalog;
  std::string problem, out;
  if (!read_catalog(document, catalog, problem)) return "problem: " + problem;
  write_catalog(catalog, out);
  return out;
}

} // namespace

TEST(RoundTrip, Values) {
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Arena arena;
    Values values(arena, seed);
    std::string first = written(values.value(4));
    Arena read;
    Value json;
    JsonError error;
    // A document is an object or an array.
    std::string document = "[" + first + "]";
    ASSERT_TRUE(parse_json(document, read, json, error)) << first;
    ASSERT_EQ(written(read_rich_value(json.items()[0], read)), first) << "seed " << seed;
  }
}

TEST(RoundTrip, Catalogs) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Catalog catalog;
    Values values(catalog.arena(), seed);
    catalog.name = "node.example.com";
    catalog.environment = "production";
    catalog.version = static_cast<int64_t>(values.below(1u << 30));
    if (values.below(3) == 0) catalog.version_text = values.name();
    if (values.below(3) == 0) catalog.code_id = std::string(values.name());
    catalog.uuid = "00000000-0000-0000-0000-000000000000";
    std::vector<ResourceId> resources{catalog.add(Catalog::stage_type, "main", ResourceKind::CompilableType),
                                      catalog.add(Catalog::class_type, "Main", ResourceKind::Class)};
    catalog.add_edge(resources[0], resources[1]);
    catalog.add_class("settings");
    static constexpr std::string_view types[] = {"apache::vhost", "my_define", "nosuch"};
    for (size_t n = values.below(8); n > 0; --n) {
      ResourceId id = catalog.add(catalog.type_id(types[values.below(3)]), values.name(), ResourceKind::CodeUnit);
      if (id == no_resource) continue;
      if (values.below(2) == 0) catalog[id].file = catalog.file_index("/manifests/site.pp");
      catalog[id].line = static_cast<uint32_t>(values.below(100));
      catalog[id].set(Resource::exported_last, values.below(2) == 0);
      for (const char* tag : {"one", "two", "three::four"})
        if (values.below(2) == 0) catalog.tag(id, tag);
      for (const char* name : {"alpha", "beta", "gamma"}) {
        if (values.below(2) == 0) continue;
        Param p;
        p.name = intern(name);
        p.value = values.value(3);
        // As in a compiled catalog, store a Sensitive parameter as its value with a flag.
        while (p.value.is(Kind::Sensitive)) {
          p.value = p.value.unwrap();
          p.flags = Param::sensitive;
        }
        if (!p.value.is_undef()) catalog.set_param(id, p);
      }
      catalog.add_edge(resources[values.below(resources.size())], id);
      resources.push_back(id);
    }
    std::string first;
    write_catalog(catalog, first);
    ASSERT_EQ(again(first), first) << "seed " << seed;
  }
}

TEST(RoundTrip, CodeIdAsNumber) {
  for (const std::string_view digits : {"20261126", "18446744073709551615", "2026112712000012345678901234567890123456"}) {
    const std::string bare = fmt::format(R"({{"name":"n","version":1,"environment":"production","code_id":{},"resources":[]}})", digits);
    for (const std::string& document : {bare, fmt::format(R"({{"data":{}}})", bare)}) {
      Catalog catalog;
      std::string problem;
      ASSERT_TRUE(read_catalog(document, catalog, problem)) << problem;
      EXPECT_EQ(catalog.code_id, digits);
    }
  }
  Catalog catalog;
  std::string problem;
  ASSERT_TRUE(read_catalog(R"({"name":"n","code_id":1.5,"resources":[]})", catalog, problem));
  EXPECT_FALSE(catalog.code_id);
}

/// Tests the documents of a folder, so that a user can try their own catalogs: PUPC_CATALOGS=FOLDER.
TEST(RoundTrip, Documents) {
  const char* folder = std::getenv("PUPC_CATALOGS");
  if (folder == nullptr) GTEST_SKIP() << "PUPC_CATALOGS is not set";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::string document((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    while (!document.empty() && document.back() == '\n') document.pop_back();
    std::string second = again(document);
    size_t at = 0;
    while (at < second.size() && at < document.size() && second[at] == document[at]) ++at;
    EXPECT_TRUE(second == document) << file.path() << " at byte " << at << ": " << document.substr(at < 40 ? 0 : at - 40, 120)
                                    << "\n  then " << second.substr(at < 40 ? 0 : at - 40, 120);
  }
}
