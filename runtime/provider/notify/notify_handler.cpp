// notify: writes a message to the log.
#include "runtime/provider/handlers.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// The message to log. Like every single-value property of Puppet, takes the first element of a list; an empty list gives nothing.
Value message_of(const ManagedResource& r, RunContext& run) {
  if (!r.has("message")) return string_value(run.arena, r.title);
  const Value message = r.get("message");
  if (!message.is_list()) return message;
  return message.items().empty() ? Value::undef() : message.items()[0];
}

class NotifyHandler final : public TypeHandler {
public:
  Present retrieve(ManagedResource&, RunContext&) override { return {}; }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present&, RunContext& run) override {
    const Value message = message_of(r, run);
    if (message.is_undef()) return {};
    PropertyChange c = property_change("message", Value::undef(), message);
    c.previous = string_value(run.arena, "absent");
    c.sensitive = r.sensitive("message");
    return {c};
  }

  void apply(ManagedResource& r, const Present&, PropertyChange& change, RunContext& run) override {
    const std::string text = change.sensitive ? "Sensitive [value redacted]" : value_text(message_of(r, run));
    if (r.truth("withpath", false))
      run.log(r.loglevel, r, text, "message");
    else
      run.log(r.loglevel, text);
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_notify_handler() { return std::make_unique<NotifyHandler>(); }

} // namespace pupc::runtime
