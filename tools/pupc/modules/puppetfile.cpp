#include "tools/pupc/modules/puppetfile.h"

#include "catalog/json/json_reader.h"
#include "compiler/load/load_error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::cli {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum class TokenKind : uint8_t { End, Line, Word, Text, Symbol, Key, Comma, Arrow, Open, Close, Other };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text; // the word, the text's value, the symbol without its colon
  uint32_t line = 1, column = 1;
};

/// Divides the file into tokens. A line end within an argument list does not count; the parser skips it.
class Lexer {
public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Token next() {
    skip_blanks();
    Token t{TokenKind::End, {}, line_, static_cast<uint32_t>(at_ - line_begin_ + 1)};
    if (at_ >= text_.size()) return t;
    const char c = text_[at_];
    if (c == '\n' || c == ';') {
      ++at_;
      if (c == '\n') new_line();
      t.kind = TokenKind::Line;
    } else if (c == '\'' || c == '"') {
      quoted(t);
      // Ruby's short form of a hash: 'key': value
      if (peek(0) == ':' && peek(1) != ':') {
        ++at_;
        t.kind = TokenKind::Key;
      }
    } else if (is_letter(c)) {
      word(t);
    } else if (c == ':' && (peek(1) == '\'' || peek(1) == '"')) {
      ++at_;
      quoted(t);
      t.kind = TokenKind::Symbol;
    } else if (c == ':' && is_letter(peek(1))) {
      ++at_;
      word(t);
      t.kind = TokenKind::Symbol;
    } else if (c == '=' && peek(1) == '>') {
      at_ += 2;
      t.kind = TokenKind::Arrow;
    } else {
      ++at_;
      t.kind = c == ',' ? TokenKind::Comma : c == '(' ? TokenKind::Open : c == ')' ? TokenKind::Close : TokenKind::Other;
      t.text = c;
    }
    return t;
  }

  [[noreturn]] void fail(const Token& at, const std::string& message) const { throw_load_error(message, file_, at.line, at.column); }

private:
  char peek(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void new_line() {
    ++line_;
    line_begin_ = at_;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\xef' && at_ == 0 && text_.starts_with("\xef\xbb\xbf"))) {
        at_ += c == '\xef' ? 3 : 1;
      } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += peek(1) == '\n' ? 2 : 3;
        new_line();
      } else if (at_ == line_begin_ && text_.substr(at_).starts_with("=begin")) {
        const size_t end = text_.find("\n=end", at_);
        const size_t stop = end == std::string_view::npos ? text_.size() : std::min(text_.find('\n', end + 1), text_.size());
        for (; at_ < stop; ++at_)
          if (text_[at_] == '\n') {
            ++line_;
            line_begin_ = at_ + 1;
          }
      } else {
        break;
      }
    }
  }

  void word(Token& t) {
    const size_t begin = at_;
    while (is_letter(peek(0)) || is_digit(peek(0))) ++at_;
    t.text = text_.substr(begin, at_ - begin);
    t.kind = TokenKind::Word;
    if (peek(0) == ':' && peek(1) != ':') {
      ++at_;
      t.kind = TokenKind::Key;
    }
  }

  void quoted(Token& t) {
    const char quote = text_[at_++];
    t.kind = TokenKind::Text;
    while (at_ < text_.size() && text_[at_] != quote) {
      char c = text_[at_];
      if (c == '\n') break;
      if (quote == '"' && c == '#' && (peek(1) == '{' || peek(1) == '@' || peek(1) == '$'))
        fail(t, "A Puppetfile's Ruby is not run: expected a text without interpolation");
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[at_ + 1];
        if (next == quote || next == '\\') {
          c = next;
          ++at_;
        } else if (quote == '"') {
          fail(t, fmt::format("Expected a plain text, not one with the escape '\\{}'", is_letter(next) || is_digit(next) ? next : '?'));
        }
      }
      t.text += c;
      ++at_;
    }
    if (at_ >= text_.size() || text_[at_] != quote) fail(t, "This quote is not closed on its line");
    ++at_;
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0, line_begin_ = 0;
  uint32_t line_ = 1;
};

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// A name of git: no option, no control characters, none of those that git itself refuses in names.
bool is_revision(std::string_view name) {
  return !name.empty() && name[0] != '-' && name.size() < 256 && is_plain(name) && name.find("..") == std::string_view::npos &&
         name.find_first_of(" ~^:?*[\\") == std::string_view::npos;
}

