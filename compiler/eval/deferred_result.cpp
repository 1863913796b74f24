// What type a Deferred value will have, as far as its function declares it. Parameters of classes and defines are checked against that
// type.
#include "catalog/value/value.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/signature.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

struct Returns {
  std::string_view function;
  std::string_view type;
};
// The few functions of Puppet and of stdlib that declare their result type.
constexpr Returns results_of_functions[] = {
    {"alert", "Undef"},
    {"crit", "Undef"},
    {"debug", "Undef"},
    {"emerg", "Undef"},
    {"err", "Undef"},
    {"info", "Undef"},
    {"notice", "Undef"},
    {"warning", "Undef"},
    {"epp", "Variant[String, Sensitive[String]]"},
    {"inline_epp", "Variant[String, Sensitive[String]]"},
    {"group_by", "Hash"},
    {"partition", "Tuple[Array, Array]"},
    {"ensure_packages", "Undef"},
    {"merge", "Hash"},
    {"os_version_gte", "Boolean"},
    {"to_toml", "String"},
    {"stdlib::to_toml", "String"},
    {"stdlib::end_with", "Boolean"},
    {"stdlib::extname", "String"},
    {"stdlib::ip_in_range", "Boolean"},
    {"stdlib::os_version_gte", "Boolean"},
    {"stdlib::start_with", "Boolean"},
    {"stdlib::xml_encode", "String"},
};

bool accepts(TypeContext& ctx, const Type* callable, std::span<const Type* const> given) {
  const auto& c = type_cast<CallableType>(callable);
  if (given.empty() && c.parameters != nullptr)
    return c.parameters->size.contains(0) && (c.block == nullptr || is_assignable(ctx, c.block, types::undef()));
  return callable_accepts(ctx, c, given, nullptr);
}

} // namespace

const Type* Evaluator::deferred_result(const DeferredData& deferred) {
  const FunctionBinding* f = EvaluatorImpl::resolve(*this, deferred.name);
  if (f == nullptr) fail_unplaced(fmt::format("Unknown function: '{}'", deferred.name), ErrorCode::unknown_function);

  const Type* result = nullptr;
  bool accepted = false;
  if (deferred.arguments != nullptr) {
    std::vector<const Type*> given;
    for (const Value& v : Value::of(deferred.arguments).items()) given.push_back(infer_detailed(types(), v));
    if (f->closure != nullptr) {
      const Type* callable = f->closure->callable_type(types());
      accepted = accepts(types(), callable, given);
      result = type_cast<CallableType>(callable).returns;
    } else if (f->builtin != nullptr) {
      for (const ParsedDispatch& d : f->builtin->dispatches) {
        const auto count = static_cast<int>(given.size());
        if (accepted || d.dispatch->mismatch) continue;
        accepted = d.old_api ? (d.arity >= 0 ? count == d.arity : count >= -d.arity - 1) : accepts(types(), d.callable, given);
      }
      for (const Returns& r : results_of_functions)
        if (r.function == f->builtin->entry->name) result = parse_type(types(), r.type);
    } else {
      accepted = true; // in Ruby: its signatures are not known here
    }
  }
  if (!accepted)
    fail_unplaced(fmt::format("No matching arity found for {} with arguments {}", deferred.name,
                              deferred.arguments == nullptr ? std::string() : ruby_inspect(types(), Value::of(deferred.arguments))),
                  ErrorCode::argument_mismatch);
  if (result != nullptr && result->kind != TypeKind::Any) return result;
  warn_once(
      fmt::format("{}_deferred_warning", deferred.name), {},
      fmt::format(
          "Deferred function {} has no return_type, unable to guarantee value type during compilation.\n   (file & line not available)",
          deferred.name));
  return nullptr;
}

} // namespace pupc::compiler
