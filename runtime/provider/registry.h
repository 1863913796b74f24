#pragma once
// One function for each type that can be applied, defined in the type's folder.
#include "runtime/provider/provider.h"

namespace pupc {

std::unique_ptr<TypeHandler> make_notify_handler();

} // namespace pupc
