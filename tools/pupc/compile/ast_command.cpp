// pupc ast: prints the syntax tree that the parser built.
#include "catalog/base/paths.h"
#include "compiler/ast/pn_printer.h"
#include "compiler/ast/printer.h"
#include "compiler/parse/parser.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/compile_settings.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <sstream>

namespace pupc::cli {
namespace {

constexpr std::string_view ast_usage = R"(Usage: pupc ast [options] FILE

Prints the tree of a manifest or template (.epp), with the place of each node and the slots of variables. The static checks are not
applied. FILE - is standard input.)";

} // namespace

int ast_command(std::span<const std::string_view> words) {
  bool pn = false, epp = false, help = false;
  PrintOptions print;
  std::optional<std::string> code;
  ColorMode color = ColorMode::Auto;
  std::vector<Option> table = {
      {"--format", "FORMAT", "tree (default), or pn as `puppet parser dump --format pn --pretty`",
       [&](std::string_view v) {
         if (v != "tree" && v != "pn") throw UsageError{fmt::format("--format is tree or pn, not '{}'", v)};
         pn = v == "pn";
       }},
      {"--[no-]positions", "", "places of nodes (default)", [&](std::string_view v) { print.positions = v == "true"; }},
      {"--[no-]slots", "", "frame layouts and slots of variables (default)", [&](std::string_view v) { print.slots = v == "true"; }},
      {"-e --execute", "CODE", "print the tree of this code", [&](std::string_view v) { code = std::string(v); }},
      {"--epp", "", "the code is a template", [&](std::string_view) { epp = true; }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { color = parse_color(v); }},
  };
  const auto rest = Options(ast_usage, std::move(table)).parse(words, help);
  if (help) return exit_success;
  if (rest.size() + (code ? 1 : 0) != 1) throw UsageError{"give one file or -e CODE"};
  std::string path, text;
  if (code) {
    text = *code;
  } else if (rest[0] == "-") {
    text = read_standard_input();
  } else {
    path = rest[0];
    auto content = read_whole_file(path, FileKinds::Pipes);
    if (!content) {
      fmt::print(stderr, "Error: Could not read {}: {}\n", path, file_problem(errno));
      return exit_failure;
    }
    text = std::move(*content);
  }
  RegexCache regexes;
  ParseOptions options;
  options.epp = epp || path.ends_with(".epp");
  ParseResult parsed = parse(path, std::move(text), regexes, options);
  for (const Diagnostic& d : parsed.diagnostics) {
    std::string out = render(d, render_style(stderr, color));
    std::fwrite(out.data(), 1, out.size(), stderr);
  }
  if (!parsed.file) return exit_failure;
  std::string out = pn ? print_pn(*parsed.file) : print_ast(*parsed.file, print);
  if (out.empty() || out.back() != '\n') out += '\n';
  const bool good = std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  return good ? exit_success : exit_failure;
}

} // namespace pupc::cli
