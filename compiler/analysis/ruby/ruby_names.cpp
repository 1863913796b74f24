#include "compiler/analysis/ruby/ruby_names.h"

#include "catalog/base/similar_names.h"
#include "catalog/schema/resource_type.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"
#include "compiler/analysis/ruby/ruby_instances.h"
#include "compiler/analysis/ruby/ruby_known_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr size_t most_unknown = 12; // with more the code is something else than it seems
constexpr int deepest = 6;
constexpr size_t longest_list = 500;  // tokens of parameters and the like: what is longer is no code
constexpr size_t most_looked_at = 50; // names of a file that are looked for in all of it
constexpr size_t longest_text = 1u << 16;

bool is_receiver_dot(const RubyToken& t) { return is_op(t, '.') || is_op(t, "&.") || is_op(t, "::"); }

/// Whether the token asks first whether there is such a thing: defined?(x).
bool asked(std::span<const RubyToken> tokens, size_t i) {
  const auto asks = [&](size_t back) { return i >= back && tokens[i - back].text.starts_with("defined?"); };
  return asks(1) || asks(2);
}

/// Whether the words of %w or %i have the word.
bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; (at = words.find(word, at)) != std::string_view::npos; ++at) {
    const auto blank = [&](size_t k) { return k >= words.size() || words[k] == ' ' || words[k] == '\n'; };
    if (blank(at - 1) && blank(at + word.size())) return true;
  }
  return false;
}

/// Whether the code has the name as a text: then a method of that name may be made or sent. The names of types and providers are none.
bool mentioned(std::span<const RubyToken> tokens, std::string_view name) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RubyToken& t = tokens[i];
    if ((t.kind == RubyTokenKind::Words || t.kind == RubyTokenKind::Symbols) && has_word(t.body, name)) return true;
    if (t.kind != RubyTokenKind::Symbol && t.kind != RubyTokenKind::Label && t.kind != RubyTokenKind::String) continue;
    const bool writer = t.body.size() == name.size() + 1 && t.body.back() == '=' && t.body.starts_with(name);
    if (t.body != name && !writer) continue;
    const size_t before = i > 1 && is_op(tokens[i - 1], '(') ? i - 2 : i - 1;
    // commands ctl: 'appctl' makes no method of the text.
    if (i > 0 && t.kind == RubyTokenKind::String && (tokens[i - 1].kind == RubyTokenKind::Label || is_op(tokens[i - 1], "=>"))) continue;
    if (i == 0 || (tokens[before].text != "provide" && tokens[before].text != "newtype")) return true;
  }
  return false;
}

const std::unordered_set<std::string_view> well_known_variables = {
    "@property_hash", "@resource", "@property_flush", "@parameters", "@should", "@is", "@doc", "@title", "@name", "@value"};

} // namespace

bool sets_name(const RubyToken& t) {
  return t.kind == RubyTokenKind::Operator && t.text.ends_with('=') && t.text != "==" && t.text != "!=" && t.text != "<=" &&
         t.text != ">=" && t.text != "===";
}

std::string unknown_in_template(const RubyNames::Unknown& u) {
  return fmt::format("A template has neither a variable nor a method '{}'", u.name);
}

std::string suggested_in_template(const RubyNames::Unknown& u, bool variable) {
  if (variable) return fmt::format("Write @{}.", u.name);
  return u.meant.empty() ? "" : fmt::format("Did you mean '{}'?", u.meant);
}

size_t RubyNames::bind_until(std::span<const RubyToken> tokens, size_t i, const std::function<bool(const RubyToken&)>& end) {
  for (const size_t last = std::min(tokens.size(), i + longest_list); i < last && !end(tokens[i]); ++i) {
    if (tokens[i].kind == RubyTokenKind::Identifier) bound_.insert(tokens[i].text);
    if (tokens[i].kind == RubyTokenKind::Label) bound_.insert(tokens[i].body);
  }
  return i;
}

