#include "catalog/formats/data_file.h"

#include "catalog/base/paths.h"
#include "catalog/base/stack.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

namespace pupc::catalog {

namespace {

using BigInt = boost::multiprecision::cpp_int;

/// Parses an integer of YAML or JSON: it may have a sign, _ and , between digits, and base 16, 8, 2 or 60.
BigInt big_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  unsigned base = 10;
  if (text.starts_with("0x"))
    base = 16;
  else if (text.starts_with("0b"))
    base = 2;
  else if (text.size() > 1 && text[0] == '0')
    base = 8;
  if (base == 16 || base == 2) text.remove_prefix(2);
  BigInt sum = 0, part = 0;
  unsigned weight = 3600;
  for (char c : text) {
    if (c == '_' || c == ',') continue;
    if (c == ':') {
      sum += part * weight;
      weight /= 60;
      part = 0;
      continue;
    }
    part = part * base + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  sum += weight == 3600 ? part : part * weight;
  return negative ? BigInt(-sum) : sum;
}

} // namespace

void load_data_file(const std::string& path, DataFormat format, DataFile& out) {
  // An earlier attempt may have reached a limit of its work.
  out.root = Value::undef();
  out.notes = {};
  out.error.clear();
  auto text = read_whole_file(path);
  if (!text) {
    int code = errno;
    out.error = fmt::format("{} @ {} - {}", file_problem(code), code == EISDIR ? "io_fread" : "rb_sysopen", path); // Ruby's message
    return;
  }
  out.read = true;
  std::optional<DataError> error;
  if (format == DataFormat::Yaml) {
    YamlOptions options;
    options.file = path;
    options.big_integers = true;
    options.undef_symbols = true;
    error = read_yaml(*text, out.arena, out.root, options, &out.notes);
  } else {
    if (format == DataFormat::Json && text->starts_with("\xEF\xBB\xBF"))
      error = DataError{fmt::format("unexpected token at '{}'", *text), 1, 1}; // Ruby's json rejects a byte order mark
    else
      error = format == DataFormat::Json ? read_json(*text, out.arena, out.root, true) : read_hocon(*text, out.arena, out.root);
    if (!error && out.root.is_hash())
      for (const auto& e : out.root.hash->entries()) out.notes.special.push_back(is_special(e.value));
  }
  if (error) {
    out.error = std::move(error->message);
    out.error_line = error->line;
    out.error_column = error->column;
    out.root = Value::undef();
  }
}

std::string big_integer_error(const Value& value) {
  check_native_stack();
  std::string error;
  if (is_big_integer(value)) {
    BigInt n = big_integer(value.str());
    const bool negative = n < 0;
    std::string digits = BigInt(abs(n)).str(0, std::ios_base::hex);
    if (negative) { // Ruby's format prints negative numbers as two's complement, with ..f for the endless leading digits
      BigInt one = 1;
      digits = BigInt((one << static_cast<unsigned>(4 * digits.size())) + n).str(0, std::ios_base::hex);
      digits.erase(0, std::min(digits.find_first_not_of('f'), digits.size()));
      digits.insert(0, "..f");
    }
    return fmt::format("Use of a Ruby Integer outside of Puppet Integer {} range, got '0x{}'", negative ? "min" : "max", digits);
  }
  if (value.is_list())
    for (const Value& item : value.items())
      if (error = big_integer_error(item); !error.empty()) break;
  if (value.is_hash())
    for (const HashEntry& e : value.hash->entries()) {
      error = big_integer_error(e.key);
      if (error.empty()) error = big_integer_error(e.value);
      if (!error.empty()) break;
    }
  return error;
}

bool is_special(const Value& value) {
  if (value.is_string()) return is_symbol(value) || is_big_integer(value) || value.str().find("%{") != std::string_view::npos;
  if (value.is_list()) return std::any_of(value.list->items().begin(), value.list->items().end(), is_special);
  if (value.is_hash())
    return std::any_of(value.hash->entries().begin(), value.hash->entries().end(), [](const HashEntry& e) {
      return !(e.key.is_string() || e.key.is_number()) || (e.key.is_string() && is_special(e.key)) || is_special(e.value);
    });
  return false;
}

bool is_rich_data(const Value& value) {
  check_native_stack();
  if (value.is_string()) return !is_symbol(value);
  if (value.is_list()) return std::all_of(value.list->items().begin(), value.list->items().end(), is_rich_data);
  if (value.is_hash())
    return std::all_of(value.hash->entries().begin(), value.hash->entries().end(), [](const HashEntry& e) {
      return ((e.key.is_string() && !is_symbol(e.key)) || e.key.is_number()) && is_rich_data(e.value);
    });
  return true;
}

} // namespace pupc::catalog
