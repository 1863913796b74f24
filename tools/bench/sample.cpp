#include "tools/bench/sample.h"

#include "catalog/json/catalog_writer.h"
#include "catalog/store/store.h"
#include "compiler/build/compile.h"
#include "compiler/load/facts_file.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace pupc::bench {
namespace {

namespace fs = std::filesystem;

// Memory that each further node may cost: the program writes its catalog and forgets it, so little should stay.
constexpr double limit_per_node_kib = 10 * 1024;
// For ten times the nodes: 10 is linear, the rest allows for noise.
constexpr double growth_limit = 15;
// Other work on the machine can slow a few runs down, so only growth above the limit in all rounds fails.
constexpr int rounds = 6;

class ErrorsOnly : public LogSink {
public:
  void log(LogEntry entry) override {
    if (entry.level >= LogLevel::Err) fmt::print(stderr, "{}\n", entry.message);
  }
};

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class Sample {
public:
  explicit Sample(const std::string& directory) {
    for (const auto& entry : fs::directory_iterator(directory + "/facts")) files_.push_back(entry.path().string());
    std::sort(files_.begin(), files_.end());
    if (files_.empty()) throw std::runtime_error("the sample has no facts");
    environment_ = open_environment(directory_environment(fs::absolute(directory).string() + "/environments", "production", {}, &log_));
  }

  size_t nodes() const { return files_.size(); }

  /// Compiles `count` nodes by repeating those of the sample. Returns the total size of their catalogs in bytes.
  size_t compile_nodes(size_t count, unsigned threads, ExportStore* store) {
    std::atomic<size_t> next = 0, bytes = 0, failed = 0;
    auto work = [&] {
      for (size_t i; (i = next.fetch_add(1)) < count;) {
        NodeData node;
        node.input.facts = read_facts_file(*node.arena, files_[i % files_.size()], &node.input.name);
        node.input.trusted = local_trusted_data(*node.arena, node.input.name);
        node.exports = store;
        CompileResult result = compile(environment_, node, {}, log_);
        if (!result.ok()) {
          ++failed;
          continue;
        }
        if (store != nullptr) store->replace(stored_node(*result.catalog, node.input.facts, false));
        std::string json;
        write_catalog(*result.catalog, json);
        bytes += json.size();
      }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
    work();
    for (auto& t : others) t.join();
    if (failed > 0) throw std::runtime_error(fmt::format("{} nodes of the sample do not compile", failed.load()));
    return bytes;
  }

private:
  ErrorsOnly log_;
  std::vector<std::string> files_;
  std::shared_ptr<const Environment> environment_;
};

struct Times {
  double wall = 1e9, cpu = 1e9;
  long waits = 1 << 30; // how often a thread gave up the processor to wait for a lock or a file
};

long waits() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

/// The least of several runs, for each figure separately.
template <class F> Times least(int runs, F work) {
  Times best;
  for (int i = 0; i < runs; ++i) {
    double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const long waited = waits();
    work();
    best.wall = std::min(best.wall, seconds_of(CLOCK_MONOTONIC) - wall);
    best.cpu = std::min(best.cpu, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    best.waits = std::min(best.waits, waits() - waited);
  }
  return best;
}

/// How many times as fast two threads are as one. `one` and `two` do the same amount of work. It measures them alternately and takes the
/// median of the ratios, so that a drift in the machine's speed does not matter.
template <class One, class Two> double speed_up(int pairs, One one, Two two) {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const double begin = seconds_of(CLOCK_MONOTONIC);
    one();
    const double middle = seconds_of(CLOCK_MONOTONIC);
    two();
    ratios.push_back((middle - begin) / (seconds_of(CLOCK_MONOTONIC) - middle));
  }
  std::nth_element(ratios.begin(), ratios.begin() + pairs / 2, ratios.end());
  return ratios[static_cast<size_t>(pairs / 2)];
}

/// Work without any shared data: it shows the best speed-up that two processors of this machine can give.
void spin(size_t steps) {
  volatile size_t sum = 0;
  for (size_t i = 0; i < steps; ++i) sum = sum + i * i % 7;
}

} // namespace

int sample(const std::string& directory, bool check) {
  const int runs = check ? 3 : 9;
  // Cold start with two threads: both need files that nobody has read yet.
  const Times cold_two = least(runs, [&] {
    Sample fresh(directory);
    fresh.compile_nodes(fresh.nodes(), 2, nullptr);
  });
  double cold_wall = seconds_of(CLOCK_MONOTONIC);
  Sample sample(directory);
  const size_t n = sample.nodes();
  size_t bytes = sample.compile_nodes(n, 1, nullptr);
  cold_wall = seconds_of(CLOCK_MONOTONIC) - cold_wall;
  fmt::print("{} nodes, {} kB of catalogs; first time (reads and parses all): {:.1f} ms\n", n, bytes / 1024, cold_wall * 1e3);

  fmt::print("{:<24} {:>10} {:>10} {:>10} {:>10}\n", "", "wall ms", "CPU ms", "waits", "nodes/s");
  auto show = [&](const char* what, size_t count, const Times& t) {
    fmt::print("{:<24} {:>10.1f} {:>10.1f} {:>10} {:>10.0f}\n", what, t.wall * 1e3, t.cpu * 1e3, t.waits,
               static_cast<double>(count) / t.wall);
  };
  Times one = least(runs, [&] { sample.compile_nodes(n, 1, nullptr); });
  show("2 jobs, first time", n, cold_two);
  show("1 job", n, one);
  const long before = peak_kib();
  Times many = least(check ? 1 : 3, [&] { sample.compile_nodes(10 * n, 1, nullptr); });
  show("1 job, ten times as many", 10 * n, many);
  const double per_node = static_cast<double>(peak_kib() - before) / static_cast<double>(9 * n);
  Times two = least(runs, [&] { sample.compile_nodes(n, 2, nullptr); });
  show("2 jobs", n, two);

  if (!check) {
    constexpr int pairs = 21;
    constexpr size_t steps = 60'000'000;
    const double ours = speed_up(
        pairs, [&] { sample.compile_nodes(10 * n, 1, nullptr); }, [&] { sample.compile_nodes(10 * n, 2, nullptr); });
    const double machine = speed_up(
        pairs, [] { spin(steps); },
        [] {
          std::thread other([] { spin(steps / 2); });
          spin(steps / 2);
          other.join();
        });
    fmt::print("two jobs against one, median of {} pairs of {} nodes: {:.2f}; a loop that shares nothing: {:.2f}\n", pairs, 10 * n, ours,
               machine);
  }

  const std::string store_file = fmt::format("{}/pupc-bench-{}.sqlite", fs::temp_directory_path().string(), getpid());
  {
    auto store = open_sqlite_store(store_file);
    sample.compile_nodes(n, 1, store.get()); // fills the store
    show("1 job, with store", n, least(check ? 1 : runs, [&] { sample.compile_nodes(n, 1, store.get()); }));
    show("2 jobs, with store", n, least(check ? 1 : runs, [&] { sample.compile_nodes(n, 2, store.get()); }));
  }
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(store_file + suffix);

  double growth = many.cpu / one.cpu;
  for (int round = 1; check && growth > growth_limit && round < rounds; ++round) {
    one.cpu = std::min(one.cpu, least(runs, [&] { sample.compile_nodes(n, 1, nullptr); }).cpu);
    many.cpu = std::min(many.cpu, least(runs, [&] { sample.compile_nodes(10 * n, 1, nullptr); }).cpu);
    growth = many.cpu / one.cpu;
  }
  fmt::print("two jobs are {:.2f} times as fast as one; ten times the nodes take {:.1f} times the CPU; peak memory {:.1f} MB, {:.1f} kB "
             "for each further node\n",
             one.wall / two.wall, growth, static_cast<double>(peak_kib()) / 1024, per_node);
  bool good = true;
  if (growth > growth_limit) {
    fmt::print("the time grows worse than linearly with the nodes\n");
    good = false;
  }
  if (per_node > limit_per_node_kib) {
    fmt::print("memory grows with the nodes\n");
    good = false;
  }
  return good || !check ? 0 : 1;
}

} // namespace pupc::bench
