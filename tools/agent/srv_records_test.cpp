#include "tools/agent/srv_records.h"

#include <gtest/gtest.h>

namespace pupc::cli::agent {
namespace {

std::string number(unsigned n) { return {static_cast<char>(n >> 8), static_cast<char>(n & 0xFF)}; }

std::string label(std::string_view text) { return static_cast<char>(text.size()) + std::string(text); }

/// An answer with one question and the records.
std::string answer_with(const std::vector<SrvRecord>& records) {
  const std::string asked = label("_x-puppet") + label("_tcp") + label("example") + std::string(1, '\0');
  std::string out = number(1) + number(0x8180) + number(1) + number(static_cast<unsigned>(records.size())) + number(0) + number(0) + asked +
                    number(33) + number(1);
  for (const SrvRecord& r : records) {
    const std::string data = number(r.priority) + number(r.weight) + number(r.port) + label(r.host) + std::string(1, '\0');
    out += number(0xC00C) + number(33) + number(1) + number(0) + number(60) + number(static_cast<unsigned>(data.size())) + data;
  }
  return out;
}

std::optional<std::vector<SrvRecord>> read(const std::string& text) {
  return read_srv_answer({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

TEST(SrvRecords, ReadsAnAnswer) {
  const std::vector<SrvRecord> records = {{10, 5, 8140, "one"}, {20, 0, 8141, "two"}};
  EXPECT_EQ(read(answer_with(records)), records);
  EXPECT_EQ(read(answer_with({{1, 1, 8140, "a/b"}, {1, 1, 0, "a"}})), std::vector<SrvRecord>());
}

TEST(SrvRecords, TakesNoHalfAnswer) {
  const std::string whole = answer_with({{10, 5, 8140, "one"}, {20, 0, 8141, "two"}});
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(read(whole.substr(0, size)), std::nullopt) << size;
}

TEST(SrvRecords, OrdersByPriorityAndWeight) {
  const std::vector<SrvRecord> records = {{2, 0, 1, "last"}, {1, 1, 2, "light"}, {1, 3, 3, "heavy"}};
  std::vector<int64_t> asked;
  const auto order = [&](int64_t first) {
    asked.clear();
    std::string out;
    for (const auto& server : in_srv_order(records, [&](int64_t most) {
           asked.push_back(most);
           return asked.size() == 1 ? first : 0;
         }))
      out += server.host + " ";
    return out;
  };
  EXPECT_EQ(order(9), "light heavy last ");
  EXPECT_EQ(asked, (std::vector<int64_t>{40, 30, 1}));
  EXPECT_EQ(order(10), "heavy light last ");
}

} // namespace
} // namespace pupc::cli::agent
