// What generate() need not run: which expressions are surely calendar expressions, and which results nothing uses.
#include "compiler/eval/known_programs.h"

#include "compiler/ast/unused_results.h"
#include "compiler/parse/parser.h"

#include <gtest/gtest.h>

namespace pupc::compiler {
namespace {

TEST(KnownPrograms, TakesCalendarExpressions) {
  for (const char* good : {"minutely", "daily", "4:15", "*-*-* *:00/10:00", "Mon,Tue,Wed..Fri *-*-* 1:8:00", "Thu *-*-* 14:57:00",
                           "*-*-01 *:3", "Mon", "*-1,7-15", "0/4:00:00", "*:0/15"})
    EXPECT_TRUE(surely_calendar(good)) << good;
}

TEST(KnownPrograms, LeavesTheRestToTheProgram) {
  for (const char* other :
       {"",  " ",        "Minutely",   "bananas", "Mon Tue",   "Fri..Mon", "*-13-01", "*-*-32",  "24:00",   "1:60",  "*:*/10", "1:2:3:4",
        "1", "4:15 UTC", "2026-01-01", "*-*-* ",  "Mon, 1:00", "1:00,",    "0/0:00",  "0/24:00", "1..5:00", "*-*~1", "@1",     "001:00"})
    EXPECT_FALSE(surely_calendar(other)) << other;
}

/// The lines of the calls whose results are unused.
std::vector<uint32_t> unused(std::string text) {
  RegexCache regexes;
  const ParseResult parsed = parse("x.pp", std::move(text), regexes, {});
  std::vector<uint32_t> lines;
  if (parsed.file == nullptr) return {0};
  for (const Call* call : parsed.file->calls)
    if ((call->flags & call_unused) != 0) lines.push_back(parsed.file->source->position(call->offset).line);
  return lines;
}

TEST(UnusedResults, AreStatementsOfBodiesThatGiveNothingOn) {
  EXPECT_EQ(unused("define d {\n generate('/x')\n $a = generate('/x')\n if true {\n generate('/x') } else { notice(generate('/x')) }\n}"),
            (std::vector<uint32_t>{2, 5}));
  EXPECT_EQ(unused("class c {\n [1].each |$i| {\n unless $i {\n generate('/x') } }\n [1].map |$i| {\n generate('/x')\n}\n}"),
            (std::vector<uint32_t>{4}));
  EXPECT_EQ(unused("function f() {\n generate('/x')\n generate('/x')\n}\ngenerate('/x')\nnode a {\n case 1 { 1: {\n generate('/x') } } }"),
            (std::vector<uint32_t>{2, 5, 8}));
  EXPECT_EQ(unused("generate('/x')\nexec('/x')"), (std::vector<uint32_t>{1}));
  EXPECT_EQ(unused("exec('/x')\ngenerate('/x')"), std::vector<uint32_t>());
}

} // namespace
} // namespace pupc::compiler
