#include "compiler/eval/ruby_dispatch.h"

#include "compiler/eval/evaluator_state.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace pupc::compiler {
namespace {

/// The types that a function declares for itself hide those of the environment.
class LocalTypes : public TypeContext {
public:
  LocalTypes(TypeContext& outer, std::span<const std::pair<std::string_view, std::string_view>> declared)
      : TypeContext(outer.arena, outer.regexes), outer_(outer) {
    for (const auto& [name, meaning] : declared) aliases_.push_back(arena.make<TypeAliasType>(name));
    for (size_t i = 0; i < aliases_.size(); ++i) aliases_[i]->resolved = parse_type(*this, declared[i].second);
  }
  const Type* load_type(std::string_view name) override {
    for (TypeAliasType* alias : aliases_)
      if (alias->name.size() == name.size() && std::equal(name.begin(), name.end(), alias->name.begin(), [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
          }))
        return alias;
    return outer_.load_type(name);
  }
  bool resource_type_exists(std::string_view name) override { return outer_.resource_type_exists(name); }

private:
  TypeContext& outer_;
  std::vector<TypeAliasType*> aliases_;
};

RubyDispatch make_dispatch(TypeContext& types, const RubyDispatchText& text) {
  RubyDispatch d;
  for (const auto& [type, name] : text.parameters) {
    d.parameters.push_back(parse_type(types, type));
    d.names.push_back(name);
  }
  d.required = static_cast<size_t>(text.least);
  d.maximum = text.most < 0 ? SIZE_MAX : static_cast<size_t>(text.most);
  if (text.block) {
    d.block_allowed = true;
    d.block_required = text.block->required;
    d.block_name = text.block->name;
    d.block_type = parse_type(types, text.block->type);
    if (!d.block_required) {
      Value base = Value::type(d.block_type);
      d.block_type = as_type(parameterize(types, builtin_type("Optional"), {&base, 1}));
    }
  }
  if (text.returns) d.returns = parse_type(types, *text.returns);
  d.mismatch = text.mismatch;
  d.method = text.method;
  d.callable = callable_type(types.arena, d.parameters, text.least, text.most, d.block_type, d.returns);
  return d;
}

} // namespace

std::vector<RubyDispatch> make_dispatches(TypeContext& types, std::span<const std::pair<std::string_view, std::string_view>> local,
                                          std::span<const RubyDispatchText> texts) {
  // Allocate in the arena: types made through it may keep its address.
  auto* known = new (types.arena.allocate(sizeof(LocalTypes), alignof(LocalTypes))) LocalTypes(types, local);
  struct Destroy {
    LocalTypes* types;
    ~Destroy() { types->~LocalTypes(); }
  } destroy{known};
  std::vector<RubyDispatch> out;
  for (const RubyDispatchText& text : texts) out.push_back(make_dispatch(*known, text));
  return out;
}

bool RubyDispatch::accepts(TypeContext& types, std::span<const Value> args, const Closure* block) const {
  if (args.size() < required || args.size() > maximum) return false;
  for (size_t i = 0; i < args.size(); ++i)
    if (!is_instance(types, parameters[std::min(i, parameters.size() - 1)], args[i])) return false;
  if (block == nullptr) return !block_required;
  return block_allowed && is_assignable(types, block_type, block->callable_type(types));
}

void fail_dispatches(TypeContext& types, std::string_view name, std::span<const RubyDispatch> dispatches, std::span<const Value> args,
                     const Closure* block) {
  std::vector<CallSignature> signatures;
  for (const RubyDispatch& d : dispatches)
    if (!d.mismatch) signatures.push_back({d.callable, d.names, d.block_name});
  fail_unplaced(describe_signatures(types, name, signatures, args, block ? block->callable_type(types) : nullptr),
                ErrorCode::argument_mismatch);
}

RubyBlock::RubyBlock(Evaluator& e, Frame& frame, int64_t least, int64_t most, Call what) : call(std::move(what)) {
  auto named = static_cast<uint32_t>(most < 0 ? least + 1 : most);
  // Allocate the node in the arena: the types of closures are cached by their node, so its address must not be reused.
  auto* lambda = e.arena().make<Lambda>();
  auto* body = e.arena().make<Block>();
  auto* layout = e.arena().make<FrameLayout>();
  lambda->kind = NodeKind::Lambda;
  lambda->body = body;
  lambda->layout = layout;
  lambda->parameters = {e.arena().make_array<Parameter>(named), named};
  layout->names = {e.arena().make_array<Symbol>(named), named};
  body->kind = NodeKind::Block;
  for (uint32_t i = 0; i < named; ++i) {
    layout->names[i] = intern(fmt::format("p{}", i));
    lambda->parameters[i] = {layout->names[i],           nullptr, i < least ? nullptr : static_cast<Node*>(body), 0, 0,
                             most < 0 && i + 1 == named, false};
  }
  closure.node = lambda;
  closure.frame = &frame;
  closure.file = e.current_file();
  closure.evaluator = &e;
  closure.native = &call;
}

} // namespace pupc::compiler
