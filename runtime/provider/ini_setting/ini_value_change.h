#pragma once
// How a changed value of ini_setting and ini_subsetting is told.
#include "runtime/provider/property_handler.h"

namespace pupc {

/// The change of `property` from `is` to `should`; the texts follow the resource's show_diff (true, md5, false) and the run's setting of
/// that name.
PropertyChange ini_value_change(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run);

} // namespace pupc
