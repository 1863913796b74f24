#include "tools/pupc/node/http_classifier.h"

#include "catalog/json/json_writer.h"
#include "compiler/load/load_error.h"
#include "tools/puppetdb/plain_value.h"
#include "tools/puppetdb/query.h"

#include <fmt/format.h>
#include <stdexcept>

namespace pupc::cli {
namespace {

using compiler::throw_load_error;

constexpr std::string_view foreman = "foreman:", console = "console:";
constexpr std::chrono::seconds exchange_limit{30}; // of one exchange

http::ClientRequest question(bool of_console, const std::string& path, const std::string& node, const Value& facts, const Value& trusted) {
  http::ClientRequest out;
  const std::string name = puppetdb::percent_encoded(node);
  out.repeatable = true;
  if (!of_console) {
    out.target = fmt::format("{}/node/{}?format=yml", path, name);
    out.headers.add("Accept", "application/yaml, text/yaml, */*");
    return out;
  }
  out.method = "POST";
  out.target = fmt::format("{}/v1/classified/nodes/{}", path, name);
  out.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  catalog::JsonWriter json(out.body);
  json.begin_object();
  for (const auto& [key, value] : {std::pair("fact", &facts), std::pair("trusted", &trusted)}) {
    if (!value->is_hash()) continue;
    json.key(key);
    puppetdb::write_plain(json, *value);
  }
  json.end_object();
  return out;
}

} // namespace

bool is_http_classifier(std::string_view classifier) { return classifier.starts_with(foreman) || classifier.starts_with(console); }

http::Client& HttpClassifier::client(const http::TlsFiles& tls) {
  const std::lock_guard lock(mutex_);
  if (!client_) {
    http::ClientOptions how;
    how.tls = tls;
    how.connect = how.read = how.total = exchange_limit;
    client_ = std::make_unique<http::Client>(std::move(how));
  }
  return *client_;
}

std::string HttpClassifier::ask(const std::string& classifier, const http::TlsFiles& tls, const std::string& node, const Value& facts,
                                const Value& trusted) {
  const bool of_console = classifier.starts_with(console);
  const std::string url = classifier.substr(of_console ? console.size() : foreman.size());
  const auto fail = [&](std::string_view why) { throw_load_error(fmt::format("Could not classify {} at {}: {}", node, url, why)); };
  try {
    std::string path;
    const http::ServerAddress server = http::read_url(url, &path);
    if (!server.tls) fail("it must be https");
    while (path.ends_with('/')) path.pop_back();
    const http::ClientRequest request = question(of_console, path, node, facts, trusted);
    const std::string key = fmt::format("{}\n{}\n{}", server.url(), request.target, request.body);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = answers_.find(key); known != answers_.end()) return known->second;
    }
    http::ClientResponse response = client(tls).send(server, request);
    if (response.status == 404) throw_load_error(fmt::format("Could not find node '{}'; cannot compile", node));
    if (response.status != 200) fail(fmt::format("status {}: {}", response.status, puppetdb::one_line(response.body)));
    const std::lock_guard lock(mutex_);
    return answers_[key] = std::move(response.body);
  } catch (const std::invalid_argument& e) { fail(e.what()); } catch (const http::ClientError& e) {
    fail(puppetdb::one_line(e.what()));
  } catch (const http::TlsError& e) { fail(puppetdb::one_line(e.what())); }
  return {};
}

} // namespace pupc::cli
