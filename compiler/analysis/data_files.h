#pragma once
// Checks of files that hold no Puppet code: Hiera data, hiera.yaml, metadata.json, environment.conf, Puppetfile, tasks.
#include "compiler/analysis/checked_codebase.h"
#include "compiler/discovery/repository.h"

#include <set>
#include <string>
#include <vector>

namespace pupc::compiler {

/// The keys that the code passes to lookup() and the hiera functions.
struct LookupKeys {
  std::set<std::string> keys;
  bool dynamic = false; // the code computes some keys at run time
};

/// Checks the syntax and the structure of all data and metadata files among `files`, and compares Hiera's keys with the classes of
/// `program` (null: no comparison). `lookups`: keys that the code looks up. Adds to `findings`; never throws. Returns the keys of the data
/// that every node has, as its path has nothing of the node.
std::set<std::string, std::less<>> check_data_files(const std::vector<RepositoryFile>& files, CheckedCodebase* program,
                                                    const LookupKeys& lookups, Findings& findings);

/// Checks one metadata.json, environment.conf, Puppetfile or task metadata file, by its kind. Adds to `findings`.
void check_metadata_file(const RepositoryFile& file, const std::string& text, CheckedCodebase* program, Findings& findings);

/// The line (from 1) where `word` first stands in a text, quoted or bare; 0 when the text does not contain it.
uint32_t line_of(std::string_view text, std::string_view word, uint32_t first = 1);

} // namespace pupc::compiler
