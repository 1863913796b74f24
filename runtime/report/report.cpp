// Counts events and resources. report_text.cpp writes the report.
#include "runtime/report/report.h"

#include "catalog/graph/tags.h"

#include <algorithm>

namespace pupc::runtime {

std::string_view name_of(EventStatus status) {
  switch (status) {
  case EventStatus::Success: return "success";
  case EventStatus::Failure: return "failure";
  case EventStatus::Noop: return "noop";
  case EventStatus::Audit: return "audit";
  }
  return "";
}

size_t ResourceStatus::change_count() const {
  return static_cast<size_t>(
      std::count_if(events.begin(), events.end(), [](const RunEvent& e) { return e.status == EventStatus::Success; }));
}
size_t ResourceStatus::out_of_sync_count() const {
  return static_cast<size_t>(std::count_if(events.begin(), events.end(), [](const RunEvent& e) { return e.status != EventStatus::Audit; }));
}
bool ResourceStatus::corrective() const {
  return std::any_of(events.begin(), events.end(), [](const RunEvent& e) { return e.corrective; });
}
void ResourceStatus::add(RunEvent event) {
  if (event.status == EventStatus::Failure) failed = true;
  events.push_back(std::move(event));
}

size_t RunReport::changes() const {
  size_t n = 0;
  for (const ResourceStatus& s : statuses) n += s.change_count();
  return n;
}
size_t RunReport::failures() const {
  return static_cast<size_t>(
      std::count_if(statuses.begin(), statuses.end(), [](const ResourceStatus& s) { return s.failed || s.failed_to_restart; }));
}
int RunReport::exit_code() const { return (changes() > 0 ? 2 : 0) | (failures() > 0 ? 4 : 0); }

std::string_view RunReport::status() const {
  if (!completed || generation_failed || failures() > 0) return "failed";
  return changes() > 0 ? "changed" : "unchanged";
}

std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> RunReport::metrics() const {
  auto count = [&](auto test) { return static_cast<double>(std::count_if(statuses.begin(), statuses.end(), test)); };
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> out;
  out.push_back({"resources",
                 {{"total", static_cast<double>(statuses.size() + builtin_resources)},
                  {"skipped", count([](auto& s) { return s.skipped; }) + static_cast<double>(builtin_skipped)},
                  {"failed", count([](auto& s) { return s.failed; })},
                  {"failed_to_restart", count([](auto& s) { return s.failed_to_restart; })},
                  {"restarted", count([](auto& s) { return s.restarted; })},
                  {"changed", count([](auto& s) { return s.changed(); })},
                  {"out_of_sync", count([](auto& s) { return s.out_of_sync_count() > 0; })},
                  {"scheduled", count([](auto& s) { return s.scheduled; })},
                  {"corrective_change", count([](auto& s) { return s.corrective(); })}}});
  std::vector<std::pair<std::string, double>> by_type;
  for (const ResourceStatus& s : statuses) {
    if (s.evaluation_time < 0) continue;
    std::string key = downcase_name(s.type);
    auto it = std::find_if(by_type.begin(), by_type.end(), [&](auto& e) { return e.first == key; });
    if (it == by_type.end())
      by_type.emplace_back(key, s.evaluation_time);
    else
      it->second += s.evaluation_time;
  }
  for (const auto& t : times) by_type.push_back(t);
  by_type.emplace_back("total", total_time);
  out.push_back({"time", std::move(by_type)});
  out.push_back({"changes", {{"total", static_cast<double>(changes())}}});
  size_t total = 0;
  std::vector<std::pair<std::string, double>> events{{"total", 0}, {"failure", 0}, {"success", 0}};
  for (const ResourceStatus& s : statuses)
    for (const RunEvent& e : s.events) {
      ++total;
      std::string key(name_of(e.status));
      auto it = std::find_if(events.begin(), events.end(), [&](auto& x) { return x.first == key; });
      if (it == events.end())
        events.emplace_back(key, 1);
      else
        it->second += 1;
    }
  events[0].second = static_cast<double>(total);
  out.push_back({"events", std::move(events)});
  return out;
}

} // namespace pupc::runtime
