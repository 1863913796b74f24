#include "tools/puppetdb/command_texts.h"

#include "catalog/json/json_writer.h"
#include "tools/puppetdb/plain_value.h"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>

namespace pupc::puppetdb {

using catalog::HashEntry;
using catalog::JsonWriter;
using catalog::Value;

std::string_view name_of(CommandKind kind) {
  switch (kind) {
  case CommandKind::ReplaceFacts: return "replace facts";
  case CommandKind::ReplaceCatalog: return "replace catalog";
  case CommandKind::StoreReport: return "store report";
  case CommandKind::DeactivateNode: return "deactivate node";
  }
  return {};
}

int version_of(CommandKind kind) {
  switch (kind) {
  case CommandKind::ReplaceFacts: return 5;
  case CommandKind::ReplaceCatalog: return 9;
  case CommandKind::StoreReport: return 8;
  case CommandKind::DeactivateNode: return 3;
  }
  return 0;
}

std::string wire_time(std::chrono::system_clock::time_point time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since - seconds).count();
  const auto whole = static_cast<std::time_t>(seconds.count());
  std::tm t{};
  ::gmtime_r(&whole, &t);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec,
                     millis);
}

std::string wire_time(std::string_view text, std::chrono::milliseconds later) {
  std::tm t{};
  const std::string whole(text);
  const char* rest = ::strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &t);
  if (rest == nullptr) return {};
  int64_t nanos = 0;
  if (*rest == '.') {
    int64_t unit = 100'000'000;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, unit /= 10) nanos += (*rest - '0') * unit;
  }
  int64_t offset = 0;
  int hours = 0, minutes = 0;
  char sign = 0;
  if (std::sscanf(rest, "%c%2d:%2d", &sign, &hours, &minutes) == 3 || std::sscanf(rest, "%c%2d%2d", &sign, &hours, &minutes) == 3)
    offset = (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
  const std::chrono::system_clock::time_point time(std::chrono::seconds(::timegm(&t) - offset) + std::chrono::nanoseconds(nanos));
  return wire_time(time + later);
}

Command replace_facts(const std::string& node, const Value& facts, const Value& trusted, const Producer& producer) {
  Command out{CommandKind::ReplaceFacts, node, producer.time, {}};
  JsonWriter w(out.payload);
  w.begin_object();
  w.member("certname", node);
  w.key("values");
  w.begin_object();
  const Value* inventory = nullptr;
  for (const HashEntry& e : facts.hash->entries()) {
    const std::string_view name = e.key.is_string() ? e.key.str() : std::string_view();
    if (name == "_puppet_inventory_1") inventory = &e.value;
    if (name == "_puppet_inventory_1" || name == "trusted") continue;
    w.key(name);
    write_plain(w, e.value);
  }
  w.key("trusted");
  write_plain(w, trusted);
  w.end_object();
  w.member("environment", producer.environment);
  w.member("producer_timestamp", producer.time);
  w.member("producer", producer.name);
  if (inventory != nullptr) {
    w.key("package_inventory");
    const Value* packages = inventory->is_hash() ? inventory->hash->find("packages") : nullptr;
    write_plain(w, packages == nullptr ? Value::undef() : *packages);
  }
  w.end_object();
  return out;
}

Command deactivate_node(const std::string& node, const Producer& producer) {
  Command out{CommandKind::DeactivateNode, node, producer.time, {}};
  JsonWriter w(out.payload);
  w.begin_object();
  w.member("certname", node);
  w.member("producer_timestamp", producer.time);
  w.end_object();
  return out;
}

namespace {

class ReportWriter {
public:
  ReportWriter(std::string& out, const Value& report, bool unchanged) : w_(out), report_(report), unchanged_(unchanged) {}

  void write(const Producer& producer) {
    w_.begin_object();
    copy("certname", "host");
    for (const char* name : {"job_id", "puppet_version", "report_format"}) copy(name, name);
    w_.key("configuration_version");
    w_.string(ruby_text(of(report_, "configuration_version")));
    w_.member("producer_timestamp", producer.time);
    const Value start = of(report_, "time");
    time("start_time", start, {});
    time("end_time", start, duration());
    for (const char* name : {"environment", "transaction_uuid", "status", "noop_pending", "corrective_change"}) copy(name, name);
    w_.key("noop");
    const Value noop = of(report_, "noop");
    w_.boolean(noop.is_undef() ? only_noop_events() : noop.truthy());
    logs();
    metrics();
    resources();
    const Value uuid = of(report_, "catalog_uuid");
    w_.key("catalog_uuid");
    write_plain(w_, uuid.is_undef() ? of(report_, "transaction_uuid") : uuid);
    for (const char* name : {"code_id", "cached_catalog_status"}) copy(name, name);
    w_.member("producer", producer.name);
    w_.end_object();
  }

private:
  static Value of(const Value& hash, std::string_view name) {
    const Value* found = hash.is_hash() ? hash.hash->find(name) : nullptr;
    return found == nullptr ? Value::undef() : *found;
  }
  void copy(std::string_view as, std::string_view name) { copy(as, report_, name); }
  void copy(std::string_view as, const Value& from, std::string_view name) {
    w_.key(as);
    write_plain(w_, of(from, name));
  }
  void time(std::string_view as, const Value& text, std::chrono::milliseconds later) {
    w_.key(as);
    const std::string wire = text.is_string() ? wire_time(text.str(), later) : std::string();
    if (wire.empty())
      w_.null();
    else
      w_.string(wire);
  }

