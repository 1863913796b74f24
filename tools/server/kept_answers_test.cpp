#include "tools/server/kept_answers.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace pupc::server {
namespace {

namespace fs = std::filesystem;

class KeptAnswersTest : public ::testing::Test {
protected:
  KeptAnswersTest() {
    std::string pattern = (fs::temp_directory_path() / "pupc-kept-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    write("one");
    environment = open();
    std::this_thread::sleep_for(std::chrono::milliseconds(60)); // what has just changed counts as changed
  }
  ~KeptAnswersTest() override {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  void write(std::string_view text) const { std::ofstream(root + "/file", std::ios::binary) << text; }
  std::shared_ptr<const Environment> open() const {
    EnvironmentOptions options;
    options.name = "production";
    return open_environment(std::move(options));
  }
  /// The answer for a key; it is made of the file, and `made` is counted.
  std::string answer(const std::string& key, unsigned status = 200) {
    return answers
        .answer(environment, key,
                [&](FileWatch* watch) {
                  ++made;
                  if (watch != nullptr) watch->note(root + "/file");
                  std::string text;
                  std::ifstream(root + "/file") >> text;
                  http::Response out;
                  out.status = status;
                  out.headers = {{"Content-Type", "text/plain"}};
                  out.body = key.substr(0, 10) + "=" + text;
                  return out;
                })
        .body;
  }

  std::string root;
  std::shared_ptr<const Environment> environment;
  KeptAnswers answers;
  int made = 0;
};

TEST_F(KeptAnswersTest, HoldWhileNothingChanges) {
  EXPECT_EQ(answer("a"), "a=one");
  EXPECT_EQ(answer("a"), "a=one");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(answer("b"), "b=one"); // another question
  EXPECT_EQ(made, 2);
  EXPECT_EQ(answers.answer(environment, "a", nullptr).headers.get("Content-Type"), "text/plain");
}

TEST_F(KeptAnswersTest, AreMadeAgainWhenAFileChanges) {
  answer("a");
  answer("b");
  write("two");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(answer("a"), "a=two");
  EXPECT_EQ(answer("b"), "b=two");
  EXPECT_EQ(answer("b"), "b=two");
  EXPECT_EQ(made, 4);
}

TEST_F(KeptAnswersTest, AreOfOneEnvironment) {
  answer("a");
  environment = open(); // of other code, under the same name
  EXPECT_EQ(answer("a"), "a=one");
  EXPECT_EQ(made, 2);
}

TEST_F(KeptAnswersTest, AreNoErrorsAndNoLongQuestions) {
  for (int i = 0; i < 2; ++i) {
    answer("a", 404);
    answer(std::string(5000, 'x'));
  }
  EXPECT_EQ(made, 4);
}

} // namespace
} // namespace pupc::server
