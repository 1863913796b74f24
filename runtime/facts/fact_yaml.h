#pragma once
#include "catalog/value/value.h"

#include <string>

namespace pupc {

/// Appends facts as Puppet prints them with --yaml: no document mark, texts that YAML readers might take for something else quoted.
void write_fact_yaml(const Value& facts, std::string& out);

} // namespace pupc
