// Client and server against each other, with certificates of a CA that the test makes.
#include "tools/http/client.h"
#include "tools/http/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace pupc::http {
namespace {

using namespace std::chrono_literals;

void run(const std::string& command) {
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) throw std::runtime_error("failed: " + command);
}

/// A CA with two clients, one of them revoked, and a server called localhost.
struct Certificates {
  std::string dir;

  Certificates() {
    char name[] = "/tmp/pupc-http-XXXXXX";
    dir = mkdtemp(name);
    std::ofstream(dir + "/ca.cnf") << fmt::format(
        "[ca]\ndefault_ca=c\n[c]\ndatabase={0}/index\nnew_certs_dir={0}\nserial={0}/serial\n"
        "default_md=sha256\ndefault_days=30\ndefault_crl_days=30\npolicy=p\ncopy_extensions=copy\n"
        "[p]\ncommonName=supplied\n[req]\ndistinguished_name=d\n[d]\n",
        dir);
    std::ofstream(dir + "/index").close();
    std::ofstream(dir + "/serial") << "01\n";
    run(fmt::format("cd {} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 30 "
                    "-subj '/CN=Test CA'",
                    dir));
    for (const char* host : {"localhost", "web1", "gone"}) {
      run(fmt::format("cd {0} && openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout {1}.key -out {1}.csr -subj "
                      "/CN={1} -addext "
                      "subjectAltName=DNS:{1} -addext 1.3.6.1.4.1.34380.1.1.1=ASN1:UTF8String:id-{1}",
                      dir, host));
      run(fmt::format("cd {0} && openssl ca -batch -config ca.cnf -cert ca.pem -keyfile ca.key -in {1}.csr -out {1}.pem", dir, host));
    }
    run(fmt::format("cd {} && openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke gone.pem && openssl ca -config ca.cnf -cert "
                    "ca.pem -keyfile ca.key -gencrl -out crl.pem",
                    dir));
  }
  ~Certificates() { std::filesystem::remove_all(dir); }
  TlsFiles files(const std::string& name) const {
    TlsFiles out;
    if (!name.empty()) {
      out.certificate = dir + "/" + name + ".pem";
      out.key = dir + "/" + name + ".key";
    }
    out.ca = dir + "/ca.pem";
    out.crl = dir + "/crl.pem";
    return out;
  }
};

const Certificates& certificates() {
  static const Certificates made;
  return made;
}

/// Answers with what it was asked; "/late" after a while, "/file" with a file, "/lost" never.
class Echo : public Handler {
public:
  std::atomic<bool> late_begun = false;

  Admission admit(const Request& request) override {
    if (request.target == "/no") {
      Response refused;
      refused.status = 403;
      return {0, std::move(refused)};
    }
    return {1 << 20, std::nullopt};
  }
  void handle(Request request, Reply reply) override {
    if (request.target == "/lost") return;
    if (request.target == "/late") {
      late_begun = true;
      std::thread([reply] {
        std::this_thread::sleep_for(300ms);
        reply({200, {}, "late", std::nullopt, 0, false});
      }).detach();
      return;
    }
    Response response;
    if (request.target == "/file") {
      const std::string path = certificates().dir + "/big";
      std::ofstream(path) << std::string(3000000, 'x');
      response.file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      response.file_size = 3000000;
      return reply(std::move(response));
    }
    const auto& certificate = request.peer->certificate;
    response.headers.add("X-Peer", certificate ? certificate->common_name : "none");
    response.body = fmt::format("{} {} {}", request.method, request.target, request.body.size());
    reply(std::move(response));
  }
  void finished(const Request& request, unsigned status, uint64_t, std::chrono::microseconds) override {
    std::lock_guard lock(mutex);
    lines.push_back(fmt::format("{} {}", request.target, status));
  }
  void connection_problem(const std::string&, const std::string& problem) override {
    std::lock_guard lock(mutex);
    lines.push_back(problem);
  }
  bool told(std::string_view part) {
    for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(10ms)) {
      std::lock_guard lock(mutex);
      if (std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; })) return true;
    }
    return false;
  }
  std::mutex mutex;
  std::vector<std::string> lines;
};

struct HttpTest : testing::Test {
  HttpTest() {
    ServerOptions options;
    options.address = "127.0.0.1";
    options.port = 0;
    server.emplace(options, std::make_shared<TlsContext>(certificates().files("localhost"), TlsSide::Server), echo);
    server->start();
    address.host = "localhost";
    address.port = server->port();
  }
  Client client(const std::string& name) {
    ClientOptions options;
    options.tls = certificates().files(name);
    return Client(options);
  }
  std::string problem(const std::string& name, ClientRequest request = {}) {
    try {
      return fmt::format("status {}", client(name).send(address, request).status);
    } catch (const ClientError& e) { return e.what(); }
  }
  Echo echo;
  std::optional<Server> server;
  ServerAddress address;
};

