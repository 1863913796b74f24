#include "compiler/analysis/ruby/ruby_functions.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace pupc::compiler {
namespace {

using ParameterKind = ModuleRubyFunction::Parameter::Kind;

/// How many values a method takes, by its parameters.
ModuleRubyFunction::Method method_of(std::string name, const RubyMethod& m, uint32_t line) {
  ModuleRubyFunction::Method out{std::move(name), 0, 0, line, true};
  for (const RubyRange& part : split_commas(m.parameters)) {
    if (part.empty()) continue;
    const RubyToken& first = part[part.begin];
    if (is_op(first, "&")) continue;
    if (is_op(first, "*")) {
      out.most = ModuleRubyFunction::no_limit;
    } else if (first.kind == RubyTokenKind::Identifier) {
      const bool has_default = part.end > part.begin + 1 && is_op(part[part.begin + 1], "=");
      if (!has_default) ++out.least;
      if (out.most != ModuleRubyFunction::no_limit) ++out.most;
    } else {
      out.known = false; // keywords, patterns
    }
  }
  return out;
}

/// Whether the code may read variables of its caller by name.
bool reads_scope(std::string_view text) {
  for (std::string_view word : {"lookupvar", "TemplateWrapper", "template", "to_hash", "scope[", "variable("})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

/// Whether the code may put something into the catalog: what it does that with has one of these words in its name.
bool may_add(std::string_view text) {
  for (std::string_view word :
       {"call_function", "function_", "catalog", "compiler", "resource", "evaluate", "include", "scope", "send", "eval"})
    if (text.find(word) != std::string_view::npos) return true;
  return false;
}

/// The types that `local_types do … end` defines: type 'Name = …'. Empty where it does something else.
std::vector<std::string> local_names_of(RubyRange block) {
  std::vector<std::string> out;
  RubyRange statement;
  while (next_statement(block, statement)) {
    if (statement.empty()) continue;
    const RubyCall call = read_call(statement, statement.begin);
    const auto arguments = split_commas(call.arguments);
    const bool one = statement[statement.begin].text == "type" && arguments.size() == 1 && arguments[0].end == arguments[0].begin + 1;
    const auto text = one ? written_name(arguments[0][arguments[0].begin]) : std::nullopt;
    if (!text || text->find('=') == std::string_view::npos) return {};
    std::string_view name = text->substr(0, text->find('='));
    while (name.ends_with(' ')) name.remove_suffix(1);
    out.emplace_back(name);
  }
  return out;
}

/// The type of what a body gives, by its last statement; empty where that does not tell it.
std::string_view result_of(RubyRange body) {
  for (uint32_t i = body.begin; i < body.end; ++i)
    if (is_keyword(body[i], "return") || is_keyword(body[i], "rescue") || is_keyword(body[i], "ensure")) return {};
  RubyRange statement, last;
  while (next_statement(body, statement))
    if (!statement.empty()) last = statement;
  if (last.empty() || find_modifier(last) != 0) return {};
  const RubyToken& first = last[last.begin];
  if (last.end == last.begin + 1) {
    if (first.kind == RubyTokenKind::String) return "String";
    if (first.kind == RubyTokenKind::Words || first.kind == RubyTokenKind::Symbols) return "Array";
    if (first.kind == RubyTokenKind::Number && first.text.find_first_of(".eri") == std::string_view::npos) return "Integer";
    if (is_keyword(first, "true") || is_keyword(first, "false")) return "Boolean";
    return {};
  }
  if (first.match == last.end - 1) return is_op(first, "[") ? "Array" : is_op(first, "{") ? "Hash" : std::string_view();
  // a.b(c).to_s: no operator may stand outside of brackets.
  for (uint32_t i = last.begin; i < last.end; ++i) {
    const RubyToken& t = last[i];
    if (t.match != RubyToken::no_match && t.match > i && t.match < last.end)
      i = t.match;
    else if (t.kind == RubyTokenKind::Keyword || (t.kind == RubyTokenKind::Operator && t.text != "." && t.text != "::"))
      return {};
    else if (i > last.begin && t.space_before)
      return {}; // an argument without parentheses
  }
  uint32_t method = last.end - 1;
  if (is_op(last[method], ")")) // of join(', ')
    for (uint32_t i = last.begin; i < method; ++i)
      if (last[i].match == method) method = i - 1;
  if (method <= last.begin || !is_op(last[method - 1], ".")) return {};
  const std::string_view name = last[method].text;
  for (std::string_view word : {"to_s", "join", "upcase", "downcase", "strip", "gsub", "sub", "chomp", "capitalize", "inspect"})
    if (name == word) return "String";
  for (std::string_view word : {"to_i", "size", "length"})
    if (name == word) return "Integer";
  for (std::string_view word : {"to_a", "split", "keys", "values", "flatten", "uniq", "lines", "chars"})
    if (name == word) return "Array";
  return name == "to_f" ? "Float" : name == "to_h" ? "Hash" : std::string_view();
}

/// The types of what the code creates with call_function('create_resources', 'type', …); nullopt where it may add something else.
std::optional<std::vector<std::string>> created_types(const std::vector<RubyToken>& tokens) {
  constexpr std::string_view risky[] = {"function", "catalog", "compiler", "evaluate", "scope", "send", "eval", "binding"};
  std::vector<std::string> types;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const RubyToken& t = tokens[i];
    if (t.kind == RubyTokenKind::Other || t.interpolated) {
      if (may_add(t.text)) return std::nullopt;
      continue;
    }
    if ((t.kind != RubyTokenKind::Identifier && t.kind != RubyTokenKind::Symbol && t.kind != RubyTokenKind::Constant) ||
        t.text == "create_function")
      continue;
    const bool method = i > 0 && (is_op(tokens[i - 1], ".") || is_op(tokens[i - 1], "&.")) &&
                        t.text.find("resource") != std::string_view::npos;
    if (t.text != "call_function") {
      if (method || std::ranges::any_of(risky, [&](std::string_view word) { return t.text.find(word) != std::string_view::npos; }))
        return std::nullopt;
      continue;
    }
    if (i + 4 >= tokens.size() || !is_op(tokens[i + 1], "(") || !is_op(tokens[i + 3], ",")) return std::nullopt;
    const auto called = written_name(tokens[i + 2]), type = written_name(tokens[i + 4]);
    if (called == "lookup" || called == "fail" || called == "warning") continue;
    if (called != "create_resources" || !type || type->empty() || *type == "class" || type->front() == '@') return std::nullopt;
    types.emplace_back(*type);
  }
  return types;
}

class Reader {
public:
  explicit Reader(std::shared_ptr<const RubyFile> file) : file_(std::move(file)) {}

