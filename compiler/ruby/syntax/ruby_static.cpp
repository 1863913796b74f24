#include "compiler/ruby/syntax/ruby_static.h"

#include "catalog/base/paths.h"
#include "compiler/ruby/syntax/ruby_expression.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler {
namespace {

using VK = StaticRubyValue::Kind;

constexpr size_t max_files = 64;
constexpr int max_static_depth = 64;

StaticRubyValue unknown_value() { return {}; }

} // namespace

const StaticRubyValue* StaticRubyValue::find(std::string_view key) const {
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].is_name() && items[i].text == key) return &items[i + 1];
  return nullptr;
}

RubyLocals RubyFileSet::copy(const RubyLocals& locals) {
  spend(locals.size());
  for (const auto& [name, value] : locals) spend(value.items.size());
  return locals;
}

StaticRubyValue RubyFileSet::evaluate(RubyRange expression, RubyLocals& locals, std::string_view nesting) {
  return evaluate_ruby_expression(*this, expression, locals, nesting);
}

StaticRubyValue RubyFileSet::evaluate_body(RubyRange body, RubyLocals& locals, std::string_view nesting) {
  StaticRubyValue last = StaticRubyValue::of(VK::Nil);
  evaluate_statements(body, locals, nesting, last);
  return last;
}

// Evaluates statements and stores the value of the last one. True when a `return` or something unknown ended the body early.
bool RubyFileSet::evaluate_statements(RubyRange body, RubyLocals& locals, std::string_view nesting, StaticRubyValue& last) {
  RubyRange statement;
  while (next_statement(body, statement)) {
    if (uint32_t at = find_modifier(statement); at != 0) {
      RubyRange condition = statement;
      condition.begin = at + 1;
      StaticRubyValue value = statement[at].text == "if" || statement[at].text == "unless" ? evaluate(condition, locals, nesting)
                                                                                           : unknown_value();
      if (!value.known()) {
        last = value;
        return true;
      }
      bool taken = value.truthy() == (statement[at].text == "if");
      statement.end = at;
      if (!taken) {
        last = StaticRubyValue::of(VK::Nil);
        continue;
      }
    }
    const RubyToken& first = statement[statement.begin];
    bool local = first.kind == RubyTokenKind::Identifier && statement.begin + 1 < statement.end;
    if (local && (is_op(statement[statement.begin + 1], "=") || is_op(statement[statement.begin + 1], "+=") ||
                  is_op(statement[statement.begin + 1], "<<"))) {
      RubyRange right = statement;
      right.begin += 2;
      last = evaluate(right, locals, nesting);
      StaticRubyValue& variable = locals[std::string(first.text)];
      if (is_op(statement[statement.begin + 1], "+=")) last = combine_ruby_values(variable, "+", last);
      if (is_op(statement[statement.begin + 1], "<<")) {
        if (!variable.is(VK::Array)) {
          last = unknown_value();
          return true;
        }
        variable.items.push_back(std::move(last));
        last = variable;
        continue;
      }
      variable = last;
      continue;
    }
    if ((is_keyword(first, "if") || is_keyword(first, "unless")) && first.match == statement.end - 1) {
      bool wanted = first.text == "if";
      last = StaticRubyValue::of(VK::Nil);
      for (const auto& branch : read_if(statement, statement.begin)) {
        StaticRubyValue condition = branch.condition.empty() ? StaticRubyValue::of(wanted ? VK::True : VK::False)
                                                             : evaluate(branch.condition, locals, nesting);
        if (!condition.known()) {
          last = unknown_value();
          return true;
        }
        if (condition.truthy() != wanted) {
          wanted = true; // only an else can follow the body of `unless`
          continue;
        }
        if (evaluate_statements(branch.body, locals, nesting, last)) return true;
        break;
      }
      continue;
    }
    bool returns = is_keyword(first, "return");
    if (returns) ++statement.begin;
    last = evaluate(statement, locals, nesting);
    if (!last.known() || returns) return true;
  }
  return false;
}

std::vector<StaticRubyValue> RubyFileSet::arguments(RubyRange range, RubyLocals& locals, std::string_view nesting, StaticRubyValue* block) {
  return evaluate_ruby_arguments(*this, range, locals, nesting, block);
}

