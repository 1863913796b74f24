#pragma once
// What a compile looked at in its environment. Who knows it can tell which nodes a change of files cannot reach.
#include "compiler/load/environment.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// What one compile looked at. Paths below the root that the recorder knows are relative to it. Not recorded is what all compiles of an
/// environment share, whatever they ask for: the main manifests, the Ruby files of modules, their metadata, hiera.yaml.
struct Dependencies {
  using Set = std::set<std::string, std::less<>>;
  Set names;         // of classes, defines, functions and type aliases, in lower case, without a leading ::
  Set files;         // whose content counted
  Set places;        // of which only counted whether they exist
  Set data;          // data files of which only the entries in `keys` counted
  Set keys;          // first segments of the keys that were looked up
  Set directories;   // all that is below them may have counted
  std::string doubt; // why anything else may have counted; empty: nothing else did
};

/// Takes notes for a compile. Used by one thread.
class DependencyRecorder {
public:
  /// `root`: an absolute path without a / at its end.
  DependencyRecorder(Dependencies& into, std::string root) : into_(into), root_(std::move(root) + "/") {}

  void name(std::string_view name);
  void file(std::string_view path) { add(into_.files, shortened(path)); }
  void place(std::string_view path) { add(into_.places, shortened(path)); }
  void data(std::string_view path) { add(into_.data, shortened(path)); }
  void directory(std::string_view path) { add(into_.directories, shortened(path)); }
  void key(std::string_view root) { add(into_.keys, root); }
  void doubt(std::string_view why) {
    if (into_.doubt.empty()) into_.doubt = why;
  }

private:
  static void add(Dependencies::Set& set, std::string_view text) {
    if (set.find(text) == set.end()) set.emplace(text);
  }
  std::string_view shortened(std::string_view path) const { return path.starts_with(root_) ? path.substr(root_.size()) : path; }

  Dependencies& into_;
  const std::string root_;
};

/// The environment for one compile: it answers as `base` does, and notes in `into`, which must outlive it, what it is asked for.
std::shared_ptr<const Environment> recording_environment(std::shared_ptr<const Environment> base, Dependencies& into, std::string root);

} // namespace pupc::compiler