void RubyNames::read(std::span<const RubyToken> tokens, int depth) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RubyToken& t = tokens[i];
    switch (t.kind) {
    case RubyTokenKind::Identifier: read_identifier(tokens, i); break;
    case RubyTokenKind::Keyword: read_keyword(tokens, i); break;
    case RubyTokenKind::Operator: read_operator(tokens, i); break;
    case RubyTokenKind::Variable:
      if (of_template_ || !t.text.starts_with('@') || t.text.starts_with("@@")) break;
      if (i + 1 < tokens.size() && sets_name(tokens[i + 1]))
        bound_.insert(t.text);
      else if (!asked(tokens, i))
        reads_.push_back({t.text, t.line});
      break;
    case RubyTokenKind::Regex: // /(?<year>\d+)/ =~ text
      for (size_t at = 0; (at = t.body.find("(?<", at)) != std::string_view::npos;) {
        at += 3;
        bound_.insert(t.body.substr(at, std::min(t.body.find('>', at), t.body.size()) - at));
      }
      break;
    default: break;
    }
    if (t.interpolated && depth < deepest) read_interpolations(t, depth);
  }
}

void RubyNames::read_interpolations(const RubyToken& t, int depth) {
  if (t.body.size() > longest_text) return;
  for_each_interpolation(t, [&](std::string_view code, uint32_t line) {
    const RubyTokens inside = ruby_tokens(code, line);
    if (!inside.error.empty()) return;
    depth_ = depth + 1;
    read(inside.tokens, depth + 1);
    depth_ = depth;
  });
}

void RubyNames::read_keyword(std::span<const RubyToken> tokens, size_t i) {
  const auto newline = [](const RubyToken& t) { return t.kind == RubyTokenKind::Newline || is_keyword(t, ruby::Word::Then); };
  switch (tokens[i].word) {
  case ruby::Word::Def: {
    size_t name = i + 1;
    if (name + 2 < tokens.size() && is_op(tokens[name + 1], '.')) name += 2;
    if (name >= tokens.size()) return;
    bound_.insert(tokens[name].text);
    if (tokens[name].text == "method_missing") open_ = true;
    int depth = 0; // parameters in parentheses may go over several lines
    bind_until(tokens, name + 1, [&](const RubyToken& t) {
      if (is_op(t, '(')) ++depth;
      if (is_op(t, ')')) return --depth <= 0;
      return depth == 0 && t.kind == RubyTokenKind::Newline;
    });
    return;
  }
  case ruby::Word::For: bind_until(tokens, i + 1, [](const RubyToken& t) { return is_keyword(t, ruby::Word::In); }); return;
  case ruby::Word::In: bind_until(tokens, i + 1, newline); return; // a pattern
  case ruby::Word::Alias: bind_until(tokens, i + 1, newline); return;
  case ruby::Word::Rescue:
    for (size_t k = i + 1; k + 1 < std::min(tokens.size(), i + longest_list) && !newline(tokens[k]); ++k)
      if (is_op(tokens[k], "=>")) bound_.insert(tokens[k + 1].text);
    return;
  case ruby::Word::Class:
  case ruby::Word::Module: open_ = open_ || i + 1 >= tokens.size() || !is_op(tokens[i + 1], "<<"); return;
  default: return;
  }
}

/// `|a, (b, *c)|`: names of the block that they begin.
void RubyNames::read_block_parameters(std::span<const RubyToken> tokens, size_t i) {
  const size_t end = tokens[i - 1].match;
  if (depth_ > 0 || end == RubyToken::no_match || !of_template_) {
    bind_until(tokens, i + 1, [](const RubyToken& u) { return is_op(u, '|'); });
    return;
  }
  for (size_t k = i + 1; k < end && k < tokens.size() && !is_op(tokens[k], '|'); ++k)
    if (tokens[k].kind == RubyTokenKind::Identifier || tokens[k].kind == RubyTokenKind::Label)
      of_blocks_.push_back({tokens[k].kind == RubyTokenKind::Label ? tokens[k].body : tokens[k].text, i - 1, end});
}

