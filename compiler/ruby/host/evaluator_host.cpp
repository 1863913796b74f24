#include "compiler/ruby/host/evaluator_host.h"

#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/base/utf8.h"
#include "catalog/formats/ruby_yaml.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/symbol_text.h"
#include "compiler/ast/children.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/function_choice.h"
#include "compiler/eval/ruby_dispatch.h"
#include "compiler/eval/ruby_documents.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/load/dependencies.h"
#include "compiler/ruby/core/ruby_call.h"
#include "compiler/ruby/host/native_functions.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace pupc::compiler {
namespace {

/// Finds a variable of the frame as a template sees it; null when it is unset or not evaluated yet.
const Value* value_in(const Frame& frame, Symbol name) {
  if (frame.layout == nullptr || frame.slots == nullptr) return nullptr;
  // While Puppet evaluates the defaults of parameters, it keeps the parameters out of the scope. Only the scope's own variables are visible
  // then: these four.
  bool own = name == sym::title || name == sym::name || name == sym::module_name || name == sym::caller_module_name;
  for (uint32_t i = 0; !own && i < frame.layout->names.size; ++i)
    if (is_unevaluated(frame.slot(i))) return nullptr;
  int slot = frame.layout->find(name);
  if (slot < 0 || is_unset(frame.slot(slot)) || is_unevaluated(frame.slot(slot))) return nullptr;
  return &frame.slot(slot);
}

} // namespace

ruby::FunctionUse KnownFunctions::use_of(std::string_view name, bool old_api) const {
  using ruby::FunctionUse;
  if (name.starts_with("::")) name.remove_prefix(2);
  if (ruby::find_log_level(name)) return FunctionUse::Log;
  if (name == "fail" || name == "template" || name == "inline_template") return FunctionUse::Yes;
  const FunctionEntry* builtin = registry_.find(name);
  if (builtin == nullptr) builtin = registry_.find_native(name);
  // For a function of a module, in_old_api decides at the time of the call.
  if (old_api && builtin != nullptr && registry_.find(name) != nullptr && builtin->module.empty() && !builtin->has(FunctionTrait::OldApi))
    return FunctionUse::Unknown; // a module may have another one
  if (name == "epp") return FunctionUse::Unknown;
  if (builtin != nullptr && builtin->has(FunctionTrait::Effects)) return FunctionUse::Effects;
  return builtin != nullptr ? FunctionUse::Yes : FunctionUse::Unknown;
}

ruby::RubyHost::Unknown EvaluatorHost::unknown_variable(std::string_view name) {
  const Strict strict = evaluator_.settings().strict;
  if (strict == Strict::Off) return {};
  if (strict == Strict::Warning) return {"", true};
  // As in Puppet's message: it drops a leading "::", and adds one to a qualified name whose class exists but lacks the variable.
  std::string shown(name.substr(name.starts_with("::") ? 2 : 0));
  std::string reason;
  if (name.find("::") != std::string_view::npos) {
    if (size_t at = shown.rfind("::"); at != std::string::npos) {
      std::string class_name = shown.substr(0, at);
      if (evaluator_.environment().find_class(class_name, nullptr) == nullptr)
        reason = fmt::format("class {} could not be found", class_name);
      else if (evaluator_.catalog().class_scope(class_name) == nullptr)
        reason = fmt::format("class {} has not been evaluated", class_name);
    }
    if (reason.empty()) shown.insert(0, "::");
  }
  return {fmt::format("Undefined variable '{}'; {}", shown, reason), false};
}

