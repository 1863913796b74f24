#pragma once
// How logs and reports show a changed value of ini_setting and ini_subsetting.
#include "runtime/provider/property_handler.h"

namespace pupc::runtime {

/// The change of `property` from `is` to `should`. The resource's show_diff (true, md5, false) and the run's setting of that name decide
/// whether the texts show the values.
PropertyChange ini_value_change(const ManagedResource& r, std::string_view property, const Value& is, const Value& should, RunContext& run);

/// Whether the module inifile on the module path has several values for a setting (its version 6); also where no module has it.
bool has_many_values(const RunSettings& settings);

} // namespace pupc::runtime
