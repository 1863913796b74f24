#include "tools/puppetdb/delivery.h"
#include "tools/puppetdb/spool.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pupc::puppetdb {
namespace {

namespace fs = std::filesystem;

struct Folder {
  std::string path = fs::temp_directory_path() / ("pupc-spool-" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

Command command(CommandKind kind, std::string node, std::string payload) {
  return {kind, std::move(node), "2026-11-23T19:00:00.000Z", std::move(payload)};
}

std::string content(const std::string& folder) {
  std::string out;
  for (const Spool::Entry& e : Spool::list(folder)) out += std::string(name_of(e.kind)) + " " + e.certname + "\n";
  return out;
}

TEST(Spool, KeepsTheNewestOfEachNodeAndKindInOrder) {
  const Folder at;
  Spool spool(at.path, {});
  spool.put(command(CommandKind::ReplaceFacts, "a", "{1}"));
  spool.put(command(CommandKind::ReplaceCatalog, "a", "{2}"));
  spool.put(command(CommandKind::ReplaceFacts, "b", "{3}"));
  spool.put(command(CommandKind::ReplaceFacts, "a", "{4}"));
  spool.put(command(CommandKind::StoreReport, "a", "{5}"));
  spool.put(command(CommandKind::StoreReport, "a", "{6}"));
  EXPECT_EQ(content(at.path), "replace catalog a\nreplace facts b\nreplace facts a\nstore report a\nstore report a\n");
  const auto first = spool.take();
  ASSERT_TRUE(first);
  EXPECT_EQ(spool.read(*first)->payload, "{2}");
  // Nothing else of that node, until it is done.
  const auto second = spool.take();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->certname, "b");
  EXPECT_FALSE(spool.take());
  // A newer one does not take away what is under way, and replaces it if that fails.
  spool.put(command(CommandKind::ReplaceCatalog, "a", "{7}"));
  EXPECT_EQ(spool.waiting(), 6u);
  spool.back(*first);
  EXPECT_EQ(spool.waiting(), 5u);
  spool.done(*second);
  EXPECT_EQ(spool.read(*spool.take())->payload, "{4}");
}

TEST(Spool, OutlivesItsProcess) {
  const Folder at;
  {
    Spool spool(at.path, {});
    spool.put(command(CommandKind::ReplaceFacts, "a/../b c", "{1}"));
    EXPECT_THROW(Spool(at.path, {}), SpoolError);
  }
  std::ofstream(at.path + "/00000000000000000001.f.b.json.new") << "half";
  std::ofstream(at.path + "/00000000000000000009.c.b.json") << "no line";
  std::ofstream(at.path + "/something") << "else";
  Spool spool(at.path, {});
  EXPECT_EQ(content(at.path), "replace facts a/../b c\nreplace catalog b\n");
  spool.put(command(CommandKind::ReplaceFacts, "c", "{2}"));
  EXPECT_EQ(Spool::list(at.path).back().number, 10u);
  const auto first = spool.take();
  EXPECT_EQ(spool.read(*first)->payload, "{1}");
  EXPECT_EQ(spool.read(*first)->time, "2026-11-23T19:00:00.000Z");
  EXPECT_FALSE(spool.read(*spool.take()));
  EXPECT_FALSE(fs::exists(at.path + "/00000000000000000001.f.b.json.new"));
}

TEST(Spool, IsBounded) {
  const Folder at;
  Spool spool(at.path, {1000, 3});
  const std::string large(600, ' ');
  spool.put(command(CommandKind::ReplaceFacts, "a", large));
  spool.put(command(CommandKind::ReplaceFacts, "a", large)); // in place of the other
  EXPECT_THROW(spool.put(command(CommandKind::ReplaceFacts, "b", large)), SpoolError);
  spool.put(command(CommandKind::ReplaceFacts, "b", "{}"));
  spool.put(command(CommandKind::ReplaceFacts, "c", "{}"));
  EXPECT_THROW(spool.put(command(CommandKind::ReplaceFacts, "d", "{}")), SpoolError);
  EXPECT_EQ(content(at.path), "replace facts a\nreplace facts b\nreplace facts c\n");
}

Config config_of(std::string_view text) { return read_config(text, "f"); }

http::ClientResponse answer(unsigned status, std::string body) {
  http::ClientResponse out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

TEST(Delivery, AsksAsPuppetDbWantsIt) {
  std::string target;
  const Config config = config_of("[main]\nserver_urls = https://a:1,https://b:2\n");
  const Send send = [&](const http::ServerAddress& server, const http::ClientRequest& request) -> http::ClientResponse {
    if (server.host == "a") return answer(404, "starting");
    target = request.method + " " + request.target;
    EXPECT_EQ(request.headers.get("Content-Encoding"), "gzip");
    EXPECT_EQ(request.headers.get("X-Uncompressed-Length"), "2");
    return answer(200, R"({"uuid":"1"})");
  };
  EXPECT_EQ(submit(command(CommandKind::ReplaceCatalog, "web1", "{}"), config, std::chrono::seconds(9), send).how, Delivered::How::Done);
  EXPECT_EQ(target, "POST /pdb/cmd/v1?checksum=bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f&version=9&certname=web1&command=replace_catalog"
                    "&producer-timestamp=2026-11-23T19%3A00%3A00.000Z&secondsToWaitForCompletion=9");
}

TEST(Delivery, TellsWhatIsFinalFromWhatIsNot) {
  const Config config = config_of("[main]\nserver_urls = https://a:1\n");
  const auto how = [&](unsigned status, const char* body) {
    const Send send = [&](const http::ServerAddress&, const http::ClientRequest&) { return answer(status, body); };
    return submit(command(CommandKind::ReplaceFacts, "n", "{}"), config, {}, send).how;
  };
  EXPECT_EQ(how(200, R"({"uuid":"1"})"), Delivered::How::Done);
  // As PuppetDB 7.12 answers a command that it has queued and not done in time.
  EXPECT_EQ(how(503, R"({"uuid":"1","processed":false,"timed_out":true})"), Delivered::How::Done);
  EXPECT_EQ(how(503, "maintenance"), Delivered::How::Away);
  EXPECT_EQ(how(200, "<html>a proxy"), Delivered::How::Away);
  EXPECT_EQ(how(400, "checksums don't match"), Delivered::How::Rejected);
  EXPECT_EQ(how(500, ""), Delivered::How::Away);
  EXPECT_EQ(how(403, "Permission denied"), Delivered::How::Away);
}

TEST(Delivery, BroadcastsToAllAndCounts) {
  std::atomic<int> asked = 0;
  const Send send = [&](const http::ServerAddress& server, const http::ClientRequest&) -> http::ClientResponse {
    ++asked;
    if (server.host == "b") throw http::ClientError(http::ClientError::Kind::Connect, "nobody");
    return answer(200, "{}");
  };
  const std::string servers =
      "[main]\nserver_urls = https://a:1,https://b:1\nsubmit_only_server_urls=https://c:1\ncommand_broadcast=true\n";
  EXPECT_EQ(submit(command(CommandKind::ReplaceFacts, "n", "{}"), config_of(servers), {}, send).how, Delivered::How::Done);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(submit(command(CommandKind::ReplaceFacts, "n", "{}"), config_of(servers + "min_successful_submissions = 2\n"), {}, send).how,
            Delivered::How::Done);
}

TEST(Delivery, LosesNothingWhilePuppetDbIsAway) {
  const Folder at;
  std::atomic<bool> there = false;
  std::atomic<int> taken = 0, busy = 0, problems = 0;
  const Send send = [&](const http::ServerAddress&, const http::ClientRequest& request) -> http::ClientResponse {
    if (!there) throw http::ClientError(http::ClientError::Kind::Connect, "nobody listens");
    EXPECT_EQ(++busy, 1); // all are of one node
    ++taken;
    --busy;
    return answer(request.target.find("store_report") != std::string::npos ? 400 : 200, "{}");
  };
  DeliveryOptions options;
  options.config = config_of("[main]\nserver_urls = https://a:1\n");
  options.first_pause = std::chrono::milliseconds(10);
  options.longest_pause = std::chrono::milliseconds(20);
  options.tell = [&](bool problem, const std::string&) { problems += problem; };
  auto spool = std::make_shared<Spool>(at.path, Spool::Limits());
  {
    Delivery delivery(spool, options, send);
    spool->put(command(CommandKind::ReplaceFacts, "n", "{1}"));
    delivery.wake();
    EXPECT_FALSE(delivery.drain(std::chrono::milliseconds(50)));
  }
  EXPECT_EQ(spool->waiting(), 1u);
  EXPECT_EQ(problems, 1); // told once
  there = true;
  Delivery delivery(spool, options, send);
  spool->put(command(CommandKind::ReplaceCatalog, "n", "{2}"));
  spool->put(command(CommandKind::StoreReport, "n", "{3}"));
  delivery.wake();
  EXPECT_TRUE(delivery.drain(std::chrono::seconds(10)));
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(problems, 2);
  EXPECT_EQ(content(at.path + "/rejected"), "store report n\n");
}

} // namespace
} // namespace pupc::puppetdb
