#include "runtime/transaction/transaction.h"

#include "catalog/json/catalog_reader.h"
#include "runtime/sys/fake_system.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

namespace pupc::runtime {
namespace {

/// Applies a catalog to a fake machine and keeps the messages.
class TransactionTest : public ::testing::Test {
protected:
  TransactionTest() {
    fake.put_directory("/d");
    fake.put_program("/bin/x");
    fake.on_run = [](const Command& c) {
      CommandResult r;
      r.status = c.shell.find("bad") != std::string::npos ? 1 : 0;
      return r;
    };
  }

  /// `resources` is the JSON text of the list's elements; all of them are in Class[main].
  bool apply(const std::string& resources, RunOptions options = {}) {
    std::string text = R"({"name":"n","version":1,"environment":"production","resources":[
      {"type":"Stage","title":"main","kind":"compilable_type"},{"type":"Class","title":"main","kind":"unknown"})";
    text += resources.empty() ? "" : "," + resources;
    text += R"(],"edges":[{"source":"Stage[main]","target":"Class[main]"})";
    for (const std::string& reference : contained) text += R"(,{"source":"Class[main]","target":")" + reference + "\"}";
    text += R"(],"classes":[]})";
    Catalog& catalog = catalogs.emplace_back();
    std::string problem;
    if (!read_catalog(text, catalog, problem)) {
      ADD_FAILURE() << problem;
      return false;
    }
    report = RunReport();
    console.entries.clear();
    RunCatalog run(catalog, options.settings);
    Transaction transaction(run, fake, arena, std::move(options), report, console);
    bool good = transaction.run();
    return good;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const LogEntry& e : console.entries) out.push_back(e.source.empty() ? e.message : e.source + ": " + e.message);
    return out;
  }
  bool has_line(const std::string& part) const {
    for (const std::string& l : lines())
      if (l.find(part) != std::string::npos) return true;
    return false;
  }

  FakeSystem fake;
  Arena arena; // also holds the report's values
  std::deque<Catalog> catalogs;
  RunReport report;
  LogCollector console;
  std::vector<std::string> contained;
};

const std::string chain = R"({"type":"Exec","title":"/bin/x bad","kind":"compilable_type","parameters":{"before":"Notify[b]"}},
  {"type":"Notify","title":"b","kind":"compilable_type","parameters":{"before":"Notify[c]"}},
  {"type":"Notify","title":"c","kind":"compilable_type"},{"type":"Notify","title":"d","kind":"compilable_type"})";

TEST_F(TransactionTest, ReportsAnSshkeyByItsNameAndType) {
  EXPECT_TRUE(
      apply(R"({"type":"Sshkey","title":"h","kind":"compilable_type","parameters":{"type":"rsa","key":"AAAA","target":"/etc/k"}})"));
  EXPECT_TRUE(has_line("Sshkey[h@ssh-rsa]/ensure: created"));
  const auto named = [](const ResourceStatus& s) { return s.reference == "Sshkey[h@ssh-rsa]" && s.title == "h@ssh-rsa"; };
  EXPECT_TRUE(std::ranges::any_of(report.statuses, named));
}

TEST_F(TransactionTest, TellsAValuesErrorWithItsCause) {
  apply(R"({"type":"File","title":"/none/x","kind":"compilable_type","parameters":{"ensure":"directory"}},
    {"type":"File","title":"/none/y","kind":"compilable_type","parameters":{"content":"y"}})");
  size_t told = 0, with_cause = 0;
  for (const std::string& line : lines()) {
    told += line.find("Could not set 'file' on ensure") == 0 ? 1 : 0;
    with_cause += line.find("\nWrapped exception:\nNo such file or directory") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(told, 2u);
  EXPECT_EQ(with_cause, 1u);
}

TEST_F(TransactionTest, TellsProgress) {
  std::vector<std::string> told;
  RunOptions options;
  options.progress = [&](size_t done, size_t of, const ManagedResource& r) {
    told.push_back(fmt::format("{}/{} {}", done, of, r.reference()));
  };
  fake.put_file("/d/tree/new", "");
  EXPECT_TRUE(apply(R"({"type":"File","title":"/d/tree","kind":"compilable_type","parameters":{"ensure":"directory","recurse":true}},
    {"type":"Notify","title":"n","kind":"compilable_type"})",
                    std::move(options)));
  EXPECT_EQ(told, (std::vector<std::string>{"1/2 File[/d/tree]", "2/3 File[/d/tree/new]", "3/3 Notify[n]"})); // one was generated
}

