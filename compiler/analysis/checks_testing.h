#pragma once
// What tests of checks share: an example is laid out as an environment, and all checks run on it.
#include "compiler/analysis/analysis.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/check/plan_check.h"
#include "compiler/discovery/gitignore.h"
#include "compiler/discovery/repository.h"
#include "compiler/parse/parser.h"
#include "compiler/style/style.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <unistd.h>

namespace pupc::compiler {

namespace fs = std::filesystem;

class Checks : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/pupc_checks_XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }

  /// Writes the files of an example as an environment.
  void lay_out(std::string_view example) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    write("environment.conf", "modulepath = modules\n");
    if (!example.starts_with("-- ")) return write("manifests/site.pp", std::string(example));
    std::string path, text;
    auto flush = [&] {
      if (!path.empty()) write(path, text);
      text.clear();
    };
    for (size_t begin = 0; begin < example.size();) {
      const size_t end = std::min(example.find('\n', begin), example.size());
      const std::string_view line = example.substr(begin, end - begin);
      begin = end + 1;
      if (line.starts_with("-- ") && line.ends_with(" --")) {
        flush();
        path = line.substr(3, line.size() - 6);
      } else {
        text += std::string(line) + "\n";
      }
    }
    flush();
  }

  /// The findings of one style check below the directory.
  std::vector<std::string> run_style(const CheckEntry& check) {
    std::vector<std::string> out;
    StyleOptions options;
    EXPECT_EQ(only_style_checks(check.name(), options), "");
    for (const RepositoryFile& f : discover_files({root_})) {
      std::ifstream in(f.path);
      const SourceFile source(f.path, std::string((std::istreambuf_iterator<char>(in)), {}));
      Arena arena;
      RegexCache regexes;
      TokenList list;
      if (f.kind != FileKind::Manifest) continue;
      lex(source, false, arena, regexes, list);
      Findings findings;
      check_style(source, list, options, findings);
      for (const Diagnostic& d : findings.take())
        out.push_back(fmt::format("- {} {}", find_check(static_cast<uint16_t>(d.code))->ident, d.message));
    }
    return out;
  }

  /// All findings below the directory: "severity name file:line message".
  std::vector<std::string> run(Strict strict = Strict::Error) {
    Repository repository = std::move(discover({root_}, {}).front());
    RegexCache regexes;
    std::vector<AnalysedFile> files;
    std::vector<std::string> out;
    const auto parsed = std::make_shared<ParsedManifests>();
    for (const RepositoryFile& f : repository.files) {
      if (f.kind != FileKind::Manifest && f.kind != FileKind::Epp) continue;
      std::ifstream in(f.path);
      std::string text((std::istreambuf_iterator<char>(in)), {});
      ParseOptions options;
      options.epp = f.kind == FileKind::Epp;
      const bool plan = is_plan_path(f.path);
      options.tasks = plan;
      ParseResult result = parse(f.path, text, regexes, options);
      EXPECT_TRUE(result.file) << text;
      if (!result.file) continue;
      CheckOptions check_options;
      check_options.strict = strict;
      for (const Diagnostic& d : plan ? check_plan(*result.file, check_options) : check(*result.file, check_options))
        out.push_back("static " + d.message);
      if (!options.epp && !plan) parsed->add(f.path, result.file);
      files.push_back({f.path, result.file, options.epp});
      files.back().plan = plan;
    }
    repository.extras.parsed = parsed;
    const Analysis analysis = analyse(std::make_shared<CheckedCodebase>(open_environment(repository.environment, repository.extras),
                                                                        builtin_functions(), files, repository.whole,
                                                                        Unknown{repository.missing, false, {}, {}}),
                                      repository.files);
    for (const Diagnostic& d : analysis.findings) {
      const CheckEntry* entry = find_check(static_cast<uint16_t>(d.code));
      out.push_back(fmt::format("{} {} {}:{} {}", severity_name(d.severity), entry ? entry->ident : "?",
                                d.file_name().substr(std::min(d.file_name().size(), root_.size() + 1)), d.position().line, d.message));
    }
    return out;
  }

  struct Case {
    const char *code, *found; // found: the name of the finding; empty: none
  };
  /// One finding, of this name, or none.
  void expect(std::span<const Case> cases) {
    for (const Case& c : cases) {
      lay_out(c.code);
      const auto found = run();
      EXPECT_EQ(found.size(), *c.found == '\0' ? 0u : 1u) << c.code << "\n" << fmt::format("{}", fmt::join(found, "\n"));
      EXPECT_TRUE(found.empty() || found[0].find(c.found) != std::string::npos) << found[0];
    }
  }
  /// The same, with these files before each example's own.
  void expect_with(std::string_view files, std::span<const Case> cases) {
    for (const Case& c : cases) {
      const std::string code = std::string(files) + c.code;
      const Case whole[] = {{code.c_str(), c.found}};
      expect(whole);
    }
  }

  std::string root_;
};

} // namespace pupc::compiler
