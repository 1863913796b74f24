// Evaluates one resource: retrieves its state, makes the changes one by one, and records values for later runs.
#include "runtime/transaction/transaction.h"

#include "catalog/schema/native_types.h"
#include "catalog/value/base64.h"
#include "catalog/value/digest.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// A file's time as Ruby shows it: "2026-11-21 17:36:05 +0000".
std::string ruby_time(int64_t nanoseconds) {
  std::string text = state_time(nanoseconds);
  text.erase(19, 10); // drop the fraction
  text.erase(std::remove(text.end() - 6, text.end(), ':'), text.end());
  return text;
}

} // namespace

RunEvent Transaction::event_of(ManagedResource& resource, const PropertyChange& change) {
  RunEvent e;
  e.property = change.property;
  const auto ensured = [&](std::string_view value) {
    return change.property == "ensure" && change.desired.is_string() && change.desired.str() == value;
  };
  e.name = !change.event_name.empty() ? change.event_name
           : ensured("present")       ? resource.type + "_created"
           : ensured("absent")        ? resource.type + "_removed"
                                      : (change.property == "ensure" ? resource.type : change.property) + "_changed";
  e.redacted = change.sensitive || resource.sensitive(change.property);
  const Value redacted = Value::string("[redacted]");
  e.previous = e.redacted && !change.previous.is_undef() ? redacted : change.previous;
  e.desired = e.redacted && !change.desired.is_undef() ? redacted : change.desired;
  if (change.hidden) e.previous = e.desired = redacted;
  // Hide a value that quotes the secret of another attribute.
  if (!secrets_.empty())
    for (Value* v : {&e.previous, &e.desired})
      if (const std::string text = value_text(*v), safe = secrets_.hide(text); safe != text) *v = string_value(arena, safe);
  // Puppet keeps the wanted content as bytes, and writes bytes into a report as base64.
  if (resource.type == "file" && change.property == "content" && !e.redacted && e.desired.is_string())
    e.desired = string_value(arena, base64_encode(e.desired.str()));
  e.invalidates_refresh = change.invalidates_refresh;
  e.time = system.now();
  return e;
}

void Transaction::record(ManagedResource& resource, ResourceStatus& status, RunEvent event, LogLevel level) {
  if (!secrets_.empty()) event.message = secrets_.hide(event.message);
  // Unlike a property's own log lines, this one does not get the property's tag.
  emit(event.status == EventStatus::Failure ? LogLevel::Err : level,
       event.property.empty() ? resource.path : fmt::format("{}/{}", resource.path, event.property), event.message, &resource);
  status.add(std::move(event));
}

void Transaction::perform(uint32_t node, ResourceStatus& status) {
  const uint32_t index = (*graph_)[node].resource;
  ManagedResource& r = *catalog_[index].resource;
  TypeHandler& handler = *catalog_[index].handler;
  Present present = handler.retrieve(r, *this);
  RunState::Entry* kept = options_.state == nullptr ? nullptr : &options_.state->of(r.reference());
  if (kept != nullptr) kept->checked = system.now();
  std::vector<PropertyChange> changes = handler.plan(r, present, *this);
  const std::vector<std::string> watched = kept != nullptr && r.has("audit") ? audited(r, present) : std::vector<std::string>{};
  std::set<std::string> changed;
  bool any_success = false;
  for (PropertyChange& c : changes) {
    RunEvent e = event_of(r, c);
    const std::string is = e.redacted ? "[redacted]" : c.is_text, should = e.redacted ? "[redacted]" : c.should_text;
    std::string before; // the audit's part of the message
    if (const Value* historical = kept == nullptr ? nullptr : kept->find(c.property); historical != nullptr && !historical->is_undef()) {
      e.historical = e.redacted || c.hidden ? Value::string("[redacted]") : state_value(arena, *historical);
      e.audited = std::find(watched.begin(), watched.end(), c.property) != watched.end();
      if (e.audited && !e.redacted && value_text(*historical) != value_text(c.previous))
        before = fmt::format(" (previously recorded value was {})", display_text(*historical));
    }
    e.audited = e.audited || std::find(watched.begin(), watched.end(), c.property) != watched.end();
    std::string failure = c.failure;
    if (!failure.empty()) log(LogLevel::Err, failure);
    if (failure.empty() && r.noop) {
      e.status = EventStatus::Noop;
      e.message = (e.redacted ? fmt::format("current_value {}, should be {} (noop)", is, should) : c.message + " (noop)") + before;
    } else if (failure.empty()) {
      try {
        ++changes_begun;
        handler.apply(r, present, c, *this);
        e.status = EventStatus::Success;
        e.message = (e.redacted ? fmt::format("changed {} to {}", is, should) : c.message) + before;
        e.invalidates_refresh = c.invalidates_refresh;
        any_success = true;
      } catch (const ResourceError& error) {
        failure = error.what();
        if (dynamic_cast<const ValueError*>(&error) != nullptr) log(LogLevel::Err, failure);
        log(LogLevel::Err, error.logged());
      } catch (const std::exception& error) {
        failure = error.what();
        log(LogLevel::Err, failure);
      }
    }
    if (!failure.empty()) {
      e.status = EventStatus::Failure;
      e.message = fmt::format("change from {} to {} failed: {}", is, should, failure);
    }
    const Value* left = options_.store == nullptr || e.redacted || c.hidden || r.type == "notify"
                            ? nullptr
                            : options_.store->old_value(r.reference(), c.property);
    e.corrective = left != nullptr && !TransactionStore::still_there(r.type, c.property, *left, c.previous);
    if (e.corrective) {
      e.message += " (corrective)";
      handler.compare_again(r, c, *this);
    }
    changed.insert(c.property);
    record(r, status, std::move(e), r.loglevel);
  }
  if (r.has("audit")) audit(r, present, changed, status);
  if (options_.store != nullptr) persist(node, present, changes, status);
  if (any_success) {
    if (kept != nullptr) kept->synced = system.now();
    handler.flush(r, present, *this);
  }
}

