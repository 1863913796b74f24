#include "tools/pupc/node/http_classifier.h"

#include "catalog/json/json_reader.h"
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
  const bool versioned = path.ends_with("/v1") || path.ends_with("/v2");
  out.target = fmt::format("{}{}/classified/nodes/{}", path, versioned ? "" : "/v1", name);
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

/// What the console says of groups that contradict each other, or "".
std::string conflict(const std::string& body) {
  catalog::Arena arena;
  Value root;
  catalog::JsonError unread;
  if (!catalog::parse_json(body, arena, root, unread) || !root.is_hash()) return {};
  const Value *kind = root.hash->find("kind"), *text = root.hash->find("msg");
  const bool is = kind && kind->is_string() && kind->str() == "classification-conflict" && text && text->is_string();
  return is ? puppetdb::one_line(text->str()) : std::string();
}

} // namespace

bool is_http_classifier(std::string_view classifier) { return classifier.starts_with(foreman) || classifier.starts_with(console); }

http::Client& HttpClassifier::client(const http::TlsFiles& tls) {
  const std::lock_guard lock(mutex_);
  if (!client_) {
    http::ClientOptions how;
    how.tls = tls;
    how.connect = how.read = how.total = limit_;
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
    if (const std::string told = response.status == 200 ? "" : conflict(response.body); !told.empty())
      throw_load_error(fmt::format("Classification of {} failed due to a classification conflict: {}", node, told));
    if (response.status != 200) fail(fmt::format("status {}: {}", response.status, puppetdb::one_line(response.body)));
    const std::lock_guard lock(mutex_);
    return answers_[key] = std::move(response.body);
  } catch (const std::invalid_argument& e) { fail(e.what()); } catch (const http::ClientError& e) {
    fail(puppetdb::one_line(e.what()));
  } catch (const http::TlsError& e) { fail(puppetdb::one_line(e.what())); }
  return {};
}

} // namespace pupc::cli
