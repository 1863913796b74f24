#include "tools/server/storage.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <vector>

namespace pupc::server {
namespace {

namespace fs = std::filesystem;

class StorageTest : public ::testing::Test {
protected:
  StorageTest() {
    std::string pattern = (fs::temp_directory_path() / "pupc-storage-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    path = root + "/facts/n.json";
  }
  ~StorageTest() override {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  std::string root, path;
};

TEST_F(StorageTest, RenewedFileHasItsLastContentAndNoMoreThanOneBesideIt) {
  for (const char* text : {"first", "a longer second", "3", "", "fifth"}) {
    renew_file(path, text);
    EXPECT_EQ(content(), text);
  }
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(root + "/facts")) ++files;
  EXPECT_EQ(files, 2u);
}

TEST_F(StorageTest, ManyAtOnceLeaveOneWhole) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < 200; ++i)
        renew_file(path, std::string(static_cast<size_t>(100 + (t * 200 + i) % 700), static_cast<char>('a' + t)));
    });
  for (std::thread& thread : threads) thread.join();
  const std::string last = content();
  ASSERT_GE(last.size(), 100u);
  EXPECT_EQ(last.find_first_not_of(last[0]), std::string::npos);
  for (const auto& entry : fs::directory_iterator(root + "/facts"))
    EXPECT_TRUE(entry.path() == path || entry.path() == path + ".tmp") << entry.path();
  renew_file(path, "the last");
  EXPECT_EQ(content(), "the last");
}

TEST_F(StorageTest, FollowsNoLinkThatLiesInTheSpareFilesPlace) {
  renew_file(path, "one");
  std::ofstream(root + "/victim") << "kept";
  fs::create_symlink(root + "/victim", path + ".tmp");
  renew_file(path, "two");
  EXPECT_EQ(content(), "two");
  std::ostringstream victim;
  victim << std::ifstream(root + "/victim").rdbuf();
  EXPECT_EQ(victim.str(), "kept");
}

} // namespace
} // namespace pupc::server