/// Stores each property's value after this run: a later run uses it to decide whether a change is corrective.
void Transaction::persist(uint32_t node, const Present& before, const std::vector<PropertyChange>& changes, const ResourceStatus& status) {
  const uint32_t index = (*graph_)[node].resource;
  ManagedResource& r = *catalog_[index].resource;
  const std::string reference = r.reference();
  TransactionStore& store = *options_.store;
  auto secret = [&](std::string_view property) {
    if (property == "ensure" && r.type == "file" && r.sensitive("content")) return true; // the value would disclose the content's checksum
    if (r.type != "file" && r.has("show_diff") && r.text("show_diff") != "true")
      return true; // secret settings; for files the store only has checksums
    return is_secret(r, std::string(property)) || std::any_of(changes.begin(), changes.end(), [&](const PropertyChange& c) {
             return c.property == property && (c.sensitive || c.hidden);
           });
  };
  auto keep = [&](const std::string& property, const Value& value) {
    if (const std::string text = value_text(value); !secrets_.empty() && secrets_.hide(text) != text)
      return; // the value quotes a secret of another attribute
    store.set(reference, property, value);
  };
  bool made = false;
  for (size_t i = 0; i < changes.size(); ++i) {
    const PropertyChange& c = changes[i];
    if (secret(c.property)) continue;
    const bool success = i < status.events.size() && status.events[i].status == EventStatus::Success;
    const Value* old = store.old_value(reference, c.property);
    keep(c.property, success ? c.desired : old != nullptr ? *old : c.previous);
    made = made || (success && c.property == "ensure");
  }
  if (r.type == "exec" && changes.empty()) {
    ListBuilder returns(arena);
    for (const std::string& code : r.has("returns") ? r.texts("returns") : std::vector<std::string>{"0"})
      returns.add(string_value(arena, code));
    store.set(reference, "returns", returns.finish());
  }
  // A resource that was just created now has its other properties too: retrieve them.
  Present after;
  const Present* now = &before;
  if (made) try {
      after = catalog_[index].handler->retrieve(r, *this);
      now = &after;
    } catch (const std::exception&) {
      return; // this failure does not undo the change
    }
  const ResourceTypeInfo* type = find_native_type(r.type);
  if (now->get("ensure").is_undef() && changes.empty()) {
    if (type != nullptr && type->find(find_symbol("ensure")) != nullptr)
      keep("ensure", string_value(arena, now->exists ? "present" : "absent"));
  }
  for (const auto& [property, value] : now->values) {
    // `source` sets the content. Keep `ensure` even when it is not given: the resource must exist.
    const bool wanted = r.has(property) || (property == "content" && r.has("source")) || property == "ensure";
    if (!wanted || secret(property) || std::any_of(changes.begin(), changes.end(), [&wanted_name = property](const PropertyChange& c) {
          return c.property == wanted_name;
        }))
      continue;
    keep(property, value);
  }
  // For properties without a retrieved value (entries of a file), assume the wanted value.
  if (type == nullptr || !(now->exists || made)) return;
  for (const ManagedAttribute& a : r.attributes) {
    const ResourceTypeInfo::Attribute* known = type->find(find_symbol(a.name));
    if (known == nullptr || known->kind != AttributeKind::Property || !now->get(a.name).is_undef() || secret(a.name)) continue;
    if (std::any_of(changes.begin(), changes.end(), [&](const PropertyChange& c) { return c.property == a.name; })) continue;
    const Value* old = store.old_value(reference, a.name);
    if (a.name != "content")
      keep(a.name, a.value);
    else if (old != nullptr)
      keep(a.name, *old); // the new content's checksum is not known
  }
}

