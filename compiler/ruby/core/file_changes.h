#pragma once
// What a call of Ruby code changes among the files of this machine. It happens at once, as in Ruby; where the call turns out to need Ruby
// after all, it is undone, and Ruby runs the code from its start.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace pupc::compiler::ruby {

class FileChanges {
public:
  /// Each is false where it fails: then Ruby is to word the error.
  bool make_directory(const std::string& path, bool there);
  bool write(const std::string& path, std::string_view text, bool append, mode_t mode);
  bool set_owner(const std::string& path, int64_t user, int64_t group); // -1: as it is
  bool set_mode(const std::string& path, mode_t mode);
  bool remove(const std::string& path);

  void undo();

private:
  struct Before {
    std::string path;
    std::optional<struct stat> state; // none: there was no such file
    std::optional<std::string> text;
  };
  bool note(const std::string& path, bool with_text);
  std::vector<Before> before_;
};

} // namespace pupc::compiler::ruby
