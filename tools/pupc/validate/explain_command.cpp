// pupc explain: explains the error classes and checks.
#include "catalog/base/diagnostic.h"
#include "compiler/analysis/codebase/check_registry.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

constexpr std::string_view explain_usage = R"(Usage: pupc explain [CODE...]

Explains numbered errors and checks, given as numbers (2004) or names (illegal_name). Without a code: lists them all.)";

std::string_view family(uint16_t number) {
  switch (number / 1000) {
  case 1: return "Syntax";
  case 2: return "Static checks";
  case 3: return "Types and parameters";
  case 4: return "Evaluation";
  case 5: return "Catalog";
  case 6: return "Loading and data";
  case 7: return "Apply";
  case 8: return "Checks of whole environments";
  default: return "pupc itself";
  }
}

/// Wraps a text at blanks into lines of at most `width` characters. Keeps the text's own line ends.
std::string wrapped(std::string_view text, size_t width) {
  std::string out;
  size_t column = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      out += '\n';
      column = 0;
      ++i;
      continue;
    }
    if (text[i] == ' ' && column != 0) {
      ++i;
      continue;
    }
    size_t end = text.find_first_of(" \n", text[i] == ' ' ? text.find_first_not_of(' ', i) : i);
    std::string_view word = text.substr(i, std::min(end, text.size()) - i);
    if (column != 0 && column + 1 + word.size() > width) {
      out += '\n';
      column = 0;
    }
    if (column != 0) out += ' ', ++column;
    out += word;
    column += word.size();
    i += word.size();
  }
  return out;
}

struct Example {
  std::string_view ident, wrong, right;
};
constexpr Example examples[] = {
#define PUPC_EXAMPLE(ident, wrong, right) {#ident, wrong, right},
#include "tools/pupc/validate/error_examples.def"
#undef PUPC_EXAMPLE
};

void print_example(std::string_view heading, std::string_view code) {
  fmt::print("\n{}:\n\n", heading);
  for (size_t begin = 0; begin <= code.size();) {
    const size_t end = std::min(code.find('\n', begin), code.size());
    fmt::print("    {}\n", code.substr(begin, end - begin));
    begin = end + 1;
  }
}

const ErrorClass* find_class(std::string_view code) {
  if (code.starts_with('E') || code.starts_with('e')) {
    std::string_view digits = code.substr(1);
    if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) code = digits;
  }
  uint16_t number = 0;
  auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), number);
  if (error == std::errc{} && end == code.data() + code.size()) return find_error_class(number);
  for (const ErrorClass& c : all_error_classes())
    if (c.ident == code) return find_error_class(c.number);
  return nullptr;
}

const CheckEntry* find_check_named(std::string_view code) {
  if (code.starts_with('E') || code.starts_with('e'))
    if (std::string_view digits = code.substr(1); !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos)
      code = digits;
  for (const CheckEntry& c : all_checks())
    if (c.name() == code || std::to_string(static_cast<unsigned>(c.code)) == code) return &c;
  return nullptr;
}

/// All errors and checks, sorted by number.
std::vector<ErrorClass> everything() {
  std::vector<ErrorClass> all = all_error_classes();
  for (const CheckEntry& c : all_checks()) all.push_back({static_cast<uint16_t>(c.code), c.name().data(), c.summary, c.explanation});
  std::stable_sort(all.begin(), all.end(), [](const ErrorClass& a, const ErrorClass& b) { return a.number < b.number; });
  return all;
}

void list_all() {
  uint16_t last = 0;
  for (const ErrorClass& c : everything()) {
    if (c.number / 1000 != last / 1000) fmt::print("{}{}\n", last == 0 ? "" : "\n", family(c.number));
    fmt::print("  {}  {:<24} {}\n", c.number, c.ident, c.summary);
    last = c.number;
  }
}

} // namespace

int explain_command(std::span<const std::string_view> words) {
  bool help = false;
  const auto codes = Options(explain_usage, {}).parse(words, help);
  if (help) return exit_success;
  if (codes.empty()) {
    list_all();
    return exit_success;
  }
  int result = exit_success;
  for (std::string_view code : codes) {
    if (const CheckEntry* check = find_check_named(code)) {
      fmt::print("{} {}: {} ({})\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}\n", static_cast<unsigned>(check->code), check->name(), check->summary,
                 severity_name(check->severity), wrapped(check->explanation, 100), indented(check->wrong), indented(check->right));
      continue;
    }
    const ErrorClass* c = find_class(code);
    if (c == nullptr) {
      std::vector<std::string_view> known;
      for (const ErrorClass& k : everything()) known.emplace_back(k.ident);
      const auto similar = similar_names(code, known, 1);
      fmt::print(stderr, "pupc: there is no error {}{}\n", code,
                 similar.empty() ? "; `pupc explain` lists them all" : fmt::format("; did you mean {}?", similar[0]));
      result = exit_failure;
      continue;
    }
    fmt::print("{} {}: {}\n\n{}\n", c->number, c->ident, c->summary, wrapped(c->explanation, 100));
    for (const Example& e : examples) {
      if (e.ident != c->ident) continue;
      print_example("Wrong", e.wrong);
      print_example("Right", e.right);
    }
  }
  return result;
}

} // namespace pupc::cli
