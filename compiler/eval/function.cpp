// Signatures of built-ins, and the call interface that their code sees.
#include "catalog/base/text.h"
#include "catalog/value/frozen.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"

#include "compiler/types/lookup_context.h"
#include <fmt/format.h>
#include <mutex>
#include <shared_mutex>

namespace pupc::compiler {
namespace {

/// Types that Puppet's functions name for themselves: messages print these names.
struct LocalType {
  std::string_view name, meaning;
};
constexpr LocalType local_types[] = {
    {"NameType", "Variant[String, Array[String]]"},
    {"ValueType", "Type"},
    {"DefaultValueType", "Any"},
    {"MergeType", "Variant[String[1], Hash[String, Scalar]]"},
    {"BlockType", "Callable[NameType]"},
    {"OptionsWithName",
     "Struct[{name => NameType, value_type => Optional[ValueType], default_value => Optional[DefaultValueType], "
     "override => Optional[Hash[String, Any]], default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]"},
    {"OptionsWithoutName",
     "Struct[{value_type => Optional[ValueType], default_value => Optional[DefaultValueType], override => Optional[Hash[String, Any]], "
     "default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]"},
    {"OptionsType",
     "Struct[{container_type => Optional[Type], include_root => Optional[Boolean], include_containers => Optional[Boolean], "
     "include_values => Optional[Boolean], order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]"},
    {"Pcore::MemberName", "Pattern[/\\A[a-z_]\\w*\\z/]"},
    {"StringData", "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]"},
};

/// Signatures name only built-in and local types: there is nothing to load.
class SignatureTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view name) override {
    if (const Type* type = lookup_type(name)) return type;
    for (const LocalType& local : local_types) {
      if (local.name != name) continue;
      auto [at, fresh] = aliases_.try_emplace(local.name, nullptr);
      if (fresh) {
        // Register the name before reading its meaning: the meaning may use it.
        auto* alias = new (arena.allocate(sizeof(TypeAliasType), alignof(TypeAliasType))) TypeAliasType(local.name);
        at->second = alias;
        alias->resolved = normalize(*this, parse_type(*this, local.meaning));
        return alias;
      }
      return at->second;
    }
    return nullptr;
  }
  bool resource_type_exists(std::string_view) override { return false; }

private:
  std::unordered_map<std::string_view, const Type*> aliases_;
};

std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
      continue;
    }
    switch (c) {
    case '\'':
    case '"': quote = c; break;
    case '/': // a regex: only after an opening bracket or a comma
      if (depth > 0) quote = '/';
      break;
    case '[':
    case '{': ++depth; break;
    case ']':
    case '}': --depth; break;
    case ',':
      if (depth == 0) {
        parts.push_back(text.substr(start, i - start));
        start = i + 1;
      }
      break;
    default: break;
    }
  }
  if (!trimmed(text.substr(start)).empty()) parts.push_back(text.substr(start));
  return parts;
}

/// Reads `Callable[n, m]` and bare `Callable`: the number of arguments that the block gets.
void read_block_arity(std::string_view type, ParsedDispatch& out) {
  int n = 0, m = 0;
  if (type == "Callable") {
    out.block_minimum = 0;
    out.block_maximum = 1 << 30;
  } else if (std::sscanf(std::string(type).c_str(), "Callable[%d,%d]", &n, &m) == 2) {
    out.block_minimum = n;
    out.block_maximum = m;
  }
}

