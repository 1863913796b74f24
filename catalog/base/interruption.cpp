#include "catalog/base/interruption.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace pupc::catalog {
namespace {

std::atomic<int> signals{0};

// Two buffers: the handler reads the one that is not being written.
using Text = std::array<char, 256>;
Text texts[2];
std::atomic<const Text*> under_way{nullptr};

void say(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

/// All processes with their parents. /proc/PID/stat has the parent after the name; the name may contain anything, but ends at the last
/// parenthesis.
std::vector<std::pair<pid_t, pid_t>> processes_and_parents() {
  std::vector<std::pair<pid_t, pid_t>> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const size_t end = text.rfind(')');
    int parent = 0;
    if (end != std::string::npos && std::sscanf(text.c_str() + end + 1, " %*c %d", &parent) == 1) out.emplace_back(std::stoi(name), parent);
  }
  return out;
}

} // namespace

void note_interruption(int signal) {
  const int count = signals.fetch_add(1) + 1;
  const Text* doing = under_way.load();
  if (doing == nullptr) {
    if (count < 2) {
      say("Notice: Caught SIG");
      say(::sigabbrev_np(signal));
      say("; nothing has been changed yet, the run will not begin. A second signal ends the process\n");
      return;
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  if (count > 2) return;
  say("Notice: Caught SIG");
  say(::sigabbrev_np(signal));
  say(count == 1 ? "; waiting for the end of " : "; ending ");
  say(doing->data());
  say(count == 1 ? ". A second signal ends it\n" : "\n");
}

bool interrupted_twice() { return signals.load() > 1; }

void set_under_way(std::string_view what) {
  if (what.empty()) {
    under_way.store(nullptr);
    return;
  }
  Text& free = under_way.load() == &texts[0] ? texts[1] : texts[0];
  const size_t size = std::min(what.size(), free.size() - 1);
  std::copy_n(what.begin(), size, free.begin());
  free[size] = '\0';
  under_way.store(&free);
}

void signal_tree(pid_t root, int signal) {
  ::kill(root, SIGSTOP);
  const auto all = processes_and_parents();
  std::vector<pid_t> tree{root};
  for (size_t i = 0; i < tree.size(); ++i)
    for (const auto& [pid, parent] : all)
      if (parent == tree[i]) tree.push_back(pid);
  for (const pid_t pid : tree) ::kill(pid, signal);
  ::kill(root, SIGCONT);
}

} // namespace pupc::catalog