/// Follows Puppet's Scope#to_hash, which gives templates their variables: an undef variable hides the variables of outer scopes.
bool EvaluatorHost::instance_variable(const std::string& name, Value& out) {
  const Value* found = nullptr;
  if (Symbol symbol = find_symbol(name)) {
    const Frame* last = &frame_;
    for (const Frame* f = &frame_; f != nullptr && found == nullptr; f = f->up) {
      found = value_in(*f, symbol);
      last = f;
    }
    if (found != nullptr && found->is_undef()) return false;
    const Scope* scope = last->scope;
    bool seen = scope == nullptr || scope->frame == last;
    for (; found == nullptr && scope != nullptr; scope = scope->inherited ? scope->inherited : scope->enclosing) {
      if (!seen && scope->frame != nullptr) found = value_in(*scope->frame, symbol);
      if (found != nullptr && found->is_undef()) found = nullptr; // an inherited class's undef hides nothing in the merge
      seen = false;
    }
  }
  Value global;
  if (found == nullptr && evaluator_.lookup_variable("::" + name, frame_, global)) found = &global;
  if (found == nullptr && name.find('_') != std::string::npos && evaluator_.lookup_variable("::facts", frame_, global) &&
      global.is_hash()) {
    // A fact with other characters in its name is visible with underscores in their place.
    for (const HashEntry& entry : global.hash->entries()) {
      if (!entry.key.is_string() || entry.key.len != name.size() || entry.key.str() == name) continue;
      std::string changed(entry.key.str());
      for (char& c : changed)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
      if (changed == name) found = &entry.value;
    }
  }
  if (found == nullptr || found->is_undef()) return false;
  out = *found;
  return true;
}

PuppetObjects& EvaluatorHost::objects() {
  if (objects_ == nullptr) objects_ = std::make_unique<PuppetObjects>(evaluator_, frame_, loc_);
  return *objects_;
}

std::string EvaluatorHost::scope_text() { return scope_source(*frame_.scope); }

bool EvaluatorHost::in_old_api(std::string_view name) {
  return evaluator_.functions().find(name) != nullptr || evaluator_.environment().old_function(name) != nullptr;
}

bool EvaluatorHost::harmless(std::string_view name, std::span<const Value> args) {
  if (name != "epp") return harmless_function(name, 0);
  // An EPP template only sees the node scope and top scope. If the caller runs in one of these, a variable that it set with setvar may
  // still be pending, and the template would miss it.
  if (args.empty() || !args[0].is_string() || &evaluator_.global_frame(frame_) == &frame_) return false;
  std::string path(args[0].str());
  if (!path.ends_with(".epp")) path += ".epp";
  std::optional<std::string> file = path.starts_with("/") ? path
                                                          : evaluator_.environment().find_module_file(ModuleFileKind::Templates, path);
  if (!file || !evaluator_.environment().path_exists(*file)) return false;
  try {
    auto parsed = evaluator_.environment().epp_template(*file, nullptr);
    evaluator_.keep_alive(parsed);
    return parsed->body != nullptr && harmless(*parsed->body, 0);
  } catch (const CompileError&) { return false; }
}

bool EvaluatorHost::harmless_function(std::string_view name, int depth) {
  if (name.starts_with("::")) name.remove_prefix(2);
  if (const DefinitionEntry* definition = evaluator_.environment().find_function(name, nullptr)) {
    const auto& function = definition->definition->as<FunctionDef>();
    return depth < 10 && function.body != nullptr && harmless(*function.body, depth + 1);
  }
  const FunctionEntry* builtin = evaluator_.functions().find(name);
  if (builtin == nullptr)
    for (const RubyFunctionFile* file : evaluator_.environment().ruby_functions(name)) {
      builtin = choose_function(evaluator_.functions(), name, *file).native;
      if (builtin == nullptr)
        return evaluator_.native_ruby() != nullptr && evaluator_.native_ruby()->harmless(evaluator_, name, file->path());
    }
  return builtin != nullptr && functions_.use_of(name, false) == ruby::FunctionUse::Yes && name != "template" && name != "inline_template";
}

