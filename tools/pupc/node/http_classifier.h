#pragma once
// Classifiers that are asked over HTTPS: Foreman, and the console's node classifier.
#include "catalog/value/value.h"
#include "tools/http/client.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace pupc::cli {

using catalog::Value;

/// Whether the classifier is one of these: `foreman:https://HOST[:PORT]`, `console:https://HOST:4433/classifier-api[/VERSION]`. The version
/// is v1, as Puppet's own terminus asks, or v2.
bool is_http_classifier(std::string_view classifier);

/// Asks such a classifier, and keeps its answers: a fleet's compile asks for a node several times. Thread-safe.
class HttpClassifier {
public:
  /// `limit`: until the server must have answered.
  explicit HttpClassifier(std::chrono::milliseconds limit = std::chrono::seconds(30)) : limit_(limit) {}

  /// The answer for a node, YAML or JSON. `classifier`: see is_http_classifier. The console gets the facts and trusted data (Hashes or
  /// undef), by which its rules choose. Throws CompileError with the server and what was wrong.
  std::string ask(const std::string& classifier, const http::TlsFiles& tls, const std::string& node, const Value& facts,
                  const Value& trusted);

private:
  http::Client& client(const http::TlsFiles& tls);

  const std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::unique_ptr<http::Client> client_;
  std::map<std::string, std::string> answers_; // by the whole question
};

} // namespace pupc::cli