  ModuleRubyFunction read() {
    if (!file_->tokens.error.empty()) {
      out_.readable = out_.known = false;
      return out_;
    }
    const auto& tokens = file_->tokens.tokens;
    for (uint32_t i = 0; i + 2 < tokens.size(); ++i) {
      const RubyToken& t = tokens[i];
      if (t.kind != RubyTokenKind::Identifier || (t.text != "create_function" && t.text != "newfunction")) continue;
      out_.old_api = t.text == "newfunction";
      const RubyRange all{file_.get(), 0, static_cast<uint32_t>(tokens.size())};
      const RubyCall call = read_call(all, i);
      const auto arguments = split_commas(call.arguments);
      if (arguments.empty() || arguments[0].empty()) break;
      const auto name = arguments[0].end == arguments[0].begin + 1 ? written_name(arguments[0][arguments[0].begin]) : std::nullopt;
      if (!name || !call.has_block) break;
      out_.name = *name;
      out_.line = t.line;
      if (out_.old_api) {
        arity(arguments);
        type(arguments);
      } else {
        body(call.block);
      }
      return out_;
    }
    out_.known = false;
    return out_;
  }

private:
  /// The option `arity` of a function of the 3.x API, as the dispatch that takes as many values: -3 stands for at least two.
  void arity(std::span<const RubyRange> arguments) {
    for (const RubyRange& option : arguments.subspan(1)) {
      if (option.empty()) continue;
      const RubyToken& key = option[option.begin];
      if (is_op(key, "**") || is_op(key, "*")) return out_.dispatches.clear(); // it may be there, too
      uint32_t at = option.begin + 1;
      if (key.body != "arity" || (key.kind != RubyTokenKind::Label && key.kind != RubyTokenKind::Symbol)) continue;
      if (key.kind == RubyTokenKind::Symbol && at < option.end && is_op(option[at], "=>")) ++at;
      const bool negative = at < option.end && is_op(option[at], "-");
      if (negative) ++at;
      if (at + 1 != option.end || option[at].kind != RubyTokenKind::Number) return out_.dispatches.clear();
      const std::string_view digits = option[at].text;
      if (digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string_view::npos) return out_.dispatches.clear();
      const auto n = static_cast<uint32_t>(std::stoul(std::string(digits)));
      ModuleRubyFunction::Dispatch d;
      d.block = ModuleRubyFunction::Block::Optional;
      d.least = negative ? n - std::min(n, 1u) : n;
      d.most = negative ? ModuleRubyFunction::no_limit : n;
      out_.dispatches.assign(1, std::move(d)); // the last one counts
    }
  }