/// Parameters of blocks that are read where no such block is.
void RubyNames::add_outside_of_blocks(std::span<const RubyToken> tokens, std::vector<Unknown>& out) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RubyToken& t = tokens[i];
    if (t.kind != RubyTokenKind::Identifier || bound_.contains(t.text) || t.text.front() == '_') continue;
    if ((i > 0 && is_receiver_dot(tokens[i - 1])) || asked(tokens, i) || is_template_word(t.text)) continue;
    bool parameter = false, inside = false;
    for (const OfBlock& b : of_blocks_) {
      if (b.name != t.text) continue;
      parameter = true;
      inside = inside || (i >= b.begin && i < b.end);
    }
    if (parameter && !inside && std::ranges::find(out, t.text, &Unknown::name) == out.end()) out.push_back({t.text, {}, t.line});
  }
}

void RubyNames::read_operator(std::span<const RubyToken> tokens, size_t i) {
  const RubyToken& t = tokens[i];
  if (is_op(t, '|')) {
    if (i > 0 && (is_keyword(tokens[i - 1], ruby::Word::Do) || is_op(tokens[i - 1], '{'))) read_block_parameters(tokens, i);
  } else if (is_op(t, "->")) {
    bind_until(tokens, i + 1, [](const RubyToken& u) { return is_op(u, '{') || is_keyword(u, ruby::Word::Do); });
  } else if (is_op(t, '=') && i > 1) { // a, (b, *c) = …
    for (size_t k = i; k-- > 0;) {
      const RubyToken& u = tokens[k];
      if (u.kind == RubyTokenKind::Identifier || u.kind == RubyTokenKind::Variable)
        bound_.insert(u.text);
      else if (!is_op(u, ',') && !is_op(u, '*') && !is_op(u, '(') && !is_op(u, ')'))
        return;
    }
  }
}

void RubyNames::read_identifier(std::span<const RubyToken> tokens, size_t i) {
  static const std::unordered_set<std::string_view> openers = {
      "include",    "extend", "prepend", "require_relative", "instance_eval", "class_eval", "module_eval", "instance_exec",
      "class_exec", "eval",   "load",    "load_plugin",      "parent"};
  const std::string_view name = tokens[i].text;
  if (!open_ && std::string_view("iepcrml").find(name.front()) != std::string_view::npos && openers.contains(name)) open_ = true;
  if (i > 0 && (is_receiver_dot(tokens[i - 1]) || is_keyword(tokens[i - 1], ruby::Word::Def))) return;
  if (i + 1 < tokens.size() && sets_name(tokens[i + 1])) {
    bound_.insert(name);
    return;
  }
  if (name.front() == '_' || asked(tokens, i) || read_before_.again(name)) return;
  reads_.push_back({name, tokens[i].line});
}

std::string_view RubyNames::meant(std::string_view name) const {
  std::string_view found;
  if (name.size() < 4) return found;
  if (name.starts_with('@'))
    for (std::string_view known : {"@property_hash", "@resource", "@property_flush"})
      if (one_slip_apart(name, known)) found = known;
  const auto look_at = [&](std::string_view own) {
    if (own.size() >= 4 && one_slip_apart(name, own) && (own.front() == '@') == (name.front() == '@') && (found.empty() || own < found))
      found = own;
  };
  for (std::string_view own : bound_) look_at(own);
  for (const OfBlock& own : of_blocks_) look_at(own.name);
  return found.empty() && !name.starts_with('@') ? near_ruby_word(name, of_template_) : found;
}