TEST_F(TransactionTest, WhatTheFirstResourceGeneratesComesFirst) {
  fake.put_file("/d/tree/old", "");
  Catalog& catalog = catalogs.emplace_back();
  std::string problem;
  ASSERT_TRUE(read_catalog(R"({"name":"n","version":1,"environment":"production","resources":[
      {"type":"Tidy","title":"/d/tree","kind":"compilable_type","parameters":{"recurse":true}},
      {"type":"Notify","title":"n","kind":"compilable_type"}],"edges":[],"classes":[]})",
                           catalog, problem))
      << problem;
  RunOptions options;
  std::vector<std::string> told;
  options.progress = [&](size_t, size_t, const ManagedResource& r) { told.push_back(r.reference()); };
  RunCatalog run(catalog, options.settings);
  Transaction transaction(run, fake, arena, std::move(options), report, console);
  EXPECT_TRUE(transaction.run());
  EXPECT_EQ(told, (std::vector<std::string>{"File[/d/tree/old]", "Tidy[/d/tree]", "Notify[n]"}));
}

TEST_F(TransactionTest, FailureSkipsDependentsAndNothingElse) {
  contained = {"Exec[/bin/x bad]", "Notify[b]", "Notify[c]", "Notify[d]"};
  ASSERT_TRUE(apply(chain));
  EXPECT_EQ(
      lines(),
      (std::vector<std::string>{
          "'/bin/x bad' returned 1 instead of one of [0]",
          "/Stage[main]/Main/Exec[/bin/x bad]/returns: change from 'notrun' to ['0'] failed: '/bin/x bad' returned 1 instead of one of [0]",
          "/Stage[main]/Main/Notify[b]: Dependency Exec[/bin/x bad] has failures: true",
          "/Stage[main]/Main/Notify[b]: Skipping because of failed dependencies",
          "/Stage[main]/Main/Notify[c]: Skipping because of failed dependencies",
          "d",
          "/Stage[main]/Main/Notify[d]/message: defined 'message' as 'd'",
      }));
  EXPECT_EQ(report.exit_code(), 6);
  EXPECT_EQ(report.status(), "failed");
}

TEST_F(TransactionTest, NoopCallsNoApplyCode) {
  contained = {"Exec[/bin/x]", "File[/d/f]"};
  RunOptions options;
  options.settings.noop = true;
  ASSERT_TRUE(apply(
      R"({"type":"Exec","title":"/bin/x","kind":"compilable_type"},{"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"a"}})",
      options));
  EXPECT_TRUE(fake.calls.empty());
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_TRUE(has_line("Class[Main]: Would have triggered 'refresh' from 2 events"));
}

TEST_F(TransactionTest, RefreshesOncePerTarget) {
  contained = {"File[/d/f]", "File[/d/g]", "Exec[/bin/x]"};
  ASSERT_TRUE(apply(R"({"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"a","notify":"Exec[/bin/x]"}},
    {"type":"File","title":"/d/g","kind":"compilable_type","parameters":{"content":"a","notify":"Exec[/bin/x]"}},
    {"type":"Exec","title":"/bin/x","kind":"compilable_type","parameters":{"refreshonly":true}})"));
  EXPECT_EQ(std::count(fake.calls.begin(), fake.calls.end(), "run /bin/x"), 1);
  EXPECT_TRUE(has_line("Triggered 'refresh' from 2 events"));
}

TEST_F(TransactionTest, CyclesAreReportedAndNothingIsApplied) {
  contained = {"Notify[a]", "Notify[b]"};
  RunOptions options;
  size_t lines_before = 0;
  options.not_begun = [&] { lines_before = lines().size(); };
  EXPECT_FALSE(apply(R"({"type":"Notify","title":"a","kind":"compilable_type","parameters":{"require":"Notify[b]"}},
    {"type":"Notify","title":"b","kind":"compilable_type","parameters":{"require":"Notify[a]"}})",
                     std::move(options)));
  EXPECT_EQ(lines_before + 1, lines().size()); // the state is kept before the reason is told
  EXPECT_TRUE(has_line("Found 1 dependency cycle:"));
  EXPECT_TRUE(has_line("Failed to apply catalog: One or more resource dependency cycles detected in graph"));
  EXPECT_FALSE(has_line("defined 'message'"));
}