  /// The option `type` of a function of the 3.x API: one that is no :rvalue has no value.
  void type(std::span<const RubyRange> arguments) {
    out_.statement = true;
    for (const RubyRange& option : arguments.subspan(1)) {
      if (option.empty()) continue;
      const RubyToken& key = option[option.begin];
      const bool arrow = key.kind == RubyTokenKind::Symbol && option.begin + 1 < option.end && is_op(option[option.begin + 1], "=>");
      if (!arrow && key.kind != RubyTokenKind::Label) {
        out_.statement = false; // options that are made elsewhere
        return;
      }
      if (key.body != "type") continue;
      const uint32_t at = option.begin + (arrow ? 2 : 1);
      const bool written = at + 1 == option.end && option[at].kind == RubyTokenKind::Symbol;
      out_.statement = written && option[at].body == "statement";
      if (written && !out_.statement && option[at].body != "rvalue") out_.no_type = option[at].body;
    }
  }

  void body(RubyRange rest) {
    RubyRange statement;
    while (next_statement(rest, statement)) {
      if (statement.empty()) continue;
      const RubyToken& first = statement[statement.begin];
      if (is_keyword(first, "def")) {
        std::string name;
        RubyMethod method;
        if (read_def(statement, statement.begin, name, method) && name != "call") {
          out_.methods.push_back(method_of(std::move(name), method, first.line));
          out_.methods.back().result = result_of(method.body);
        } else
          out_.known = false;
      } else if (first.kind == RubyTokenKind::Identifier && first.text == "dispatch") {
        dispatch(read_call(statement, statement.begin), first.line);
      } else if (first.kind == RubyTokenKind::Identifier && first.text == "local_types") {
        out_.local_types = true;
        const RubyCall call = read_call(statement, statement.begin);
        if (call.has_block) out_.local_names = local_names_of(call.block);
      } else if (first.kind != RubyTokenKind::Identifier ||
                 (first.text != "private" && first.text != "desc" && first.text != "argument_mismatch" && first.text != "require")) {
        out_.known = false; // constants, modules, methods that are made
      }
    }
  }