std::vector<RubyNames::Unknown> RubyNames::unknown(std::span<const RubyToken> tokens,
                                                   const std::function<bool(std::string_view)>& attribute) const {
  std::vector<Unknown> out;
  for (const Read& read : reads_) {
    if (bound_.contains(read.name) || std::ranges::find(of_blocks_, read.name, &OfBlock::name) != of_blocks_.end() ||
        (read.name.starts_with('@') && well_known_variables.contains(read.name)) ||
        (of_template_ ? is_template_word(read.name) : is_ruby_word(read.name)))
      continue;
    if (read.name.starts_with("function_") || std::ranges::find(out, read.name, &Unknown::name) != out.end()) continue;
    if (out.size() > most_unknown) return {};
    out.push_back({read.name, {}, read.line});
  }
  if (!of_blocks_.empty()) add_outside_of_blocks(tokens, out);
  std::erase_if(out, [&](const Unknown& u) {
    return mentioned(tokens, u.name) || (u.name.starts_with('@') && mentioned(tokens, u.name.substr(1))) ||
           (attribute && attribute(u.name));
  });
  for (Unknown& u : out) u.meant = meant(u.name);
  std::erase_if(out, [](const Unknown& u) { return u.name.starts_with('@') && u.meant.empty(); }); // nil until it is set
  return out;
}

namespace {

constexpr std::string_view libraries[] = {"json",     "yaml",         "fileutils",  "base64", "digest", "open3",     "openssl",
                                          "pathname", "securerandom", "shellwords", "socket", "ipaddr", "tempfile",  "tmpdir",
                                          "timeout",  "resolv",       "stringio",   "facter", "puppet", "bigdecimal"};

/// The part of a path behind a folder up to the next slash, and whether the path goes on.
std::string_view part_behind(std::string_view path, std::string_view folder) {
  const size_t at = path.rfind(folder);
  if (at == std::string_view::npos) return {};
  path.remove_prefix(at + folder.size());
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// Whether the file opens or makes a class or module of this name.
bool makes_constant(std::span<const RubyToken> tokens, std::string_view name) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].body == name && tokens[i].kind != RubyTokenKind::String) return true; // const_set(:X, …)
    if (tokens[i].kind != RubyTokenKind::Constant || tokens[i].text != name) continue;
    if (i + 1 < tokens.size() && is_op(tokens[i + 1], '=')) return true;
    for (size_t k = i; k-- > 0 && k + 8 > i;) { // class A::B
      if (is_keyword(tokens[k], ruby::Word::Class) || is_keyword(tokens[k], ruby::Word::Module)) return true;
      if (tokens[k].kind != RubyTokenKind::Constant && !is_op(tokens[k], "::")) break;
    }
  }
  return false;
}

class ConstantUses {
public:
  ConstantUses(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, Findings& findings)
      : file_(file), tokens_(tokens), code_(code), findings_(findings) {}

  void check() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const RubyToken& t = tokens_[i];
      if (t.kind == RubyTokenKind::Identifier && t.text == "require") check_library(i);
      if (t.kind != RubyTokenKind::Constant || (i > 0 && is_op(tokens_[i - 1], '.')) || looked_at_ > most_looked_at) continue;
      i = check_path(i);
    }
  }

