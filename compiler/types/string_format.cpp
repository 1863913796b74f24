#include "compiler/types/string_format.h"

#include "compiler/types/core_types.h"
#include "compiler/types/value_text.h"

namespace pupc {

std::string format_value(TypeContext& ctx, const Value& v, const Value& format) {
  if (format.is(Kind::Default) || format.is_undef()) return to_display_string(ctx, v);
  if (format.is_string() && format.str() == "%s") return to_display_string(ctx, v);
  if (format.is_string() && format.str() == "%p") return to_program_string(ctx, v);
  throw_error(ErrorCode::not_implemented, {}, "String.new with this format is not implemented yet", PositionStyle::None);
}

} // namespace pupc
