#include "compiler/load/file_watch.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>

#include <chrono>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace pupc::compiler {
namespace {

namespace fs = std::filesystem;

/// Below a link `root/link` to `root/real`: modules/m with a file, a list and a link of its own. Everything is older than a watch takes
/// for fresh.
class FileWatchTest : public ::testing::Test {
protected:
  FileWatchTest() {
    std::string pattern = (fs::temp_directory_path() / "pupc-watch-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
    fs::create_directories(root + "/real/modules/m/list");
    fs::create_directories(root + "/other/modules/m/list");
    fs::create_directory_symlink("real", root + "/link");
    for (const char* tree : {"/real", "/other"}) {
      write(root + tree + "/modules/m/file", "one");
      write(root + tree + "/modules/m/second", "one");
    }
    fs::create_symlink("second", root + "/real/modules/m/to_file");
    settle();
  }
  ~FileWatchTest() override {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  static void write(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }
  std::string at(const std::string& name) const { return root + "/link/modules/m/" + name; }
  std::string real(const std::string& name) const { return root + "/real/modules/m/" + name; }

  /// Whether a change is noticed, by the kernel's word alone: the files' looks are not compared, as that was done just before.
  bool noticed(const std::function<void()>& change) {
    FileWatch watch(true);
    for (const char* name : {"file", "list", "to_file", "none/of/these"}) watch.note(at(name));
    EXPECT_TRUE(watch.unchanged());
    EXPECT_TRUE(watch.unchanged());
    EXPECT_TRUE(watch.told_by_kernel());
    change();
    return !watch.unchanged();
  }

  std::string root;
};

TEST_F(FileWatchTest, NoticesAFileWrittenInItsPlace) {
  EXPECT_TRUE(noticed([&] { write(real("file"), "two"); }));
}

TEST_F(FileWatchTest, NoticesAFileWrittenUnderAnotherNameOfIt) {
  EXPECT_TRUE(noticed([&] {
    fs::create_hard_link(real("file"), root + "/hard");
    write(root + "/hard", "two");
  }));
  fs::create_hard_link(real("second"), root + "/harder");
  settle();
  EXPECT_TRUE(noticed([&] { write(root + "/harder", "two"); }));
}

TEST_F(FileWatchTest, NoticesAFileRenamedOverIt) {
  write(root + "/new", "two");
  settle();
  EXPECT_TRUE(noticed([&] { fs::rename(root + "/new", real("file")); }));
}

TEST_F(FileWatchTest, NoticesFilesThatComeAndGoInAList) {
  EXPECT_TRUE(noticed([&] { write(real("list/new"), ""); }));
  settle();
  EXPECT_TRUE(noticed([&] { fs::remove(real("list/new")); }));
}

TEST_F(FileWatchTest, NoticesThatAFileIsGone) {
  EXPECT_TRUE(noticed([&] { fs::remove(real("file")); }));
}

TEST_F(FileWatchTest, NoticesWhatWasNotThere) {
  EXPECT_TRUE(noticed([&] { fs::create_directories(real("none")); }));
}

TEST_F(FileWatchTest, NoticesAnotherTargetOfALink) {
  auto swap = [&](const std::string& link, const std::string& target) {
    fs::create_symlink(target, root + "/new_link");
    fs::rename(root + "/new_link", link);
  };
  EXPECT_TRUE(noticed([&] { swap(real("to_file"), "file"); }));
  settle();
  EXPECT_TRUE(noticed([&] { swap(root + "/link", "other"); }));
}

TEST_F(FileWatchTest, NoticesWhatALinkLeadsTo) {
  EXPECT_TRUE(noticed([&] { write(real("second"), "two"); }));
}

TEST_F(FileWatchTest, NoticesThatADirectoryOnTheWayIsAnother) {
  EXPECT_TRUE(noticed([&] {
    fs::rename(root + "/real", root + "/gone");
    fs::rename(root + "/other", root + "/real");
  }));
}

TEST_F(FileWatchTest, NoticesThatAFileCannotBeReadAnyMore) {
  EXPECT_TRUE(noticed([&] { fs::permissions(real("file"), fs::perms::none); }));
}

TEST_F(FileWatchTest, DoesNotMindWhatNobodyLookedAt) {
  EXPECT_FALSE(noticed([&] {
    write(root + "/other/modules/m/file", "two");
    write(root + "/real/beside", "");
  }));
  FileWatch watch(true);
  watch.note(at("file"));
  EXPECT_TRUE(watch.unchanged());
  write(root + "/real/modules/beside", "");
  fs::remove(root + "/real/modules/beside");
  EXPECT_TRUE(watch.unchanged());
}

TEST_F(FileWatchTest, LooksAtTheFilesWhereTheKernelDoesNotTell) {
  FileWatch watch(true);
  watch.note(at("file"));
  watch.note("/proc/version"); // no file system of this kernel's disks
  EXPECT_FALSE(watch.told_by_kernel());
  EXPECT_TRUE(watch.unchanged());
  write(real("file"), "two");
  EXPECT_FALSE(watch.unchanged());
}

TEST_F(FileWatchTest, NoticesAWriteToMappedMemoryInASecond) {
  FileWatch watch(true);
  watch.note(at("file"));
  EXPECT_TRUE(watch.unchanged());
  const int file = ::open(real("file").c_str(), O_RDWR);
  void* mapped = ::mmap(nullptr, 3, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  static_cast<char*>(mapped)[0] = 'T';
  ::msync(mapped, 3, MS_SYNC);
  ::munmap(mapped, 3);
  ::close(file);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_FALSE(watch.unchanged());
}

TEST_F(FileWatchTest, CountsWhatHasJustChangedAsChanged) {
  using Clock = std::chrono::steady_clock;
  int noted = 0;
  for (int i = 0; i < 50 && noted < 3; ++i) {
    FileWatch watch(true);
    watch.note(at("."));
    const auto begin = Clock::now();
    write(real("file"), "two");
    watch.note(at("file"));
    if (Clock::now() - begin > std::chrono::milliseconds(30)) continue; // on a busy machine the kernel may take its time
    EXPECT_FALSE(watch.unchanged());
    ++noted;
  }
  if (noted == 0) GTEST_SKIP() << "the kernel takes too long to watch a file here";
}

} // namespace
} // namespace pupc::compiler
