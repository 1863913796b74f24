#pragma once
// The node classifier's answers, kept for a short time: an agent's run asks for the same node two or three times.
#include "compiler/build/compile.h"
#include "tools/http/client.h"
#include "tools/server/visible_names.h"

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pupc::server {

class Classifier {
public:
  /// `command`: as --enc takes it, "" for none. `tls`: the certificates for a server that is asked. `limit`: until a program or server
  /// must have answered; `keep`: how long an answer holds.
  Classifier(std::string command, http::TlsFiles tls, std::chrono::milliseconds limit, std::chrono::milliseconds keep)
      : command_(std::move(command)), tls_(std::move(tls)), limit_(limit), keep_(keep) {}

  /// Whether the answer depends on facts and trusted data.
  bool wants_facts() const { return command_.starts_with("console:"); }

  /// As classify_node; "" without a classifier. What failed is not kept. The console's classifier gets the node's facts and trusted data
  /// (Hashes or undef), and is asked anew each time: it answers by them.
  std::string classify(NodeData& node, const Value& facts, const Value& trusted);

private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::string node;
    std::shared_ptr<const std::string> text;
    Clock::time_point until;
  };
  std::string ask(const std::string& node, const Value& facts, const Value& trusted) const;
  std::shared_ptr<const std::string> kept(const std::string& node);
  void keep(const std::string& node, std::shared_ptr<const std::string> text);
  void drop_first();

  const std::string command_;
  const http::TlsFiles tls_;
  const std::chrono::milliseconds limit_, keep_;
  std::mutex mutex_;
  std::list<Kept> answers_; // the oldest first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_node_;
  size_t bytes_ = 0;
};

} // namespace pupc::server