/// Whether Puppet code only computes a value: it calls known functions without effects, and declares and collects nothing.
bool EvaluatorHost::harmless(const Node& node, int depth) {
  if (native_stack_low()) return false;
  switch (node.kind) {
  case NodeKind::ResourceExpr:
  case NodeKind::ResourceDefaults:
  case NodeKind::ResourceOverride:
  case NodeKind::Collector:
  case NodeKind::Relationship:
  case NodeKind::ClassDef:
  case NodeKind::DefineDef:
  case NodeKind::NodeDef:
  case NodeKind::FunctionDef:
  case NodeKind::TypeAlias:
  case NodeKind::TypeDefinition:
  case NodeKind::TypeMapping: return false;
  case NodeKind::Call: {
    const Node& functor = *node.as<Call>().functor;
    if (functor.kind == NodeKind::Name && !harmless_function(functor.as<Name>().name.str(), depth)) return false;
    break;
  }
  case NodeKind::MethodCall: {
    const Node& name = *node.as<MethodCall>().name;
    if (name.kind != NodeKind::Name || !harmless_function(name.as<Name>().name.str(), depth)) return false;
    break;
  }
  default: break;
  }
  bool all = true;
  for_each_child(node, [&](const Node* child) { all = all && harmless(*child, depth); });
  return all;
}

/// Leaves to Ruby a call by the old API of a function that has but a form there that refuses the call, as most of the language's have.
static void check_old_api(const Evaluator& e, std::string_view name) {
  const FunctionEntry* builtin = e.functions().find(name);
  const bool refuses = builtin != nullptr && builtin->module.empty() && !builtin->has(FunctionTrait::OldApi);
  if (refuses && e.environment().old_function(name) == nullptr) throw ruby::NeedsRuby{1, fmt::format("the function {}", name)};
}

Value EvaluatorHost::call_function(std::string_view name, std::span<const Value> args, bool old_api, bool own_block, const Block* block) {
  if (old_api) check_old_api(evaluator_, name);
  if (own_logs_ == nullptr || !own_logs_->empty() || block != nullptr) return call(name, args, old_api, own_block, block, own_logs_);
  // No message of the code's own comes before those of the call, so they need not wait. But then Ruby may not make the call again.
  std::vector<Log> told;
  MadeCall made;
  try {
    made.result = call(name, args, old_api, own_block, nullptr, &told);
  } catch (...) {
    if (told.empty()) throw;
    made.error = std::current_exception();
  }
  if (told.empty()) return made.result;
  for (Log& message : told) log(std::move(message));
  made.name = name;
  made.args.assign(args.begin(), args.end());
  made_calls_.push_back(made);
  if (made.error != nullptr) std::rethrow_exception(made.error);
  return made.result;
}

Value EvaluatorHost::call(std::string_view name, std::span<const Value> args, bool old_api, bool own_block, const Block* block,
                          std::vector<Log>* logs) {
  Frame& frame = for_itself_ ? *evaluator_.catalog().top_scope().frame : frame_;
  struct Waiting {
    EvaluatorHost& host;
    std::vector<Log>* const before;
    ~Waiting() { host.change_waiting_logs(before); }
  } waiting{*this, change_waiting_logs(logs)};
  if (block != nullptr) {
    RubyBlock given(evaluator_, frame, block->least, block->most, [&](std::span<const Value> block_args) {
      try {
        return block->call(block_args);
      } catch (ruby::NeedsRuby& beyond) { throw LeavesCaller{std::move(beyond.reason)}; } // the function itself may be interpreted
    });
    given.closure.interpreted = true;
    try {
      return evaluator_.call_function(name, args, &given.closure, frame, loc_);
    } catch (LeavesCaller& beyond) { throw ruby::NeedsRuby{block->line, std::move(beyond.reason)}; }
  }
  if (old_api) return evaluator_.call_old_function(name, args, frame, loc_);
  return evaluator_.call_function(name, args, own_block ? block_ : nullptr, frame, loc_);
}

Value EvaluatorHost::call_with_effects(std::string_view name, std::span<const Value> args, bool old_api, bool own_block) {
  if (old_api) check_old_api(evaluator_, name);
  MadeCall made{std::string(name), {args.begin(), args.end()}, {}, {}};
  try {
    made.result = call(name, args, old_api, own_block, nullptr, nullptr);
  } catch (...) {
    made.error = std::current_exception();
    made_calls_.push_back(std::move(made));
    throw;
  }
  made_calls_.push_back(std::move(made));
  return made_calls_.back().result;
}

ruby::RubyHost::TemplateFile EvaluatorHost::find_template(std::string_view name) {
  TemplateFile file{find_erb_template(evaluator_, name), nullptr};
  if (!file.path.empty()) file.text = evaluator_.environment().read_file(file.path);
  return file;
}

