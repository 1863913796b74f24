// Feeds kept inputs to their targets, in any build: `fuzz_replay DIR` takes DIR/TARGET/*, `fuzz_replay TARGET FILE…` the files.
#include "catalog/base/paths.h"
#include "tools/fuzz/target.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

bool replay(const pupc::fuzz::Target& target, const std::string& file) {
  const auto text = pupc::catalog::read_whole_file(file);
  if (!text) {
    std::fprintf(stderr, "%s: %s\n", file.c_str(), pupc::catalog::file_problem(errno).c_str());
    return false;
  }
  // Print the name first: if an input ends the process, the last line names it.
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  target.run(*text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (seconds < 10) return true;
  std::fprintf(stderr, "%s: took %.1f s\n", file.c_str(), seconds);
  return false;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "Usage: fuzz_replay DIR | fuzz_replay TARGET FILE...\n");
    return 2;
  }
  bool good = true;
  if (argc > 2) {
    const auto* target = pupc::fuzz::find_target(argv[1]);
    if (target == nullptr) {
      std::fprintf(stderr, "no target is called %s\n", argv[1]);
      return 2;
    }
    for (int i = 2; i < argc; ++i) good = replay(*target, argv[i]) && good;
    return good ? 0 : 1;
  }
  size_t count = 0;
  for (const auto& target : pupc::fuzz::targets()) {
    const std::filesystem::path directory = std::filesystem::path(argv[1]) / target.name;
    if (!std::filesystem::is_directory(directory)) continue;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    count += files.size();
    for (const auto& file : files) good = replay(target, file) && good;
  }
  std::printf("%zu inputs\n", count);
  return good && count > 0 ? 0 : 1;
}
