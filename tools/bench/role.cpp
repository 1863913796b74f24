#include "tools/bench/role.h"

#include "compiler/build/compile.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace pupc::bench {
namespace {

namespace fs = std::filesystem;

// Twice the work may take up to this many times as long.
constexpr double growth_limit = 3;
// Other work on the machine can slow a few runs down, so only growth above the limit in all rounds fails.
constexpr int rounds = 6;

class ErrorsOnly : public LogSink {
public:
  void log(LogEntry entry) override {
    if (entry.level >= LogLevel::Err) fmt::print(stderr, "{}\n", entry.message);
  }
};

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

/// An environment with `classes` classes, each with 10 parameters from data, as many resources as asked for, and `levels` levels of data.
class RoleEnvironment {
public:
  RoleEnvironment(size_t lookups, size_t resources, size_t levels)
      : root_(fmt::format("{}/pupc-role-{}-{}-{}", fs::temp_directory_path().string(), getpid(), lookups, levels)) {
    const size_t classes = lookups / 10;
    std::string hierarchy = "version: 5\nhierarchy:\n  - name: Levels\n    paths:\n", main;
    for (size_t l = 0; l < levels; ++l) hierarchy += fmt::format("      - \"level{}/%{{facts.os.family}}.yaml\"\n", l);
    write("hiera.yaml", hierarchy);
    std::vector<std::string> data(levels, "---\n");
    size_t made = 0;
    for (size_t c = 0; c < classes; ++c) {
      std::string parameters, body;
      for (size_t p = 0; p < 10; ++p) {
        parameters += fmt::format("  {} $p{},\n", p % 5 == 4 ? "Hash" : "String", p);
        // Usually only the last level has the value; for every third parameter the middle level has one too. Hashes contain interpolation.
        data[levels - 1] += p % 5 == 4 ? fmt::format("m::c{}::p{}: {{a: 1, b: \"%{{facts.os.family}}\"}}\n", c, p)
                                       : fmt::format("m::c{}::p{}: value {} %{{facts.role}}\n", c, p, p);
        if ((c + p) % 3 == 0)
          data[levels / 2] += p % 5 == 4 ? fmt::format("m::c{}::p{}: {{c: 2}}\n", c, p) : fmt::format("m::c{}::p{}: other\n", c, p);
      }
      for (size_t end = resources * (c + 1) / classes; made < end; ++made)
        body += fmt::format(
            "  file {{ '/srv/role/{0}': ensure => file, owner => $p0, content => \"${{p1}} ${{p2}} {0}\", mode => '0644' }}\n", made);
      write(fmt::format("modules/m/manifests/c{}.pp", c), fmt::format("class m::c{}(\n{}) {{\n{}}}\n", c, parameters, body));
      main += fmt::format("include m::c{}\n", c);
    }
    data[levels - 1] += "lookup_options:\n  '^m::c1\\d*::p4$': {merge: hash}\n";
    for (size_t l = 0; l < levels; ++l) write(fmt::format("data/level{}/Debian.yaml", l), data[l]);
    EnvironmentOptions options;
    options.path = root_;
    options.modulepath = {root_ + "/modules"};
    options.code = main;
    environment_ = open_environment(options);
  }
  ~RoleEnvironment() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  /// CPU time of a compile, in ms.
  double compile_once() {
    double begin = cpu_now();
    NodeData node;
    node.input.name = "role.example.com";
    HashBuilder os(*node.arena), facts(*node.arena);
    os.set("family", Value::string("Debian"));
    facts.set("os", os.finish());
    facts.set("role", Value::string("web"));
    node.input.facts = facts.finish();
    node.input.trusted = local_trusted_data(*node.arena, node.input.name);
    CompileResult result = compile(environment_, node, {}, log_);
    if (!result.ok()) throw std::runtime_error("the role does not compile: " + result.error_text);
    resources_ = result.catalog->size();
    return (cpu_now() - begin) * 1e3;
  }
  /// The median of warm compiles.
  double warm() {
    compile_once();
    std::vector<double> times(31);
    for (double& t : times) t = compile_once();
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }
  size_t resources() const { return resources_; }

private:
  void write(const std::string& name, const std::string& text) {
    fs::path path = root_ + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::string root_;
  ErrorsOnly log_;
  std::shared_ptr<const Environment> environment_;
  size_t resources_ = 0;
};

} // namespace

int role(bool check) {
  double cold, usual;
  {
    RoleEnvironment environment(300, 500, 5);
    cold = environment.compile_once();
    usual = environment.warm();
    fmt::print("role of {} resources, 300 lookups, 5 levels: first compile {:.2f} ms, warm {:.2f} ms (CPU)\n", environment.resources(),
               cold, usual);
  }
  double twice = RoleEnvironment(600, 500, 5).warm(), deep = RoleEnvironment(300, 500, 10).warm();
  auto good_times = [&] { return twice < growth_limit * usual && deep < growth_limit * usual; };
  for (int round = 1; check && !good_times() && round < rounds; ++round) {
    usual = std::min(usual, RoleEnvironment(300, 500, 5).warm());
    twice = std::min(twice, RoleEnvironment(600, 500, 5).warm());
    deep = std::min(deep, RoleEnvironment(300, 500, 10).warm());
  }
  fmt::print("600 lookups {:.2f} ms; 10 levels {:.2f} ms\n", twice, deep);
  const bool good = good_times();
  if (!good) fmt::print("the time grows worse than linearly\n");
  return check && !good ? 1 : 0;
}

} // namespace pupc::bench
