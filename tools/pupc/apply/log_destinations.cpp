#include "tools/pupc/apply/log_destinations.h"

#include "catalog/base/text.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/time_format.h"
#include "runtime/sys/safe_path.h"
#include "tools/pupc/apply/apply_options.h"
#include "tools/pupc/private_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

class LogFile final : public LogDestination {
public:
  explicit LogFile(const std::string& path) {
    json_ = path.ends_with(".json");
    lines_ = path.ends_with(".jsonl");
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    // Do not follow links of other users: they could redirect the lines.
    const Place place = open_place(followed_path(path));
    file_ = Descriptor(
        ::openat(place.directory.get(), place.name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0640));
    struct stat status {};
    if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0) throw SystemError(errno, path);
    if (!S_ISREG(status.st_mode)) throw SystemError(EINVAL, path);
    first_ = status.st_size <= 2;
    if (json_ && status.st_size == 0) put("[\n");
  }

  void write(const ReportLog& line) override {
    if (!json_ && !lines_)
      return put(fmt::format("{} {} ({}): {}\n", local_time_text(line.time), line.source, name_of(line.level), line.message));
    std::string out = json_ && !first_ ? ",\n" : "";
    first_ = false;
    JsonWriter w(out);
    w.begin_object();
    w.member("level", name_of(line.level));
    w.member("message", line.message);
    w.member("source", line.source);
    w.key("tags");
    w.begin_array();
    for (const std::string& tag : line.tags) w.string(tag);
    w.end_array();
    w.member("time", iso_time(line.time));
    if (!line.file.empty()) w.member("file", line.file);
    if (line.line != 0) {
      w.key("line");
      w.integer(line.line);
    }
    w.end_object();
    put(out + "\n");
  }

private:
  void put(std::string_view text) const {
    while (!text.empty()) { // a full disk stops the log, not the run
      const ssize_t written = ::write(file_.get(), text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

  Descriptor file_;
  bool json_ = false, lines_ = false, first_ = true;
};

class SystemLog final : public LogDestination {
public:
  SystemLog(std::string program, int facility) : program_(std::move(program)) {
    ::openlog(program_.c_str(), LOG_PID | LOG_NDELAY, facility);
  }
  ~SystemLog() override { ::closelog(); }

  void write(const ReportLog& line) override {
    static constexpr int priorities[] = {LOG_DEBUG, LOG_INFO, LOG_NOTICE, LOG_WARNING, LOG_ERR, LOG_ALERT, LOG_EMERG, LOG_CRIT};
    std::string_view rest = line.message;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string text = line.source == "Puppet" ? std::string(rest.substr(0, end))
                                                       : fmt::format("({}) {}", line.source, rest.substr(0, end));
      ::syslog(priorities[static_cast<size_t>(line.level)], "%s", text.c_str());
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

private:
  std::string program_; // the C library keeps the address
};

int facility_named(std::string name) {
  struct Facility {
    std::string_view name;
    int number;
  };
  static constexpr auto known = std::to_array<Facility>({
      {"auth", LOG_AUTH},     {"authpriv", LOG_AUTHPRIV}, {"cron", LOG_CRON},     {"daemon", LOG_DAEMON}, {"ftp", LOG_FTP},
      {"kern", LOG_KERN},     {"local0", LOG_LOCAL0},     {"local1", LOG_LOCAL1}, {"local2", LOG_LOCAL2}, {"local3", LOG_LOCAL3},
      {"local4", LOG_LOCAL4}, {"local5", LOG_LOCAL5},     {"local6", LOG_LOCAL6}, {"local7", LOG_LOCAL7}, {"lpr", LOG_LPR},
      {"mail", LOG_MAIL},     {"news", LOG_NEWS},         {"syslog", LOG_SYSLOG}, {"user", LOG_USER},     {"uucp", LOG_UUCP},
  });
  name = ascii_lower(name);
  const auto found = std::find_if(known.begin(), known.end(), [&](const Facility& f) { return f.name == name; });
  if (found == known.end()) throw std::runtime_error("Invalid syslog facility " + name);
  return found->number;
}

} // namespace

LogPlaces open_log_places(std::string_view names, const std::string& program, const std::string& facility) {
  LogPlaces out;
  const std::vector<std::string> all = split_commas(names);
  out.console = all.empty();
  for (const std::string& name : all) {
    std::string why;
    try {
      if (name == "console")
        out.console = true;
      else if (name == "syslog")
        out.others.push_back(std::make_unique<SystemLog>(program, facility_named(facility)));
      else if (name.starts_with('/'))
        out.others.push_back(std::make_unique<LogFile>(name));
      else
        why = "Unknown destination type " + name;
    } catch (const std::runtime_error& e) { why = e.what(); }
    if (!why.empty()) throw std::runtime_error(fmt::format("Could not set logdest to {}.\nWrapped exception:\n{}", names, why));
  }
  return out;
}

} // namespace pupc::cli