ParsedDispatch parse_dispatch(TypeContext& types, const FunctionEntry& entry, const Dispatch& dispatch) {
  ParsedDispatch out;
  out.dispatch = &dispatch;
  if (dispatch.signature.starts_with("3.x")) {
    out.old_api = true;
    if (dispatch.signature.size() > 4) out.arity = std::stoi(std::string(dispatch.signature.substr(4)));
    return out;
  }
  std::vector<const Type*> parameter_types;
  for (std::string_view part : split_parameters(dispatch.signature)) {
    part = trimmed(part);
    size_t sigil = part.find_last_of("$&");
    if (sigil == std::string_view::npos)
      throw_error(ErrorCode::internal_error, {}, fmt::format("signature of {}: no name in '{}'", entry.name, part));
    std::string_view type_text = trimmed(part.substr(0, sigil)), name = part.substr(sigil + 1);
    char mark = 0;
    if (!name.empty() && (name.back() == '?' || name.back() == '*' || name.back() == '+')) {
      mark = name.back();
      name.remove_suffix(1);
    }
    if (part[sigil] == '&') {
      out.block = mark == '?' ? ParsedDispatch::Block::Optional : ParsedDispatch::Block::Required;
      out.block_name = name;
      out.block_type = parse_type(types, type_text);
      read_block_arity(type_text, out);
      if (mark == '?') {
        Value base = Value::type(out.block_type);
        out.block_type = as_type(parameterize(types, builtin_type("Optional"), {&base, 1}));
      }
      continue;
    }
    const Type* type = type_text.empty() ? builtin_type("Any") : parse_type(types, type_text);
    out.parameters.push_back({name, type, type->kind == TypeKind::Any});
    out.names.push_back(name);
    parameter_types.push_back(type);
    switch (mark) {
    case '?': out.maximum += 1; break;
    case '+':
      out.required += 1;
      out.maximum = UINT32_MAX;
      break;
    case '*': out.maximum = UINT32_MAX; break;
    default: out.required += 1; out.maximum += 1;
    }
  }
  out.callable = callable_type(types.arena, parameter_types, out.required,
                               out.maximum == UINT32_MAX ? -1 : static_cast<int64_t>(out.maximum), out.block_type);
  return out;
}

struct SignatureTable {
  std::shared_mutex mutex;
  Arena arena;
  RegexCache regexes;
  SignatureTypes types{arena, regexes};
  std::unordered_map<const FunctionEntry*, std::unique_ptr<BuiltinSignatures>> parsed;
};

SignatureTable& signature_table() {
  static auto* table = new SignatureTable; // never destroyed: its types are used until the process ends
  return *table;
}

bool block_accepted(const ParsedDispatch& d, FunctionCall& call) {
  if (call.block == nullptr) return d.block != ParsedDispatch::Block::Required;
  if (d.block == ParsedDispatch::Block::None) return false;
  if (d.block_minimum >= 0) {
    auto [least, most] = call.block_arity();
    // A bare Callable accepts any block.
    return d.block_maximum == 1 << 30 || (least <= d.block_minimum && (most < 0 || most >= d.block_maximum));
  }
  return is_assignable(call.types(), d.block_type, call.block->callable_type(call.types()));
}

bool accepts(const ParsedDispatch& d, FunctionCall& call) {
  size_t n = call.size();
  if (n < d.required || n > d.maximum) return false;
  for (size_t i = 0; i < n; ++i) {
    const SignatureParameter& p = d.parameters[std::min(i, d.parameters.size() - 1)];
    if (!p.any && !is_instance(call.types(), p.type, call.args[i])) return false;
  }
  return block_accepted(d, call);
}

/// Converts an argument for the old API. Throws for iterators, as Puppet does.
Value old_api_argument(FunctionCall& call, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return Value::string("");
  case Kind::Iterator: fail_unplaced("Use of an Iterator is not supported here");
  case Kind::Regex:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Timespan:
  case Kind::Timestamp: return call.string(call.evaluator.to_string(v));
  default: return v;
  }
}

void check_arity(const ParsedDispatch& d, const FunctionCall& call) {
  auto given = static_cast<int>(call.size());
  if (d.arity >= 0 ? given != d.arity : given < -d.arity - 1)
    fail_unplaced(fmt::format("{}(): Wrong number of arguments given ({} for {})", call.name, given,
                              d.arity >= 0 ? std::to_string(d.arity) : fmt::format("minimum {}", -d.arity - 1)));
}

Value call_old_api(const ParsedDispatch& d, FunctionCall& call) {
  check_arity(d, call);
  auto* args = static_cast<Value*>(call.arena().allocate(sizeof(Value) * (call.size() + 1), alignof(Value)));
  for (size_t i = 0; i < call.size(); ++i) args[i] = old_api_argument(call, call.args[i]);
  FunctionCall converted{call.evaluator, call.name, {args, call.size()}, nullptr, call.frame, call.loc, call.file};
  return thawed(call.arena(), d.dispatch->code(converted)); // what it returns of its arguments are copies
}

} // namespace