TEST_F(TransactionTest, ATypeThatNobodyImplementsFailsOnlyItself) {
  contained = {"Frobnicator[x]", "File[/d/f]", "Notify[after]"};
  EXPECT_TRUE(apply(R"({"type":"Frobnicator","title":"x","kind":"compilable_type"},
    {"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"a"}},
    {"type":"Notify","title":"after","kind":"compilable_type","parameters":{"require":"Frobnicator[x]"}})"));
  EXPECT_TRUE(has_line(
      "Could not evaluate: The resource type frobnicator cannot be applied: neither pupc nor a module has an implementation of it"));
  EXPECT_TRUE(has_line("Skipping because of failed dependencies"));
  EXPECT_TRUE(fake.stat("/d/f").has_value());
}

TEST_F(TransactionTest, LooksUpTypesOfUnknownKind) {
  fake.put_file("/d/f", "");
  ASSERT_TRUE(apply(R"({"type":"Unheard","title":"x"},{"type":"Class","title":"Empty"},
    {"type":"Notify","title":"n"},{"type":"File_line","title":"l","parameters":{"path":"/d/f","line":"one"}})"));
  EXPECT_EQ(report.statuses.size(), 2u); // what a module or Puppet itself has as a type
  EXPECT_EQ(fake.files["/d/f"].content, "one\n");
  EXPECT_TRUE(has_line("Nothing of Unheard is applied"));
  EXPECT_FALSE(has_line("Nothing of Empty is applied"));
}

TEST_F(TransactionTest, WhatContainsSomethingIsNoLostResource) {
  ASSERT_TRUE(apply(R"({"type":"Wrapper","title":"w"},{"type":"Wrapper","title":"empty"})"));
  EXPECT_TRUE(has_line("Nothing of Wrapper is applied"));
  Catalog& catalog = catalogs.emplace_back();
  std::string problem;
  ASSERT_TRUE(read_catalog(R"({"name":"n","version":1,"resources":[{"type":"Wrapper","title":"w"},{"type":"Wrapper","title":"empty"},
    {"type":"Notify","title":"n"}],"edges":[{"source":"Wrapper[w]","target":"Notify[n]"}]})",
                           catalog, problem))
      << problem;
  EXPECT_TRUE(RunCatalog(catalog, RunSettings()).empty_unknown.empty());
}

TEST_F(TransactionTest, AStopEndsTheRunCleanly) {
  contained = {"Exec[/bin/x]", "Notify[later]"};
  std::atomic<int> stop{0};
  fake.on_run = [&](const Command&) {
    stop = 15;
    return CommandResult{};
  };
  RunOptions options;
  options.stop = &stop;
  ASSERT_TRUE(apply(
      R"({"type":"Exec","title":"/bin/x","kind":"compilable_type"},{"type":"Notify","title":"later","kind":"compilable_type"})", options));
  EXPECT_FALSE(report.completed);
  EXPECT_FALSE(has_line("later"));
}

TEST_F(TransactionTest, TagsSelect) {
  contained = {"Notify[a]", "Notify[b]"};
  RunOptions options;
  options.tags = {"wanted"};
  ASSERT_TRUE(apply(
      R"({"type":"Notify","title":"a","tags":["wanted"],"kind":"compilable_type"},{"type":"Notify","title":"b","tags":["other"],"kind":"compilable_type"})",
      options));
  EXPECT_TRUE(has_line("defined 'message' as 'a'"));
  EXPECT_FALSE(has_line("defined 'message' as 'b'"));
}

TEST_F(TransactionTest, StateTellsCorrectiveChangesAndAudits) {
  contained = {"File[/d/f]"};
  RunState state;
  RunOptions options;
  options.state = &state;
  const std::string file = R"({"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"a","audit":"mode"}})";
  ASSERT_TRUE(apply(file, options));
  EXPECT_FALSE(has_line("(corrective)"));
  EXPECT_TRUE(has_line("audit change: newly-recorded value"));
  fake.files["/d/f"].content = "changed by hand";
  fake.files["/d/f"].status.mode = 0600;
  ASSERT_TRUE(apply(file, options));
  EXPECT_TRUE(has_line("audit change: previously recorded value"));
}

