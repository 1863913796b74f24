#pragma once
// Commands for PuppetDB that wait on disk until it has taken them: in order, the newest of each node and kind, over crashes.
#include "tools/puppetdb/command_texts.h"

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pupc::puppetdb {

/// The spool's directory cannot be used, or it is full; the message says which.
struct SpoolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Spool {
public:
  struct Limits {
    uint64_t bytes = uint64_t(1) << 30;
    size_t commands = 200000;
  };
  struct Entry {
    uint64_t number = 0; // ascending in the order of arrival
    CommandKind kind = CommandKind::ReplaceFacts;
    std::string certname;
    uint64_t bytes = 0;
    std::string time; // of the producer; only list() tells it
  };

  /// Opens the directory, or makes it. One process at a time has it open; a second one gets SpoolError.
  Spool(std::string directory, Limits limits);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Adds a command. Facts and catalogs replace those of the node that still wait; reports are kept, each tells of another run. When this
  /// returns, the command outlives the process. Throws SpoolError.
  void put(const Command& command);
  /// The oldest command of a node of which none is taken; nothing when there is none.
  std::optional<Entry> take();
  /// Its content. Nothing for a file that is damaged or gone: drop it.
  std::optional<Command> read(const Entry& entry) const;
  /// It was delivered.
  void done(const Entry& entry);
  /// It is to be tried again.
  void back(const Entry& entry);
  /// It can never be delivered: moved to the folder `rejected`, of which the last hundred are kept.
  void reject(const Entry& entry);
  /// Writes to the disk what only the kernel has: for commands that stay a while.
  void sync();

  size_t waiting() const;
  uint64_t bytes() const;
  const std::string& directory() const { return directory_; }

  /// The commands in a directory, oldest first, whoever has it open. Throws SpoolError.
  static std::vector<Entry> list(const std::string& directory);

private:
  std::string path_of(const Entry& entry) const;
  void forget(uint64_t number);

  const std::string directory_;
  const Limits limits_;
  int lock_ = -1;
  mutable std::mutex mutex_;
  std::map<uint64_t, Entry> entries_; // by number
  std::set<std::string> busy_;        // nodes of which a command is taken
  std::map<std::pair<std::string, CommandKind>, uint64_t> newest_;
  std::set<uint64_t> taken_, unsynced_;
  uint64_t next_ = 1, bytes_ = 0;
};

} // namespace pupc::puppetdb
