// notify: a message in the log.
#include "runtime/provider/registry.h"

namespace pupc {
namespace {

class NotifyHandler final : public TypeHandler {
public:
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present&, RunContext& run) override {
    Value message = r.has("message") ? r.get("message") : string_value(run.arena, r.title);
    PropertyChange c = property_change("message", Value::undef(), message);
    c.previous = string_value(run.arena, "absent");
    c.sensitive = r.sensitive("message");
    return {c};
  }

  void apply(ManagedResource& r, const Present&, PropertyChange& change, RunContext& run) override {
    const std::string text = change.sensitive ? "Sensitive [value redacted]" : r.has("message") ? value_text(r.get("message")) : r.title;
    if (r.truth("withpath", false)) run.log(r.loglevel, r, text, "message");
    else run.log(r.loglevel, text);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_notify_handler() { return std::make_unique<NotifyHandler>(); }

} // namespace pupc