TEST_F(HttpTest, RequestsOnOneConnection) {
  auto c = client("web1");
  ClientRequest request;
  request.target = "/a?b=%20";
  auto response = c.send(address, request);
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.body, "GET /a?b=%20 0");
  EXPECT_EQ(response.headers.get("x-peer"), "web1");
  request.method = "POST";
  request.body.assign(900000, 'y');
  EXPECT_EQ(c.send(address, request).body, "POST /a?b=%20 900000");
  request = {};
  request.method = "HEAD";
  EXPECT_EQ(c.send(address, request).body, "");
  EXPECT_EQ(c.send(address, {}).body, "GET / 0");
  EXPECT_EQ(server->counts().connections, 1u);
  EXPECT_EQ(server->counts().requests, 4u);
}

TEST_F(HttpTest, RefusedBodies) {
  ClientRequest request;
  request.method = "PUT";
  request.body.assign(2 << 20, 'y');
  EXPECT_EQ(problem("web1", request), "status 413");
  request.target = "/no";
  EXPECT_EQ(problem("web1", request), "status 403");
  EXPECT_TRUE(echo.told("/no 403"));
}

TEST_F(HttpTest, Certificates) {
  EXPECT_EQ(client("").send(address, {}).headers.get("X-Peer"), "none");
  EXPECT_NE(problem("gone"), "status 200");
  EXPECT_TRUE(echo.told("certificate revoked"));
  address.host = "127.0.0.1";
  EXPECT_NE(problem("web1").find("mismatch"), std::string::npos) << problem("web1");
}

TEST_F(HttpTest, LostAndLateAnswers) {
  ClientRequest request;
  request.target = "/lost";
  EXPECT_EQ(problem("web1", request), "status 500");
  request.target = "/late";
  EXPECT_EQ(client("web1").send(address, request).body, "late");
  ClientOptions impatient;
  impatient.tls = certificates().files("web1");
  impatient.read = 50ms;
  Client c(impatient);
  try {
    c.send(address, request);
    FAIL() << "it must not wait";
  } catch (const ClientError& e) { EXPECT_EQ(e.kind, ClientError::Kind::Timeout) << e.what(); }
}

TEST_F(HttpTest, FilesInParts) {
  ClientRequest request;
  request.target = "/file";
  size_t bytes = 0;
  const auto response = client("web1").receive(address, request, [&](std::string_view part) {
    bytes += part.size();
    return true;
  });
  EXPECT_EQ(bytes, 3000000u);
  EXPECT_EQ(response.body, "");
  EXPECT_THROW(client("web1").receive(address, request, [&](std::string_view) { return false; }), ClientError);
}

TEST_F(HttpTest, AnotherServer) {
  ServerAddress closed = address;
  closed.port = 1;
  const std::array both{closed, address};
  auto c = client("web1");
  EXPECT_EQ(c.send(both, {}).server, address);
  EXPECT_THROW(c.send(closed, {}), ClientError);
}

TEST_F(HttpTest, AServerThatDrains) {
  auto c = client("web1");
  c.send(address, {});
  ClientRequest late;
  late.target = "/late";
  std::string body;
  std::thread other([&] { body = client("web1").send(address, late).body; });
  while (!echo.late_begun) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(server->drain(5s));
  other.join();
  EXPECT_EQ(body, "late");
  EXPECT_THROW(c.send(address, {}), ClientError);
}

TEST(HttpFiles, WrongOnesAreNamed) {
  TlsFiles files = certificates().files("web1");
  files.key = certificates().dir + "/gone.key";
  EXPECT_THROW(TlsContext(files, TlsSide::Server), TlsError);
  files = certificates().files("web1");
  files.crl = certificates().dir + "/none.pem";
  try {
    TlsContext(files, TlsSide::Server);
    FAIL();
  } catch (const TlsError& e) {
    EXPECT_EQ(e.what(), fmt::format("Could not use the revocation list '{}': No such file or directory", files.crl));
  }
}

TEST(HttpMessage, Parts) {
  EXPECT_TRUE(accepts_gzip("gzip;q=1.0,deflate;q=0.6,identity;q=0.3"));
  EXPECT_TRUE(accepts_gzip("deflate, *"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0, *"));
  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  std::string path;
  EXPECT_EQ(read_url("https://puppetdb:8081/pdb", &path).url(), "https://puppetdb:8081");
  EXPECT_EQ(path, "/pdb");
  EXPECT_EQ(read_url("http://[::1]").url(), "http://[::1]:80");
  EXPECT_THROW(read_url("puppetdb:8081"), std::invalid_argument);
  EXPECT_THROW(read_url("https://a:0"), std::invalid_argument);
}

} // namespace
} // namespace pupc::http
