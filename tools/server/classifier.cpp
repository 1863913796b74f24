#include "tools/server/classifier.h"

#include "tools/pupc/node/enc.h"
#include "tools/pupc/node/http_classifier.h"

namespace pupc::server {
namespace {

constexpr size_t most_answers = 10000, most_bytes = size_t(16) << 20;

} // namespace

std::string Classifier::ask(const std::string& node, const Value& facts, const Value& trusted) const {
  if (!cli::is_http_classifier(command_)) return cli::ask_classifier(command_, node, limit_);
  return cli::HttpClassifier(limit_).ask(command_, tls_, node, facts, trusted); // of its own: one that lives on keeps all answers
}

std::string Classifier::classify(NodeData& node, const Value& facts, const Value& trusted) {
  if (command_.empty()) return {};
  const std::string name(node.input.name);
  std::shared_ptr<const std::string> text = wants_facts() ? nullptr : kept(name);
  if (text != nullptr) return cli::take_classification(command_, *text, node);
  text = std::make_shared<const std::string>(ask(name, facts, trusted));
  std::string environment = cli::take_classification(command_, *text, node);
  if (!wants_facts()) keep(name, std::move(text));
  return environment;
}

std::shared_ptr<const std::string> Classifier::kept(const std::string& node) {
  std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  while (!answers_.empty() && answers_.front().until <= now) drop_first();
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? nullptr : found->second->text;
}

void Classifier::keep(const std::string& node, std::shared_ptr<const std::string> text) {
  if (keep_.count() == 0) return;
  std::lock_guard lock(mutex_);
  if (by_node_.contains(node)) return; // another request has just asked
  bytes_ += text->size();
  answers_.push_back({node, std::move(text), Clock::now() + keep_});
  by_node_.emplace(answers_.back().node, std::prev(answers_.end()));
  while (answers_.size() > most_answers || bytes_ > most_bytes) drop_first();
}

void Classifier::drop_first() {
  bytes_ -= answers_.front().text->size();
  by_node_.erase(answers_.front().node);
  answers_.pop_front();
}

} // namespace pupc::server