/// The Forge that a text names; "" when it cannot be one. Old files name the host alone, or that of the Forge's pages.
std::string forge_url(std::string_view text) {
  std::string_view rest = text;
  const bool plain_http = rest.starts_with("http://");
  if (plain_http || rest.starts_with("https://")) rest.remove_prefix(rest.find("//") + 2);
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (!is_plain(text) || host.empty() || (rest.size() == text.size() && host.find('.') == std::string_view::npos) ||
      rest.find("://") != std::string_view::npos)
    return {};
  for (const std::string_view pages : {"forge.puppet.com", "forge.puppetlabs.com"})
    if (host == pages) return fmt::format("https://forgeapi{}", pages.substr(5));
  return fmt::format("{}{}", plain_http ? "http://" : "https://", rest);
}

struct Argument {
  Token name, value; // name.text is empty for one without a name
};

class Parser {
public:
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) { take(); }

  Puppetfile parse() {
    while (token_.kind != TokenKind::End) {
      if (token_.kind == TokenKind::Line)
        take();
      else
        statement();
    }
    return std::move(out_);
  }

private:
  void take() { token_ = lexer_.next(); }
  void skip_lines() {
    while (token_.kind == TokenKind::Line) take();
  }

  static std::string shown(const Token& t) {
    switch (t.kind) {
    case TokenKind::End: return "the end of the file";
    case TokenKind::Line: return "the end of the line";
    case TokenKind::Symbol: return ":" + t.text;
    case TokenKind::Arrow: return "=>";
    default: return is_plain(t.text) ? "'" + t.text + "'" : "a control character";
    }
  }

  void statement() {
    const Token begin = token_;
    static constexpr std::string_view known[] = {"mod", "forge", "moduledir", "metadata", "exclusion", "exclude"};
    if (begin.kind != TokenKind::Word || std::find(std::begin(known), std::end(known), begin.text) == std::end(known))
      lexer_.fail(begin, fmt::format("A Puppetfile's Ruby is not run: expected mod, forge, moduledir, metadata or exclusion, not {}",
                                     shown(begin)));
    take();
    const std::vector<Argument> arguments = argument_list();
    if (token_.kind != TokenKind::Line && token_.kind != TokenKind::End)
      lexer_.fail(token_, fmt::format("Expected the end of the line, not {}: a Puppetfile's Ruby is not run", shown(token_)));
    if (begin.text == "mod")
      module(begin, arguments);
    else if (begin.text == "metadata") {
      if (!arguments.empty()) lexer_.fail(arguments[0].value, "Expected the end of the line after metadata");
      out_.metadata = true;
    } else {
      if (arguments.size() != 1 || arguments[0].value.kind != TokenKind::Text || !arguments[0].name.text.empty())
        lexer_.fail(begin, fmt::format("Expected one text after {}", begin.text));
      setting(begin, arguments[0].value);
    }
  }

  void setting(const Token& begin, const Token& value) {
    if (begin.text == "forge") {
      out_.forge = forge_url(value.text);
      if (out_.forge.empty()) lexer_.fail(value, "Expected the URL of a Forge, https://…");
    } else if (begin.text == "moduledir") {
      if (!stays_below(value.text)) lexer_.fail(value, "Expected a directory below the Puppetfile's, without '..'");
      out_.directory = value.text;
    } else {
      std::string author, name;
      if (!split_module_name(value.text, author, name)) lexer_.fail(value, "Expected the name of a module");
      out_.excluded.push_back(name);
    }
  }

  std::vector<Argument> argument_list() {
    std::vector<Argument> out;
    const bool parentheses = token_.kind == TokenKind::Open;
    if (parentheses) {
      take();
      skip_lines();
    }
    while (token_.kind != TokenKind::Line && token_.kind != TokenKind::End && token_.kind != TokenKind::Close) {
      Argument a;
      if (token_.kind == TokenKind::Key) {
        a.name = token_;
        take();
        skip_lines();
        a.value = value();
      } else {
        a.value = value();
        if (token_.kind == TokenKind::Arrow) {
          a.name = a.value;
          take();
          skip_lines();
          a.value = value();
        }
      }
      out.push_back(std::move(a));
      if (parentheses) skip_lines();
      if (token_.kind != TokenKind::Comma) break;
      take();
      skip_lines();
      if (token_.kind == TokenKind::End) lexer_.fail(token_, "Expected an argument after the comma, not the end of the file");
    }
    if (parentheses) {
      skip_lines();
      if (token_.kind != TokenKind::Close) lexer_.fail(token_, fmt::format("Expected ) or a comma, not {}", shown(token_)));
      take();
    }
    return out;
  }

  Token value() {
    const Token t = token_;
    const bool word = t.kind == TokenKind::Word && (t.text == "true" || t.text == "false" || t.text == "nil");
    if (t.kind != TokenKind::Text && t.kind != TokenKind::Symbol && !word)
      lexer_.fail(t, fmt::format("Expected a text, a symbol, true or false, not {}: a Puppetfile's Ruby is not run", shown(t)));
    take();
    return t;
  }

  void module(const Token& begin, const std::vector<Argument>& arguments) {
    if (arguments.empty() || arguments[0].value.kind != TokenKind::Text || !arguments[0].name.text.empty())
      lexer_.fail(begin, "Expected the name of a module after mod, as a text");
    ModuleRequest m;
    m.line = begin.line;
    if (!split_module_name(arguments[0].value.text, m.author, m.name))
      lexer_.fail(arguments[0].value, "Expected the name of a module: author-name or author/name, of letters, digits and _");
    std::map<std::string, Token> named;
    for (size_t i = 1; i < arguments.size(); ++i) {
      const Argument& a = arguments[i];
      if (!a.name.text.empty()) {
        if (!named.emplace(a.name.text, a.value).second) lexer_.fail(a.name, fmt::format("{} stands twice", a.name.text));
      } else if (i == 1 && (a.value.kind == TokenKind::Text || a.value.kind == TokenKind::Symbol)) {
        version(m, a.value);
      } else if (i == 1 && a.value.text == "nil") {
        continue;
      } else {
        lexer_.fail(a.value, "Expected a name with a value, as in git: 'https://…'");
      }
    }
    options(m, begin, named);
    const auto [first, fresh] = lines_.try_emplace({m.name, m.install_path}, m.line);
    if (!fresh) lexer_.fail(begin, fmt::format("The module '{}' stands twice, first in line {}", m.name, first->second));
    out_.modules.push_back(std::move(m));
  }

  void version(ModuleRequest& m, const Token& value) {
    if (value.kind == TokenKind::Symbol && value.text != "latest")
      lexer_.fail(value, fmt::format("Expected a version or :latest, not :{}", value.text));
    if (value.text.empty() || !is_plain(value.text)) lexer_.fail(value, "Expected a version");
    m.version = value.text;
  }

  void options(ModuleRequest& m, const Token& begin, std::map<std::string, Token>& named) {
    auto text = [&](const char* name, auto good, const char* expected) -> std::string {
      const auto found = named.extract(name);
      if (found.empty()) return {};
      const Token& value = found.mapped();
      if (value.kind != TokenKind::Text || !good(value.text)) lexer_.fail(value, fmt::format("{}: expected {}", name, expected));
      return value.text;
    };
    auto flag = [&](const char* name) {
      const auto found = named.extract(name);
      if (found.empty()) return false;
      if (found.mapped().kind != TokenKind::Word) lexer_.fail(found.mapped(), fmt::format("{}: expected true or false", name));
      return found.mapped().text == "true";
    };
    const std::string type = text(
        "type", [](const auto& t) { return t == "forge" || t == "git" || t == "local"; },
        "'forge', 'git' or 'local': other sources are not supported");
    for (const char* other : {"svn", "tarball", "github_tarball"})
      if (named.contains(other)) lexer_.fail(named[other], fmt::format("The source {} is not supported: git and the Forge are", other));
    m.url = text(
        "git", [](const auto& t) { return !t.empty() && t[0] != '-' && is_plain(t); }, "the URL of a repository");
    if (const std::string source = text(
            "source", [](const auto& t) { return !t.empty() && t[0] != '-' && is_plain(t); }, "a URL");
        !source.empty())
      m.url = source;
    if (flag("local") || type == "local") m.source = ModuleSource::Local;
    if (!m.url.empty() || type == "git") m.source = ModuleSource::Git;
    if (m.source == ModuleSource::Forge && type.empty() && m.version.empty() && named.contains("path")) m.source = ModuleSource::Directory;
    constexpr const char* revision = "the name of a revision of git";
    if (const auto found = named.find("version"); found != named.end()) {
      if (m.source == ModuleSource::Git)
        m.ref = text("version", is_revision, revision);
      else
        version(m, named.extract(found).mapped());
    }
    for (auto& [name, into] :
         {std::pair<const char*, std::string*>{"ref", &m.ref}, {"tag", &m.tag}, {"branch", &m.branch}, {"commit", &m.commit}}) {
      const auto found = named.find(name);
      if (found == named.end()) continue;
      const Token value = found->second;
      named.erase(found);
      if (value.kind == TokenKind::Symbol && value.text == "control_branch")
        m.control_branch = true;
      else if (value.kind == TokenKind::Text && is_revision(value.text))
        *into = value.text;
      else
        lexer_.fail(value, fmt::format("{}: expected {}", name, revision));
    }
    m.default_branch = text("default_branch", is_revision, revision);
    m.default_branch_override = text("default_branch_override", is_revision, revision);
    m.path = text("path", stays_below, "a directory in the repository, without '..'");
    m.install_path = text("install_path", stays_below, "a directory below the Puppetfile's, without '..'");
    m.exclude_spec = flag("exclude_spec");
    static constexpr std::string_view known[] = {
        "git",   "ref",  "tag",          "branch",       "commit", "default_branch", "default_branch_override",
        "local", "path", "install_path", "exclude_spec", "type",   "version"};
    if (!named.empty())
      lexer_.fail(named.begin()->second, fmt::format("mod has no option '{}'; expected one of {}",
                                                     is_plain(named.begin()->first) ? named.begin()->first : "?", fmt::join(known, ", ")));
    const int revisions = !m.ref.empty() + !m.tag.empty() + !m.branch.empty() + !m.commit.empty() + m.control_branch;
    if (revisions > 1) lexer_.fail(begin, "Expected one of ref, tag, branch and commit, not several");
    if (m.source == ModuleSource::Git && m.url.empty()) lexer_.fail(begin, "Expected git: with the URL of a repository");
    if (m.source == ModuleSource::Git && !m.version.empty())
      lexer_.fail(begin, "A module of git has no version; expected ref, tag, branch or commit");
    if (m.source != ModuleSource::Git && (revisions > 0 || (!m.path.empty() && m.source != ModuleSource::Directory)))
      lexer_.fail(begin, "ref, tag, branch, commit and path belong to a module of git: expected git: with its URL");
    if (m.source == ModuleSource::Forge && m.author.empty())
      lexer_.fail(begin, fmt::format("A module of the Forge has an author: expected 'AUTHOR-{}', or git: with a URL", m.name));
  }

  Lexer lexer_;
  Token token_;
  Puppetfile out_;
  std::map<std::pair<std::string, std::string>, uint32_t> lines_; // of modules, by name and directory
};

} // namespace

