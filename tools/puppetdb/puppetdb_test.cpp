#include "catalog/base/diagnostic.h"
#include "tools/puppetdb/exported_resources.h"
#include "tools/puppetdb/puppetdb_conf.h"
#include "tools/puppetdb/query.h"

#include <gtest/gtest.h>

namespace pupc::puppetdb {
namespace {

using catalog::Arena;
using catalog::CompileError;
using catalog::ExportQuery;
using catalog::Value;

std::string problem_of(std::string_view text) {
  try {
    read_config(text, "/etc/puppetdb.conf");
  } catch (const CompileError& e) { return std::to_string(e.diagnostic.line) + ": " + e.diagnostic.message; }
  return "none";
}

TEST(PuppetdbConfig, DefaultsWithoutAFile) {
  const Config c = load_config("/nonexistent/puppetdb.conf");
  ASSERT_EQ(c.server_urls.size(), 1u);
  EXPECT_EQ(c.server_urls[0].url(), "https://puppetdb:8081");
  EXPECT_EQ(c.server_url_timeout.count(), 30);
  EXPECT_FALSE(c.sticky_read_failover);
  EXPECT_TRUE(c.verify_client_certificate);
}

TEST(PuppetdbConfig, ReadsAllSettings) {
  const Config c = read_config(
      "# servers\n[main]\n  server_urls = https://a:8081, https://b/ , https://[::1]:9\r\nsubmit_only_server_urls=https://c:1\n"
      "soft_write_failure = true\nsticky_read_failover=true\nserver_url_timeout = 5\nverify_client_certificate = false\n"
      "unknown = 1\n; end\n[other]\nserver_urls = http://ignored\n",
      "f");
  ASSERT_EQ(c.server_urls.size(), 3u);
  EXPECT_EQ(c.server_urls[1].url(), "https://b:443");
  EXPECT_EQ(c.server_urls[2].host, "::1");
  EXPECT_EQ(c.submit_only_server_urls.size(), 1u);
  EXPECT_TRUE(c.soft_write_failure);
  EXPECT_TRUE(c.sticky_read_failover);
  EXPECT_FALSE(c.verify_client_certificate);
  EXPECT_EQ(c.server_url_timeout.count(), 5);
}

TEST(PuppetdbConfig, TellsTheLineOfAMistake) {
  const std::string begin = ": PuppetDB's configuration: ";
  EXPECT_EQ(problem_of("server_urls = https://a:1\n"), "1" + begin + "'server_urls' must be in a section, as [main]");
  EXPECT_EQ(problem_of("[main]\nnonsense\n"), "2" + begin + "expected 'name = value', found 'nonsense'");
  EXPECT_EQ(problem_of("[main]\nserver = a\n"), "2" + begin + "'server' is retired: use server_urls");
  EXPECT_EQ(problem_of("[main]\nserver_urls = http://a:1\n"), "2" + begin + "server_urls must begin with https://, found 'http://a:1'");
  EXPECT_EQ(problem_of("[main]\nserver_urls = https://a:1/x\n"), "2" + begin + "server_urls must have no path, found 'https://a:1/x'");
  EXPECT_EQ(problem_of("[main]\nserver_urls = ,\n"), "2" + begin + "server_urls names no server");
  EXPECT_EQ(problem_of("[main]\nsoft_write_failure = yes\n"), "2" + begin + "soft_write_failure must be true or false, found 'yes'");
  EXPECT_EQ(problem_of("[main]\nserver_url_timeout = soon\n"), "2" + begin + "server_url_timeout must be a number, found 'soon'");
  EXPECT_EQ(problem_of("[main]\nserver_urls = https://a:1\nsubmit_only_server_urls = https://a:1\n"),
            "3" + begin + "'https://a:1' is in both server_urls and submit_only_server_urls");
  EXPECT_EQ(problem_of("[main]\nmin_successful_submissions = 2\n"),
            "2" + begin + "min_successful_submissions above 1 needs command_broadcast = true");
}

struct Queries : testing::Test {
  Arena arena;
  ExportQuery* parameter(std::string_view name, Value value, bool negated = false) {
    auto* q = arena.make<ExportQuery>();
    q->attribute = name;
    q->value = value;
    q->negated = negated;
    return q;
  }
  ExportQuery* special(ExportQuery::Op op, Value value, bool negated = false) {
    ExportQuery* q = parameter("", value, negated);
    q->op = op;
    return q;
  }
  ExportQuery* join(ExportQuery::Op op, const ExportQuery* left, const ExportQuery* right) {
    ExportQuery* q = special(op, Value());
    q->left = left;
    q->right = right;
    return q;
  }
  Value tags(std::initializer_list<const char*> names) {
    catalog::ListBuilder list(arena);
    for (const char* n : names) list.add(Value::string(n));
    return list.finish();
  }
  /// The part that the collector's query gives.
  std::string written(const ExportQuery* q) {
    const std::string begin = R"(["and",["=","type","File"],["=","exported",true],["not",["=","certname","me"]])";
    std::string all = resources_query("File", q, "me", arena);
    EXPECT_TRUE(all.starts_with(begin)) << all;
    return all.substr(begin.size());
  }
};

TEST_F(Queries, WritesEveryForm) {
  EXPECT_EQ(written(nullptr), "]");
  EXPECT_EQ(written(parameter("ensure", Value::string("a\"b"))), R"(,["=",["parameter","ensure"],"a\"b"]])");
  EXPECT_EQ(written(parameter("port", Value::integer(80), true)), R"(,["not",["=",["parameter","port"],80]]])");
  EXPECT_EQ(written(special(ExportQuery::Op::Title, Value::string("/x"))), R"(,["=","title","/x"]])");
  EXPECT_EQ(written(special(ExportQuery::Op::Tag, tags({"web"}), true)), R"(,["not",["=","tag","web"]]])");
  EXPECT_EQ(written(special(ExportQuery::Op::Tag, tags({"a", "b"}))), R"(,["or",["=","tag","a"],["=","tag","b"]]])");
}

