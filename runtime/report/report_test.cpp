#include "runtime/report/report.h"

#include <gtest/gtest.h>

namespace pupc::runtime {
namespace {

RunEvent event(EventStatus status) {
  RunEvent e;
  e.name = "mode_changed";
  e.property = "mode";
  e.status = status;
  return e;
}

ResourceStatus status_of(const std::string& title, std::initializer_list<EventStatus> events) {
  ResourceStatus out;
  out.type = "File";
  out.title = title;
  out.reference = "File[" + title + "]";
  for (EventStatus s : events) out.add(event(s));
  return out;
}

double metric(const RunReport& report, std::string_view group, std::string_view name) {
  for (const auto& [known, values] : report.metrics())
    if (known == group)
      for (const auto& [label, value] : values)
        if (label == name) return value;
  return -1;
}

TEST(Report, StatusFollowsTheWorstResource) {
  RunReport report;
  report.completed = true;
  EXPECT_EQ(report.status(), "unchanged");
  EXPECT_EQ(report.exit_code(), 0);
  report.statuses.push_back(status_of("/a", {EventStatus::Success, EventStatus::Success}));
  EXPECT_EQ(report.status(), "changed");
  EXPECT_EQ(report.exit_code(), 2);
  report.statuses.push_back(status_of("/b", {EventStatus::Failure}));
  EXPECT_TRUE(report.statuses.back().failed);
  EXPECT_EQ(report.status(), "failed");
  EXPECT_EQ(report.exit_code(), 6);
}

TEST(Report, CountsAsPuppetDoes) {
  RunReport report;
  report.statuses = {status_of("/a", {EventStatus::Success, EventStatus::Success}), status_of("/b", {EventStatus::Noop}),
                     status_of("/c", {})};
  report.statuses[2].skipped = true;
  EXPECT_EQ(metric(report, "resources", "total"), 3);
  EXPECT_EQ(metric(report, "resources", "changed"), 1);
  EXPECT_EQ(metric(report, "resources", "out_of_sync"), 2);
  EXPECT_EQ(metric(report, "resources", "skipped"), 1);
  EXPECT_EQ(metric(report, "changes", "total"), 2);
  EXPECT_EQ(metric(report, "events", "noop"), 1);
}

TEST(Report, NoopIsNoChange) {
  const ResourceStatus status = status_of("/a", {EventStatus::Noop});
  EXPECT_FALSE(status.changed());
  EXPECT_EQ(status.out_of_sync_count(), 1u);
  EXPECT_FALSE(status.failed);
}

TEST(Report, TimesHaveNineDigits) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000000000+00:00");
  EXPECT_EQ(iso_time(1'500'000'000), "1970-01-01T00:00:01.500000000+00:00");
}

} // namespace
} // namespace pupc::runtime
