// Functions in Ruby: their own files, and the calls of them.
#include "compiler/analysis/ruby_functions.h"
#include "compiler/analysis/walker.h"

#include "catalog/base/paths.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::string values_text(uint32_t least, uint32_t most) {
  if (most == ModuleRubyFunction::no_limit) return fmt::format("at least {}", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

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

} // namespace

const ModuleRubyFunction* Walker::ruby_function(const std::string& path) {
  const auto [at, fresh] = ruby_functions_.try_emplace(path);
  if (fresh) {
    if (const auto text = read_whole_file(path); text && text->size() < (1u << 20))
      at->second = read_ruby_function(path, *text);
    else
      at->second.known = at->second.readable = false;
  }
  return &at->second;
}

std::set<std::string> Walker::unreadable_ruby() const {
  std::set<std::string> out;
  for (const auto& [path, function] : ruby_functions_)
    if (!function.readable) out.insert(path);
  return out;
}

/// The files of functions among those asked about.
void Walker::check_ruby_functions(const std::vector<RepositoryFile>& files) {
  for (const RepositoryFile& file : files) {
    if (file.kind != FileKind::RubyFunction) continue;
    const ModuleRubyFunction& f = *ruby_function(file.path);
    if (!f.readable || f.name.empty()) continue; // the command asks Ruby about what cannot be read
    const auto told = [&](uint32_t line, std::string message, std::string suggestion = {}) {
      findings_.add(CheckCode::ruby_function, file.shown, line, 0, std::move(message), std::move(suggestion));
    };
    if (const std::string expected = expected_name(file.path);
        !expected.empty() && ascii_lower(expected) != ascii_lower(f.name) && (!f.old_api || f.name.find("::") == std::string::npos))
      told(f.line, fmt::format("The file stands for the function '{}', and defines '{}'", expected, f.name));
    if (f.old_api) continue;
    check_ruby_dispatches(file, f);
  }
}

void Walker::check_ruby_dispatches(const RepositoryFile& file, const ModuleRubyFunction& f) {
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
    const auto method = std::ranges::find(f.methods, d.method, &ModuleRubyFunction::Method::name);
    if (method == f.methods.end()) {
      if (f.known)
        told(d.line, fmt::format("The dispatch names the method '{}', which is not there", d.method), did_you_mean(d.method, names));
    } else if (d.known && method->known && d.wrong_order.empty() && !fits(d, *method)) {
      told(d.line, fmt::format("The dispatch gives {} values, and the method '{}' (line {}) takes {}", values_text(d.least, d.most),
                               d.method, method->line, values_text(method->least, method->most)));
    }
    if (f.local_types) continue;
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

/// Whether a function in Ruby of a module may read variables that its call does not name.
bool Walker::reads_variables_in_ruby(std::string_view name) {
  const auto files = program_.environment().ruby_functions(name);
  if (!files.empty()) return ruby_function(files.front()->path())->reads_variables;
  const auto* old = program_.environment().old_function(name);
  return old != nullptr && ruby_function(old->path())->reads_variables;
}

/// A call of a function in Ruby whose dispatches are known.
void Walker::check_ruby_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda) {
  for (const Node* argument : arguments)
    if (argument->kind == NodeKind::Unfold) return;
  const auto files = program_.environment().ruby_functions(name);
  if (files.empty() || files.front()->old_api()) return;
  const ModuleRubyFunction& f = *ruby_function(files.front()->path());
  if (!f.readable || !f.known || f.name.empty() || f.dispatches.empty() ||
      std::ranges::any_of(f.dispatches, [](const auto& d) { return !d.known; }))
    return;
  const auto n = static_cast<uint32_t>(arguments.size());
  uint32_t least = ModuleRubyFunction::no_limit, most = 0;
  bool number = false, block = false;
  const Node* blamed = nullptr;
  std::string reason;
  for (const ModuleRubyFunction::Dispatch& d : f.dispatches) {
    least = std::min(least, d.least);
    most = std::max(most, d.most);
    if (n < d.least || n > d.most) continue;
    number = true;
    if (lambda != nullptr ? d.block == ModuleRubyFunction::Block::None : d.block == ModuleRubyFunction::Block::Required) continue;
    block = true;
    const Node* refused = nullptr;
    std::string why;
    for (uint32_t i = 0; i < n && refused == nullptr && !f.local_types; ++i) {
      const ModuleRubyFunction::Parameter& p = d.parameters[std::min<size_t>(i, d.parameters.size() - 1)];
      if (p.type.empty()) continue;
      try {
        const Type* type = parse_type(program_.types(), p.type);
        if (unknown_type(type).empty() && rejects(type, arguments[i], why)) refused = arguments[i];
      } catch (const CompileError&) { return; } // told at the function
    }
    if (refused == nullptr) return;
    if (blamed == nullptr) {
      blamed = refused;
      reason = std::move(why);
    }
  }
  if (!number)
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {} arguments, got {}", name, values_text(least, most), n));
  else if (!block)
    report(CheckCode::argument_count, at,
           lambda != nullptr ? fmt::format("'{}' takes no block", name) : fmt::format("'{}' needs a block", name));
  else if (blamed != nullptr)
    report(CheckCode::argument_type, *blamed, fmt::format("An argument of '{}' {}", name, reason));
}

} // namespace pupc::compiler
