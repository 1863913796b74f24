// The state file is JSON, which is YAML too.
#include "runtime/state/run_state.h"

#include "catalog/base/arena.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace pupc {
namespace {

void read_texts(const Value* from, std::map<std::string, std::string>& into) {
  if (from == nullptr || !from->is_hash()) return;
  for (const HashEntry& e : from->hash->entries())
    if (e.key.is_string() && e.value.is_string()) into[std::string(e.key.str())] = e.value.str();
}

void write_texts(JsonWriter& json, std::string_view name, const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return;
  json.key(name);
  json.begin_object();
  for (const auto& [key, text] : texts) json.member(key, text);
  json.end_object();
}

} // namespace

void RunState::load(System& system, const std::string& path, std::string& problem) {
  std::string text;
  try {
    if (!system.stat(path)) return;
    text = system.read_file(path);
  } catch (const SystemError& e) {
    problem = e.what();
    return;
  }
  Arena arena;
  Value root;
  JsonError error;
  if (!parse_json(text, arena, root, error) || !root.is_hash()) {
    problem = fmt::format("{} is damaged and is begun anew", path);
    return;
  }
  for (const HashEntry& e : root.hash->entries()) {
    if (!e.key.is_string() || !e.value.is_hash()) continue;
    Entry& entry = entries_[std::string(e.key.str())];
    const Hash& h = *e.value.hash;
    if (const Value* v = h.find("checked"); v != nullptr && v->is_int()) entry.checked = v->i;
    if (const Value* v = h.find("synced"); v != nullptr && v->is_int()) entry.synced = v->i;
    read_texts(h.find("audited"), entry.audited);
    read_texts(h.find("achieved"), entry.achieved);
  }
}

void RunState::save(System& system, const std::string& path) const {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  for (const auto& [reference, entry] : entries_) {
    json.key(reference);
    json.begin_object();
    json.key("checked");
    json.integer(entry.checked);
    if (entry.synced != 0) {
      json.key("synced");
      json.integer(entry.synced);
    }
    write_texts(json, "audited", entry.audited);
    write_texts(json, "achieved", entry.achieved);
    json.end_object();
  }
  json.end_object();
  out += '\n';
  system.write_file(path, out, 0640, std::nullopt, std::nullopt, false);
}

const RunState::Entry* RunState::find(const std::string& reference) const {
  auto it = entries_.find(reference);
  return it == entries_.end() ? nullptr : &it->second;
}

RunLock::~RunLock() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

bool RunLock::acquire(const std::string& path, std::string& holder) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) throw SystemError(errno, path);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    char text[32] = "";
    ssize_t n = ::read(fd_, text, sizeof text - 1);
    holder = n > 0 ? std::string(text, static_cast<size_t>(n)) : "";
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    ::close(fd_);
    fd_ = -1;
    return false;
  }
  path_ = path;
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd_, 0) != 0 || ::write(fd_, pid.data(), pid.size()) < 0) { /* the lock holds without the number */ }
  return true;
}

} // namespace pupc