TEST_F(TransactionTest, CorrectiveIsADriftFromWhatTheLastRunLeft) {
  contained = {"File[/d/f]"};
  RunState state;
  std::unique_ptr<TransactionStore> store;
  Value left;
  Arena kept;
  StateForm form;
  form.write = [&](const Value& v) {
    left = state_value(kept, v);
    return std::string("left");
  };
  form.read = [&](std::string_view, Arena&) { return left; };
  RunOptions options;
  options.state = &state;
  /// One agent run that starts from the store of the previous one.
  auto run = [&](const std::string& resources) {
    store = std::make_unique<TransactionStore>();
    store->load(fake, "/d/store", form);
    options.store = store.get();
    bool good = apply(resources, options);
    store->save(fake, "/d/store", form);
    return good;
  };
  auto file = [](std::string_view content) {
    return fmt::format(R"({{"type":"File","title":"/d/f","kind":"compilable_type","parameters":{{"ensure":"file","content":"{}"}}}})",
                       content);
  };
  auto corrective = [&] { return report.statuses.size() == 1 && report.statuses[0].corrective(); };
  options.settings.show_diff = true;
  auto diffs = [&] {
    const std::vector<std::string> all = lines();
    return std::count_if(all.begin(), all.end(),
                         [](const std::string& l) { return l.find("File[/d/f]/content: \n") != std::string::npos; });
  };
  fake.put_directory("/tmp");
  fake.put_program("/usr/bin/diff");
  fake.put_file("/d/f", "before");
  ASSERT_TRUE(run(file("a")));
  EXPECT_FALSE(corrective()) << "the first change is intended";
  EXPECT_EQ(diffs(), 1);
  EXPECT_EQ(report.statuses[0].events[0].desired.str(),
            "e3NoYTI1Nn1jYTk3ODExMmNhMWJiZGNhZmFjMjMxYjM5YTIzZGM0ZGE3ODZlZmY4MTQ3YzRlNzJiOTgwNzc4NWFmZWU0OGJi")
      << "bytes, as in Puppet's reports";
  ASSERT_TRUE(run(file("b")));
  EXPECT_FALSE(corrective()) << "the manifest changed";
  fake.files["/d/f"].content = "changed by hand";
  options.settings.noop = true;
  ASSERT_TRUE(run(file("b")));
  EXPECT_TRUE(corrective());
  EXPECT_TRUE(has_line("(noop) (corrective)"));
  ASSERT_TRUE(run(file("c")));
  EXPECT_TRUE(corrective()) << "the machine drifted, whatever is wanted now";
  options.settings.noop = false;
  ASSERT_TRUE(run(file("c")));
  EXPECT_TRUE(corrective()) << "noop changed nothing";
  EXPECT_EQ(diffs(), 2) << "Puppet compares it with the earlier run's value, too";
  fake.files.erase("/d/f");
  ASSERT_TRUE(run(file("c")));
  EXPECT_TRUE(corrective()) << "it was there";
  fake.files["/d/f"].content = "by hand again";
  options.store = nullptr;
  ASSERT_TRUE(apply(file("c"), options));
  EXPECT_FALSE(corrective()) << "Puppet's apply keeps no such store";
}

TEST_F(TransactionTest, GeneratedResourcesHaveNoPlace) {
  contained = {"File[/d]"};
  fake.put_file("/d/extra", "x");
  ASSERT_TRUE(apply(
      R"({"type":"File","title":"/d","kind":"compilable_type","file":"/m.pp","line":3,"parameters":{"ensure":"directory","recurse":true,"purge":true}})"));
  EXPECT_FALSE(fake.files.contains("/d/extra"));
  for (const ResourceStatus& s : report.statuses) EXPECT_EQ(s.line, s.title == "/d" ? 3u : 0u) << s.title;
}

TEST_F(TransactionTest, ReportLeavesUnchangedResourcesOut) {
  contained = {"File[/d/f]", "Notify[n]"};
  fake.put_file("/d/f", "a");
  ASSERT_TRUE(apply(
      R"({"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"a"}},{"type":"Notify","title":"n","kind":"compilable_type"})"));
  std::string yaml = report_yaml(report), json = report_json(report);
  EXPECT_NE(yaml.find("  Notify[n]:\n"), std::string::npos);
  EXPECT_EQ(yaml.find("  File[/d/f]:\n"), std::string::npos);
  EXPECT_NE(yaml.find("report_format: 12\n"), std::string::npos);
  EXPECT_NE(json.find("\"report_format\":12"), std::string::npos);
}

