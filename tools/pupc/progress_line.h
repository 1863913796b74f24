#pragma once
// Shows the progress of a long run in one line of a terminal, which it overwrites again and again.
#include <cstdio>
#include <string_view>

namespace pupc::cli {

/// Does nothing if standard error is not a terminal, or a terminal that cannot overwrite a line.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return terminal_; }
  /// "[12/298] Package[nginx]", cut to the terminal's width. Control characters of the text are left out.
  void show(size_t done, size_t of, std::string_view text);
  /// The same without the numbers.
  void show(std::string_view text);
  /// Erases the line, so that the program can write other lines.
  void clear();

private:
  bool terminal_ = false;
  bool there_ = false;
};

} // namespace pupc::cli
