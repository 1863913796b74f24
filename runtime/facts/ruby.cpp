// The Ruby and the Augeas of this machine, which custom facts, types and providers use. Puppet tells of those that it runs in; asking a
// Ruby process would take longer than all other facts, so its configuration is read from its file.
#include "runtime/facts/resolvers.h"
#include "runtime/sys/shared_library.h"

#include <algorithm>
#include <map>

namespace pupc::runtime {
namespace {

/// The directories below which Ruby's libraries are, by version and architecture or the other way round.
std::optional<std::string> find_configuration(FactSources& from) {
  for (const std::string top : {"/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/share"}) {
    std::vector<std::string> places = {top + "/ruby"};
    for (const std::string& name : from.entries(top))
      if (name.find("-linux-") != std::string::npos) places.push_back(top + "/" + name + "/ruby");
    for (const std::string& place : places) {
      if (from.exists(place + "/rbconfig.rb")) return place + "/rbconfig.rb";
      std::vector<std::string> versions = from.entries(place);
      std::sort(versions.rbegin(), versions.rend());
      for (const std::string& version : versions) {
        const std::string directory = place + "/" + version;
        if (from.exists(directory + "/rbconfig.rb")) return directory + "/rbconfig.rb";
        for (const std::string& architecture : from.entries(directory))
          if (architecture.find("linux") != std::string::npos && from.exists(directory + "/" + architecture + "/rbconfig.rb"))
            return directory + "/" + architecture + "/rbconfig.rb";
      }
    }
  }
  return std::nullopt;
}

using Names = std::map<std::string, std::string, std::less<>>;

/// `CONFIG["name"] = "text"` of the file; a value that is an expression counts by its last text.
Names configuration(const std::vector<std::string>& lines) {
  Names out;
  for (const std::string& line : lines) {
    const size_t name = line.find("CONFIG[\""), close = line.find("\"] = ");
    const size_t end = line.rfind('"'), begin = end == std::string::npos ? end : line.rfind('"', end - 1);
    if (name == std::string::npos || close == std::string::npos || begin == std::string::npos || begin <= close) continue;
    out.emplace(line.substr(name + 8, close - name - 8), line.substr(begin + 1, end - begin - 1));
  }
  return out;
}

/// A value with the others that it names as $(name).
std::string expanded(const Names& names, const std::string& name, int depth = 0) {
  const auto found = names.find(name);
  if (found == names.end() || depth > 10) return {};
  std::string out;
  std::string_view rest = found->second;
  for (size_t at; (at = rest.find("$(")) != std::string_view::npos;) {
    const size_t end = rest.find(')', at);
    if (end == std::string_view::npos) break;
    out += rest.substr(0, at);
    out += expanded(names, std::string(rest.substr(at + 2, end - at - 2)), depth + 1);
    rest.remove_prefix(end + 1);
  }
  return out.append(rest);
}

} // namespace

void resolve_ruby(FactSources& from, Facts& facts) {
  const bool installed = from.exists("/usr/bin/ruby") || from.exists("/usr/local/bin/ruby");
  const auto file = installed ? find_configuration(from) : std::nullopt;
  if (!file) return;
  const Names names = configuration(from.lines(*file));
  auto set = [&](const char* fact, std::string value) {
    if (!value.empty()) facts.set(fact, std::move(value));
  };
  set("ruby.platform", expanded(names, "arch"));
  if (names.contains("sitedir")) set("ruby.sitedir", expanded(names, "sitelibdir"));
  set("ruby.version", expanded(names, "RUBY_PROGRAM_VERSION"));
}

void resolve_augeas(FactSources& from, Facts& facts) {
  std::vector<std::string> places = {"/usr/lib", "/usr/lib64", "/usr/local/lib"};
  for (const std::string& name : from.entries("/usr/lib"))
    if (name.find("-linux-") != std::string::npos) places.push_back("/usr/lib/" + name);
  if (std::none_of(places.begin(), places.end(), [&](const std::string& place) { return from.exists(place + "/libaugeas.so.0"); })) return;
  SharedLibrary library({"libaugeas.so.0"}, SharedLibrary::Binding::Own);
  void* (*open)(const char*, const char*, unsigned) = nullptr;
  int (*get)(const void*, const char*, const char**) = nullptr;
  void (*close)(void*) = nullptr;
  library.find(open, "aug_init");
  library.find(get, "aug_get");
  library.find(close, "aug_close");
  if (!library.complete()) return;
  constexpr unsigned no_standard_lenses = 1U << 4,
                     nothing_loaded = (1U << 5) | (1U << 6); // AUG_NO_STDINC, AUG_NO_LOAD, AUG_NO_MODL_AUTOLOAD
  void* augeas = open(nullptr, nullptr, no_standard_lenses | nothing_loaded);
  if (augeas == nullptr) return;
  const char* version = nullptr;
  if (get(augeas, "/augeas/version", &version) == 1 && version != nullptr) facts.set("augeas.version", version);
  close(augeas);
}

} // namespace pupc::runtime
