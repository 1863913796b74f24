// Benchmarks: parser throughput, warm compiles of generated manifests in two sizes, peak memory; prints times, asserts growth with --check.
//   pupc_bench            all shapes at 1,000 and 10,000
//   pupc_bench --role               a warm compile of 500 resources and 300 Hiera lookups
//   pupc_bench --sample DIRECTORY   the nodes of testdata/sample with 1 and 2 threads, without and with a store of exported resources
//   pupc_bench --check    the same with fewer repetitions; fails when ten times the work takes more than 25 times the time
#include "catalog/json/catalog_writer.h"
#include "compiler/build/compile.h"
#include "compiler/parse/parser.h"
#include "tools/bench/role.h"
#include "tools/bench/sample.h"
#include "tools/bench/shapes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <sys/resource.h>

namespace pupc::bench {
namespace {

// For ten times the work: 10 is linear, 100 is quadratic. Cache misses and larger allocations add to linear growth.
constexpr double growth_limit = 25;
// Other work on the machine can slow a few runs down, so only a shape that exceeds the limit in all rounds fails.
constexpr int rounds = 6;

class Silent : public LogSink {
public:
  void log(LogEntry entry) override {
    if (entry.level >= LogLevel::Err) fmt::print(stderr, "{}\n", entry.message);
  }
};

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// The least CPU time of several runs: that of the least disturbed run.
template <class F> double least(int runs, F work) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    double begin = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Timing {
  double seconds = 0;
  size_t resources = 0;
  size_t bytes = 0;
};

Timing warm_compile(const Shape& shape, size_t n, int runs) {
  EnvironmentOptions options;
  options.code = shape.make(n);
  auto environment = open_environment(std::move(options));
  Silent log;
  Timing out;
  auto once = [&] {
    NodeData node;
    node.input.name = "bench.example.com";
    HashBuilder facts(*node.arena);
    node.input.facts = facts.finish();
    node.input.trusted = local_trusted_data(*node.arena, node.input.name);
    CompileResult result = compile(environment, node, {}, log);
    if (!result.ok()) throw std::runtime_error(fmt::format("shape {} does not compile", shape.name));
    std::string json;
    write_catalog(*result.catalog, json);
    out.resources = result.catalog->size();
    out.bytes = json.size();
  };
  once(); // the first run parses, the measured runs do not
  out.seconds = least(runs, once);
  return out;
}

void parser(int runs) {
  std::string source = mixed_source(2 << 20);
  RegexCache regexes;
  double seconds = least(runs, [&] {
    ParseResult r = parse("bench.pp", source, regexes);
    if (!r.file) throw std::runtime_error("the parser's sample does not parse");
  });
  fmt::print("parse {:.1f} MB: {:.1f} ms, {:.1f} MB/s\n", static_cast<double>(source.size()) / 1e6, seconds * 1e3,
             static_cast<double>(source.size()) / 1e6 / seconds);
}

int run(bool check) {
  int runs = check ? 3 : 7;
  parser(runs);
  fmt::print("{:<14} {:>10} {:>10} {:>12} {:>12} {:>8}\n", "shape", "1k ms", "10k ms", "10k res.", "10k JSON kB", "growth");
  bool good = true;
  for (const Shape& shape : shapes()) {
    Timing small = warm_compile(shape, 1000, runs * 3), large = warm_compile(shape, 10000, runs);
    double growth = large.seconds / small.seconds;
    for (int round = 1; check && growth > growth_limit && round < rounds; ++round) {
      small.seconds = std::min(small.seconds, warm_compile(shape, 1000, runs * 3).seconds);
      large.seconds = std::min(large.seconds, warm_compile(shape, 10000, runs * 2).seconds);
      growth = large.seconds / small.seconds;
    }
    bool bad = growth > growth_limit;
    fmt::print("{:<14} {:>10.2f} {:>10.2f} {:>12} {:>12} {:>8.1f}{}\n", shape.name, small.seconds * 1e3, large.seconds * 1e3,
               large.resources, large.bytes / 1024, growth, bad ? "  worse than linear" : "");
    good = good && !bad;
  }
  fmt::print("peak memory {:.1f} MB\n", static_cast<double>(peak_kib()) / 1024);
  return good || !check ? 0 : 1;
}

} // namespace
} // namespace pupc::bench

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  auto at = std::find(words.begin(), words.end(), "--check");
  const bool check = at != words.end();
  if (check) words.erase(at);
  try {
    if (words.size() == 1 && words[0] == "--role") return pupc::bench::role(check);
    if (words.size() == 2 && words[0] == "--sample") return pupc::bench::sample(std::string(words[1]), check);
    return pupc::bench::run(check);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