void FunctionRegistry::add(FunctionTable table, std::string_view module) {
  for (const FunctionEntry& entry : table) {
    const FunctionEntry* kept = &entry;
    if (entry.module.empty() && !module.empty()) {
      FunctionEntry& copy = of_modules_.emplace_back(entry);
      copy.module = module;
      kept = &copy;
    }
    entries_.push_back(kept);
    if (kept->module.empty())
      by_name_.emplace(kept->name, kept);
    else
      natives_.emplace(kept->name, kept);
  }
}

const FunctionEntry* FunctionRegistry::find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const FunctionEntry* FunctionRegistry::find_native(std::string_view name) const {
  auto it = natives_.find(name);
  return it == natives_.end() ? nullptr : it->second;
}

const FunctionEntry* FunctionRegistry::find_native(std::string_view name, std::string_view variant) const {
  auto [begin, end] = natives_.equal_range(name);
  for (auto it = begin; it != end; ++it)
    if (it->second->variant == variant) return it->second;
  return nullptr;
}

const FunctionEntry* FunctionRegistry::find_program(std::string_view name, uint64_t digest) const {
  auto [begin, end] = std::equal_range(programs_.begin(), programs_.end(), ReplacedFunction{name, {}, 0},
                                       [](const ReplacedFunction& a, const ReplacedFunction& b) { return a.function < b.function; });
  for (auto program = begin; program != end; ++program)
    if (program->digest == digest) return find_native(name, program->variant);
  return nullptr;
}

const BuiltinSignatures& signatures_of(const FunctionEntry& entry) {
  SignatureTable& table = signature_table();
  {
    std::shared_lock lock(table.mutex);
    auto it = table.parsed.find(&entry);
    if (it != table.parsed.end()) return *it->second;
  }
  std::unique_lock lock(table.mutex);
  auto& slot = table.parsed[&entry];
  if (!slot) {
    auto parsed = std::make_unique<BuiltinSignatures>();
    parsed->entry = &entry;
    for (const Dispatch& d : entry.dispatches) parsed->dispatches.push_back(parse_dispatch(table.types, entry, d));
    parsed->takes_scope = entry.dispatches.front().signature.starts_with("Any $scope,");
    slot = std::move(parsed);
  }
  return *slot;
}

namespace {
Value call_dispatch(const BuiltinSignatures& function, FunctionCall& call);
}

Value call_as_ruby_does(const BuiltinSignatures& function, FunctionCall& call) {
  const ParsedDispatch& d = function.dispatches.front();
  if (!d.old_api) return call_builtin(function, call);
  check_arity(d, call);
  return d.dispatch->code(call);
}

Value call_builtin(const BuiltinSignatures& function, FunctionCall& call) {
  if (!function.takes_scope) return call_dispatch(function, call);
  std::vector<Value> args{Value::undef()};
  args.insert(args.end(), call.args.begin(), call.args.end());
  FunctionCall with_scope{call.evaluator, call.name, args, call.block, call.frame, call.loc, call.file};
  return call_dispatch(function, with_scope);
}

namespace {
Value call_dispatch(const BuiltinSignatures& function, FunctionCall& call) {
  if (function.dispatches.front().old_api) return call_old_api(function.dispatches.front(), call);
  for (const ParsedDispatch& d : function.dispatches)
    if (!d.dispatch->mismatch && accepts(d, call)) return d.dispatch->code(call);
  for (const ParsedDispatch& d : function.dispatches)
    if (d.dispatch->mismatch && accepts(d, call)) {
      Value text = d.dispatch->code(call);
      if (text.is_string()) fail_unplaced(fmt::format("'{}' {}", call.name, text.str()), ErrorCode::argument_mismatch);
    }
  std::vector<CallSignature> signatures;
  for (const ParsedDispatch& d : function.dispatches)
    if (!d.dispatch->mismatch) signatures.push_back({d.callable, d.names, d.block_name});
  const Type* block = call.block ? call.block->callable_type(call.types()) : nullptr;
  fail_unplaced(describe_signatures(call.types(), call.name, signatures, call.args, block), ErrorCode::argument_mismatch);
}
} // namespace

