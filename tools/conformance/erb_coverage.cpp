// erb_coverage FILE…: which ERB templates are rendered without Ruby. Prints the share, then what keeps the others from it, by frequency;
// with --list one line per template.
#include "compiler/template/erb_ast.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

int main(int argc, char** argv) {
  bool list = false;
  size_t total = 0, native = 0;
  std::map<std::string, std::set<std::string>> reasons;
  pupc::RegexCache regexes;
  for (int i = 1; i < argc; ++i) {
    std::string file = argv[i];
    if (file == "--list") {
      list = true;
      continue;
    }
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    auto program = pupc::erb::parse_erb(text, regexes);
    ++total;
    native += program->problems.empty();
    if (list) std::cout << file << ": " << (program->problems.empty() ? "native" : program->problems[0]) << "\n";
    for (const std::string& problem : program->problems) reasons[problem.substr(problem.find(": ") + 2)].insert(file);
  }
  std::cout << native << " of " << total << " templates need no Ruby";
  if (total > 0) std::cout << " (" << 100.0 * static_cast<double>(native) / static_cast<double>(total) << " %)";
  std::cout << "\n";
  std::multimap<size_t, std::string, std::greater<>> sorted;
  for (const auto& [reason, files] : reasons) sorted.emplace(files.size(), reason + "   " + *files.begin());
  for (const auto& [count, reason] : sorted) std::cout << count << "  " << reason << "\n";
  return 0;
}
