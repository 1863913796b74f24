#pragma once
// Values for those who know only JSON's: rich data becomes texts.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

#include <string>

namespace pupc::puppetdb {

/// Writes a value as Puppet does with `stringify_rich`: what is no scalar, list or hash becomes its text.
void write_plain(catalog::JsonWriter& json, const catalog::Value& value);
/// The text of what is not JSON's, and of scalars.
std::string plain_text(const catalog::Value& value);
/// A value of JSON as Ruby's to_s: "" for null, `["a", 1]`, `{"a"=>1}`.
std::string ruby_text(const catalog::Value& value);

} // namespace pupc::puppetdb
