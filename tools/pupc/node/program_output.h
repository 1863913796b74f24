#pragma once
// Runs a program without a shell for what it prints, with limits of time and size.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace pupc::cli {

struct ProgramOutput {
  int error = 0;                 // errno when it could not be started
  const char* problem = nullptr; // "took too long", "gave more than 64 MB": it was ended with its children
  int code = 0;                  // exit code; 128 and the number of the signal that ended it
  std::string text;

  bool good() const { return error == 0 && problem == nullptr && code == 0; }
};

/// Runs the program at `words[0]` (an absolute path) with nothing to read; what it writes to its standard error is dropped. It is in a
/// process group of its own, and is ended with its children when it takes longer than `limit` (0: than the work around it may take).
ProgramOutput program_output(std::vector<std::string> words, std::chrono::milliseconds limit);

} // namespace pupc::cli
