#include "compiler/load/directory_listing.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;

TEST(DirectoryListing, answers_from_what_was_listed) {
  const fs::path top = fs::temp_directory_path() / ("pupc_listing_" + std::to_string(::getpid()));
  fs::create_directories(top / "a" / "deep");
  std::ofstream(top / "a" / "x.rb") << "1";
  std::ofstream(top / "a" / ".hidden") << "1";
  fs::create_directory_symlink("a", top / "link");
  fs::create_symlink("a/x.rb", top / "to_file");
  const std::string root = top.string();

  DirectoryListing listing;
  EXPECT_FALSE(listing.lacks(root + "/b")); // nothing is known yet
  EXPECT_FALSE(listing.exists(root + "/b"));
  ASSERT_EQ(listing.list(root).size(), 3u);
  ASSERT_EQ(listing.list(root + "/a").size(), 3u);

  EXPECT_TRUE(listing.lacks(root + "/b"));
  EXPECT_TRUE(listing.lacks(root + "/b/c/d.rb"));
  EXPECT_TRUE(listing.lacks(root + "/a/x.rb/y"));
  EXPECT_FALSE(listing.lacks(root + "/a/../a/x.rb"));
  EXPECT_FALSE(listing.lacks(root + "/link/x.rb"));
  EXPECT_FALSE(listing.lacks(root + "/a/deep/z")); // that directory was not listed
  EXPECT_TRUE(listing.exists(root + "/a/x.rb"));
  EXPECT_TRUE(listing.exists(root + "/to_file"));
  EXPECT_TRUE(listing.exists(root + "/link/x.rb"));
  EXPECT_FALSE(listing.exists(root + "/a/deep/z"));
  EXPECT_TRUE(listing.is_directory(root + "/a/deep"));
  EXPECT_TRUE(listing.is_directory(root + "/link"));
  EXPECT_FALSE(listing.is_directory(root + "/a/x.rb"));
  EXPECT_EQ(listing.names_in(root + "/a"), (std::vector<std::string>{"deep", "x.rb"}));
  EXPECT_TRUE(listing.names_in(root + "/a/deep").empty());
  EXPECT_TRUE(listing.list(root + "/missing").empty());

  fs::remove(top / "a" / "x.rb"); // changes are not seen
  EXPECT_TRUE(listing.exists(root + "/a/x.rb"));
  fs::remove_all(top);
}

TEST(DirectoryListing, entries_stand_in_the_order_of_their_paths) {
  const fs::path top = fs::temp_directory_path() / ("pupc_listing_order_" + std::to_string(::getpid()));
  std::vector<std::string> files;
  for (const char* file : {"m/a.pp", "m-x/a.pp", "m.pp", "m-x.pp", "mm.pp", "m/b/c.pp", "m/b.pp", "Z.pp"}) {
    fs::create_directories((top / file).parent_path());
    std::ofstream(top / file) << "1";
    files.push_back((top / file).string());
  }
  std::sort(files.begin(), files.end());
  DirectoryListing listing;
  std::vector<std::string> found;
  auto walk = [&](auto&& self, const std::string& directory) -> void {
    for (const DirectoryEntry& e : listing.list(directory)) {
      const std::string path = directory + "/" + std::string(e.name);
      if (e.kind == DirectoryEntry::Kind::Directory)
        self(self, path);
      else
        found.push_back(path);
    }
  };
  walk(walk, top.string());
  EXPECT_EQ(found, files);
  for (const char* name : {"m", "m-x", "m.pp", "m-x.pp", "mm.pp", "Z.pp"}) {
    const DirectoryEntry* entry = DirectoryListing::find(listing.list(top.string()), name);
    ASSERT_NE(entry, nullptr) << name;
    EXPECT_EQ(entry->name, name);
  }
  EXPECT_EQ(DirectoryListing::find(listing.list(top.string()), "m-"), nullptr);
  EXPECT_EQ(listing.names_in(top.string()), (std::vector<std::string>{"Z.pp", "m", "m-x", "m-x.pp", "m.pp", "mm.pp"}));
  fs::remove_all(top);
}

} // namespace
} // namespace pupc::compiler