void RubyFileSet::bind(RubyRange parameters, std::span<const StaticRubyValue> values, const StaticRubyValue* block, RubyLocals& into,
                       std::string_view nesting) {
  size_t n = 0;
  auto list = split_commas(parameters);
  bool keywords = std::any_of(list.begin(), list.end(), [](const RubyRange& p) { return p[p.begin].kind == RubyTokenKind::Label; });
  const StaticRubyValue* hash = keywords && !values.empty() && values.back().is(VK::Hash) ? &values.back() : nullptr;
  if (hash) values = values.first(values.size() - 1);
  for (const auto& p : list) {
    const RubyToken& first = p[p.begin];
    bool star = is_op(first, "*"), double_star = is_op(first, "**"), ampersand = is_op(first, "&");
    if (star || double_star || ampersand) {
      if (p.begin + 1 >= p.end) continue;
      StaticRubyValue v = unknown_value();
      if (ampersand && block) v = *block;
      if (star) {
        v = StaticRubyValue::of(VK::Array);
        for (; n < values.size(); ++n) v.items.push_back(values[n]);
      }
      into[std::string(p[p.begin + 1].text)] = std::move(v);
      continue;
    }
    RubyRange fallback = p;
    if (first.kind == RubyTokenKind::Label) {
      std::string name(first.body);
      const StaticRubyValue* given = hash ? hash->find(name) : nullptr;
      ++fallback.begin;
      into[name] = given ? *given : fallback.empty() ? unknown_value() : evaluate(fallback, into, nesting);
      continue;
    }
    if (first.kind != RubyTokenKind::Identifier) continue;
    StaticRubyValue v = unknown_value();
    if (n < values.size()) {
      v = values[n++];
    } else if (p.begin + 1 < p.end && is_op(p[p.begin + 1], "=")) {
      fallback.begin += 2;
      v = evaluate(fallback, into, nesting);
    }
    into[std::string(first.text)] = std::move(v);
  }
}

StaticRubyValue RubyFileSet::call_method(const RubyMethod& method, std::span<const StaticRubyValue> values) {
  if (depth_ >= max_static_depth) return unknown_value();
  RubyLocals locals;
  bind(method.parameters, values, nullptr, locals, method.module);
  return evaluate_body(method.body, locals, method.module);
}

std::string RubyFileSet::resolve_module(std::string_view path, std::string_view nesting) const {
  std::string nest(nesting);
  for (;;) {
    std::string full = nest.empty() ? std::string(path) : nest + "::" + std::string(path);
    if (modules_.contains(full)) return full;
    if (nest.empty()) return {};
    size_t up = nest.rfind("::");
    nest.resize(up == std::string::npos ? 0 : up);
  }
}

const RubyMethod* RubyFileSet::find_method(std::string_view path, std::string_view name, std::string_view nesting) const {
  auto module = modules_.find(path.empty() ? std::string() : resolve_module(path, nesting));
  if (module == modules_.end() || (module->first.empty() && !path.empty())) return nullptr;
  auto method = module->second.methods.find(name);
  return method == module->second.methods.end() ? nullptr : &method->second;
}

std::vector<std::string> RubyFileSet::instance_methods(const std::string& module) const {
  std::vector<std::string> out;
  if (auto m = modules_.find(module); m != modules_.end())
    for (const auto& [name, method] : m->second.methods)
      if (!name.starts_with("self.")) out.push_back(name);
  return out;
}

std::shared_ptr<const RubyFile> read_ruby_file(std::string path, std::string text) {
  auto file = std::make_shared<RubyFile>();
  file->path = std::move(path);
  file->text = std::move(text);
  file->tokens = ruby_tokens(file->text);
  return file;
}

std::shared_ptr<const RubyFile> RubyFiles::read(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = files_.try_emplace(path);
  if (fresh)
    if (auto text = read_whole_file(path)) at->second = read_ruby_file(path, std::move(*text));
  return at->second;
}

std::shared_ptr<const RubyFile> RubyFiles::take(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (auto kept = files_.extract(path)) return std::move(kept.mapped());
  }
  auto text = read_whole_file(path);
  return text ? read_ruby_file(path, std::move(*text)) : nullptr;
}

const RubyFile* RubyFileSet::load(std::shared_ptr<const RubyFile> file, std::string& error) {
  for (const auto& f : files_)
    if (f->path == file->path) return f.get();
  if (files_.size() >= max_files) {
    error = "requires too many files";
    return nullptr;
  }
  if (!file->tokens.error.empty()) {
    error = file->tokens.error;
    return nullptr;
  }
  const RubyFile* loaded = file.get();
  files_.push_back(std::move(file));
  modules_.try_emplace("");
  RubyLocals locals;
  collect({loaded, 0, static_cast<uint32_t>(loaded->tokens.tokens.size())}, "", locals);
  return loaded;
}