bool split_module_name(std::string_view full, std::string& author, std::string& name) {
  const size_t cut = full.find_first_of("/-");
  author = cut == std::string_view::npos ? "" : std::string(full.substr(0, cut));
  name = full.substr(cut == std::string_view::npos ? 0 : cut + 1);
  if (cut != std::string_view::npos && author.empty()) return false;
  auto letters = [](const std::string& t) { return std::all_of(t.begin(), t.end(), [](char c) { return is_letter(c) || is_digit(c); }); };
  // r10k takes any directory's name; the autoloader finds only those in lower case.
  return !name.empty() && name.size() < 200 && author.size() < 200 && letters(name) && letters(author) && !is_digit(name[0]);
}

bool stays_below(std::string_view path) {
  if (path.empty() || path[0] == '/' || path.size() > 1024 || !is_plain(path)) return false;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (path.substr(0, end) == "..") return false;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

Puppetfile parse_puppetfile(std::string_view text, const std::string& file) { return Parser(text, file).parse(); }

std::vector<ModuleRequest> metadata_dependencies(std::string_view text, const std::string& file) {
  Arena arena;
  Value root;
  JsonError error;
  if (!parse_json(text, arena, root, error))
    throw_load_error(error.message, file, static_cast<uint32_t>(error.line), static_cast<uint32_t>(error.column));
  std::vector<ModuleRequest> out;
  const Value* list = root.is_hash() ? root.hash->find("dependencies") : nullptr;
  if (!root.is_hash()) throw_load_error("Expected an object with the module's metadata", file);
  if (list == nullptr) return out;
  if (!list->is_list()) throw_load_error("dependencies: expected an array", file);
  for (const Value& v : list->items()) {
    const Value* name = v.is_hash() ? v.hash->find("name") : nullptr;
    const Value* range = v.is_hash() ? v.hash->find("version_requirement") : nullptr;
    ModuleRequest m;
    if (name == nullptr || !name->is_string() || !split_module_name(name->str(), m.author, m.name) || m.author.empty())
      throw_load_error("dependencies: expected objects whose name is author/module", file);
    if (range != nullptr && range->is_string()) m.version = range->str();
    out.push_back(std::move(m));
  }
  return out;
}

} // namespace pupc::cli
