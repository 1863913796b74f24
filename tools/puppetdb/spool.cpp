#include "tools/puppetdb/spool.h"

#include "catalog/base/descriptor.h"
#include "tools/puppetdb/query.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::puppetdb {
namespace {

using catalog::Descriptor;

constexpr size_t most_rejected = 100;

[[noreturn]] void fail(const std::string& path, int error) {
  throw SpoolError(fmt::format("The spool of PuppetDB's commands: {}: {}", path, std::strerror(error)));
}

char letter_of(CommandKind kind) {
  switch (kind) {
  case CommandKind::ReplaceFacts: return 'f';
  case CommandKind::ReplaceCatalog: return 'c';
  case CommandKind::StoreReport: return 'r';
  case CommandKind::DeactivateNode: return 'd';
  }
  return '?';
}

std::optional<CommandKind> kind_of(char letter) {
  for (const CommandKind kind :
       {CommandKind::ReplaceFacts, CommandKind::ReplaceCatalog, CommandKind::StoreReport, CommandKind::DeactivateNode})
    if (letter_of(kind) == letter) return kind;
  return std::nullopt;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ec == std::errc()) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// "00000000000000000012.c.web1.example.com.json"
std::string file_of(const Spool::Entry& e) {
  return fmt::format("{:020}.{}.{}.json", e.number, letter_of(e.kind), percent_encoded(e.certname));
}

std::optional<Spool::Entry> entry_of(std::string_view name) {
  Spool::Entry e;
  if (name.size() < 29 || !name.ends_with(".json") || name[20] != '.' || name[22] != '.') return std::nullopt;
  if (std::from_chars(name.data(), name.data() + 20, e.number).ptr != name.data() + 20) return std::nullopt;
  const auto kind = kind_of(name[21]);
  if (!kind) return std::nullopt;
  e.kind = *kind;
  e.certname = decoded(name.substr(23, name.size() - 28));
  return e;
}

std::vector<std::string> names_in(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) fail(directory, errno);
  std::vector<std::string> out;
  while (const dirent* one = ::readdir(open.get())) out.emplace_back(one->d_name);
  std::ranges::sort(out);
  return out;
}

std::string first_line(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  char text[64];
  const ssize_t n = file.get() < 0 ? 0 : ::read(file.get(), text, sizeof text);
  const std::string_view read(text, n < 0 ? 0 : static_cast<size_t>(n));
  const size_t end = read.find('\n');
  return std::string(read.substr(0, end == std::string_view::npos ? 0 : end));
}

void sync_file(const std::string& path, int how) {
  const Descriptor file(::open(path.c_str(), how | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());
}

void write_file(const std::string& path, std::string_view first, std::string_view rest) {
  const std::string temporary = path + ".new";
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    fail(path, error);
  };
  if (file.get() < 0) give_up(errno);
  for (std::string_view part : {first, rest})
    while (!part.empty()) {
      const ssize_t n = ::write(file.get(), part.data(), part.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) give_up(n == 0 ? ENOSPC : errno);
      part.remove_prefix(static_cast<size_t>(n));
    }
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up(errno);
}

} // namespace

std::vector<Spool::Entry> Spool::list(const std::string& directory) {
  std::vector<Entry> out;
  for (const std::string& name : names_in(directory)) {
    auto entry = entry_of(name);
    struct stat info {};
    if (!entry || ::stat((directory + "/" + name).c_str(), &info) != 0) continue;
    entry->bytes = static_cast<uint64_t>(info.st_size);
    entry->time = first_line(directory + "/" + name);
    out.push_back(std::move(*entry));
  }
  return out;
}

Spool::Spool(std::string directory, Limits limits) : directory_(std::move(directory)), limits_(limits) {
  for (size_t slash = directory_.find('/', 1);; slash = directory_.find('/', slash + 1)) {
    const std::string part = directory_.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) fail(part, errno);
    if (slash == std::string::npos) break;
  }
  lock_ = ::open((directory_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0) fail(directory_ + "/lock", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw SpoolError(fmt::format("The spool of PuppetDB's commands, {}, is used by another process", directory_));
  }
  for (const std::string& name : names_in(directory_))
    if (name.ends_with(".new")) ::unlink((directory_ + "/" + name).c_str()); // never was complete
  for (Entry& e : list(directory_)) {
    next_ = std::max(next_, e.number + 1);
    // A crash between the two steps of a replacement leaves both.
    if (e.kind != CommandKind::StoreReport) {
      const auto [older, fresh] = newest_.try_emplace({e.certname, e.kind}, e.number);
      if (!fresh) {
        ::unlink(path_of(entries_.at(older->second)).c_str());
        forget(older->second);
        newest_[{e.certname, e.kind}] = e.number;
      }
    }
    bytes_ += e.bytes;
    entries_.emplace(e.number, std::move(e));
  }
}

