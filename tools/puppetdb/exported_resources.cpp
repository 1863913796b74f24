#include "tools/puppetdb/exported_resources.h"

#include "catalog/base/diagnostic.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "tools/puppetdb/plain_value.h"
#include "tools/puppetdb/query.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace pupc::puppetdb {
namespace {

using catalog::Arena;
using catalog::CompileError;
using catalog::Diagnostic;
using catalog::ErrorCode;
using catalog::ExportedResource;
using catalog::ExportQuery;
using catalog::Value;

// Longer queries do not fit into the line of a request, which servers limit to 8 KB.
constexpr size_t longest_url_query = 6000;

constexpr std::string_view for_resources = "Could not retrieve resources from the PuppetDB at ";

[[noreturn]] void fail(const std::string& message, std::string_view what = for_resources) {
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.message = std::string(what) + message;
  throw CompileError(std::move(d));
}

class Source final : public catalog::ExportSource {
public:
  Source(SourceOptions options, Send send) : options_(std::move(options)), send_(std::move(send)) {}

  std::vector<ExportedResource> find(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& into) override {
    const std::string text = resources_query(type, query, asking, into);
    http::ClientRequest request;
    request.headers.add("Accept", "application/json");
    request.repeatable = true;
    const std::string encoded = percent_encoded(text);
    if (encoded.size() <= longest_url_query) {
      request.target = "/pdb/query/v4/resources?query=" + encoded;
    } else {
      request.method = "POST";
      request.target = "/pdb/query/v4/resources";
      request.headers.add("Content-Type", "application/json; charset=UTF-8");
      request.body = "{\"query\":" + text + "}";
    }
    const http::ClientResponse response = answer(request);
    return resources(response, into);
  }

  Value query(const Value& text, Arena& into) override {
    http::ClientRequest request;
    request.method = "POST";
    request.target = "/pdb/query/v4";
    request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json; charset=UTF-8"}};
    request.repeatable = true;
    catalog::JsonWriter json(request.body);
    json.begin_object();
    json.key("query");
    write_plain(json, text);
    json.end_object();
    const http::ClientResponse response = answer(request, "Could not query the PuppetDB at ");
    Value out;
    read(response, into, out);
    return out;
  }

private:
  http::ClientResponse send(const http::ServerAddress& server, const http::ClientRequest& request) {
    if (send_) return send_(server, request);
    {
      std::lock_guard lock(mutex_);
      if (!client_) {
        http::ClientOptions how;
        how.tls = options_.tls;
        const std::chrono::milliseconds limit = options_.config.server_url_timeout;
        how.total = limit;
        if (limit.count() > 0) how.connect = how.read = limit;
        client_ = std::make_unique<http::Client>(std::move(how));
      }
    }
    return client_->send(server, request);
  }

  /// The response of the first server that has one. A server that is starting answers 404 or 503, so the next one is asked then.
  http::ClientResponse answer(const http::ClientRequest& request, std::string_view what = for_resources) {
    const auto& servers = options_.config.server_urls;
    const size_t first = options_.config.sticky_read_failover ? last_good_.load() % servers.size() : 0;
    std::string problems;
    for (size_t i = 0; i < servers.size(); ++i) {
      const size_t at = (first + i) % servers.size();
      std::string problem;
      try {
        http::ClientResponse response = send(servers[at], request);
        if (response.status < 500 && response.status != 404) {
          last_good_ = at;
          if (response.status != 200)
            fail(fmt::format("{}: status {}: {}", servers[at].url(), response.status, one_line(response.body)), what);
          return response;
        }
        problem = fmt::format("status {}", response.status);
        if (const std::string body = one_line(response.body); !body.empty()) problem += ": " + body;
      } catch (const http::ClientError& e) { problem = one_line(e.what()); } catch (const http::TlsError& e) {
        fail(fmt::format("{}: {}", servers[at].url(), one_line(e.what())), what); // our own files: no other server helps
      }
      if (i + 1 < servers.size())
        warn(fmt::format("The PuppetDB at {} does not answer: {}. Asking the next one", servers[at].url(), problem));
      problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", servers[at].url(), problem);
    }
    fail(problems, what);
  }

  /// Tells each problem once: many nodes meet the same.
  void warn(const std::string& line) {
    if (!options_.warn) return;
    std::lock_guard lock(mutex_);
    if (told_.insert(line).second) options_.warn(line);
  }

  static void read(const http::ClientResponse& response, Arena& into, Value& out) {
    catalog::JsonError error;
    if (!catalog::parse_json(response.body, into, out, error))
      fail(fmt::format("{}: its answer is no JSON: {} (line {}, column {})", response.server.url(), error.message, error.line,
                       error.column));
  }

  static std::vector<ExportedResource> resources(const http::ClientResponse& response, Arena& into) {
    const std::string place = response.server.url();
    Value list;
    read(response, into, list);
    if (!list.is_list()) fail(fmt::format("{}: its answer is no list of resources", place));
    std::vector<ExportedResource> found;
    found.reserve(list.items().size());
    for (const Value& item : list.items()) {
      const Value* node = item.is_hash() ? item.hash->find("certname") : nullptr;
      const Value* title = item.is_hash() ? item.hash->find("title") : nullptr;
      const Value* parameters = item.is_hash() ? item.hash->find("parameters") : nullptr;
      const bool none = parameters == nullptr || parameters->is_undef();
      if (node == nullptr || !node->is_string() || title == nullptr || !title->is_string() || (!none && !parameters->is_hash()))
        fail(fmt::format("{}: its answer has a resource without certname, title or parameters", place));
      found.push_back({node->str(), title->str(), none ? catalog::HashBuilder(into).finish() : *parameters});
    }
    return found;
  }

  const SourceOptions options_;
  const Send send_;
  std::atomic<size_t> last_good_{0};
  std::mutex mutex_;
  std::unique_ptr<http::Client> client_;
  std::set<std::string> told_;
};

} // namespace

std::unique_ptr<catalog::ExportSource> make_source(SourceOptions options, Send send) {
  return std::make_unique<Source>(std::move(options), std::move(send));
}

} // namespace pupc::puppetdb
