#pragma once
#include "catalog/base/namespaces.h"

#include <string>

namespace pupc::catalog {

/// A float as Ruby's Float#to_s prints it: the shortest digits that read back to the same float, always with a point (`100.0`,
/// `1.0e+16`, `1.5e-05`, `-0.0`, `NaN`, `Infinity`).
std::string format_float(double d);

} // namespace pupc::catalog
