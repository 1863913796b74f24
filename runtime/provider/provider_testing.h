#pragma once
// Support for tests of handlers: a run on a fake machine that evaluates single resources.
#include "runtime/provider/handlers.h"
#include "runtime/sys/fake_system.h"

#include <cctype>
#include <fmt/format.h>
#include <map>

namespace pupc::runtime {

/// A base class, so that these parts exist before the RunContext that refers to them.
struct FakeRunParts {
  FakeSystem fake;

protected:
  Arena arena_;
  RunSettings settings_;
};

class FakeRun : public FakeRunParts, public RunContext {
public:
  FakeRun() : RunContext(fake, arena_, settings_) {}
  /// A run on another System than the fake one.
  explicit FakeRun(System& machine) : RunContext(machine, arena_, settings_) {}

  std::vector<std::string> logs; // "notice: /Stage[main]/Main/File[/x]/mode: text"
  std::map<std::string, Value, std::less<>> facts;
  std::vector<std::unique_ptr<ManagedResource>> resources;
  RunSettings& changeable_settings() { return settings_; }

  /// Adds a resource to the catalog and returns it: `make("file", "/x", {{"ensure", text("file")}})`.
  ManagedResource& make(std::string_view type, std::string_view title, std::vector<std::pair<std::string, Value>> attributes = {}) {
    auto r = std::make_unique<ManagedResource>();
    r->type = type;
    r->printed_type = type;
    r->printed_type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(r->printed_type[0])));
    r->title = title;
    r->path = "/Stage[main]/Main/" + r->reference();
    for (auto& [name, value] : attributes) r->set(name, value);
    resources.push_back(std::move(r));
    return *resources.back();
  }
  Value text(std::string_view s) { return string_value(arena_, s); }
  Value list(std::initializer_list<std::string_view> items) {
    ListBuilder b(arena_);
    for (auto s : items) b.add(text(s));
    return b.finish();
  }

  /// Evaluates one resource: prepare, retrieve, plan and, unless noop, apply and flush. Returns the changes; failed ones have `failure`
  /// set.
  std::vector<PropertyChange> turn(TypeHandler& handler, ManagedResource& resource, bool noop = false) {
    prepare_resource(handler, resource, *this);
    ManagedResource* all[] = {&resource};
    handler.prefetch(all, *this);
    Present present = handler.retrieve(resource, *this);
    std::vector<PropertyChange> changes = handler.plan(resource, present, *this);
    if (noop) return changes;
    for (PropertyChange& c : changes) {
      if (!c.failure.empty()) continue;
      try {
        handler.apply(resource, present, c, *this);
      } catch (const std::exception& e) { c.failure = e.what(); }
    }
    if (!changes.empty()) handler.flush(resource, present, *this);
    return changes;
  }

  using RunContext::log;
  void log_from(LogLevel level, std::string source, std::string_view message, const ManagedResource*) override {
    logs.push_back(fmt::format("{}: {}: {}", name_of(level), source, message));
  }
  std::vector<ManagedResource*> all_resources() override {
    std::vector<ManagedResource*> out;
    for (const auto& r : resources) out.push_back(r.get());
    return out;
  }
  void log(LogLevel level, const ManagedResource& r, std::string_view message, std::string_view property) override {
    logs.push_back(fmt::format("{}: {}{}{}: {}", name_of(level), r.path, property.empty() ? "" : "/", property, message));
  }
  void log(LogLevel level, std::string_view message) override { logs.push_back(fmt::format("{}: {}", name_of(level), message)); }
  ManagedResource* find(std::string_view type, std::string_view title) override {
    for (auto& r : resources)
      if (r->type == type && r->title == title) return r.get();
    return nullptr;
  }
  std::vector<ManagedResource*> resources_of(std::string_view type) override {
    std::vector<ManagedResource*> out;
    for (auto& r : resources)
      if (r->type == type) out.push_back(r.get());
    return out;
  }
  Value fact(std::string_view dotted) override {
    auto it = facts.find(dotted);
    return it == facts.end() ? Value::undef() : it->second;
  }
};

} // namespace pupc::runtime
