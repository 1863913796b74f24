#include "catalog/store/store.h"

#include "catalog/base/diagnostic.h"

#include <atomic>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace pupc::catalog {
namespace {

class TemporaryFolder {
public:
  TemporaryFolder() {
    char name[] = "/tmp/pupc-store-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

StoredResource check(const std::string& title, const std::string& port, std::vector<std::string> tags = {}) {
  return {"Monitoring::Check", title, std::move(tags), {{"port", port}, {"title_of", "\"" + title + "\""}}};
}

StoredNode node(const std::string& name, std::vector<StoredResource> exported) {
  return {name, "production", "{\"a\":1}", "{}", std::move(exported)};
}

std::string titles(ExportStore& store, const ExportQuery* query, std::string_view asking = "me",
                   std::string_view type = "Monitoring::Check") {
  Arena arena;
  std::string out;
  for (const auto& r : store.find(type, query, asking, arena)) out += fmt::format("{}{}:{}", out.empty() ? "" : " ", r.node, r.title);
  return out;
}

ExportQuery query(ExportQuery::Op op, Value value, std::string_view attribute = "", bool negated = false) {
  ExportQuery q;
  q.op = op;
  q.value = value;
  q.attribute = attribute;
  q.negated = negated;
  return q;
}

ExportQuery join(ExportQuery::Op op, const ExportQuery& left, const ExportQuery& right) {
  ExportQuery q;
  q.op = op;
  q.left = &left;
  q.right = &right;
  return q;
}

class Store : public testing::TestWithParam<const char*> {
protected:
  Store() : store_(GetParam() == std::string("memory") ? make_memory_store() : open_sqlite_store(folder_.file("s.sqlite"))) {}
  TemporaryFolder folder_;
  std::unique_ptr<ExportStore> store_;
  Arena arena_;
};
INSTANTIATE_TEST_SUITE_P(Both, Store, testing::Values("memory", "sqlite"));

TEST_P(Store, KeepsWhatANodeExportedLast) {
  store_->replace(node("b", {check("two", "2"), check("one", "1")}));
  store_->replace(node("a", {check("three", "3"), {"File", "/x", {}, {}}}));
  EXPECT_EQ(titles(*store_, nullptr), "a:three b:two b:one");
  EXPECT_EQ(titles(*store_, nullptr, "b"), "a:three") << "never the node's own";
  EXPECT_EQ(titles(*store_, nullptr, "me", "File"), "a:/x");
  EXPECT_EQ(titles(*store_, nullptr, "me", "Cron"), "");
  store_->replace(node("b", {check("four", "4")}));
  EXPECT_EQ(titles(*store_, nullptr), "a:three b:four");
  store_->remove("a");
  store_->remove("nobody");
  EXPECT_EQ(titles(*store_, nullptr), "b:four");
  EXPECT_EQ(store_->nodes(), std::vector<std::string>{"b"});
  EXPECT_EQ(store_->node("b").facts, "{\"a\":1}");
  EXPECT_EQ(store_->node("a").name, "");
}

TEST_P(Store, TellsOfWhichTypesANodeExportsOthers) {
  using Types = std::set<std::string>;
  EXPECT_EQ(store_->replace(node("a", {})), Types());
  EXPECT_EQ(store_->replace(node("a", {check("one", "1"), {"File", "/x", {"t"}, {}}})), (Types{check("", "").type, "File"}));
  EXPECT_EQ(store_->replace(node("a", {check("one", "1"), {"File", "/x", {"t"}, {}}})), Types());
  EXPECT_EQ(store_->node("a").name, "a");
  EXPECT_EQ(store_->replace(node("a", {{"File", "/x", {"t"}, {}}, check("one", "1")})), Types()) << "types have no order among them";
  EXPECT_EQ(store_->replace(node("a", {{"File", "/x", {"t"}, {}}, check("one", "2")})), Types{check("", "").type});
  EXPECT_EQ(store_->replace(node("a", {{"File", "/x", {"t", "u"}, {}}, check("one", "2")})), Types{"File"});
  EXPECT_EQ(store_->replace(node("a", {{"File", "/x", {"u", "t"}, {}}, check("one", "2")})), Types());
  EXPECT_EQ(store_->replace(node("a", {check("one", "2")})), Types{"File"});
  EXPECT_EQ(titles(*store_, nullptr), "a:one");
}

TEST_P(Store, GivesParametersBackInOrder) {
  store_->replace(node("a", {{"T", "x", {}, {{"z", "[1,2.5,null]"}, {"a", "{\"k\":\"\\u00e4'\"}"}, {"m", "true"}}}}));
  auto found = store_->find("T", nullptr, "", arena_);
  ASSERT_EQ(found.size(), 1u);
  std::string names;
  for (const auto& e : found[0].parameters.hash->entries()) names += e.key.str();
  EXPECT_EQ(names, "zam");
  EXPECT_EQ(found[0].parameters.hash->find("a")->hash->find("k")->str(), "\u00e4'");
  EXPECT_EQ(found[0].parameters.hash->find("z")->items()[1].d, 2.5);
}

TEST_P(Store, AnswersQueries) {
  store_->replace(
      node("a", {check("One", "80", {"web", "fra"}), check("two", "\"80\"", {"db"}), {"Monitoring::Check", "bare", {"fra"}, {}}}));
  auto port = query(ExportQuery::Op::Parameter, Value::integer(80), "port");
  auto port_text = query(ExportQuery::Op::Parameter, Value::string("80"), "port");
  auto not_port = query(ExportQuery::Op::Parameter, Value::integer(80), "port", true);
  auto none = query(ExportQuery::Op::Parameter, Value::undef(), "port");
  EXPECT_EQ(titles(*store_, &port), "a:One");
  EXPECT_EQ(titles(*store_, &port_text), "a:two");
  EXPECT_EQ(titles(*store_, &not_port), "a:two a:bare");
  EXPECT_EQ(titles(*store_, &none), "") << "undef is not kept";
  auto title = query(ExportQuery::Op::Title, Value::string("One"));
  auto other_case = query(ExportQuery::Op::Title, Value::string("one"));
  auto not_title = query(ExportQuery::Op::Title, Value::string("One"), "", true);
  auto number = query(ExportQuery::Op::Title, Value::integer(1));
  EXPECT_EQ(titles(*store_, &title), "a:One");
  EXPECT_EQ(titles(*store_, &other_case), "");
  EXPECT_EQ(titles(*store_, &not_title), "a:two a:bare");
  EXPECT_EQ(titles(*store_, &number), "");
  std::vector<Value> fra{Value::string("fra")}, two{Value::string("db"), Value::string("web")}, no;
  auto tag = query(ExportQuery::Op::Tag, make_list(arena_, fra));
  auto tags = query(ExportQuery::Op::Tag, make_list(arena_, two));
  auto not_tag = query(ExportQuery::Op::Tag, make_list(arena_, fra), "", true);
  auto no_tag = query(ExportQuery::Op::Tag, make_list(arena_, no));
  EXPECT_EQ(titles(*store_, &tag), "a:One a:bare");
  EXPECT_EQ(titles(*store_, &tags), "a:One a:two");
  EXPECT_EQ(titles(*store_, &not_tag), "a:two");
  EXPECT_EQ(titles(*store_, &no_tag), "");
  auto both = join(ExportQuery::Op::And, tag, port), either = join(ExportQuery::Op::Or, port, not_tag),
       nested = join(ExportQuery::Op::And, either, not_title);
  EXPECT_EQ(titles(*store_, &both), "a:One");
  EXPECT_EQ(titles(*store_, &either), "a:One a:two");
  EXPECT_EQ(titles(*store_, &nested), "a:two");
  auto injection = query(ExportQuery::Op::Title, Value::string("x' OR 1=1 --"));
  EXPECT_EQ(titles(*store_, &injection), "");
}

TEST_P(Store, TakesLongChains) {
  store_->replace(node("a", {check("t7", "7"), check("t9999", "1")}));
  std::deque<ExportQuery> parts;
  std::deque<std::string> texts;
  const ExportQuery* chain = nullptr;
  for (int i = 0; i < 5000; ++i) {
    texts.push_back("t" + std::to_string(i));
    parts.push_back(query(ExportQuery::Op::Title, Value::string(texts.back())));
    const ExportQuery* one = &parts.back();
    if (chain != nullptr) {
      parts.push_back(join(ExportQuery::Op::Or, *chain, *one));
      one = &parts.back();
    }
    chain = one;
  }
  EXPECT_EQ(titles(*store_, chain), "a:t7");
}

TEST_P(Store, SnapshotsStayAsTheyWere) {
  store_->replace(node("a", {check("old", "1")}));
  store_->begin_snapshot();
  EXPECT_EQ(titles(*store_, nullptr), "a:old");
  if (GetParam() == std::string("sqlite")) {
    auto other = open_sqlite_store(folder_.file("s.sqlite"));
    other->replace(node("a", {check("new", "1")}));
    EXPECT_EQ(titles(*other, nullptr), "a:new");
    EXPECT_EQ(titles(*store_, nullptr), "a:old");
  }
  store_->end_snapshot();
  store_->replace(node("b", {check("more", "1")}));
  EXPECT_EQ(titles(*store_, nullptr, "a"), "b:more");
}

TEST(StoreEquality, BothStoresAnswerRandomQueriesAlike) {
  TemporaryFolder folder;
  auto memory = make_memory_store();
  auto sqlite = open_sqlite_store(folder.file("s.sqlite"));
  std::mt19937 random(7);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const char* names[] = {"ensure", "port", "owner"};
  const char* texts[] = {"\"a\"", "1", "[1,\"a\"]", "true", "{\"k\":1}"};
  const char* tag_names[] = {"x", "y", "z"};
  for (int n = 0; n < 12; ++n) {
    StoredNode one = node("n" + std::to_string(n), {});
    for (int i = pick(8); i >= 0; --i) {
      StoredResource r{"Monitoring::Check", "t" + std::to_string(pick(10)), {}, {}};
      for (auto* name : names)
        if (pick(2)) r.parameters.emplace_back(name, texts[pick(5)]);
      for (auto* t : tag_names)
        if (pick(2)) r.tags.emplace_back(t);
      one.exported.push_back(std::move(r));
    }
    memory->replace(one);
    sqlite->replace(one);
  }
  Arena arena;
  std::deque<ExportQuery> parts;
  std::function<const ExportQuery*(int)> make = [&](int depth) -> const ExportQuery* {
    if (depth > 0 && pick(3) > 0) {
      const ExportQuery *left = make(depth - 1), *right = make(depth - 1);
      parts.push_back(join(pick(2) ? ExportQuery::Op::And : ExportQuery::Op::Or, *left, *right));
      return &parts.back();
    }
    std::vector<Value> list{Value::integer(1), Value::string("a")};
    Value values[] = {Value::string("a"), Value::integer(1), make_list(arena, list), Value::boolean(true), Value::undef()};
    std::vector<Value> tags;
    for (auto* t : tag_names)
      if (pick(2)) tags.push_back(Value::string(t));
    bool negated = pick(2) == 0;
    switch (pick(3)) {
    case 0: parts.push_back(query(ExportQuery::Op::Title, Value::string(arena.copy("t" + std::to_string(pick(10)))), "", negated)); break;
    case 1: parts.push_back(query(ExportQuery::Op::Tag, make_list(arena, tags), "", negated)); break;
    default: parts.push_back(query(ExportQuery::Op::Parameter, values[pick(5)], names[pick(3)], negated));
    }
    return &parts.back();
  };
  int nonempty = 0;
  for (int i = 0; i < 500; ++i) {
    const ExportQuery* q = make(4);
    std::string asking = "n" + std::to_string(pick(13));
    std::string expected = titles(*memory, q, asking);
    EXPECT_EQ(titles(*sqlite, q, asking), expected);
    nonempty += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(nonempty, 100) << "the queries must find something";
}

std::string opened_with(const std::string& path) {
  try {
    open_sqlite_store(path);
    return "";
  } catch (const CompileError& e) { return e.diagnostic.message; }
}

TEST(SqliteStore, RefusesWhatIsNoStore) {
  TemporaryFolder folder;
  std::ofstream(folder.file("text")) << std::string(5000, 'x');
  EXPECT_NE(opened_with(folder.file("text")).find("file is not a database"), std::string::npos);
  EXPECT_NE(opened_with(folder.file("no/such/folder")).find("unable to open database file"), std::string::npos);
  EXPECT_EQ(opened_with(folder.file("new")), "");
  EXPECT_EQ(opened_with(folder.file("new")), "");
}

TEST(SqliteStore, JournalsAreNoFilesOfOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const char* name : {"-wal", "-shm", "-journal"}) {
    TemporaryFolder folder;
    const std::string shared = folder.file("shared"), planted = shared + "/store" + name, kept = shared + "/kept";
    std::filesystem::create_directory(shared);
    std::filesystem::permissions(shared, std::filesystem::perms(01777));
    StoredNode node;
    node.name = "n";
    open_sqlite_store(shared + "/store")->replace(node); // of a new store SQLite removes old journals
    std::ofstream{planted};
    ASSERT_EQ(::chown(planted.c_str(), 65534, 65534), 0);
    std::filesystem::create_hard_link(planted, kept); // SQLite removes its journals
    try {
      open_sqlite_store(shared + "/store")->replace(node);
    } catch (const std::exception&) { // refused
    }
    EXPECT_EQ(std::filesystem::file_size(kept), 0u) << name << " was written to a file of another user";
  }
}

TEST(SqliteStore, ThreadsShareOneStore) {
  TemporaryFolder folder;
  auto store = open_sqlite_store(folder.file("s"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i) {
        store->replace(node("n" + std::to_string(t), {check("a" + std::to_string(i), "1"), check("b" + std::to_string(i), "1")}));
        titles(*store, nullptr);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(titles(*store, nullptr), "n0:a29 n0:b29 n1:a29 n1:b29 n2:a29 n2:b29 n3:a29 n3:b29");
}

/// Writes states of a node for ever, and tells each into `written`. Each state has `width` resources with the same number in their
/// titles; the numbers begin with `first`.
[[noreturn]] void write_forever(const std::string& path, const std::string& name, int first, int width, int written) {
  try {
    auto store = open_sqlite_store(path);
    for (int i = first;; ++i) {
      std::vector<StoredResource> all;
      for (int k = 0; k < width; ++k) all.push_back(check(fmt::format("{}-{}", i, k), std::to_string(i), {"t" + std::to_string(i)}));
      store->replace(node(name, std::move(all)));
      if (write(written, &i, sizeof(i)) != sizeof(i)) break;
    }
  } catch (...) {}
  _exit(1);
}

TEST(SqliteStore, SurvivesKilledWriters) {
  TemporaryFolder folder;
  const std::string path = folder.file("s");
  constexpr int width = 40;
  std::mt19937 random(3);
  int last[2] = {-1, -1}; // what each writer told last
  for (int round = 0; round < 25; ++round) {
    pid_t writers[2];
    int told[2][2];
    const int first = round * 1'000'000;
    for (int w = 0; w < 2; ++w) {
      ASSERT_EQ(pipe(told[w]), 0);
      writers[w] = fork();
      ASSERT_GE(writers[w], 0);
      if (writers[w] == 0) write_forever(path, "node" + std::to_string(w), first, width, told[w][1]);
      close(told[w][1]);
    }
    // However slow the machine is, one has written before they are killed, and is writing again.
    pollfd reading[2] = {{told[0][0], POLLIN, 0}, {told[1][0], POLLIN, 0}};
    ASSERT_GT(poll(reading, 2, 60'000), 0) << "the writers must have written";
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    for (pid_t w : writers) {
      ASSERT_EQ(kill(w, SIGKILL), 0);
      int status = 0;
      ASSERT_EQ(waitpid(w, &status, 0), w);
      EXPECT_TRUE(WIFSIGNALED(status)) << "a writer failed by itself";
    }
    for (int w = 0; w < 2; ++w) {
      for (int number; read(told[w][0], &number, sizeof(number)) == sizeof(number);) last[w] = number;
      close(told[w][0]);
    }
    EXPECT_GE(std::max(last[0], last[1]), first) << "the writers must have written";
    auto store = open_sqlite_store(path);
    Arena arena;
    for (int w = 0; w < 2; ++w) {
      const std::string asking = w == 0 ? "node1" : "node0"; // what a node exports itself is not found
      auto found = store->find("Monitoring::Check", nullptr, asking, arena);
      EXPECT_TRUE(!found.empty() || last[w] < 0) << "what was written is lost";
      EXPECT_TRUE(found.empty() || found.size() == width) << found.size() << " resources: half a transaction";
      if (found.empty()) continue;
      const int64_t number = found[0].parameters.hash->find("port")->i;
      EXPECT_GE(number, last[w]) << "what was written is lost";
      for (int k = 0; k < static_cast<int>(found.size()); ++k)
        EXPECT_EQ(found[static_cast<size_t>(k)].title, fmt::format("{}-{}", number, k));
      std::vector<Value> tag{Value::string(arena.copy("t" + std::to_string(number)))};
      auto q = query(ExportQuery::Op::Tag, make_list(arena, tag));
      EXPECT_EQ(store->find("Monitoring::Check", &q, asking, arena).size(), static_cast<size_t>(width))
          << "the tables for queries are of the same state";
    }
  }
}

TEST(SqliteStore, ProcessesWriteTogether) {
  TemporaryFolder folder;
  const std::string path = folder.file("s");
  std::vector<pid_t> writers;
  for (int w = 0; w < 6; ++w) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      try {
        auto store = open_sqlite_store(path); // all create the tables at the same time
        for (int i = 0; i < 10; ++i) store->replace(node("n" + std::to_string(w), {check(std::to_string(i), "1")}));
        _exit(0);
      } catch (...) { _exit(1); }
    }
    writers.push_back(pid);
  }
  for (pid_t w : writers) {
    int status = -1;
    waitpid(w, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(titles(*open_sqlite_store(path), nullptr), "n0:9 n1:9 n2:9 n3:9 n4:9 n5:9");
}

} // namespace
} // namespace pupc::catalog
