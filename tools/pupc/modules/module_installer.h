#pragma once
// Compares the modules that a Puppetfile or a metadata.json asks for with those that are there, and makes them so.
#include "tools/pupc/modules/module_sources.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pupc::cli {

struct ModulesOptions {
  std::string base;           // the directory of the Puppetfile, absolute
  std::string puppetfile;     // "" = only the metadata.json in `base`
  std::string shown;          // the Puppetfile as errors name it
  std::string directory;      // --moduledir, absolute; "" = as the Puppetfile says
  std::string forge, token;   // "" = as the Puppetfile says
  std::string default_forge;  // where neither says
  std::string cache;          // of git repositories
  std::string control_branch; // "" = the branch of the repository around `base`
  std::string default_branch_override;
  std::vector<std::string> only; // names of modules; empty = all
  bool write_lock = false, update = false, purge = false, force = false;
  unsigned jobs = 8;
};

/// What is known of a module that is asked for.
struct ModuleState {
  enum class Kind : uint8_t {
    Right,   // as asked for, or left to others
    Missing, // not there
    Other,   // another version or commit, or from another place
    Changed, // right now: was installed, or replaced by what was asked for
    Failed,
  };
  ModuleRequest request;
  Kind kind = Kind::Right;
  bool fixed = false;      // what is right cannot become another commit: a tag, a commit, or locked
  std::string before, now; // versions or commits; "" = none
  std::string problem;     // of Failed
  std::string newer;       // a later version, when that was asked for
};

struct ModulesReport {
  std::vector<ModuleState> modules;  // in the order of the Puppetfile
  std::vector<std::string> removed;  // directories that are no longer named; `check` tells them, `install` has removed them
  std::vector<std::string> foreign;  // directories that nobody named and that stay
  std::vector<std::string> unmet;    // dependencies that are missing or do not fit, as sentences
  std::vector<std::string> failures; // of the whole, not of one module
};

class ModuleInstaller {
public:
  /// Reads the Puppetfile, the metadata.json and the lock. Throws CompileError.
  ModuleInstaller(System& system, ModulesOptions options);

  /// Compares and changes nothing. With `newer` asks the sources for later versions.
  ModulesReport check(bool newer);
  /// Gets what is missing or different; `told` hears of each module that was changed or failed, from several threads, one at a time.
  ModulesReport install(const std::function<void(const ModuleState&)>& told);

private:
  struct Lock {
    std::string asked, got, sha256;
  };
  struct Known { // of the file that tells what pupc installed
    std::string asked, got;
    bool tag = false; // `got` was that of a tag
  };
  void read_known();
  void write_known();
  void read_lock();
  void write_lock(const ModulesReport& report);
  std::string directory_of(const ModuleRequest& m) const; // relative to the base unless --moduledir is elsewhere
  std::string path_of(const ModuleRequest& m) const;
  std::string lock_file() const { return options_.base + "/Puppetfile.lock.json"; }
  std::string known_file() const { return directory_ + "/.pupc-modules.json"; }
  const Lock* locked(const ModuleRequest& m) const;
  bool wanted(const ModuleRequest& m) const;
  ModuleState look(const ModuleRequest& m) const;
  void find_newer(ModuleState& state);
  void add_dependencies();
  std::string choose_version(const ModuleRequest& m, const std::vector<std::string>& ranges);
  void install_one(ModuleState& state);
  void put_in_place(const std::string& staged, const ModuleRequest& m, const std::string& work);
  void refuse_foreign(const ModuleRequest& m) const;
  void remove_unnamed(ModulesReport& report, bool remove);
  void tell_unmet(ModulesReport& report) const;
  std::string control_branch();

  System& system_;
  ModulesOptions options_;
  Puppetfile asked_;
  std::string directory_; // where modules go, absolute
  std::optional<Forge> forge_;
  std::map<std::string, Known> known_; // by directory
  std::map<std::string, Lock> locks_;  // by directory
  std::map<std::string, std::string> sums_;
  std::optional<std::string> branch_;
  std::string work_; // a private directory in directory_
  std::mutex mutex_;
};

/// What a request asks for, as one line without passwords: two requests with the same line mean the same.
std::string asked_text(const ModuleRequest& m);

} // namespace pupc::cli
