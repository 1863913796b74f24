#include "compiler/ruby/custom_facts.h"

#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace pupc {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("a pipe to Ruby: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

std::string request_text(const CustomFactsRequest& request) {
  std::string out;
  JsonWriter w(out, false);
  w.begin_object();
  auto list = [&](std::string_view name, const std::vector<std::string>& items) {
    w.key(name);
    w.begin_array();
    for (const std::string& item : items) w.string(item);
    w.end_array();
  };
  list("directories", request.directories);
  list("libraries", request.libraries);
  w.key("limit");
  w.integer(request.limit.count());
  w.end_object();
  out.pop_back();
  return out + ",\"facts\":" + request.facts + ",\"external\":" + request.external + ",\"environment\":" + request.environment + "}";
}

/// What the process tells, line by line.
class Told {
public:
  using Clock = std::chrono::steady_clock;
  // Beyond a fact's own limit, which Ruby enforces as far as it can.
  static constexpr std::chrono::seconds grace{10};

  Told(const CustomFactsRequest& request, Arena& arena) : request_(request), arena_(arena) { wait_for(request.limit); }

  /// Milliseconds until the next look at the clock, at most a second; none left when the process has used up its time.
  std::chrono::milliseconds left() const {
    return std::min(std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()), std::chrono::milliseconds(1000));
  }
  void tick() const {
    if (request_.progress && !running_.empty())
      request_.progress(running_.front().first, std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - running_.front().second));
  }
  std::string running() const { return running_.empty() ? std::string() : running_.back().first; }
  bool finished() const { return finished_; }

  void take(std::string_view text) {
    rest_ += text;
    size_t begin = 0;
    for (size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
      line(std::string_view(rest_).substr(begin, end - begin));
    rest_.erase(0, begin);
  }

  CustomFacts finish() {
    HashBuilder facts(arena_);
    for (const std::string& name : order_.empty() ? ended_ : order_)
      if (auto at = values_.find(name); at != values_.end()) facts.set(arena_.copy(name), at->second);
    out_.facts = facts.finish();
    return std::move(out_);
  }
  void fail(std::string text) { out_.log.emplace_back("error", std::move(text)); }

private:
  void wait_for(std::chrono::seconds limit) { deadline_ = std::max(deadline_, Clock::now() + limit + grace); }

  void line(std::string_view text) {
    Value v;
    if (read_json(text, arena_, v) || !v.is_hash()) return;
    auto get = [&](std::string_view key) { return v.hash->find(key); };
    if (const Value* name = get("start")) {
      running_.emplace_back(name->str(), Clock::now());
    } else if (const Value* limit = get("limit")) {
      wait_for(std::chrono::seconds(limit->is(Kind::Int) ? limit->i : limit->is(Kind::Float) ? static_cast<int64_t>(limit->d) : 0));
    } else if (const Value* ended = get("end")) {
      const std::string fact(ended->str());
      if (const Value* seconds = get("seconds"); seconds != nullptr && seconds->is(Kind::Float))
        out_.seconds.emplace_back(fact, seconds->d);
      if (const Value* value = get("value"); value != nullptr && !value->is_undef()) values_.insert_or_assign(fact, *value);
      ended_.push_back(fact);
      if (!running_.empty()) running_.pop_back();
      if (running_.empty()) deadline_ = Clock::now() + request_.limit + grace;
    } else if (const Value* facts = get("facts"); facts != nullptr && facts->is_list()) {
      for (const Value& fact : facts->items()) order_.emplace_back(fact.str());
      if (const Value* log = get("log"); log != nullptr && log->is_list())
        for (const Value& entry : log->items()) out_.log.emplace_back(entry.items()[0].str(), entry.items()[1].str());
      finished_ = true;
    }
  }

  const CustomFactsRequest& request_;
  Arena& arena_;
  Clock::time_point deadline_{};
  std::string rest_; // the beginning of the next line
  std::vector<std::pair<std::string, Clock::time_point>> running_;
  std::vector<std::string> ended_, order_;
  std::map<std::string, Value> values_;
  CustomFacts out_;
  bool finished_ = false;
};

/// Writes the input to the process and reads what it tells until it closes its output. Both happen at once, so that neither side blocks.
/// False when the time is up.
bool exchange(int to, int from, std::string_view input, Told& told, Pipe& closing) {
  ::fcntl(to, F_SETFL, O_NONBLOCK);
  while (true) {
    const auto left = told.left();
    if (left.count() <= 0) return false;
    pollfd both[2] = {{from, POLLIN, 0}, {input.empty() ? -1 : to, POLLOUT, 0}};
    const int ready = ::poll(both, 2, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) throw std::runtime_error("poll fails");
    if (ready <= 0) {
      told.tick();
      continue;
    }
    if (both[1].revents != 0) {
      ssize_t n = ::write(to, input.data(), input.size());
      if (n > 0)
        input.remove_prefix(static_cast<size_t>(n));
      else if (n < 0 && errno != EAGAIN && errno != EINTR)
        input = {};
      if (input.empty()) closing.close(1);
    }
    if (both[0].revents == 0) continue;
    char chunk[65536];
    ssize_t n = ::read(from, chunk, sizeof chunk);
    if (n > 0)
      told.take({chunk, static_cast<size_t>(n)});
    else if (n == 0 || errno != EINTR)
      return true;
  }
}

} // namespace

bool has_custom_facts(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (entry.path().extension() == ".rb") return true;
  }
  return false;
}

CustomFacts run_custom_facts(const CustomFactsRequest& request, Arena& arena) {
  Pipe to, from;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.ends[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from.ends[1], 1);
  std::string program = request.program, source(custom_facts_source());
  char disable_gems[] = "--disable-gems", utf8[] = "-EUTF-8:", execute[] = "-e";
  char* arguments[] = {program.data(), disable_gems, utf8, execute, source.data(), nullptr};
  pid_t pid = -1;
  int error = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error(fmt::format("custom facts need Ruby, which could not be started: {} '{}'", std::strerror(error), program));
  to.close(0);
  from.close(1);
  Told told(request, arena);
  int status = 0;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  bool in_time = false;
  try {
    in_time = exchange(to.ends[1], from.ends[0], request_text(request), told, to);
  } catch (...) {
    ::sigaction(SIGPIPE, &before, nullptr);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    throw;
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  if (!in_time) ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, 0);
  if (!told.finished()) {
    const std::string fact = told.running().empty() ? "" : fmt::format(" while it resolved the fact '{}'", told.running());
    told.fail(!in_time ? fmt::format("the Ruby process of the custom facts took too long{} and was killed", fact)
              : WIFSIGNALED(status)
                  ? fmt::format("the Ruby process of the custom facts was killed by signal {}{}", WTERMSIG(status), fact)
                  : fmt::format("the Ruby process of the custom facts ended with exit status {}{}", WEXITSTATUS(status), fact));
  }
  return told.finish();
}

} // namespace pupc
