#include "compiler/parse/source_tokens.h"

namespace pupc::compiler {
namespace {

class TokenCollector {
public:
  TokenCollector(std::string_view text, const TokenList& list) : text_(text), list_(list) {}

  std::vector<SourceToken> run() {
    const TokenBuffer& raw = list_.tokens;
    out_.reserve(raw.size() + raw.size() / 8);
    for (size_t i = 0; i < raw.size(); ++i) {
      const RawToken& t = raw[i];
      gap(t.kind == Tok::End ? static_cast<uint32_t>(text_.size()) : t.offset);
      SourceToken& s = next(t.offset, t.length);
      s.kind = t.kind;
      if (t.kind == Tok::DqPre) {
        i = end_of_string(i);
        s.length = raw[i].offset + raw[i].length - s.offset;
      } else if (t.kind == Tok::Heredoc) {
        ++i; // its text stands elsewhere
        if (raw[i].kind == Tok::DqPre) i = end_of_string(i);
      }
      at_ = s.end();
    }
    return std::move(out_);
  }

private:
  /// Index of the DqPost that belongs to the DqPre at `i`.
  size_t end_of_string(size_t i) const {
    for (size_t depth = 0; i < list_.tokens.size(); ++i) {
      const Tok kind = list_.tokens[i].kind;
      if (kind == Tok::DqPre) ++depth;
      if (kind == Tok::DqPost && --depth == 0) break;
    }
    return i;
  }

  SourceToken& next(uint32_t offset, uint32_t length) {
    SourceToken s;
    s.offset = offset;
    s.length = length;
    s.line_ends = line_ends_;
    s.spaced = spaced_;
    line_ends_ = 0;
    spaced_ = false;
    return out_.emplace_back(s);
  }

  void comment(uint32_t end, SourceToken::Comment kind) {
    uint32_t last = end;
    if (kind == SourceToken::Comment::Line)
      while (last > at_ + 1 && (text_[last - 1] == ' ' || text_[last - 1] == '\t' || text_[last - 1] == '\r')) --last;
    next(at_, last - at_).comment = kind;
    at_ = end;
    spaced_ = true;
  }

  /// Reads comments and line ends from the current place up to `end`.
  void gap(uint32_t end) {
    while (at_ < end) {
      const char c = text_[at_];
      if (c == '#') {
        const size_t nl = text_.find('\n', at_);
        comment(nl == std::string_view::npos ? static_cast<uint32_t>(text_.size()) : static_cast<uint32_t>(nl), SourceToken::Comment::Line);
      } else if (c == '/') {
        comment(static_cast<uint32_t>(text_.find("*/", at_ + 2)) + 2, SourceToken::Comment::Block);
      } else {
        ++at_;
        spaced_ = true;
        if (c != '\n') continue;
        ++line_ends_;
        for (; heredoc_ < list_.heredocs.size() && list_.heredocs[heredoc_].begin <= at_; ++heredoc_)
          at_ = std::max(at_, list_.heredocs[heredoc_].end);
      }
    }
  }

  std::string_view text_;
  const TokenList& list_;
  std::vector<SourceToken> out_;
  uint32_t at_ = 0;
  uint32_t line_ends_ = 0;
  bool spaced_ = false;
  size_t heredoc_ = 0;
};

} // namespace

std::vector<SourceToken> source_tokens(std::string_view text, const TokenList& list) { return TokenCollector(text, list).run(); }

} // namespace pupc::compiler
