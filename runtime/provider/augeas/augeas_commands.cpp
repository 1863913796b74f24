#include "runtime/provider/augeas/augeas_commands.h"

#include "catalog/base/text.h"
#include "catalog/value/inspect.h"
#include "catalog/value/regex.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

enum class Formal : uint8_t { Path, String, Comparator, Integer, Rest };

struct Form {
  std::string_view name;
  std::vector<Formal> formals;
};

const std::vector<Formal>* formals_of(std::string_view name) {
  using enum Formal;
  static const Form forms[] = {{"set", {Path, String}},
                               {"setm", {Path, String, String}},
                               {"rm", {Path}},
                               {"remove", {Path}},
                               {"clear", {Path}},
                               {"clearm", {Path, String}},
                               {"touch", {Path}},
                               {"mv", {Path, Path}},
                               {"move", {Path, Path}},
                               {"rename", {Path, String}},
                               {"insert", {String, String, Path}},
                               {"ins", {String, String, Path}},
                               {"get", {Path, Comparator, String}},
                               {"values", {Path, Rest}},
                               {"defvar", {String, Path}},
                               {"defnode", {String, Path, String}},
                               {"match", {Path, Rest}},
                               {"size", {Comparator, Integer}},
                               {"include", {String}},
                               {"not_include", {String}},
                               {"==", {Rest}},
                               {"!=", {Rest}}};
  for (const Form& f : forms)
    if (f.name == name) return &f.formals;
  return nullptr;
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class LineParser {
public:
  LineParser(std::string_view line, const std::string& context) : line_(line), context_(context) {}

  AugeasCommand parse() {
    AugeasCommand out;
    if (line_.starts_with("==") || line_.starts_with("!=")) {
      at_ = 2;
    } else {
      while (at_ < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[at_])) || line_[at_] == '_')) ++at_;
    }
    out.name = line_.substr(0, at_);
    const auto* formals = formals_of(out.name);
    if (formals == nullptr) throw ResourceError(fmt::format("Unknown command {}", out.name));
    int n = 0;
    for (Formal f : *formals) {
      while (at_ < line_.size() && blank(line_[at_])) ++at_;
      ++n;
      switch (f) {
      case Formal::Path: out.words.push_back(path()); break;
      case Formal::String: out.words.push_back(string(out.name, n)); break;
      case Formal::Comparator: out.words.push_back(comparator(out.name)); break;
      case Formal::Integer: out.number = std::strtol(std::string(line_.substr(at_)).c_str(), nullptr, 10); break;
      case Formal::Rest: out.words.emplace_back(line_.substr(at_)); break;
      }
    }
    return out;
  }

private:
  std::string path() {
    const size_t start = at_;
    int brackets = 0;
    bool single = false, twice = false;
    for (;;) {
      while (at_ < line_.size()) {
        if (line_[at_] == '\\' && at_ + 1 < line_.size() && line_[at_ + 1] != '\n')
          at_ += 2;
        else if (std::strchr("[]\\'\"", line_[at_]) != nullptr || blank(line_[at_]))
          break;
        else
          ++at_;
      }
      const char c = at_ < line_.size() ? line_[at_++] : '\0';
      if (c == '[') ++brackets;
      if (c == ']') --brackets;
      if (c == '\'') single = !single;
      if (c == '"') twice = !twice;
      if (brackets < 0) throw ResourceError("unmatched [");
      if (at_ >= line_.size() || (brackets == 0 && !single && !twice && blank(c))) break;
    }
    std::string p(line_.substr(start, at_ - start - (at_ < line_.size() ? 1 : 0)));
    if (p.starts_with('\'') || p.starts_with('"')) p = p.size() < 2 ? "" : p.substr(1, p.size() - 2);
    if (p.ends_with('/')) p.pop_back();
    return p.starts_with('$') || p.starts_with('/') ? p : context_ + p;
  }

  std::string string(const std::string& command, int n) {
    std::string out;
    const char quote = at_ < line_.size() ? line_[at_] : '\0';
    if (quote == '\'' || quote == '"') {
      ++at_;
      while (at_ < line_.size() && line_[at_] != quote) {
        // Remove the backslash before a quote only: Augeas itself interprets all other escapes.
        if (line_[at_] == '\\' && at_ + 1 < line_.size()) {
          if (line_[at_ + 1] != quote) out += '\\';
          ++at_;
        }
        out += line_[at_++];
      }
      ++at_;
      return out;
    }
    while (at_ < line_.size() && !blank(line_[at_])) out += line_[at_++];
    if (out.empty()) throw ResourceError(fmt::format("missing string argument {} for {}", n, command));
    return out;
  }

  std::string comparator(const std::string& command) {
    for (std::string_view c : {"==", "!=", "=~", "<=", ">=", "<", ">"})
      if (line_.substr(std::min(at_, line_.size())).starts_with(c)) {
        at_ += c.size();
        return std::string(c);
      }
    throw ResourceError(fmt::format("invalid comparator for command {}", command));
  }

  std::string_view line_;
  const std::string& context_;
  size_t at_ = 0;
};