private:
  void told(const RubyToken& at, std::string message, std::string suggestion, bool warning = false) {
    findings_.add(code_, file_.shown, at.line, 0, std::move(message), std::move(suggestion),
                  warning ? std::optional(Severity::Warning) : std::nullopt);
  }

  void check_library(size_t i) {
    if (i + 1 >= tokens_.size() || tokens_[i + 1].kind != RubyTokenKind::String) return;
    const std::string_view name = tokens_[i + 1].body;
    if (name.size() < 3 || std::ranges::find(libraries, name) != std::end(libraries)) return;
    for (std::string_view library : libraries)
      if (one_slip_apart(name, library) || (library.size() == name.size() + 1 && library.ends_with('s') && library.starts_with(name)))
        return told(tokens_[i + 1], fmt::format("There is no library '{}'", name), fmt::format("Did you mean '{}'?", library));
  }

  /// Checks what begins with the constant at `i`; gives the index of its last one.
  size_t check_path(size_t i) {
    size_t last = i;
    while (last + 2 < tokens_.size() && is_op(tokens_[last + 1], "::") && tokens_[last + 2].kind == RubyTokenKind::Constant) last += 2;
    if (i > 1 && is_op(tokens_[i - 1], "::") && !is_op(tokens_[i - 2], '(') && !tokens_[i - 1].space_before) return last; // x::Y
    const char* begin = tokens_[i].text.data();
    const auto path = last == i
                          ? tokens_[i].text
                          : std::string_view(begin, static_cast<size_t>(tokens_[last].text.data() + tokens_[last].text.size() - begin));
    check_names(i, last);
    if (last + 2 < tokens_.size() && (is_op(tokens_[last + 1], '.') || is_op(tokens_[last + 1], "&.")) &&
        tokens_[last + 2].kind == RubyTokenKind::Identifier)
      check_method(path, last + 2);
    return last;
  }

  void check_names(size_t i, size_t last) {
    const bool from_puppet = tokens_[i].text == "Puppet";
    if (from_puppet && last == i) return;
    const RubyToken& t = tokens_[from_puppet ? i + 2 : i];
    if (!from_puppet && right_.again(t.text)) return;
    const RemovedFromRuby* gone = from_puppet ? nullptr : find_removed(t.text, "");
    const std::string_view near = gone != nullptr ? std::string_view() : meant_constant(from_puppet ? "Puppet" : "", t.text);
    if ((gone == nullptr && near.empty()) || asked(tokens_, i)) return;
    ++looked_at_;
    if (makes_constant(tokens_, t.text)) return;
    if (gone != nullptr)
      told(t, fmt::format("Ruby 3.2, which Puppet 8 comes with, has no {}", t.text), fmt::format("Write {}.", gone->instead), true);
    else
      told(t, fmt::format("There is no constant '{}{}'", from_puppet ? "Puppet::" : "", t.text),
           fmt::format("Did you mean '{}{}'?", from_puppet ? "Puppet::" : "", near));
  }

  void check_method(std::string_view path, size_t i) {
    const std::string_view name = tokens_[i].text;
    if (const RemovedFromRuby* gone = find_removed(path, name)) {
      ++looked_at_;
      if (!mentioned(tokens_, name))
        told(tokens_[i], fmt::format("Ruby 3.2, which Puppet 8 comes with, has no {}.{}", path, name),
             fmt::format("Write {}.", gone->instead), true);
      return;
    }
    const RubyModuleMethods* known = find_ruby_module(path);
    if (known == nullptr || is_object_word(name) || std::ranges::find(known->methods, name) != known->methods.end()) return;
    if (i + 1 < tokens_.size() && is_op(tokens_[i + 1], '=')) return;
    std::string_view near;
    for (std::string_view method : known->methods)
      if (near.empty() && ((name.size() >= 3 && one_slip_apart(name, method)) || same_letters(name, method))) near = method;
    if (near.empty() && !known->closed) return;
    ++looked_at_;
    if (mentioned(tokens_, name)) return;
    const size_t cut = path.rfind(':');
    if (makes_constant(tokens_, cut == std::string_view::npos ? path : path.substr(cut + 1))) return;
    told(tokens_[i], fmt::format("{} has no method '{}'", path, name), near.empty() ? "" : fmt::format("Did you mean '{}'?", near),
         near.empty());
  }

  const RepositoryFile& file_;
  std::span<const RubyToken> tokens_;
  LastNames right_; // constants that were looked at
  CheckCode code_;
  Findings& findings_;
  size_t looked_at_ = 0;
};

} // namespace

void check_ruby_constants(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, Findings& findings) {
  ConstantUses(file, tokens, code, findings).check();
}