Arena& FunctionCall::arena() const { return evaluator.arena(); }
TypeContext& FunctionCall::types() const { return evaluator.types(); }

std::string_view FunctionCall::module() const { return file != nullptr ? std::string_view(file->module()) : std::string_view(); }

Value FunctionCall::call(std::string_view function, std::span<const Value> given) const {
  return evaluator.call_function_from(module(), function, given, nullptr, frame, loc);
}
Value FunctionCall::call(std::string_view function, std::initializer_list<Value> given) const {
  return call(function, std::span<const Value>(given.begin(), given.size()));
}
Value FunctionCall::call_old(std::string_view function, std::span<const Value> given) const {
  return evaluator.call_old_function(function, given, frame, loc);
}
Value FunctionCall::call_old(std::string_view function, std::initializer_list<Value> given) const {
  return call_old(function, std::span<const Value>(given.begin(), given.size()));
}

void refuse_ruby(Evaluator& evaluator, std::string_view kind, std::string_view name, std::string_view file) {
  NativeRuby* native = evaluator.native_ruby();
  const std::string reason = native != nullptr ? native->take_reason() : std::string();
  if (native != nullptr) native->add_refusal({std::string(kind), std::string(name), std::string(file), reason});
  const bool named = !name.empty();
  fail_unplaced(fmt::format("The {}{} {}needs Ruby, which is not allowed here{}{}", kind, named ? fmt::format(" '{}'", name) : "",
                            file.empty() ? "" : fmt::format("({}) ", file), reason.empty() ? "" : ": ", reason),
                ErrorCode::not_implemented);
}

Value FunctionCall::run_file() const {
  Value out;
  if (evaluator.native_ruby() != nullptr && (evaluator.ruby_service() == nullptr || !evaluator.ruby_service()->always()) &&
      evaluator.native_ruby()->call_function(evaluator, name, file->path(), args, block, frame, loc, out))
    return out;
  if (evaluator.ruby_service() == nullptr) refuse_ruby(evaluator, "function", name, file->path());
  return evaluator.ruby_service()->call_function(evaluator, name, *file, args, block, frame, loc);
}

bool FunctionCall::yield(std::span<const Value> block_args, Value& result) const {
  try {
    result = evaluator.call_closure(*block, block_args, loc);
    return true;
  } catch (const BreakSignal&) { return false; }
}

bool FunctionCall::yield(std::initializer_list<Value> block_args, Value& result) const {
  return yield(std::span<const Value>(block_args.begin(), block_args.size()), result);
}

Value FunctionCall::call_block(std::span<const Value> block_args) const { return evaluator.call_closure(*block, block_args, loc); }
Value FunctionCall::call_block(std::initializer_list<Value> block_args) const {
  return call_block(std::span<const Value>(block_args.begin(), block_args.size()));
}

std::pair<int, int> FunctionCall::block_arity() const {
  Seq<Parameter> parameters = block->parameters();
  int least = 0, most = 0;
  for (const Parameter& p : parameters) {
    if (p.captures_rest) return {least, -1};
    if (p.default_value == nullptr) ++least;
    ++most;
  }
  return {least, most};
}

Value FunctionCall::string(std::string_view s) const { return Value::string(arena().copy(s)); }

void FunctionCall::fail(std::string message) const { fail_unplaced(std::move(message)); }

void FunctionCall::warn_once(std::string_view key, std::string message, bool place) const {
  if (!evaluator.settings().tell_deprecations) return;
  // Puppet prints the place of a deprecation on a line of its own, or says that there is none.
  std::string at = "file & line not available";
  if (place && loc) {
    const std::string& path = loc.file->path();
    at = fmt::format("file: {}, line: {}", path.empty() ? "unknown" : path, loc.position().line);
  }
  evaluator.warn_once(key, {}, fmt::format("{}\n   ({})", message, at));
}

} // namespace pupc::compiler
