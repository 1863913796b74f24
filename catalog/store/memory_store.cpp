// The store in memory, with the reference implementation of queries.
#include "catalog/base/diagnostic.h"
#include "catalog/base/stack.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/store/values.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace pupc::catalog {

void store_failed(std::string message) {
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.message = std::move(message);
  throw CompileError(std::move(d));
}

Value parameters_from(std::span<const std::pair<std::string, std::string>> parameters, Arena& into) {
  HashBuilder hash(into);
  for (const auto& [name, text] : parameters) {
    Value value;
    JsonError error;
    if (!parse_json(text, into, value, error)) store_failed("Exported resources: a stored value is broken: " + error.message);
    hash.set(into.copy(name), value);
  }
  return hash.finish();
}

Value parameters_from(std::string_view json_object, Arena& into) {
  Value value;
  JsonError error;
  if (!parse_json(json_object, into, value, error) || !value.is_hash())
    store_failed("Exported resources: stored parameters are broken: " + error.message);
  return value;
}

std::string parameters_text(const StoredResource& resource) {
  std::string all;
  JsonWriter json(all);
  json.begin_object();
  for (const auto& [name, value] : resource.parameters) {
    json.key(name);
    json.raw([&text = value](std::string& out) { out += text; });
  }
  json.end_object();
  return all;
}

void add_text(TypeTexts& texts, std::string_view type, std::string_view title, std::string_view parameters,
              const std::set<std::string, std::less<>>& tags) {
  auto at = texts.find(type);
  if (at == texts.end()) at = texts.emplace(type, "").first;
  at->second += fmt::format("{} {} {} {} {}\n", title.size(), title, parameters.size(), parameters, fmt::join(tags, " "));
}

TypeTexts type_texts(std::span<const StoredResource> resources) {
  TypeTexts out;
  for (const StoredResource& r : resources) add_text(out, r.type, r.title, parameters_text(r), {r.tags.begin(), r.tags.end()});
  return out;
}

std::set<std::string> changed_types(const TypeTexts& before, const TypeTexts& after) {
  std::set<std::string> out;
  for (const auto& [type, text] : before)
    if (const auto now = after.find(type); now == after.end() || now->second != text) out.insert(type);
  for (const auto& [type, text] : after)
    if (!before.contains(type)) out.insert(type);
  return out;
}

namespace {

bool matches(const ExportQuery& q, const StoredResource& r, Arena& scratch) {
  check_native_stack();
  auto one = [&] {
    switch (q.op) {
    case ExportQuery::Op::Title: return q.value.is_string() && q.value.str() == r.title;
    case ExportQuery::Op::Tag:
      return std::any_of(q.value.items().begin(), q.value.items().end(),
                         [&](const Value& t) { return std::find(r.tags.begin(), r.tags.end(), t.str()) != r.tags.end(); });
    case ExportQuery::Op::Parameter:
      return std::any_of(r.parameters.begin(), r.parameters.end(),
                         [&](const auto& p) { return p.first == q.attribute && p.second == json_text(q.value, scratch); });
    default: return false;
    }
  };
  if (q.op != ExportQuery::Op::And && q.op != ExportQuery::Op::Or) return one() != q.negated;
  // Long chains of the same operator are nested to the left. Walk them in a loop, because recursion could use up the stack.
  const bool decides = q.op == ExportQuery::Op::Or;
  const ExportQuery* at = &q;
  for (; at->op == q.op; at = at->left)
    if (matches(*at->right, r, scratch) == decides) return decides;
  return matches(*at, r, scratch);
}

class MemoryStore final : public ExportStore {
public:
  using Nodes = std::map<std::string, std::shared_ptr<const StoredNode>, std::less<>>;

  std::set<std::string> replace(const StoredNode& node) override {
    std::lock_guard lock(mutex_);
    std::shared_ptr<const StoredNode>& place = nodes_[node.name];
    const std::shared_ptr<const StoredNode> before = std::exchange(place, std::make_shared<StoredNode>(node));
    return changed_types(before ? type_texts(before->exported) : TypeTexts(), type_texts(node.exported));
  }
  void remove(std::string_view node) override {
    std::lock_guard lock(mutex_);
    if (auto it = nodes_.find(node); it != nodes_.end()) nodes_.erase(it);
  }
  std::vector<std::string> nodes() override {
    std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, node] : nodes_) names.push_back(name);
    return names;
  }
  StoredNode node(std::string_view name) override {
    std::lock_guard lock(mutex_);
    auto it = nodes_.find(name);
    if (it == nodes_.end()) return {};
    StoredNode copy = *it->second;
    copy.exported.clear();
    return copy;
  }
  void begin_snapshot() override {
    std::lock_guard lock(mutex_);
    snapshot_ = nodes_;
    in_snapshot_ = true;
  }
  void end_snapshot() override {
    std::lock_guard lock(mutex_);
    snapshot_.clear();
    in_snapshot_ = false;
  }
  std::vector<ExportedResource> find(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& into) override {
    Nodes seen;
    {
      std::lock_guard lock(mutex_);
      seen = in_snapshot_ ? snapshot_ : nodes_;
    }
    std::vector<ExportedResource> found;
    for (const auto& [name, node] : seen) {
      if (name == asking) continue;
      for (const StoredResource& r : node->exported)
        if (r.type == type && (query == nullptr || matches(*query, r, into)))
          found.push_back({into.copy(name), into.copy(r.title), parameters_from(r.parameters, into)});
    }
    return found;
  }

private:
  std::mutex mutex_;
  Nodes nodes_, snapshot_;
  bool in_snapshot_ = false;
};

} // namespace

std::unique_ptr<ExportStore> make_memory_store() { return std::make_unique<MemoryStore>(); }

} // namespace pupc::catalog