namespace {

/// Methods that no value has and that are nearly those of texts, numbers, arrays and hashes; functions that nobody has.
void check_calls(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, CheckedCodebase& program,
                 Findings& findings) {
  size_t looked_at = 0;
  LastNames right; // names of methods that were looked at
  for (size_t i = 1; i < tokens.size() && looked_at < most_looked_at; ++i) {
    const RubyToken& t = tokens[i];
    if (t.kind != RubyTokenKind::Identifier) continue;
    if (is_op(tokens[i - 1], '.') || is_op(tokens[i - 1], "&.")) {
      if (t.text.size() < 4 || right.again(t.text)) continue;
      const std::string_view near = near_ruby_method(t.text);
      if (near.empty() || is_ruby_word(t.text) || (i > 1 && tokens[i - 2].kind == RubyTokenKind::Constant)) continue;
      ++looked_at;
      if (mentioned(tokens, t.text)) continue;
      const bool made = std::ranges::any_of(tokens, [&](const RubyToken& u) { return &u != &t && u.text == t.text; });
      if (!made && !(i + 1 < tokens.size() && sets_name(tokens[i + 1])))
        findings.add(code, file.shown, t.line, 0, fmt::format("No value has a method '{}'", t.text),
                     fmt::format("Did you mean '{}'?", near), Severity::Warning);
    } else if (t.text == "call_function" && i + 2 < tokens.size()) {
      const auto name = written_name(tokens[is_op(tokens[i + 1], '(') ? i + 2 : i + 1]);
      if (!name || name->size() < 4 || name->find(':') != std::string_view::npos || program.functions().find(*name) != nullptr) continue;
      bool broken = false;
      if (program.find_function(intern(*name), &broken) != nullptr || broken || !program.environment().ruby_functions(*name).empty() ||
          program.environment().old_function(*name) != nullptr)
        continue;
      for (const FunctionEntry* f : program.functions().entries())
        if (f->module.empty() && one_slip_apart(*name, f->name)) {
          findings.add(code, file.shown, t.line, 0, fmt::format("There is no function '{}'", *name),
                       fmt::format("Did you mean '{}'?", f->name));
          break;
        }
    }
  }
}

/// Methods of a provider that are nearly those which Puppet calls, and that the code itself does not call; setters of no attribute.
void check_provider_methods(const RepositoryFile& file, std::span<const RubyToken> tokens, const ResourceTypeInfo* type,
                            Findings& findings) {
  static constexpr std::string_view called[] = {"create", "destroy", "exists?", "instances", "prefetch", "flush"};
  std::vector<size_t> made; // where the names of methods are
  for (size_t i = 0; i + 3 < tokens.size() && made.size() < 10 * most_looked_at; ++i)
    if (is_keyword(tokens[i], ruby::Word::Def)) made.push_back(is_op(tokens[i + 2], '.') ? i + 3 : i + 1);
  const auto makes = [&](std::string_view name) { return std::ranges::any_of(made, [&](size_t k) { return tokens[k].text == name; }); };
  const auto calls = [&](std::string_view name) {
    for (size_t i = 1; i < tokens.size(); ++i)
      if (tokens[i].text == name && !is_keyword(tokens[i - 1], ruby::Word::Def) &&
          (!is_receiver_dot(tokens[i - 1]) ||
           (i > 1 && is_keyword(tokens[i - 2], ruby::Word::Self) && (i < 3 || !is_keyword(tokens[i - 3], ruby::Word::Def)))))
        return true;
    return false;
  };
  const auto told = [&](const RubyToken& at, std::string_view meant) {
    findings.add(CheckCode::ruby_code, file.shown, at.line, 0, fmt::format("Nothing calls the method '{}'", at.text),
                 fmt::format("Did you mean '{}'?", meant), Severity::Warning);
  };
  for (size_t k : made) {
    const std::string_view name = tokens[k].text;
    for (std::string_view method : called)
      if (one_slip_apart(name, method) && !makes(method) && !calls(name)) told(tokens[k], method);
    if (!name.ends_with('=') || type == nullptr) continue;
    const std::string_view attribute = name.substr(0, name.size() - 1);
    if (type->valid_attribute(intern(attribute)) || calls(name)) continue;
    for (const auto& known : type->attributes())
      if (one_slip_apart(attribute, known.name.str())) {
        told(tokens[k], known.name.str());
        break;
      }
  }
}

/// What Puppet calls of a provider, and nothing in it makes: how its type is created and removed, and how a property is set.
void check_called_methods(const RepositoryFile& file, std::span<const RubyToken> tokens, const ResourceTypeInfo& type,
                          std::string_view type_text, Findings& findings) {
  for (const RubyToken& t : tokens) // what makes methods, or takes them from elsewhere
    if (t.text.starts_with("mk_") || t.text.starts_with("define_") || t.text.ends_with("_eval") || t.text == "include" ||
        t.text == "method_missing" || t.text == "extend" || t.text == "alias_method" || t.text == "alias" || t.text == "class" ||
        t.text == "def_delegators" || t.body == "parent" || t.body == "source" || t.text.starts_with("attr_"))
      return;
  size_t provide = 0;
  while (provide < tokens.size() && tokens[provide].text != "provide") ++provide;
  if (provide == tokens.size()) return;
  const auto makes = [&](std::string_view name) {
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      if (is_keyword(tokens[i], ruby::Word::Def) && tokens[i + 1].text == name) return true;
    return false;
  };
  const auto told = [&](std::string_view name) {
    findings.add(CheckCode::ruby_code, file.shown, tokens[provide].line, 0,
                 fmt::format("The provider has no method '{}', which Puppet calls of resources of the type '{}'", name, type.name()), {},
                 Severity::Warning);
  };
  if (type_text.find("\n  ensurable\n") != std::string_view::npos) {
    std::vector<std::string_view> missing;
    for (std::string_view name : {"exists?", "create", "destroy"})
      if (!makes(name)) missing.push_back(name);
    if (missing.size() == 1) told(missing[0]); // of more something else makes them
  }
  for (const auto& attribute : type.attributes()) {
    const std::string_view name = attribute.name.str();
    if (attribute.name == sym::ensure || !makes(name) || makes(std::string(name) + "=")) continue;
    // A property that is set otherwise, or never, says so in its block.
    const size_t begin = type_text.find(fmt::format("newproperty(:{})", name));
    if (begin == std::string_view::npos) continue;
    const size_t end = std::min({type_text.find("\n  newp", begin), type_text.find("\n  auto", begin), type_text.size()});
    const std::string_view block = type_text.substr(begin, end - begin);
    if (block.find("def ") == std::string_view::npos && block.find("read") == std::string_view::npos &&
        block.find("validate") == std::string_view::npos)
      told(std::string(name) + "=");
  }
}

/// A default that is none of the values which the attribute takes.
void check_default_values(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "newparam" && tokens[i].text != "newproperty") continue;
    size_t begin = i;
    while (begin < tokens.size() && tokens[begin].kind != RubyTokenKind::Newline && !is_keyword(tokens[begin], ruby::Word::Do)) ++begin;
    if (begin >= tokens.size() || !is_keyword(tokens[begin], ruby::Word::Do) || tokens[begin].match == RubyToken::no_match) continue;
    std::set<std::string_view> values;
    const RubyToken* given = nullptr;
    bool known = true;
    for (size_t k = begin + 1; k < std::min<size_t>(tokens[begin].match, tokens.size()) && known; ++k) {
      const std::string_view word = tokens[k].text;
      if (word == "munge" || word == "validate" || word == "aliasvalue" || word == "def" || word == "isvalues") known = false;
      if (word == "defaultto" && k + 2 < tokens.size()) {
        const RubyToken& value = tokens[is_op(tokens[k + 1], "(") ? k + 2 : k + 1];
        given = written_name(value) ? &value : nullptr;
      }
      if (word != "newvalues" && word != "newvalue") continue;
      for (size_t v = k + 1; v < tokens.size() && tokens[v].kind != RubyTokenKind::Newline && !is_keyword(tokens[v], ruby::Word::Do); ++v) {
        if (const auto name = written_name(tokens[v]))
          values.insert(*name);
        else if (tokens[v].kind != RubyTokenKind::Operator)
          known = false; // an expression, a number
      }
    }
    if (known && given != nullptr && !values.empty() && !values.contains(*written_name(*given)))
      findings.add(CheckCode::ruby_code, file.shown, given->line, 0,
                   fmt::format("The default '{}' is none of the values that the attribute takes", *written_name(*given)),
                   did_you_mean(*written_name(*given), {values.begin(), values.end()}), Severity::Warning);
  }
}

