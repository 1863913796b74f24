// erb_coverage [--list] [--least PERCENT] FILE|FOLDER…: which ERB templates are rendered without Ruby. Prints the share, then what keeps
// the others from it, by frequency; with --list one line per template. Exit status 1 when the share is below PERCENT, 77 when there is no
// template.
#include "compiler/build/builtin_functions.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/template/erb.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

namespace {

void add_templates(const std::filesystem::path& path, std::set<std::filesystem::path>& out) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (std::filesystem::exists(path, error)) out.insert(path);
    return;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error))
    if (entry.path().extension() == ".erb") out.insert(entry.path());
}

} // namespace

int main(int argc, char** argv) {
  bool list = false;
  double least = 0;
  std::set<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--list")
      list = true;
    else if (argument == "--least" && i + 1 < argc)
      least = std::atof(argv[++i]);
    else
      add_templates(argument, files);
  }
  if (files.empty()) return 77;
  size_t native = 0;
  std::map<std::string, std::set<std::string>> reasons;
  pupc::catalog::RegexCache regexes;
  const pupc::compiler::KnownFunctions functions(pupc::compiler::builtin_functions());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    auto program = pupc::compiler::parse_erb(text, regexes, functions);
    std::vector<std::string> problems = program->problems;
    problems.insert(problems.end(), program->doubts.begin(), program->doubts.end());
    native += problems.empty();
    if (list) std::cout << file.string() << ": " << (problems.empty() ? "native" : problems[0]) << "\n";
    for (const std::string& problem : problems) reasons[problem.substr(problem.find(": ") + 2)].insert(file.string());
  }
  double share = 100.0 * static_cast<double>(native) / static_cast<double>(files.size());
  std::cout << native << " of " << files.size() << " templates need no Ruby (" << share << " %)\n";
  std::multimap<size_t, std::string, std::greater<>> sorted;
  for (const auto& [reason, where] : reasons) sorted.emplace(where.size(), reason + "   " + *where.begin());
  for (const auto& [count, reason] : sorted) std::cout << count << "  " << reason << "\n";
  return share < least ? 1 : 0;
}
