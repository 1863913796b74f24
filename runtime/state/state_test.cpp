#include "catalog/value/symbol_text.h"
#include "runtime/state/run_state.h"
#include "runtime/state/transaction_store.h"
#include "runtime/sys/fake_system.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

/// Uses a StateForm that remembers the value instead of its text: a read returns what the last write stored.
class StateTest : public ::testing::Test {
protected:
  StateTest() {
    fake.put_directory("/s");
    form.write = [this](const Value& v) {
      written = state_value(arena, v);
      return std::string("text");
    };
    form.read = [this](std::string_view text, Arena&) {
      if (text != "text") throw std::runtime_error("bad text");
      return as_read(written);
    };
    form.say = [this](LogLevel level, std::string message) { said.push_back(fmt::format("{}: {}", name_of(level), message)); };
  }
  /// The value as a YAML reader returns it: with texts for keys and times.
  Value as_read(const Value& v) {
    if (v.kind == Kind::Timestamp) return Value::string(arena.copy(state_time(v.i)));
    if (!v.is_hash()) return v;
    HashBuilder out(arena);
    for (const HashEntry& e : v.hash->entries()) out.set(Value::string(e.key.str()), as_read(e.value));
    return out.finish();
  }

  FakeSystem fake;
  Arena arena;
  Value written;
  StateForm form;
  std::vector<std::string> said;
};

TEST_F(StateTest, TimesAreReadAsTheyAreWritten) {
  for (int64_t t : {int64_t{1}, int64_t{1'795'282'564'495'017'135}, int64_t{951'782'400'000'000'001}})
    EXPECT_EQ(read_state_time(state_time(t)), t);
  EXPECT_EQ(read_state_time("2026-11-21 17:36:04.5 +02:00"), read_state_time("2026-11-21 15:36:04.500000000 Z"));
  EXPECT_EQ(read_state_time("2026-11-21T15:36:04Z"), read_state_time("2026-11-21 15:36:04 +00:00"));
  EXPECT_EQ(read_state_time("0644"), 0);
  EXPECT_EQ(read_state_time("{sha256}0123456789abcdef"), 0);
}

TEST_F(StateTest, EnsureAndAbsentAreSymbols) {
  EXPECT_TRUE(is_symbol(state_property(arena, "ensure", Value::string("file"))));
  EXPECT_FALSE(is_symbol(state_property(arena, "ensure", Value::string("1.0-2"))));
  EXPECT_TRUE(is_symbol(state_property(arena, "content", Value::string("absent"))));
  EXPECT_FALSE(is_symbol(state_property(arena, "mode", Value::string("0644"))));
}

TEST_F(StateTest, StateComesBack) {
  RunState state;
  RunState::Entry& e = state.of("File[/x]");
  const int64_t now = e.checked = e.synced = fake.now();
  state.audit(e, "ensure", Value::string("file"));
  state.audit(e, "mtime", Value::timestamp(1'795'282'564'495'017'135));
  state.audit(e, "mode", Value::string("0644"));
  state.audit(e, "mode", Value::string("0600"));
  state.of("File[/long ago]").checked = fake.now() - int64_t{33} * 24 * 3600 * 1'000'000'000;
  state.of("File[/only asked for]");
  state.save(fake, "/s/state.yaml", form);
  ASSERT_TRUE(written.is_hash());
  EXPECT_EQ(written.hash->size, 1u);
  EXPECT_TRUE(is_symbol(written.hash->entries()[0].value.hash->entries()[0].key));
  RunState again;
  again.load(fake, "/s/state.yaml", form);
  const RunState::Entry* back = again.find("File[/x]");
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->checked, now);
  EXPECT_EQ(back->synced, now);
  EXPECT_EQ(back->find("mode")->str(), "0600");
  EXPECT_EQ(back->find("mtime")->i, 1'795'282'564'495'017'135);
  EXPECT_EQ(back->find("nothing"), nullptr);
}

TEST_F(StateTest, DamagedFilesArePutAside) {
  fake.put_file("/s/state.yaml", "damaged");
  RunState state;
  state.load(fake, "/s/state.yaml", form);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "err: Checksumfile /s/state.yaml is corrupt (bad text); replacing");
  EXPECT_NE(fake.find("/s/state.yaml.bad"), nullptr);
  fake.put_directory("/s/store.yaml");
  TransactionStore store;
  store.load(fake, "/s/store.yaml", form);
  EXPECT_EQ(said.back(), "warning: Transaction store file /s/store.yaml is not a file, ignoring");
}

TEST_F(StateTest, StoreForgetsWhatIsGoneAndKeepsWhatIsSkipped) {
  TransactionStore first;
  first.set("File[/gone]", "mode", Value::string("0644"));
  first.set("File[/skipped]", "mode", Value::string("0600"));
  first.set("File[/x]", "owner", Value::integer(0));
  first.save(fake, "/s/store.yaml", form);
  TransactionStore second;
  second.load(fake, "/s/store.yaml", form);
  ASSERT_NE(second.old_value("File[/x]", "owner"), nullptr);
  EXPECT_TRUE(second.old_value("File[/x]", "owner")->is_list());
  EXPECT_EQ(second.old_value("File[/x]", "group"), nullptr);
  second.copy_skipped("File[/skipped]");
  second.copy_skipped("File[/new]");
  second.set("File[/x]", "owner", Value::undef());
  second.save(fake, "/s/store.yaml", form);
  TransactionStore third;
  third.load(fake, "/s/store.yaml", form);
  EXPECT_EQ(third.old_value("File[/gone]", "mode"), nullptr);
  EXPECT_NE(third.old_value("File[/skipped]", "mode"), nullptr);
  EXPECT_EQ(third.old_value("File[/x]", "owner"), nullptr) << "null says nothing";
}

TEST_F(StateTest, ValuesThatAreStillThere) {
  auto text = [](std::string_view s) { return Value::string(s); };
  auto list = [&](std::initializer_list<std::string_view> items) {
    ListBuilder out(arena);
    for (std::string_view i : items) out.add(text(i));
    return out.finish();
  };
  EXPECT_TRUE(TransactionStore::still_there("file", "mode", list({"0644"}), text("0644")));
  EXPECT_FALSE(TransactionStore::still_there("file", "mode", list({"0644"}), text("0600")));
  EXPECT_TRUE(TransactionStore::still_there("package", "ensure", list({"present"}), text("1.0-1")));
  EXPECT_FALSE(TransactionStore::still_there("package", "ensure", list({"present"}), text("purged")));
  EXPECT_TRUE(TransactionStore::still_there("package", "ensure", list({"absent"}), text("purged")));
  EXPECT_FALSE(TransactionStore::still_there("package", "ensure", list({"latest"}), text("1.0-1")));
  EXPECT_FALSE(TransactionStore::still_there("host", "ensure", list({"present"}), Value::undef()));
  EXPECT_TRUE(TransactionStore::still_there("user", "groups", list({"b", "a"}), list({"a", "b"})));
  EXPECT_FALSE(TransactionStore::still_there("user", "groups", list({"b", "a"}), list({"a", "c"})));
  EXPECT_FALSE(TransactionStore::still_there("exec", "returns", list({"0"}), text("notrun")));
}

} // namespace
} // namespace pupc::runtime