TEST_F(Queries, KeepsTheNestingOfJoins) {
  const ExportQuery* a = parameter("a", Value::integer(1));
  const ExportQuery* b = parameter("b", Value::integer(2));
  const ExportQuery* c = parameter("c", Value::integer(3));
  const std::string A = R"(["=",["parameter","a"],1])", B = R"(["=",["parameter","b"],2])", C = R"(["=",["parameter","c"],3])";
  using Op = ExportQuery::Op;
  EXPECT_EQ(written(join(Op::Or, join(Op::And, a, b), c)), R"(,["or",["and",)" + A + "," + B + "]," + C + "]]");
  EXPECT_EQ(written(join(Op::And, a, join(Op::Or, b, c))), R"(,["and",)" + A + R"(,["or",)" + B + "," + C + "]]]");
  EXPECT_EQ(written(join(Op::And, join(Op::And, a, b), c)), R"(,["and",)" + A + "," + B + "," + C + "]]");
}

TEST_F(Queries, TakesLongChains) {
  const ExportQuery* q = parameter("a", Value::integer(1));
  for (int i = 0; i < 200000; ++i) q = join(ExportQuery::Op::Or, q, parameter("a", Value::integer(i)));
  EXPECT_GT(written(q).size(), 200000u);
}

TEST(PuppetdbQuery, EncodesUrls) { EXPECT_EQ(percent_encoded("a [\"é\"]&+"), "a%20%5B%22%C3%A9%22%5D%26%2B"); }

struct Asking : testing::Test {
  Arena arena;
  std::vector<std::string> asked, warned;
  std::vector<http::ClientRequest> requests;
  std::map<std::string, http::ClientResponse> answers; // by host; without one nobody listens

