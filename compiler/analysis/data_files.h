#pragma once
// Checks of what is no Puppet code: Hiera data, hiera.yaml, metadata.json, environment.conf, Puppetfile, tasks.
#include "compiler/analysis/program.h"
#include "compiler/analysis/repository.h"

#include <set>
#include <string>
#include <vector>

namespace pupc {

/// What the code asks lookup() and the hiera functions for.
struct LookupKeys {
  std::set<std::string> keys;
  bool dynamic = false; // some are made at run time
};

/// Syntax of all data and metadata files among `files`, their forms, and Hiera's keys against the classes of `program` (null: syntax and
/// forms only). Never throws.
void check_data_files(const std::vector<RepositoryFile>& files, Program* program, const LookupKeys& lookups, Findings& findings);

/// metadata.json, environment.conf, Puppetfile, task metadata: one file, by its kind.
void check_metadata_file(const RepositoryFile& file, const std::string& text, Program* program, Findings& findings);

/// Line of the first place of `word` in quotes, or plain, in a text; 0 when there is none.
uint32_t line_of(std::string_view text, std::string_view word);

} // namespace pupc
