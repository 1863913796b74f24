#include "compiler/analysis/ruby/ruby_function_checks.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/ruby/ruby_names.h"
#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether the method takes what the dispatch gives it. One that gives any number of values may be meant for few.
bool fits(const ModuleRubyFunction::Dispatch& d, const ModuleRubyFunction::Method& m) {
  if (d.most == ModuleRubyFunction::no_limit) return d.least <= m.most;
  return d.least >= m.least && d.most <= m.most;
}

/// The name that the place of a function's file asks for; empty: not below a folder of functions.
std::string expected_name(std::string_view path) {
  for (std::string_view folder : {"/lib/puppet/functions/", "/lib/puppet/parser/functions/"})
    if (const size_t at = path.rfind(folder); at != std::string_view::npos && path.ends_with(".rb")) {
      std::string name(path.substr(at + folder.size(), path.size() - at - folder.size() - 3));
      for (size_t i; (i = name.find('/')) != std::string::npos;) name.replace(i, 1, "::");
      return name;
    }
  return {};
}

/// What check_dispatches() tells of.
std::set<std::string_view> words_told(const ModuleRubyFunction& f) {
  std::set<std::string_view> out;
  for (const ModuleRubyFunction::Dispatch& d : f.dispatches) out.insert(d.no_method);
  return out;
}

} // namespace

const ModuleRubyFunction& RubyFunctionChecks::function(const std::string& path) {
  const auto [at, fresh] = functions_.try_emplace(path);
  if (fresh) {
    if (auto text = read_whole_file(path); text && text->size() < (1u << 20))
      at->second = read_ruby_function(path, std::move(*text));
    else
      at->second.known = at->second.readable = false;
  }
  return at->second;
}

std::set<std::string> RubyFunctionChecks::unreadable() const {
  std::set<std::string> out;
  for (const auto& [path, function] : functions_)
    if (!function.readable) out.insert(path);
  return out;
}

void RubyFunctionChecks::check(const std::vector<RepositoryFile>& files) {
  for (const RepositoryFile& file : files) {
    if (file.kind != FileKind::RubyFunction) continue;
    const ModuleRubyFunction& f = function(file.path);
    if (f.readable && f.file) check_ruby_names(file, f.file->tokens, CheckCode::ruby_function, program_, findings_, words_told(f));
    functions_[file.path].file = nullptr;
    if (!f.readable || f.name.empty()) continue; // the command asks Ruby about what cannot be read
    const auto told = [&](uint32_t line, std::string message, std::string suggestion = {}) {
      findings_.add(CheckCode::ruby_function, file.shown, line, 0, std::move(message), std::move(suggestion));
    };
    if (const std::string expected = expected_name(file.path);
        !expected.empty() && ascii_lower(expected) != ascii_lower(f.name) && (!f.old_api || f.name.find("::") == std::string::npos))
      told(f.line, fmt::format("The file stands for the function '{}', and defines '{}'", expected, f.name));
    if (!f.no_type.empty())
      told(f.line, fmt::format("Functions have no type '{}'", f.no_type), did_you_mean(f.no_type, {"rvalue", "statement"}));
    if (f.old_api) continue;
    check_dispatches(file, f);
  }
}

void RubyFunctionChecks::check_dispatches(const RepositoryFile& file, const ModuleRubyFunction& f) {
  const auto told = [&](uint32_t line, std::string message, std::string suggestion = {}) {
    findings_.add(CheckCode::ruby_function, file.shown, line, 0, std::move(message), std::move(suggestion));
  };
  std::vector<std::string_view> names;
  for (const ModuleRubyFunction::Method& m : f.methods) names.push_back(m.name);
  const std::string own = f.name.substr(f.name.rfind(':') == std::string::npos ? 0 : f.name.rfind(':') + 1);
  if (f.dispatches.empty() && f.known && std::find(names.begin(), names.end(), own) == names.end())
    told(f.line, fmt::format("The function has neither a dispatch nor a method '{}'", own), did_you_mean(own, names));
  for (const ModuleRubyFunction::Dispatch& d : f.dispatches) {
    if (!d.wrong_order.empty()) told(d.wrong_line, fmt::format("The parameters of '{}' have a wrong order: {}", d.method, d.wrong_order));
    if (!d.no_method.empty()) {
      static const std::vector<std::string_view> of_dispatches = {"param",          "required_param",          "optional_param",
                                                                  "repeated_param", "optional_repeated_param", "required_repeated_param",
                                                                  "block_param",    "required_block_param",    "optional_block_param"};
      told(d.no_method_line, fmt::format("A dispatch has no method '{}'", d.no_method), did_you_mean(d.no_method, of_dispatches));
    }
    const auto method = std::ranges::find(f.methods, d.method, &ModuleRubyFunction::Method::name);
    if (method == f.methods.end()) {
      if (f.known)
        told(d.line, fmt::format("The dispatch names the method '{}', which is not there", d.method), did_you_mean(d.method, names));
    } else if (d.known && method->known && d.wrong_order.empty() && !fits(d, *method)) {
      told(d.line, fmt::format("The dispatch gives {} values, and the method '{}' (line {}) takes {}", values_text(d.least, d.most),
                               d.method, method->line, values_text(method->least, method->most)));
    }
    if (method != f.methods.end()) check_return_type(file, d, *method);
    if (f.local_types) {
      check_local_types(file, f, d);
      continue;
    }
    for (const auto* list : {&d.parameters, &d.other_types})
      for (const ModuleRubyFunction::Parameter& p : *list) {
        if (p.type.empty()) continue;
        try {
          const Type* type = parse_type(program_.types(), p.type);
          const std::string unknown = unknown_type(type);
          if (!unknown.empty() && program_.may_exist(unknown, program_.module_of(file.path)) == Known::No)
            told(p.line, fmt::format("There is no data type '{}'", unknown));
          else if (const std::string near = near_data_type(unknown); !near.empty())
            findings_.add(CheckCode::ruby_function, file.shown, p.line, 0,
                          fmt::format("Nothing that is here has a data type '{}'", unknown), near, Severity::Warning);
        } catch (const CompileError& error) {
          told(p.line, fmt::format("The type '{}' cannot be read: {}", p.type, error.diagnostic.message));
        }
      }
  }
}

