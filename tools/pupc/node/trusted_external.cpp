#include "tools/pupc/node/trusted_external.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/json/json_reader.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/node/program_output.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

namespace pupc::cli {
namespace {

Value data_of(const std::string& program, Arena& arena, const std::string& certname, std::chrono::milliseconds limit) {
  const ProgramOutput out = program_output({program, certname}, limit);
  if (out.error != 0) throw_load_error(fmt::format("Could not execute posix command: {} - {}", std::strerror(out.error), program));
  if (out.problem != nullptr) throw_load_error(fmt::format("Execution of '{} {}' {}", program, certname, out.problem));
  if (out.code != 0)
    throw_load_error(
        fmt::format("Execution of '{} {}' returned {}: {}", program, certname, out.code, catalog::trimmed(out.text, " \t\r\n")));
  Value data;
  JsonError error;
  if (!parse_json(arena.copy(out.text), arena, data, error))
    throw_load_error(fmt::format("The output of '{} {}' is no JSON: {}", program, certname, error.message));
  return data;
}

} // namespace

Value with_trusted_external(const CompileOptions& options, Arena& arena, const Value& trusted, const std::string& certname,
                            std::chrono::milliseconds limit) {
  const std::string command = options.configuration.value("trusted_external_command");
  if (command.empty() || !trusted.is_hash()) return trusted;
  Value external;
  if (is_directory(command)) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    std::error_code ignored;
    for (fs::directory_iterator it(command, ignored), end; it != end; it.increment(ignored))
      if (it->is_regular_file(ignored) && ::access(it->path().c_str(), X_OK) == 0) files.push_back(it->path());
    std::ranges::sort(files);
    HashBuilder all(arena);
    std::string last;
    for (const fs::path& file : files) {
      std::string name = file.stem().string();
      if (name == last) throw_load_error(fmt::format("There is more than one '{}' script in {}", name, command));
      all.set(arena.copy(name), data_of(file.string(), arena, certname, limit));
      last = std::move(name);
    }
    external = all.finish();
  } else {
    external = data_of(command, arena, certname, limit);
    if (external.is_undef()) external = HashBuilder(arena).finish();
  }
  HashBuilder out(arena);
  for (const HashEntry& e : trusted.hash->entries()) out.set(e.key, e.value);
  out.set("external", external);
  return out.finish();
}

} // namespace pupc::cli
