#pragma once
#include "catalog/value/value.h"

#include <string>

namespace pupc::runtime {

/// Appends facts in Puppet's --yaml form: without a document mark, and with quotes around texts that YAML would read as another type.
void write_fact_yaml(const Value& facts, std::string& out);

} // namespace pupc::runtime