  std::unique_ptr<catalog::ExportSource> source(bool sticky = false) {
    SourceOptions how;
    how.config = read_config(
        std::string("[main]\nserver_urls = https://a:1,https://b:1\nsticky_read_failover = ") + (sticky ? "true" : "false"), "f");
    how.warn = [this](const std::string& line) { warned.push_back(line); };
    return make_source(std::move(how), [this](const http::ServerAddress& server, const http::ClientRequest& request) {
      asked.push_back(server.host);
      requests.push_back(request);
      auto it = answers.find(server.host);
      if (it == answers.end()) throw http::ClientError(http::ClientError::Kind::Connect, "connection refused");
      http::ClientResponse out = it->second;
      out.server = server;
      return out;
    });
  }
  std::string problem(catalog::ExportSource& from) {
    try {
      from.find("File", nullptr, "me", arena);
    } catch (const CompileError& e) { return e.diagnostic.message; }
    return "none";
  }
  static http::ClientResponse response(unsigned status, std::string body) {
    http::ClientResponse r;
    r.status = status;
    r.body = std::move(body);
    return r;
  }
};

TEST_F(Asking, KeepsTheOrderOfTheAnswer) {
  answers["a"] = response(200,
                          R"([{"certname":"z","type":"File","title":"/2","parameters":{"mode":"0644"}},{"certname":"b","title":"/1"}])");
  auto from = source();
  const auto found = from->find("File", nullptr, "me", arena);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].node, "z");
  EXPECT_EQ(found[0].title, "/2");
  EXPECT_EQ(found[0].parameters.hash->find("mode")->str(), "0644");
  EXPECT_EQ(found[1].parameters.hash->size, 0u);
  EXPECT_EQ(requests[0].method, "GET");
  EXPECT_TRUE(requests[0].target.starts_with("/pdb/query/v4/resources?query=%5B%22and%22"));
}

TEST_F(Asking, GoesToTheNextServer) {
  answers["b"] = response(200, "[]");
  for (const auto& first : {response(503, "starting"), response(404, "<html>"), response(500, "")}) {
    answers["a"] = first;
    EXPECT_EQ(problem(*source()), "none");
  }
  answers.erase("a");
  auto from = source();
  warned.clear();
  EXPECT_EQ(problem(*from) + problem(*from), "nonenone");
  EXPECT_EQ(warned, std::vector<std::string>{"The PuppetDB at https://a:1 does not answer: connection refused. Asking the next one"});
}

TEST_F(Asking, StaysWithTheServerThatAnswered) {
  answers["b"] = response(200, "[]");
  auto from = source(true);
  problem(*from);
  problem(*from);
  EXPECT_EQ(asked, (std::vector<std::string>{"a", "b", "b"}));
  asked.clear();
  from = source(false);
  problem(*from);
  problem(*from);
  EXPECT_EQ(asked, (std::vector<std::string>{"a", "b", "a", "b"}));
}

TEST_F(Asking, FailsInOneLine) {
  const std::string begin = "Could not retrieve resources from the PuppetDB at https://";
  EXPECT_EQ(problem(*source()), begin + "a:1: connection refused; https://b:1: connection refused");
  answers["a"] = response(400, "bad\nquery\n");
  EXPECT_EQ(problem(*source()), begin + "a:1: status 400: bad query"); // the next server would say the same
  answers["a"] = response(200, "[{\"certname\":");
  EXPECT_TRUE(problem(*source()).starts_with(begin + "a:1: its answer is no JSON: "));
  answers["a"] = response(200, "{}");
  EXPECT_EQ(problem(*source()), begin + "a:1: its answer is no list of resources");
  for (const char* body : {"[1]", "[{}]", R"([{"certname":"a","title":1}])", R"([{"certname":"a","title":"b","parameters":[]}])"}) {
    answers["a"] = response(200, body);
    EXPECT_EQ(problem(*source()), begin + "a:1: its answer has a resource without certname, title or parameters");
  }
}

TEST_F(Asking, PostsLongQueries) {
  answers["a"] = response(200, "[]");
  ExportQuery q;
  const std::string title(7000, 'x');
  q.op = ExportQuery::Op::Title;
  q.value = Value::string(title);
  source()->find("File", &q, "me", arena);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/pdb/query/v4/resources");
  EXPECT_TRUE(requests[0].body.starts_with(R"({"query":["and",)"));
}

} // namespace
} // namespace pupc::puppetdb