void RubyFileSet::require(const RubyFile& from, const RubyCall& call, const RubyLocals& locals) {
  RubyLocals own = copy(locals);
  auto values = arguments(call.arguments, own, "");
  if (values.empty() || !values[0].is(VK::String)) return;
  std::string name = values[0].text;
  if (call.name == "require_relative") name = absolute_path(name, from.path.substr(0, from.path.rfind('/')));
  auto found = finder_ ? finder_(from.path, name) : nullptr;
  if (!found) return;
  std::string error; // ignored: an unreadable file defines nothing, and its missing names make values Unknown
  load(std::move(found), error);
}

// Collects the definitions in a module's body (the top level is module "") and loads the files that it requires.
void RubyFileSet::collect(RubyRange range, const std::string& module, RubyLocals& locals) {
  if (++depth_ > max_static_depth) {
    --depth_;
    return;
  }
  RubyRange statement;
  while (within_budget() && next_statement(range, statement)) {
    spend();
    const RubyToken& first = statement[statement.begin];
    if (first.kind == RubyTokenKind::Keyword) {
      if (first.text == "def") {
        define(statement, module, false);
      } else if ((first.text == "module" || first.text == "class") && first.match != RubyToken::no_match) {
        RubyRange body = statement;
        uint32_t i = statement.begin + 1;
        bool singleton = i < statement.end && is_op(statement[i], "<<");
        std::string name = module;
        while (!singleton && i < statement.end && (statement[i].kind == RubyTokenKind::Constant || is_op(statement[i], "::"))) {
          if (statement[i].kind == RubyTokenKind::Constant) name += (name.empty() ? "" : "::") + std::string(statement[i].text);
          ++i;
        }
        while (i < first.match && statement[i].kind != RubyTokenKind::Newline) ++i;
        body.begin = i;
        body.end = first.match;
        if (singleton) {
          RubyRange inner;
          while (next_statement(body, inner))
            if (is_keyword(inner[inner.begin], "def")) define(inner, module, true);
        } else {
          modules_.try_emplace(name);
          collect(body, name, locals);
        }
      } else if (first.match != RubyToken::no_match && (first.text == "begin" || first.text == "if" || first.text == "unless")) {
        RubyRange body = statement;
        ++body.begin;
        body.end = first.match;
        collect(body, module, locals);
      }
    } else if (first.kind == RubyTokenKind::Identifier &&
               (first.text == "require" || first.text == "require_relative" || first.text == "load")) {
      require(*range.file, read_call(statement, statement.begin), locals);
    } else if (first.kind == RubyTokenKind::Constant && statement.begin + 2 < statement.end && is_op(statement[statement.begin + 1], "=")) {
      RubyRange value = statement;
      value.begin += 2;
      modules_[module].constants.insert_or_assign(std::string(first.text), value);
    } else if (first.kind == RubyTokenKind::Identifier && statement.begin + 2 < statement.end &&
               is_op(statement[statement.begin + 1], "=")) {
      RubyRange value = statement;
      value.begin += 2;
      locals.insert_or_assign(std::string(first.text), evaluate(value, locals, module)); // a later `require` may use it
    } else if (first.kind == RubyTokenKind::Identifier &&
               (first.text == "module_function" ||
                (first.text == "extend" && statement.end - statement.begin == 2 && is_keyword(statement[statement.begin + 1], "self")))) {
      RubyCall call = read_call(statement, statement.begin);
      auto& methods = modules_[module].methods;
      if (first.text == "extend") {
        call.arguments.end = call.arguments.begin;
        for (const auto& name : instance_methods(module)) methods.insert_or_assign("self." + name, RubyMethod(methods.at(name)));
      }
      for (const auto& v : arguments(call.arguments, locals, module))
        if (auto it = methods.find(v.text); v.is_name() && it != methods.end())
          methods.insert_or_assign("self." + v.text, RubyMethod(it->second));
      if (call.arguments.empty()) // a bare module_function applies to all following methods
        for (RubyRange rest = range, next; next_statement(rest, next);)
          if (is_keyword(next[next.begin], "def")) define(next, module, true);
    }
  }
  --depth_;
}

void RubyFileSet::define(const RubyRange& statement, const std::string& module, bool singleton) {
  std::string name;
  RubyMethod method;
  if (!read_def(statement, statement.begin, name, method)) return;
  method.module = module;
  if (singleton && !name.starts_with("self.")) name = "self." + name;
  modules_[module].methods.insert_or_assign(std::move(name), method);
}

} // namespace pupc::compiler
