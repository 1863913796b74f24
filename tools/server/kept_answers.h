#pragma once
// Answers about files that hold as long as these are as they were: every node asks for the metadata of the same plugins at each run.
#include "compiler/load/environment.h"
#include "compiler/load/file_watch.h"
#include "tools/http/server.h"
#include "tools/server/visible_names.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace pupc::server {

class KeptAnswers {
public:
  /// Makes an answer without a file in it; notes all that it looks at, before it does, in the watch unless that is null.
  using Make = std::function<http::Response(FileWatch* watch)>;

  /// The answer of that key for an environment: a kept one if nothing it came of has changed, or else a new one. Kept are some of those
  /// with status 200 where the kernel tells of changes. The key has all that the answer depends on beside the environment and files.
  http::Response answer(const std::shared_ptr<const Environment>& environment, const std::string& key, const Make& make);

private:
  struct Kept {
    std::string key;
    http::Headers headers;
    std::string body;
  };
  struct Slot {
    std::weak_ptr<const Environment> of;            // that is changed is another one
    std::shared_ptr<FileWatch> watch;               // of all its answers
    std::list<std::shared_ptr<const Kept>> answers; // the last made first
    size_t bytes = 0;
  };
  std::shared_ptr<FileWatch> watch_of(const std::shared_ptr<const Environment>& environment);
  std::shared_ptr<const Kept> find(const std::string& environment, const FileWatch* watch, const std::string& key);
  void keep(const std::string& environment, const FileWatch* watch, std::shared_ptr<const Kept> kept);

  std::mutex mutex_;
  std::map<std::string, Slot> slots_; // by the environment's name
};

} // namespace pupc::server