/// A list of strings in the form of Ruby's `inspect`.
std::string inspected_words(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : words) {
    if (out.size() > 1) out += ", ";
    append_inspected(out, word);
  }
  return out + "]";
}

void run_one(AugeasTree& tree, const AugeasCommand& c) {
  const auto& w = c.words;
  bool good = true;
  // The Ruby library that Puppet uses does not tell when these two fail, as they do when a path has several nodes.
  if (c.name == "set")
    tree.set(w[0], w[1]);
  else if (c.name == "setm")
    good = tree.set_many(w[0], w[1], &w[2]) >= 0;
  else if (c.name == "rm" || c.name == "remove")
    good = tree.remove(w[0]) >= 0;
  else if (c.name == "clear")
    good = tree.clear(w[0]);
  else if (c.name == "clearm")
    tree.set_many(w[0], w[1], nullptr);
  else if (c.name == "touch")
    good = !tree.match(w[0]).empty() || tree.clear(w[0]);
  else if (c.name == "mv" || c.name == "move")
    good = tree.move(w[0], w[1]) >= 0;
  else if (c.name == "rename")
    good = tree.rename(w[0], w[1]) >= 0;
  else if (c.name == "defvar")
    good = tree.define_variable(w[0], w[1]);
  else if (c.name == "defnode")
    good = tree.define_node(w[0], w[1], w[2]);
  else if (c.name == "insert" || c.name == "ins") {
    if (w[1] != "before" && w[1] != "after") throw ResourceError(fmt::format("Invalid value '{}' for where param", w[1]));
    good = tree.insert(w[2], w[0], w[1] == "before") >= 0;
  } else {
    throw ResourceError(fmt::format("Command '{}' is not supported", c.name));
  }
  if (!good) throw ResourceError(fmt::format("Error sending command '{}' with params {}", c.name, inspected_words(w)));
}

template <class T> bool compare(std::string_view comparator, const T& a, const T& b) {
  if (comparator == "<") return a < b;
  if (comparator == "<=") return a <= b;
  if (comparator == ">") return a > b;
  if (comparator == ">=") return a >= b;
  return a == b;
}

bool numeric(const std::string& text) {
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const size_t dot = text.find('.', at);
  if (dot != std::string::npos && !all_digits(text.substr(dot + 1))) return false;
  return all_digits(text.substr(at, dot == std::string::npos ? dot : dot - at));
}

bool holds_get(AugeasTree& tree, const AugeasCommand& c) {
  const std::string is = tree.get(c.words[0]).value_or("");
  const std::string &comparator = c.words[1], &wanted = c.words[2];
  if (comparator == "!=") return is != wanted;
  if (comparator == "=~") {
    try {
      return Regex(wanted).matches(is);
    } catch (const RegexError& e) { throw ResourceError(fmt::format("{}: /{}/", e.message, wanted)); }
  }
  if (comparator != "==" && numeric(is) && numeric(wanted))
    return compare(comparator, std::strtod(is.c_str(), nullptr), std::strtod(wanted.c_str(), nullptr));
  return compare(comparator, is, wanted);
}