/// Whether a property is secret. Passwords always are: an audited one may have no Sensitive value in the catalog.
bool Transaction::is_secret(const ManagedResource& resource, const std::string& property) {
  return resource.sensitive(property) || property.ends_with("password");
}

std::vector<std::string> Transaction::audited(const ManagedResource& resource, const Present& present) const {
  std::vector<std::string> names = resource.texts("audit");
  if (std::find(names.begin(), names.end(), "all") != names.end()) {
    names.clear();
    for (const auto& [name, value] : present.values) names.push_back(name);
  }
  return names;
}

/// The value as the state file stores it. For a secret, only a digest, which is enough to notice a change.
Value Transaction::kept_form(const ManagedResource& resource, const std::string& property, const Value& value) {
  if (!is_secret(resource, property) || value_text(value) == "absent") return value;
  return string_value(arena, "{sha256}" + hex_digest(DigestAlgorithm::Sha256, value_text(value)));
}

void Transaction::audit(ManagedResource& r, const Present& present, const std::set<std::string>& changed, ResourceStatus& status) {
  if (options_.state == nullptr) return;
  RunState::Entry& kept = options_.state->of(r.reference());
  auto equal = [](const Value& a, const Value& b) {
    // Some versions of Puppet store times in microseconds only: ignore smaller differences.
    if (a.kind == Kind::Timestamp && b.kind == Kind::Timestamp) return a.i / 1000 == b.i / 1000;
    return value_text(a) == value_text(b);
  };
  for (const std::string& name : audited(r, present)) {
    const bool known = std::any_of(present.values.begin(), present.values.end(), [&](const auto& v) { return v.first == name; });
    const Value value = present.get(name), now = kept_form(r, name, known ? value : Value::string("absent"));
    const bool secret = is_secret(r, name);
    auto shown = [&](const Value& v) {
      if (v.kind == Kind::Timestamp) return ruby_time(v.i);
      return secret && value_text(v) != "absent" ? std::string("[redacted]") : ruby_text(v);
    };
    const Value* old = kept.find(name);
    if (old == nullptr) {
      log(LogLevel::Notice, r, fmt::format("audit change: newly-recorded value {}", shown(now)), name);
    } else if (!equal(*old, now) && !changed.contains(name)) {
      RunEvent e;
      e.name = name + "_changed";
      e.property = name;
      e.status = EventStatus::Audit;
      e.audited = true;
      e.redacted = secret;
      e.previous = e.redacted ? string_value(arena, shown(now)) : value;
      e.historical = e.redacted ? string_value(arena, shown(*old)) : state_value(arena, *old);
      auto quoted = [&](const Value& v) {
        if (v.is_undef()) return std::string();
        if (r.type != "file" || v.kind != Kind::Int) return display_text(shown(v));
        // As Puppet, show names in the message of a change, although the first record shows numbers.
        if (auto user = name == "owner" ? system.user_by_id(static_cast<uint32_t>(v.i)) : std::nullopt) return display_text(user->name);
        if (auto group = name == "group" ? system.group_by_id(static_cast<uint32_t>(v.i)) : std::nullopt) return display_text(group->name);
        return display_text(shown(v));
      };
      e.message = fmt::format("audit change: previously recorded value {} has been changed to {}", quoted(*old), quoted(now));
      e.time = system.now();
      record(r, status, std::move(e), r.loglevel);
    }
    options_.state->audit(kept, name, now);
  }
}

} // namespace pupc::runtime