TEST_F(TransactionTest, ReportsAreReadableWhateverACommandPrints) {
  auto logged = [](std::string_view message) {
    RunReport r;
    ReportLog line;
    line.level = LogLevel::Notice;
    line.source = "Puppet";
    line.message = message;
    r.logs.push_back(line);
    return r;
  };
  EXPECT_NE(report_yaml(logged("a\x1b[1mb\nc\rd\x7f")).find("message: \"a\\x1B[1mb\\nc\\x0Dd\\x7F\"\n"), std::string::npos);
  EXPECT_NE(report_yaml(logged("a\xff b")).find("a\xef\xbf\xbd b"), std::string::npos);
  EXPECT_NE(report_json(logged("a\xff b")).find("\"a\xef\xbf\xbd b\""), std::string::npos);
}

TEST_F(TransactionTest, SensitiveValuesAreInNoReport) {
  contained = {"File[/d/f]"};
  ASSERT_TRUE(apply(
      R"({"type":"File","title":"/d/f","kind":"compilable_type","parameters":{"content":"secret"},"sensitive_parameters":["content"]})"));
  EXPECT_EQ(fake.find("/d/f")->content, "secret");
  EXPECT_EQ(report_yaml(report).find("secret"), std::string::npos);
  EXPECT_EQ(report_json(report).find("secret"), std::string::npos);
  EXPECT_TRUE(has_line("changed [redacted] to [redacted]"));
}

const std::string concat = R"({"type":"Concat_file","title":"/d/tree/y","kind":"compilable_type"},
  {"type":"Concat_fragment","title":"f","kind":"compilable_type","parameters":{"target":"/d/tree/y","content":"hello"}})";

TEST_F(TransactionTest, APurgeLeavesWhatConcatMakes) {
  const std::string resources =
      R"({"type":"File","title":"/d/tree","kind":"compilable_type","parameters":{"ensure":"directory","recurse":true,"purge":true}},)" +
      concat;
  fake.put_file("/d/tree/stray", "");
  for (int times = 0; times < 3; ++times) {
    ASSERT_TRUE(apply(resources));
    EXPECT_EQ(fake.read_file("/d/tree/y"), "hello");
    EXPECT_FALSE(fake.lstat("/d/tree/stray"));
    EXPECT_EQ(lines().empty(), times > 0) << times;
  }
}

TEST_F(TransactionTest, TidyKnowsWhatWasMadeBeforeIt) {
  const std::string tidy = R"({"type":"Tidy","title":"/d/tree","kind":"compilable_type","parameters":{"recurse":true}})";
  fake.put_file("/d/tree/y", "old");
  fake.put_file("/d/tree/stray", "");
  ASSERT_TRUE(apply(concat + "," + tidy));
  EXPECT_EQ(fake.read_file("/d/tree/y"), "hello");
  EXPECT_FALSE(fake.lstat("/d/tree/stray"));
  ASSERT_TRUE(apply(tidy + "," + concat)); // as in Puppet tidy's file is there first, and gets the content in vain
  EXPECT_FALSE(fake.lstat("/d/tree/y"));
}

TEST_F(TransactionTest, AGeneratedFileIsInTheCatalogBeforeTheRun) {
  RunOptions options;
  options.settings.noop = true;
  ASSERT_TRUE(apply(concat + R"(,{"type":"File","title":"/d/tree","kind":"compilable_type","parameters":{"ensure":"directory"}})",
                    std::move(options)));
  ASSERT_GE(lines().size(), 2u); // the file waits for the directory above it
  EXPECT_NE(lines()[0].find("File[/d/tree]/ensure"), std::string::npos) << lines()[0];
  EXPECT_NE(lines()[1].find("File[/d/tree/y]/ensure: defined content as"), std::string::npos) << lines()[1];
}

TEST_F(TransactionTest, NothingIsAddedWhenItIsWrong) {
  ASSERT_TRUE(apply(R"({"type":"Concat_file","title":"/d/y","kind":"compilable_type","parameters":{"mode":"bad"}})"));
  EXPECT_TRUE(has_line("Failed to generate additional resources using 'generate': "));
  EXPECT_TRUE(report.generation_failed);
  EXPECT_FALSE(fake.lstat("/d/y"));
}

} // namespace
} // namespace pupc::runtime
