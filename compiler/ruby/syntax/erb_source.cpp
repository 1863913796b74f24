#include "compiler/ruby/syntax/erb_source.h"

#include "catalog/base/diagnostic.h"
#include "compiler/ruby/syntax/ruby_parser.h"

#include <charconv>

namespace pupc::compiler {
namespace {

using namespace ruby; // the marks

enum class Tag : unsigned char { None, Code, Output, Comment };

class ErbCompiler {
public:
  ErbCompiler(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  ErbSource run() {
    check_bytes();
    if (!source_.problem.empty()) return std::move(source_);
    source_.code.reserve(text_.size() + 64);
    source_.texts.reserve(text_.size() / 64 + 4);
    while (at_ < text_.size()) {
      if (tag_ == Tag::None)
        scan_text();
      else
        scan_code();
    }
    if (!content_.empty()) put_text(); // also the rest after an unclosed tag
    flush_line();
    return std::move(source_);
  }

private:
  void check_bytes() {
    for (char mark : {text_mark, text_end, output_mark, output_end})
      if (text_.find(mark) != std::string_view::npos) source_.problem = "line 1: a control character";
    // Only a comment at the very start can be magic.
    if (text_.starts_with("<%#")) {
      std::string_view first = text_.substr(0, text_.find('\n'));
      if (first.find("coding") != std::string_view::npos || first.find("frozen") != std::string_view::npos)
        source_.problem = "line 1: a magic comment";
    }
  }

  /// Ruby's scanner takes its current position for the start of a line.
  bool line_start(size_t i) const { return i == at_ || text_[i - 1] == '\n'; }

  /// Where the blanks before the tag at i begin, when they start a line; else i.
  size_t indentation(size_t i) const {
    size_t begin = i;
    while (begin > at_ && (text_[begin - 1] == ' ' || text_[begin - 1] == '\t')) --begin;
    return line_start(begin) ? begin : i;
  }

  void scan_text() {
    const size_t i = text_.find("<%", at_);
    if (i == std::string_view::npos) {
      append(text_.substr(at_));
      at_ = text_.size();
      return;
    }
    switch (i + 2 < text_.size() ? text_[i + 2] : '\0') {
    case '%':
      append(text_.substr(at_, i + 2 - at_)); // with the <%
      at_ = i + 3;
      return;
    case '-': {
      const size_t begin = indentation(i); // the blanks belong to the tag
      return open(begin, i + 3 - begin, Tag::Code);
    }
    case '=': return open(i, 3, Tag::Output);
    case '#': return open(i, 3, Tag::Comment);
    default: return open(i, 2, Tag::Code);
    }
  }

  void open(size_t i, size_t length, Tag tag) {
    append(text_.substr(at_, i - at_));
    if (!content_.empty()) put_text();
    tag_ = tag;
    at_ = i + length;
  }

  void scan_code() {
    const size_t i = text_.find("%>", at_);
    if (i == std::string_view::npos) {
      append(text_.substr(at_));
      at_ = text_.size();
      return;
    }
    const char before = i > at_ ? text_[i - 1] : '\0';
    append(text_.substr(at_, i - at_ - (before == '-' || before == '%' ? 1 : 0)));
    at_ = i + 2;
    if (before == '%') return append("%>"); // %%> is no end
    close();
    if (before != '-') return;
    bool newline = true;
    if (text_.substr(at_).starts_with("\r\n"))
      at_ += 2;
    else if (text_.substr(at_).starts_with('\n'))
      at_ += 1;
    else
      newline = at_ == text_.size();
    if (newline) end_line();
  }

  /// Adds to the text or the code that is being read. Mostly that is one part of the template, and nothing is copied.
  void append(std::string_view more) {
    if (content_.empty()) {
      content_ = more;
      return;
    }
    if (content_.data() != joined_.data()) joined_ = content_;
    joined_ += more;
    content_ = joined_;
  }

  void close() {
    if (tag_ == Tag::Code) {
      bool newline = content_.ends_with('\n');
      if (newline) content_.remove_suffix(1);
      begin_command();
      source_.code += content_;
      if (newline) end_line();
    } else if (tag_ == Tag::Output) {
      begin_command();
      source_.code += output_mark;
      source_.code += content_;
      source_.code += output_end;
    }
    tag_ = Tag::None;
    content_ = {};
  }

  void put_text() {
    begin_command();
    char mark[24] = {text_mark};
    char* end = std::to_chars(mark + 1, std::end(mark) - 1, source_.texts.size()).ptr;
    *end++ = text_end;
    source_.code.append(mark, end);
    size_t lines = 0;
    for (size_t at = 0; (at = content_.find('\n', at)) != std::string_view::npos; ++at) ++lines;
    source_.code.append(lines, '\n');
    source_.texts.push_back(content_.data() == joined_.data() ? arena_.copy(content_) : content_);
    content_ = {};
  }

  void begin_command() {
    if (pushed_) source_.code += "; ";
    pushed_ = true;
  }
  void end_line() {
    flush_line();
    source_.code += '\n';
  }
  void flush_line() { pushed_ = false; }

  std::string_view text_;
  Arena& arena_;
  size_t at_ = 0;
  Tag tag_ = Tag::None;
  std::string_view content_;
  std::string joined_; // the content, when it has several parts
  bool pushed_ = true; // Puppet's code begins with a statement that makes the output buffer
  ErbSource source_;
};

} // namespace

ErbSource compile_erb(std::string_view text, Arena& arena) { return ErbCompiler(text, arena).run(); }

bool erb_parses(std::string_view text, RegexCache& regexes) {
  RubyScript program;
  const ErbSource source = compile_erb(text, program.arena);
  if (!source.problem.empty()) return false;
  try {
    Parser(source.code, program, regexes).parse();
  } catch (const Unparsable&) { return false; } catch (const CompileError&) {
    return false;
  }
  return program.problems.empty();
}

} // namespace pupc::compiler