Spool::~Spool() {
  sync();
  ::close(lock_);
}

std::string Spool::path_of(const Entry& entry) const { return directory_ + "/" + file_of(entry); }

void Spool::forget(uint64_t number) {
  const auto found = entries_.find(number);
  if (found == entries_.end()) return;
  bytes_ -= found->second.bytes;
  const auto newest = newest_.find({found->second.certname, found->second.kind});
  if (newest != newest_.end() && newest->second == number) newest_.erase(newest);
  unsynced_.erase(number);
  taken_.erase(number);
  entries_.erase(found);
}

void Spool::put(const Command& command) {
  Entry entry;
  entry.kind = command.kind;
  entry.certname = command.certname;
  const std::string head = command.time + "\n";
  entry.bytes = head.size() + command.payload.size();
  std::lock_guard lock(mutex_);
  uint64_t older = 0;
  if (command.kind != CommandKind::StoreReport)
    if (const auto found = newest_.find({command.certname, command.kind}); found != newest_.end() && !taken_.contains(found->second))
      older = found->second;
  const uint64_t freed = older == 0 ? 0 : entries_.at(older).bytes;
  if (bytes_ - freed + entry.bytes > limits_.bytes || entries_.size() - (older != 0) >= limits_.commands)
    throw SpoolError(
        fmt::format("The spool of PuppetDB's commands, {}, is full: {} commands, {} MB", directory_, entries_.size(), bytes_ >> 20));
  entry.number = next_;
  write_file(path_of(entry), head, command.payload);
  ++next_;
  if (older != 0) {
    ::unlink(path_of(entries_.at(older)).c_str());
    forget(older);
  }
  if (command.kind != CommandKind::StoreReport) newest_[{entry.certname, entry.kind}] = entry.number;
  bytes_ += entry.bytes;
  unsynced_.insert(entry.number);
  entries_.emplace(entry.number, std::move(entry));
}

std::optional<Spool::Entry> Spool::take() {
  std::lock_guard lock(mutex_);
  for (const auto& [number, entry] : entries_) {
    if (taken_.contains(number) || busy_.contains(entry.certname)) continue;
    busy_.insert(entry.certname);
    taken_.insert(number);
    return entry;
  }
  return std::nullopt;
}

std::optional<Command> Spool::read(const Entry& entry) const {
  const Descriptor file(::open(path_of(entry).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  char piece[65536];
  for (ssize_t n; (n = ::read(file.get(), piece, sizeof piece)) != 0;) {
    if (n < 0 && errno != EINTR) return std::nullopt;
    if (n > 0) text.append(piece, static_cast<size_t>(n));
  }
  const size_t line = text.find('\n');
  if (line == std::string::npos || !text.ends_with('}')) return std::nullopt;
  return Command{entry.kind, entry.certname, text.substr(0, line), text.substr(line + 1)};
}

void Spool::done(const Entry& entry) {
  std::lock_guard lock(mutex_);
  ::unlink(path_of(entry).c_str());
  busy_.erase(entry.certname);
  forget(entry.number);
}

void Spool::back(const Entry& entry) {
  std::lock_guard lock(mutex_);
  busy_.erase(entry.certname);
  taken_.erase(entry.number);
  // A newer one came meanwhile.
  const auto newest = newest_.find({entry.certname, entry.kind});
  if (newest == newest_.end() || newest->second == entry.number || entry.kind == CommandKind::StoreReport) return;
  ::unlink(path_of(entry).c_str());
  forget(entry.number);
}

void Spool::reject(const Entry& entry) {
  const std::string folder = directory_ + "/rejected";
  ::mkdir(folder.c_str(), 0700);
  ::rename(path_of(entry).c_str(), fmt::format("{}/{}", folder, file_of(entry)).c_str());
  std::vector<Entry> all = list(folder);
  for (size_t i = 0; i + most_rejected < all.size(); ++i) ::unlink(fmt::format("{}/{}", folder, file_of(all[i])).c_str());
  done(entry);
}

void Spool::sync() {
  std::vector<std::string> paths;
  {
    std::lock_guard lock(mutex_);
    for (const uint64_t number : unsynced_) paths.push_back(path_of(entries_.at(number)));
    unsynced_.clear();
  }
  if (paths.empty()) return;
  for (const std::string& path : paths) sync_file(path, O_RDONLY);
  sync_file(directory_, O_RDONLY | O_DIRECTORY);
}

size_t Spool::waiting() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

uint64_t Spool::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

} // namespace pupc::puppetdb