void EvaluatorHost::looked_at(std::string_view file) {
  if (DependencyRecorder* notes = evaluator_.environment().recorder()) notes->file(absolute_path(std::string(file)));
}

Value EvaluatorHost::call_block(std::span<const Value> args) { return evaluator_.call_closure(*block_, args, {}); }

bool EvaluatorHost::harmless(const Closure& block) {
  return block.native == nullptr && block.node->kind == NodeKind::Lambda && block.node->as<Lambda>().body != nullptr &&
         harmless(*block.node->as<Lambda>().body, 0);
}

ruby::RubyHost::Read EvaluatorHost::parse_json(std::string_view text, Value& out) {
  size_t digits = 0;
  for (char c : text) { // leave integers to Ruby that may have more than 64 bits
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 18) return Read::Unsure;
  }
  const std::optional<DataError> error = read_json(arena().copy(text), arena(), out);
  if (!error) return Read::Good;
  // Ruby is lenient with escapes, and has limits of its own.
  const bool certain = text.find('\\') == std::string_view::npos && valid_utf8(text) && error->message.starts_with("unexpected token");
  return certain ? Read::Malformed : Read::Unsure;
}

namespace {

/// YAML texts that functions have read. The environment keeps them, so that many compiles share the values.
class YamlTexts : public EnvironmentAttachment {
public:
  using Result = ruby::RubyHost::Read;
  struct Read {
    Result result = Result::Unsure;
    Value value;
  };
  Read get(std::string_view text, ruby::RubyHost::Yaml form, int permitted, RegexCache& regexes) {
    std::lock_guard lock(mutex_);
    std::string key = std::to_string(static_cast<int>(form) * 4 + permitted).append(text);
    if (auto known = read_.find(key); known != read_.end()) return known->second;
    if ((bytes_ += key.size()) > 64'000'000) return {}; // what was read stays as long as the environment
    return read_.emplace(std::move(key), parse(text, form, permitted, regexes)).first->second;
  }

private:
  Read parse(std::string_view text, ruby::RubyHost::Yaml form, int permitted, RegexCache& regexes) {
    YamlOptions options;
    options.aliases = form == ruby::RubyHost::Yaml::Unsafe || (permitted & ruby::RubyHost::yaml_aliases) != 0;
    options.symbol_keys = true;
    Read out;
    Value value;
    const bool unsafe = form == ruby::RubyHost::Yaml::Unsafe;
    const RubyObjects objects{unsafe ? &regexes : nullptr, [&](std::string_view date) { return ruby_date(arena_, date); }};
    if (auto error = read_ruby_yaml(arena_.copy(text), arena_, value, options,
                                    unsafe || (permitted & ruby::RubyHost::yaml_dates) != 0 ? &objects : nullptr))
      return failed(error->message, text, regexes);
    if (value.is_undef()) { // a text without a document gives what the method falls back on, nil or false
      const bool empty = is_blank(text);
      if (!empty && !unsafe) return out; // a document that is null
      out.result = Result::Good;
      if (empty && unsafe) out.value = Value::boolean(false);
      return out;
    }
    if (form == ruby::RubyHost::Yaml::Safe && has_symbols(value)) return out;
    out.result = Result::Good;
    out.value = has_symbols(value) ? with_symbols(value) : value;
    return out;
  }
  /// What an error of the reader says of the text. Psych reads all of it before it asks for classes.
  Read failed(std::string_view message, std::string_view text, RegexCache& regexes) {
    constexpr std::string_view place = "(<unknown>): ", class_of = "Tried to load unspecified class: ";
    if (!message.starts_with(place)) return {};
    message.remove_prefix(place.size());
    if (!message.starts_with(class_of)) return {Result::Malformed, {}};
    Value value;
    const RubyObjects objects{&regexes, [](std::string_view date) { return Value::string(date); }};
    YamlOptions options;
    options.dates = options.symbol_keys = options.object_tags = options.aliases = true;
    const auto other = read_ruby_yaml(arena_.copy(text), arena_, value, options, &objects);
    if (other && other->message.starts_with(place)) return {Result::Malformed, {}};
    return other ? Read{} : Read{Result::Disallowed, Value::string(arena_.copy(message))};
  }
  /// Whether a text has only blank lines and comments.
  static bool is_blank(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const size_t first = text.find_first_not_of(" \r", at);
      if (first < end && text[first] != '#') return false;
      at = end + 1;
    }
    return true;
  }
  static bool has_symbols(const Value& v) {
    if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), has_symbols);
    if (v.is_hash())
      return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                         [](const HashEntry& e) { return has_symbols(e.key) || has_symbols(e.value); });
    return is_symbol(v);
  }
  Value with_symbols(const Value& v) {
    if (is_symbol(v)) return ruby_symbol(arena_, v.str());
    return map_parts(arena_, v, [&](const Value& part) { return with_symbols(part); });
  }

  std::mutex mutex_;
  Arena arena_;
  std::unordered_map<std::string, Read> read_;
  size_t bytes_ = 0;
};

} // namespace

