// Reads the files that `puppet generate types` writes: one call Puppet::Resource::ResourceType3.new(name, properties, parameters, title
// patterns, isomorphic, capability) in the Puppet language. Puppet evaluates such a file. We only read this form, because the generator
// writes no other (pops/resource/resource_type_impl.rb, generate/templates/type/pcore.erb).
#include "compiler/ruby/types/type_scan.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

struct Malformed {
  std::string what;
};

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  ScannedType read() {
    ScannedType type;
    type.origin = TypeOrigin::Generated;
    expect("Puppet::Resource::ResourceType3.new");
    expect("(");
    type.name = string();
    if (accept(",")) attributes(AttributeKind::Property, type);
    if (accept(",")) attributes(AttributeKind::Parameter, type);
    if (accept(",") && !accept("undef")) patterns(type);
    if (accept(",")) type.isomorphic = boolean();
    if (accept(",")) boolean(); // capability: Puppet no longer uses it
    accept(",");
    expect(")");
    skip();
    if (pos_ != text_.size()) malformed("the end");
    return type;
  }

private:
  [[noreturn]] void malformed(std::string_view expected) const {
    size_t line = 1;
    for (size_t i = 0; i < pos_ && i < text_.size(); ++i) line += text_[i] == '\n';
    throw Malformed{fmt::format("expected {} (line {})", expected, line)};
  }

  void skip() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (c == '#')
        while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        ++pos_;
      else
        return;
    }
  }
  bool accept(std::string_view word) {
    skip();
    if (!text_.substr(pos_).starts_with(word)) return false;
    pos_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) malformed(word);
  }

  bool boolean() {
    if (accept("true")) return true;
    expect("false");
    return false;
  }

  std::string string() {
    skip();
    char quote = pos_ < text_.size() ? text_[pos_] : '\0';
    if (quote != '\'' && quote != '"') malformed("a string");
    std::string out;
    for (++pos_; pos_ < text_.size() && text_[pos_] != quote; ++pos_) {
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
        char next = text_[pos_ + 1];
        if (next == quote || next == '\\' || (quote == '"' && next == '$')) ++pos_;
      }
      out += text_[pos_];
    }
    if (pos_ >= text_.size()) malformed("the end of a string");
    ++pos_;
    return out;
  }

  std::string regex() {
    expect("/");
    std::string out;
    for (; pos_ < text_.size() && text_[pos_] != '/'; ++pos_) {
      if (text_[pos_] == '\n') malformed("the end of a regular expression");
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
        if (text_[pos_ + 1] != '/') out += '\\';
        ++pos_;
      }
      out += text_[pos_];
    }
    if (pos_ >= text_.size()) malformed("the end of a regular expression");
    ++pos_;
    return out;
  }

  // Skips the Pcore type of an attribute's values, up to the comma after it.
  void type_expression() {
    int open = 0;
    for (skip(); pos_ < text_.size(); skip()) {
      char c = text_[pos_];
      if (c == '\'' || c == '"') {
        string();
      } else if (c == '/') {
        regex();
      } else {
        if (open == 0 && (c == ',' || c == ')')) return;
        if (c == '[' || c == '(' || c == '{') ++open;
        if (c == ']' || c == ')' || c == '}') --open;
        ++pos_;
      }
    }
  }

  void attributes(AttributeKind kind, ScannedType& type) {
    expect("[");
    while (!accept("]")) {
      expect("Puppet::Resource::Param");
      expect("(");
      type_expression();
      expect(",");
      ScannedType::Attribute a{string(), kind, false};
      if (accept(",")) a.namevar = boolean();
      expect(")");
      type.attributes.push_back(std::move(a));
      if (!accept(",")) {
        expect("]");
        return;
      }
    }
  }

  void patterns(ScannedType& type) {
    type.title_patterns.emplace();
    expect("{");
    while (!accept("}")) {
      ScannedType::Pattern p{regex(), 0, {}};
      expect("=>");
      expect("[");
      while (!accept("]")) {
        p.attributes.push_back(string());
        if (!accept(",")) {
          expect("]");
          break;
        }
      }
      type.title_patterns->push_back(std::move(p));
      if (!accept(",")) {
        expect("}");
        return;
      }
    }
  }

  std::string_view text_;
  size_t pos_ = 0;
};

} // namespace

std::optional<ScannedType> read_generated_type(const std::string& path, std::string_view text, std::string& error) {
  try {
    ScannedType type = Reader(text).read();
    type.file = path;
    return type;
  } catch (const Malformed& m) {
    error = m.what;
    return std::nullopt;
  }
}

} // namespace pupc::compiler
