#pragma once
// What a long run is busy with, in one line of a terminal that is written over and over.
#include <cstdio>
#include <string_view>

namespace pupc {

/// Does nothing where standard error is no terminal, or one that cannot write over a line.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return terminal_; }
  /// "[12/298] Package[nginx]", cut to the terminal's width. Control characters of the text are left out.
  void show(size_t done, size_t of, std::string_view text);
  /// Takes the line away, so that other lines can be written.
  void clear();

private:
  bool terminal_ = false;
  bool there_ = false;
};

} // namespace pupc