ruby::RubyHost::Read EvaluatorHost::parse_yaml(std::string_view text, Yaml form, int permitted, Value& out) {
  const Environment& environment = evaluator_.environment();
  auto texts = environment.attached<YamlTexts>();
  const YamlTexts::Read read = texts->get(text, form, permitted, environment.regexes());
  out = read.value;
  return read.result;
}

bool EvaluatorHost::setting(std::string_view name, Value& out) {
  // What the facade's table SETTINGS has depends on the compile.
  constexpr std::string_view of_compile[] = {"environment", "modulepath", "manifest", "debug", "parser", "name"};
  if (std::find(std::begin(of_compile), std::end(of_compile), name) != std::end(of_compile)) return false;
  const CompileSettings& settings = evaluator_.settings();
  if (name == "strict") {
    out = ruby_symbol(arena(), settings.strict == Strict::Off ? "off" : settings.strict == Strict::Warning ? "warning" : "error");
    return true;
  }
  if (name == "strict_variables") {
    out = Value::boolean(settings.strict_variables);
    return true;
  }
  return evaluator_.catalog().find_setting(name, out);
}

std::string EvaluatorHost::document(std::string_view format, const Value& value, const Value& options) {
  if (format == "to_yaml") return yaml_document(evaluator_.types(), value, options);
  return format == "to_json_pretty" ? pretty_json_document(evaluator_.types(), value, options) : json_document(evaluator_.types(), value);
}

bool EvaluatorHost::can_set_variable(std::string_view name) {
  Value found;
  return !evaluator_.lookup_variable(name, frame_, found);
}

Value EvaluatorHost::all_variables() {
  HashBuilder all(evaluator_.arena());
  evaluator_.visible_variables(frame_, [&](std::string_view name, const Value& value) { all.set(Value::string(name), value); });
  HashBuilder out(evaluator_.arena());
  const Value found = all.finish();
  for (const HashEntry& entry : found.hash->entries())
    if (!entry.value.is_undef()) out.set(entry.key, entry.value);
  return out.finish();
}

std::vector<ruby::RubyHost::Log>* EvaluatorHost::change_waiting_logs(std::vector<Log>* logs) {
  auto* of_compile = static_cast<NativeRubyOfCompile*>(evaluator_.native_ruby());
  return of_compile == nullptr ? nullptr : std::exchange(of_compile->waiting_logs, logs);
}

void EvaluatorHost::log(Log message) {
  if (caller_logs_ != nullptr)
    caller_logs_->push_back(std::move(message));
  else if (message.once.empty())
    evaluator_.log(message.level, message.source, std::move(message.text));
  else if (evaluator_.settings().tell_deprecations)
    evaluator_.warn_once(message.once, {}, std::move(message.text));
}

Value EvaluatorHost::puppet_stack() { return list_of_calls(evaluator_); }

std::string find_erb_template(Evaluator& evaluator, std::string_view name) {
  if (name.starts_with("/")) return std::string(name);
  return evaluator.environment().find_module_file(ModuleFileKind::Templates, name).value_or("");
}

} // namespace pupc::compiler
