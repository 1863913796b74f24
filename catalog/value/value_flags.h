#pragma once
// Every mark that Value::flags can carry, in one place, so that no two share a bit. A mark never changes what the language sees of a value:
// only readers and writers of documents, the catalog and Ruby code look at it.
#include "catalog/base/namespaces.h"

#include <cstdint>

namespace pupc::catalog {

/// A String that stands for a Ruby symbol (symbol_text.h).
inline constexpr uint8_t symbol_flag = 0x01;
/// A String that Ruby marks as bytes; the catalog shows it as Binary (bytes_text.h).
inline constexpr uint8_t bytes_text_flag = 0x02;
/// A String that holds the source text of an integer beyond 64 bits (formats/data_file.h). It is not a value of the language: using it is
/// an error.
inline constexpr uint8_t big_integer_flag = 0x04;
/// A String that a catalog document gave for a time, version or pattern (json/rich_data.h): it is written back as it was read.
inline constexpr uint8_t read_text_flag = 0x08;
/// A Hash that a catalog document gave for rich data of a type or object (json/rich_data.h).
inline constexpr uint8_t read_hash_flag = 0x10;
/// A String, List or Hash that Ruby code cannot change (frozen.h).
inline constexpr uint8_t frozen_flag = 0x20;

} // namespace pupc::catalog