  std::chrono::milliseconds duration() const {
    const Value values = of(of(of(report_, "metrics"), "time"), "values");
    if (values.is_list())
      for (const Value& one : values.items()) {
        if (!one.is_list() || one.items().size() < 3 || !one.items()[0].is_string() || one.items()[0].str() != "total") continue;
        const Value& total = one.items()[2];
        const double seconds = total.is_int() ? static_cast<double>(total.i) : total.kind == catalog::Kind::Float ? total.d : 0;
        return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
      }
    return {};
  }

  /// What old agents do not tell: whether all events are such of noop.
  bool only_noop_events() const {
    bool some = false;
    if (const Value all = of(report_, "resource_statuses"); all.is_hash())
      for (const HashEntry& e : all.hash->entries())
        if (const Value events = of(e.value, "events"); events.is_list())
          for (const Value& event : events.items()) {
            const Value status = of(event, "status");
            if (!status.is_string() || status.str() != "noop") return false;
            some = true;
          }
    return some;
  }

  void logs() {
    w_.key("logs");
    w_.begin_array();
    if (const Value all = of(report_, "logs"); all.is_list())
      for (const Value& log : all.items()) {
        w_.begin_object();
        for (const char* name : {"file", "line", "level", "message", "source"}) copy(name, log, name);
        w_.key("tags");
        const Value tags = of(log, "tags");
        if (tags.is_list())
          write_plain(w_, tags);
        else {
          w_.begin_array();
          w_.end_array();
        }
        time("time", of(log, "time"), {});
        w_.end_object();
      }
    w_.end_array();
  }

  void metrics() {
    w_.key("metrics");
    w_.begin_array();
    if (const Value all = of(report_, "metrics"); all.is_hash())
      for (const HashEntry& e : all.hash->entries()) {
        const Value values = of(e.value, "values");
        if (!values.is_list()) continue;
        for (const Value& one : values.items()) {
          if (!one.is_list() || one.items().size() < 2) continue;
          w_.begin_object();
          copy("category", e.value, "name");
          w_.key("name");
          write_plain(w_, one.items()[0]);
          w_.key("value");
          write_plain(w_, one.items()[one.items().size() - 1]);
          w_.end_object();
        }
      }
    w_.end_array();
  }

  void resources() {
    w_.key("resources");
    w_.begin_array();
    if (const Value all = of(report_, "resource_statuses"); all.is_hash())
      for (const HashEntry& e : all.hash->entries()) {
        const Value events = of(e.value, "events");
        const bool happened = events.is_list() && !events.items().empty();
        if (!happened && !of(e.value, "skipped").truthy() && !unchanged_) continue;
        w_.begin_object();
        copy("skipped", e.value, "skipped");
        time("timestamp", of(e.value, "time"), {});
        copy("resource_type", e.value, "resource_type");
        w_.key("resource_title");
        w_.string(ruby_text(of(e.value, "title")));
        for (const char* name : {"file", "line", "containment_path", "corrective_change"}) copy(name, e.value, name);
        w_.key("events");
        w_.begin_array();
        if (happened)
          for (const Value& event : events.items()) write_event(event);
        w_.end_array();
        w_.end_object();
      }
    w_.end_array();
  }

  void write_event(const Value& event) {
    w_.begin_object();
    copy("status", event, "status");
    time("timestamp", of(event, "time"), {});
    copy("name", event, "name");
    copy("property", event, "property");
    w_.key("new_value");
    w_.string(ruby_text(of(event, "desired_value")));
    w_.key("old_value");
    w_.string(ruby_text(of(event, "previous_value")));
    copy("corrective_change", event, "corrective_change");
    copy("message", event, "message");
    w_.end_object();
  }

  JsonWriter w_;
  const Value& report_;
  const bool unchanged_;
};

} // namespace

Command store_report(const Value& report, const Producer& producer, bool unchanged) {
  Command out{CommandKind::StoreReport, {}, producer.time, {}};
  if (const Value* host = report.hash->find("host"); host != nullptr && host->is_string()) out.certname = host->str();
  ReportWriter(out.payload, report, unchanged).write(producer);
  return out;
}

} // namespace pupc::puppetdb
