#include "tools/fuzz/server_targets.h"

#include "catalog/base/text.h"
#include "tools/agent/srv_records.h"
#include "tools/server/application.h"

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unistd.h>

namespace pupc::fuzz {
namespace {

namespace fs = std::filesystem;
using namespace pupc::server;

/// A server without a network, over an environment of its own.
class QuietServer {
public:
  QuietServer() : top_(make_directory()), log_("none", LogLevel::Emerg), access_("none"), application_(make_core(), log_, access_) {}
  ~QuietServer() { fs::remove_all(top_); }

  /// Gives the request to the server, and waits for the answer.
  void ask(http::Request request) {
    const http::Handler::Admission admission = application_.admit(request);
    if (admission.refusal || request.body.size() > admission.most_body) return;
    std::mutex mutex;
    std::condition_variable answered;
    bool done = false;
    application_.handle(std::move(request), [&](http::Response) {
      std::lock_guard lock(mutex);
      done = true;
      answered.notify_one();
    });
    std::unique_lock lock(mutex);
    answered.wait(lock, [&] { return done; });
    lock.unlock();
    if (++asked_ % 1000 == 0) // facts, reports and buckets grow
      for (const char* kept : {"/var/reports", "/var/bucket", "/var/server_data"}) fs::remove_all(top_ + kept);
  }

private:
  static std::string make_directory() {
    std::string name = (fs::temp_directory_path() / "pupc-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return name;
  }
  void write(const std::string& file, std::string_view text) {
    fs::create_directories(fs::path(top_ + file).parent_path());
    std::ofstream(top_ + file) << text;
  }
  std::shared_ptr<Core> make_core() {
    write("/code/production/manifests/site.pp", "notify { 'a': message => \"${facts['x']} ${trusted['extensions']}\" }\n");
    write("/code/production/modules/demo/files/tree/a", "a\n");
    write("/code/production/modules/demo/lib/facter/f.rb", "# f\n");
    write("/code/production/modules/demo/manifests/init.pp", "class demo(Integer $x = 3) { }\n");
    write("/puppet.conf", "[main]\ncertname = localhost\nca_server = localhost\nvardir = " + top_ + "/var\nenvironmentpath = " + top_ +
                              "/code\nreports = store,log\n");
    const std::string conf = top_ + "/puppet.conf";
    const std::string_view words[] = {"--config", conf, "--ruby", "never", "--max-time", "5", "--jobs", "1"};
    bool help = false;
    return std::make_shared<Core>(read_settings(words, help), log_);
  }

  std::string top_;
  ServerLog log_;
  LogFile access_;
  Application application_;
  size_t asked_ = 0;
};

/// The text up to the next line end, which is taken with it.
std::string_view next_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

} // namespace

void server_request(std::string_view input) {
  static QuietServer server;
  http::Request request;
  std::string_view head = next_line(input);
  const size_t blank = std::min(head.find(' '), head.size());
  request.method = head.substr(0, blank);
  request.target = head.substr(std::min(blank + 1, head.size()));
  auto peer = std::make_shared<http::Peer>();
  std::optional<std::string> name;
  std::string extension;
  while (!input.empty()) {
    const std::string_view line = next_line(input);
    if (line.empty()) break;
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view value = catalog::trimmed(line.substr(std::min(colon + 1, line.size())));
    if (line.substr(0, colon) == "X-Name") name = value;
    if (line.substr(0, colon) == "X-Extension") extension = value;
    request.headers.add(std::string(line.substr(0, colon)), std::string(value));
  }
  if (name) {
    auto certificate = std::make_shared<http::PeerCertificate>();
    certificate->common_name = *name;
    certificate->extensions = {{"1.3.6.1.4.1.34380.1.1.13", extension}, {"1.3.6.1.4.1.34380.1.2.1", extension}};
    peer->certificate = std::move(certificate);
  }
  request.peer = std::move(peer);
  request.body = input;
  server.ask(std::move(request));
}

void auth_conf(std::string_view input) {
  try {
    const AuthRules rules(std::string(input), "auth.conf");
    Caller caller;
    caller.name = "node.example.com";
    caller.extensions = {{"pp_cli_auth", "true"}};
    for (const char* text : {"/puppet/v3/catalog/node.example.com?environment=production", "/puppet/v3/file_content/modules/a/b",
                             "/status/v1/simple", "/x%20y"}) {
      Target target;
      if (read_target(text, target) != TargetProblem::None) continue;
      rules.verdict("GET", target, caller);
      rules.verdict("PUT", target, {});
    }
  } catch (const AuthError&) {}
}

void fileserver_conf(std::string_view input) {
  try {
    read_file_mounts(input, "fileserver.conf");
  } catch (const MountError&) {}
}

void srv_answer(std::string_view input) {
  auto records = cli::agent::read_srv_answer({reinterpret_cast<const unsigned char*>(input.data()), input.size()});
  if (records) cli::agent::in_srv_order(std::move(*records), [](int64_t) { return int64_t(0); });
}

} // namespace pupc::fuzz