  void dispatch(const RubyCall& call, uint32_t line) {
    ModuleRubyFunction::Dispatch d;
    d.line = line;
    const auto arguments = split_commas(call.arguments);
    const auto method = arguments.size() == 1 && arguments[0].end == arguments[0].begin + 1 ? written_name(arguments[0][arguments[0].begin])
                                                                                            : std::nullopt;
    if (!method || !call.has_block) {
      out_.known = false;
      return;
    }
    d.method = *method;
    RubyRange rest = call.block, statement;
    while (next_statement(rest, statement))
      if (!statement.empty()) d.known = parameter(d, statement) && d.known;
    for (const ModuleRubyFunction::Parameter& p : d.parameters) {
      d.least += p.kind == ParameterKind::Required ? 1 : 0;
      d.most = p.kind == ParameterKind::Repeated || d.most == ModuleRubyFunction::no_limit ? ModuleRubyFunction::no_limit : d.most + 1;
    }
    out_.dispatches.push_back(std::move(d));
  }

  /// One line of a dispatch. False: not understood.
  bool parameter(ModuleRubyFunction::Dispatch& d, const RubyRange& statement) {
    const RubyToken& first = statement[statement.begin];
    if (first.kind != RubyTokenKind::Identifier || find_modifier(statement) != 0) return false;
    const RubyCall call = read_call(statement, statement.begin);
    const auto arguments = split_commas(call.arguments);
    ModuleRubyFunction::Parameter p;
    p.line = first.line;
    if (!arguments.empty() && arguments[0].end == arguments[0].begin + 1)
      if (const RubyToken& type = arguments[0][arguments[0].begin]; type.kind == RubyTokenKind::String)
        p.type = written_name(type).value_or("");
    const std::string_view word = first.text;
    if (word == "return_type") {
      d.returns = p.type;
      d.returns_line = p.line;
      d.other_types.push_back(std::move(p));
      return true;
    }
    if (word == "block_param" || word == "required_block_param" || word == "optional_block_param") {
      d.block = word == "optional_block_param" ? ModuleRubyFunction::Block::Optional : ModuleRubyFunction::Block::Required;
      if (arguments.size() > 1) d.other_types.push_back(std::move(p));
      return true;
    }
    const bool optional = word == "optional_param", repeated = word == "repeated_param" || word == "optional_repeated_param",
               required_repeated = word == "required_repeated_param";
    if (word != "param" && word != "required_param" && !optional && !repeated && !required_repeated) {
      // A type and a name: meant as a parameter.
      if (arguments.size() == 2 && !p.type.empty() && statement[arguments[1].begin].kind == RubyTokenKind::Symbol) {
        d.no_method = word;
        d.no_method_line = p.line;
      }
      return false;
    }
    const bool after_repeated = !d.parameters.empty() && d.parameters.back().kind == ParameterKind::Repeated;
    const bool after_optional = !d.parameters.empty() && d.parameters.back().kind == ParameterKind::Optional;
    if (d.wrong_order.empty() && (after_repeated || (after_optional && !optional && !repeated))) {
      d.wrong_order = after_repeated ? "nothing may come after a parameter that is repeated"
                                     : "a required parameter cannot come after an optional one";
      d.wrong_line = p.line;
    }
    p.kind = optional ? ParameterKind::Optional : repeated || required_repeated ? ParameterKind::Repeated : ParameterKind::Required;
    if (required_repeated) ++d.least;
    d.parameters.push_back(std::move(p));
    return true;
  }

  std::shared_ptr<const RubyFile> file_;
  ModuleRubyFunction out_;
};

} // namespace

ModuleRubyFunction read_ruby_function(std::string path, std::string text) {
  const auto file = read_ruby_file(std::move(path), std::move(text));
  ModuleRubyFunction out = Reader(file).read();
  out.reads_variables = (out.old_api || file->text.find("scope") != std::string::npos) && reads_scope(file->text);
  out.declares = !out.known || may_add(file->text);
  if (out.declares && out.known && !out.old_api)
    if (auto types = created_types(file->tokens.tokens)) {
      out.declares = false;
      out.creates = std::move(*types);
    }
  out.file = file;
  return out;
}

std::string values_text(uint32_t least, uint32_t most) {
  if (most == ModuleRubyFunction::no_limit) return fmt::format("at least {}", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

} // namespace pupc::compiler