/// A name of no type beside a type of the function's own that no dispatch names.
void RubyFunctionChecks::check_local_types(const RepositoryFile& file, const ModuleRubyFunction& f, const ModuleRubyFunction::Dispatch& d) {
  const auto named = [&](std::string_view name) {
    return std::ranges::any_of(f.dispatches, [&](const ModuleRubyFunction::Dispatch& one) {
      const auto has = [&](const ModuleRubyFunction::Parameter& p) { return p.type.find(name) != std::string::npos; };
      return std::ranges::any_of(one.parameters, has) || std::ranges::any_of(one.other_types, has);
    });
  };
  for (const auto* list : {&d.parameters, &d.other_types})
    for (const ModuleRubyFunction::Parameter& p : *list) {
      std::string unknown;
      try {
        unknown = unknown_type(parse_type(program_.types(), p.type));
      } catch (const CompileError&) { continue; }
      if (unknown.empty() || unknown.find("::") != std::string::npos || std::ranges::find(f.local_names, unknown) != f.local_names.end())
        continue;
      for (const std::string& own : f.local_names)
        // A part of the name that is written, as in NodeRange for Range, is no use of the type.
        if (const bool part = unknown.find(own) != std::string::npos; part || !named(own)) {
          findings_.add(CheckCode::ruby_function, file.shown, p.line, 0, fmt::format("Nothing that is here has a data type '{}'", unknown),
                        fmt::format("Did you mean '{}'?", own), Severity::Warning);
          break;
        }
    }
}

namespace {

/// Whether a value of the kind may be of the type; true where that is not known.
bool may_be(const Type* type, std::string_view kind, int depth = 0) {
  type = without_aliases(type);
  if (type == nullptr || depth > 12) return true;
  switch (type->kind) {
  case TypeKind::String:
  case TypeKind::Enum:
  case TypeKind::Pattern: return kind == "String";
  case TypeKind::Integer: return kind == "Integer";
  case TypeKind::Float: return kind == "Float";
  case TypeKind::Numeric: return kind == "Integer" || kind == "Float";
  case TypeKind::Boolean: return kind == "Boolean";
  case TypeKind::Array:
  case TypeKind::Tuple: return kind == "Array";
  case TypeKind::Hash:
  case TypeKind::Struct: return kind == "Hash";
  case TypeKind::Undef: return false;
  case TypeKind::Optional:
  case TypeKind::NotUndef: {
    const Type* inner = type_cast<WrapperType>(type).inner;
    return inner == nullptr || may_be(inner, kind, depth + 1);
  }
  case TypeKind::Variant:
    return std::ranges::any_of(type_cast<VariantType>(type).types, [&](const Type* t) { return may_be(t, kind, depth + 1); });
  default: return true;
  }
}

} // namespace

/// What the method gives, as far as its last statement tells, against the declared type.
void RubyFunctionChecks::check_return_type(const RepositoryFile& file, const ModuleRubyFunction::Dispatch& d,
                                           const ModuleRubyFunction::Method& method) {
  if (d.returns.empty() || method.result.empty()) return;
  try {
    const Type* type = parse_type(program_.types(), d.returns);
    if (!unknown_type(type).empty() || may_be(type, method.result)) return;
  } catch (const CompileError&) { return; }
  findings_.add(CheckCode::return_type, file.shown, d.returns_line, 0,
                fmt::format("The method '{}' gives {} {}, and not {}", method.name, one_of("Array|Integer", method.result) ? "an" : "a",
                            method.result, d.returns));
}

const ModuleRubyFunction* RubyFunctionChecks::named(std::string_view name) {
  const auto files = program_.environment().ruby_functions(name);
  if (!files.empty()) return &function(files.front()->path());
  const auto* old = program_.environment().old_function(name);
  return old != nullptr ? &function(old->path()) : nullptr;
}

bool RubyFunctionChecks::reads_variables(std::string_view name) {
  const ModuleRubyFunction* known = named(name);
  return known != nullptr && known->reads_variables;
}

bool RubyFunctionChecks::may_declare(std::string_view name) {
  const ModuleRubyFunction* known = named(name);
  return known == nullptr || known->declares;
}

std::vector<std::string> RubyFunctionChecks::creates(std::string_view name) {
  const ModuleRubyFunction* known = named(name);
  return known != nullptr ? known->creates : std::vector<std::string>();
}

} // namespace pupc::compiler