bool holds_list(const AugeasCommand& c, const AugeasCommand& clause, const std::vector<std::string>& have) {
  if (clause.name == "include") return std::find(have.begin(), have.end(), clause.words[0]) != have.end();
  if (clause.name == "not_include") return std::find(have.begin(), have.end(), clause.words[0]) == have.end();
  if (clause.name == "==" || clause.name == "!=") {
    try {
      return (have == parse_augeas_list(clause.words[0])) == (clause.name == "==");
    } catch (const ResourceError&) { throw ResourceError("Invalid array in command: "); }
  }
  if (clause.name == "size" && c.name == "match") {
    const long size = static_cast<long>(have.size());
    return clause.words[0] == "!=" ? size != clause.number : compare(clause.words[0], size, clause.number);
  }
  return false;
}

} // namespace

std::vector<AugeasCommand> parse_augeas_commands(const std::vector<std::string>& lines, std::string context) {
  if (!context.empty() && !context.ends_with('/')) context += '/';
  std::vector<AugeasCommand> out;
  for (const std::string& line : lines)
    if (std::string_view text = trimmed(line); !text.empty()) out.push_back(LineParser(text, context).parse());
  return out;
}

std::vector<std::string> parse_augeas_list(std::string_view text) {
  size_t at = 0;
  auto skip = [&] {
    while (at < text.size() && blank(text[at])) ++at;
  };
  auto bad = [&] { return ResourceError(fmt::format("Unexpected character in array at: {}", text.substr(std::min(at, text.size())))); };
  skip();
  if (at >= text.size() || text[at] != '[') throw bad();
  ++at;
  std::vector<std::string> out;
  for (;;) {
    skip();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) break;
    const char quote = text[at++];
    std::string one;
    while (at < text.size() && text[at] != quote) {
      if (text[at] == '\\' && at + 1 < text.size()) {
        const char c = text[at + 1];
        static constexpr std::string_view names = "abtnvfres", values = "\a\b\t\n\v\f\r\033 ";
        if (c == '\\' || c == quote)
          one += c;
        else if (quote == '"' && names.find(c) != std::string_view::npos)
          one += values[names.find(c)];
        else
          throw bad();
        at += 2;
      } else {
        one += text[at++];
      }
    }
    if (at >= text.size()) throw bad();
    ++at;
    out.push_back(std::move(one));
    skip();
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  skip();
  if (at >= text.size() || text[at] != ']') throw bad();
  ++at;
  skip();
  if (at != text.size()) throw bad();
  return out;
}

void run_augeas_commands(AugeasTree& tree, const std::vector<AugeasCommand>& commands) {
  for (const AugeasCommand& c : commands) {
    try {
      run_one(tree, c);
    } catch (const std::exception& e) {
      throw ResourceError(fmt::format("Error sending command '{}' with params {}/{}", c.name, inspected_words(c.words), e.what()));
    }
  }
}

bool augeas_condition(AugeasTree& tree, const AugeasCommand& c, const std::string& context) {
  if (c.name != "get" && c.name != "values" && c.name != "match") return true;
  try {
    if (c.name == "get") return holds_get(tree, c);
    const std::vector<std::string> found = tree.match(c.words[0]);
    const auto clauses = parse_augeas_commands({c.words[1]}, context);
    if (clauses.empty()) throw ResourceError("undefined method `shift' for nil:NilClass");
    if (c.name == "match") return holds_list(c, clauses[0], found);
    std::vector<std::string> values;
    for (const std::string& path : found) values.push_back(tree.get(path).value_or(""));
    return holds_list(c, clauses[0], values);
  } catch (const std::exception& e) {
    throw ResourceError(fmt::format("Error sending command '{}' with params {}/{}", c.name, c.name == "get" ? "[]" : "nil", e.what()));
  }
}

} // namespace pupc::runtime
