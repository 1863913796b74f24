// pupc diff OLD NEW: what differs between two catalogs, or between two directories of catalogs.
#include "catalog/base/paths.h"
#include "catalog/diff/diff.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace pupc {
namespace {

namespace fs = std::filesystem;

// As diff(1) has it.
constexpr int exit_equal = 0, exit_different = 1, exit_trouble = 2;

struct Request {
  DiffOptions options;
  bool json = false;
  bool color = false;
};

bool read_document(const std::string& path, Arena& arena, Value& out) {
  const auto text = read_whole_file(path, FileKinds::Pipes);
  if (!text) {
    fmt::print(stderr, "Error: Could not read {}: {}\n", path, file_problem(errno));
    return false;
  }
  JsonError error;
  if (parse_json(arena.copy(*text), arena, out, error)) return true;
  fmt::print(stderr, "Error: {} is no JSON document: {} (file: {}, line: {}, column: {})\n", path, error.message, path, error.line,
             error.column);
  return false;
}

std::string coloured(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    const char* colour = text[at] == '-' ? "\033[0;31m" : text[at] == '+' ? "\033[0;32m" : text[at] == '=' ? "\033[1m" : "";
    out += colour + text.substr(at, end - at) + (*colour != '\0' ? "\033[0m\n" : "\n");
    at = end + 1;
  }
  return out;
}

/// Compares two files; what is to be printed goes to `out`. Returns the exit code.
int compare_files(const std::string& before, const std::string& after, const Request& request, std::string& out) {
  Arena arena;
  Value old_document, new_document;
  const bool first = read_document(before, arena, old_document), second = read_document(after, arena, new_document);
  if (!first || !second) return exit_trouble;
  std::string problem;
  auto diff = diff_catalogs(old_document, new_document, request.options, problem);
  if (!diff) {
    fmt::print(stderr, "Error: {} {}: {}\n", before, after, problem);
    return exit_trouble;
  }
  out = request.json ? diff_json(*diff) : diff_text(*diff);
  return diff->empty() ? exit_equal : exit_different;
}

std::set<std::string> catalogs_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  return names;
}

int compare_directories(const std::string& before, const std::string& after, const Request& request, std::string& out) {
  auto olds = catalogs_in(before), news = catalogs_in(after);
  std::set<std::string> all = olds;
  all.insert(news.begin(), news.end());
  int code = exit_equal;
  JsonWriter json(out);
  if (request.json) json.begin_object();
  for (const auto& node : all) {
    std::string one;
    int result = exit_different;
    if (!olds.contains(node) || !news.contains(node)) {
      const char* change = olds.contains(node) ? "removed" : "added";
      one = request.json ? fmt::format("{{\"equal\":false,\"change\":\"{}\"}}", change)
                         : fmt::format("{} the catalog\n", olds.contains(node) ? '-' : '+');
    } else {
      result = compare_files(before + "/" + node + ".json", after + "/" + node + ".json", request, one);
    }
    code = std::max(code, result);
    if (result != exit_different) continue;
    if (request.json) {
      json.key(node);
      json.raw([&](std::string& to) { to += one; });
    } else {
      out += fmt::format("== {}\n{}", node, one);
    }
  }
  if (request.json) json.end_object();
  return code;
}

} // namespace

int diff_command(std::span<const std::string_view> words) {
  Request request;
  ColorMode color = ColorMode::Auto;
  bool help = false;
  std::vector<Option> table = {
      {"--format", "text|json", "text for people (default) or JSON",
       [&](std::string_view v) {
         if (v != "text" && v != "json") throw UsageError{fmt::format("--format is text or json, not '{}'", v)};
         request.json = v == "json";
       }},
      {"--[no-]tags", "", "compare tags (default)", [&](std::string_view v) { request.options.tags = v == "true"; }},
      {"--[no-]edges", "", "compare containment (default)", [&](std::string_view v) { request.options.edges = v == "true"; }},
      {"--places", "", "compare files and lines of resources too", [&](std::string_view) { request.options.places = true; }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { color = parse_color(v); }},
  };
  auto paths = Options("Usage: pupc diff OLD NEW [options]\n\nShows what differs between two catalogs, or between the catalogs of two "
                       "directories node by node.\n"
                       "Order, version and uuid do not count. Exit code: 0 equal, 1 different, 2 trouble.",
                       std::move(table))
                   .parse(words, help);
  if (help) return exit_equal;
  if (paths.size() != 2) throw UsageError{"diff needs two catalogs or two directories of catalogs: OLD NEW"};
  request.color = !request.json && render_style(stdout, color).color;
  const std::string before(paths[0]), after(paths[1]);
  const bool directories = fs::is_directory(before);
  if (directories != fs::is_directory(after)) throw UsageError{"diff compares two files or two directories, not one of each"};
  std::string out;
  const int code = directories ? compare_directories(before, after, request, out) : compare_files(before, after, request, out);
  if (request.color) out = coloured(out);
  if (request.json && !out.empty()) out += '\n';
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) return exit_trouble;
  return code;
}

} // namespace pupc