/// Options of the attributes of a type.
void check_attribute_options(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings) {
  static constexpr std::string_view options[] = {"namevar",           "parent",   "boolean", "array_matching",
                                                 "required_features", "retrieve", "readonly"};
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "newparam" && tokens[i].text != "newproperty") continue;
    for (++i; i < tokens.size() && tokens[i].kind != RubyTokenKind::Newline && !is_keyword(tokens[i], ruby::Word::Do); ++i) {
      const bool key = tokens[i].kind == RubyTokenKind::Label ||
                       (tokens[i].kind == RubyTokenKind::Symbol && i + 1 < tokens.size() && is_op(tokens[i + 1], "=>"));
      for (std::string_view option : options)
        if (key && one_slip_apart(tokens[i].body, option))
          findings.add(CheckCode::ruby_code, file.shown, tokens[i].line, 0, fmt::format("An attribute has no option '{}'", tokens[i].body),
                       fmt::format("Did you mean '{}'?", option), Severity::Warning);
    }
  }
}

} // namespace

void check_ruby_names(const RepositoryFile& file, const RubyTokens& ruby, CheckCode code, CheckedCodebase& program, Findings& findings,
                      const std::set<std::string_view>& told) {
  const std::span<const RubyToken> tokens = ruby.tokens;
  check_ruby_constants(file, tokens, code, findings);
  const std::string_view provider_of = part_behind(file.path, "/lib/puppet/provider/");
  const auto is_at = [&](std::string_view folder) { return file.path.find(folder) != std::string::npos; };
  const bool old_function = is_at("/lib/puppet/parser/functions/");
  if (provider_of.empty() && !old_function && !is_at("/lib/puppet/functions/") && !is_at("/lib/puppet/type/") && !is_at("/lib/facter/"))
    return; // anything may include it
  check_calls(file, tokens, code, program, findings);
  check_ruby_instances(file, tokens, code, findings);
  if (is_at("/lib/puppet/type/")) {
    check_attribute_options(file, tokens, findings);
    check_default_values(file, tokens, findings);
  }
  RubyNames names(false);
  names.read(tokens);
  const ResourceTypeInfo* type = provider_of.empty() ? nullptr : program.find_resource_type(intern(provider_of));
  if (!provider_of.empty()) check_provider_methods(file, tokens, type, findings);
  if (type != nullptr && type->origin() != TypeOrigin::Core && type->dynamic().empty())
    if (const auto text = program.environment().read_file(std::string(type->file())))
      check_called_methods(file, tokens, *type, *text, findings);
  const bool open = names.open() || old_function ||
                    (!provider_of.empty() && (mentioned(tokens, "parent") || type == nullptr || !type->dynamic().empty()));
  const auto unknown = names.unknown(tokens, [&](std::string_view name) {
    if (name.ends_with('?')) name.remove_suffix(1);
    return type != nullptr && type->valid_attribute(intern(name));
  });
  const bool few = unknown.size() <= 2; // of more something makes them that is not understood
  for (const RubyNames::Unknown& u : unknown) {
    const bool feature = !provider_of.empty() && u.name.ends_with('?'); // features of a type give its providers such methods
    if ((u.meant.empty() && (open || !few || feature)) || told.contains(u.name)) continue;
    findings.add(code, file.shown, u.line, 0,
                 u.name.starts_with('@') ? fmt::format("Nothing sets the variable '{}'", u.name)
                                         : fmt::format("There is no variable or method '{}' here", u.name),
                 u.meant.empty() ? "" : fmt::format("Did you mean '{}'?", u.meant),
                 u.meant.empty() ? std::optional(Severity::Warning) : std::nullopt);
  }
}

} // namespace pupc::compiler
