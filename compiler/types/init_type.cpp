#include "compiler/types/init_type.h"

#include "compiler/types/constructor.h"
#include "compiler/types/object_type.h"

#include <fmt/format.h>

namespace pupc::compiler {

InitInfo init_info(TypeContext& ctx, const InitType& init) {
  auto fail = [](std::string text) { throw_error(ErrorCode::evaluation_error, {}, std::move(text), PositionStyle::None); };
  const Type* inner = resolve_alias(ctx, init.inner);
  ConstructorSet own;
  const ConstructorSet* set = nullptr;
  if (inner->kind == TypeKind::Object || inner->kind == TypeKind::Error || inner->kind == TypeKind::Deferred) {
    own = object_constructors(ctx, inner);
    set = own.list.empty() ? nullptr : &own;
  } else if (inner->kind != TypeKind::Init && inner->kind != TypeKind::Optional && inner->kind != TypeKind::NotUndef) {
    set = find_constructors(inner);
  }
  if (set == nullptr) fail(fmt::format("Creation of new instance of type '{}' is not supported", init.inner->to_string()));

  std::vector<const Type*> single{init.inner}, other;
  InitInfo info;
  std::vector<const Type*> given;
  for (const Value& v : init.arguments) given.push_back(infer_detailed(ctx, v));
  auto count = static_cast<int64_t>(given.size()) + 1;
  for (const Constructor& c : set->list) {
    if (c.refuses) continue;
    const TupleType& t = *type_cast<CallableType>(c.callable).parameters;
    if (given.empty()) {
      if (t.size == Range::of(1, 1)) {
        single.push_back(t.types[0]);
      } else {
        other.push_back(&t);
        info.optional_single = info.optional_single || t.size.from == 1;
      }
    } else if (t.size.contains(count)) {
      std::vector<const Type*> all{t.types[0]};
      all.insert(all.end(), given.begin(), given.end());
      if (is_assignable(ctx, &t, types::tuple(ctx.arena, all))) single.push_back(t.types[0]);
    }
  }
  if (!given.empty() && single.size() == 1)
    fail(fmt::format("The type '{}' does not represent a valid set of parameters for {}.new()", init.to_string(),
                     type_base_name(generalize(ctx, init.inner))));
  info.single = types::variant(ctx.arena, single);
  if (!other.empty()) info.other = types::variant(ctx.arena, other);
  return info;
}

bool init_instance(TypeContext& ctx, const InitType& type, const Value& v) {
  if (type.inner == nullptr) return is_instance(ctx, types::rich_data(), v);
  InitInfo info = init_info(ctx, type);
  if (is_instance(ctx, info.single, v)) return true;
  if (info.other == nullptr) return false;
  if (is_instance(ctx, info.other, v)) return true;
  List one{1, &v};
  return info.optional_single && is_instance(ctx, info.other, Value::of(&one));
}

bool init_assignable(TypeContext& ctx, const InitType& type, const Type* from) {
  if (from->kind == TypeKind::Init) {
    const Type* other = type_cast<InitType>(from).inner;
    if (type.inner != nullptr) init_info(ctx, type);
    return type.inner == nullptr || (other != nullptr && is_assignable(ctx, type.inner, other));
  }
  if (type.inner == nullptr) return is_assignable(ctx, types::rich_data(), from);
  InitInfo info = init_info(ctx, type);
  if (is_assignable(ctx, info.single, from)) return true;
  if (info.other == nullptr) return false;
  if (is_assignable(ctx, info.other, from)) return true;
  const Type* one[] = {from};
  return info.optional_single && is_assignable(ctx, info.other, types::tuple(ctx.arena, one));
}

bool init_takes_list(TypeContext& ctx, const InitType& type, const Value& list) {
  InitInfo info = init_info(ctx, type);
  if (is_instance(ctx, info.single, list)) return true;
  List one{1, &list};
  return info.other != nullptr && !is_instance(ctx, info.other, list) && info.optional_single &&
         is_instance(ctx, info.other, Value::of(&one));
}

} // namespace pupc::compiler
