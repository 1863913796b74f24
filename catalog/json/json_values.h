#pragma once
// Builds values from nlohmann's events, without a document tree. Inside of the two readers of JSON: json_reader (documents) and
// formats/json_data (data files, with the places that Ruby's library tells).
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

class JsonValues : public nlohmann::json_sax<nlohmann::json> {
public:
  /// Nothing is nested deeper than `most_levels`. `big_integers`: those beyond 64 bits become marked Strings, not floats.
  JsonValues(Arena& arena, size_t most_levels, bool big_integers = false)
      : arena_(arena), most_levels_(most_levels), big_integers_(big_integers) {}

  /// Reads one text. False when it is malformed or too deep.
  bool read(std::string_view text, bool comments) {
    return nlohmann::json::sax_parse(text.begin(), text.end(), this, nlohmann::json::input_format_t::json, true, comments);
  }
  Value result;
  bool too_deep = false;
  size_t failed_at = 0;       // how many bytes the parser had read, the wrong one included
  std::string parser_message; // of nlohmann's parser

  bool null() override { return add(Value::undef()); }
  bool boolean(bool v) override { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) override { return add(Value::integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<number_unsigned_t>(INT64_MAX)) return add(Value::integer(static_cast<int64_t>(v)));
    return add(big_integers_ ? big(std::to_string(v)) : Value::floating(static_cast<double>(v)));
  }
  bool number_float(number_float_t v, const string_t& written) override {
    const bool integer = written.find_first_of(".eE") == string_t::npos;
    return add(integer && big_integers_ ? big(written) : Value::floating(v));
  }
  bool string(string_t& v) override { return add(Value::string(arena_.copy(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& v) override {
    levels_.back().key = arena_.copy(v);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    failed_at = position;
    parser_message = e.what();
    return false;
  }

private:
  struct Level {
    bool object;
    std::string_view key;
    std::vector<Value> items;       // of an array
    std::vector<HashEntry> entries; // of an object
  };

  Value big(std::string_view written) {
    Value v = Value::string(arena_.copy(written));
    v.flags = big_integer_flag;
    return v;
  }
  bool add(Value v) {
    if (levels_.empty())
      result = v;
    else if (levels_.back().object)
      levels_.back().entries.push_back({Value::string(levels_.back().key), v});
    else
      levels_.back().items.push_back(v);
    return true;
  }
  bool open(bool object) {
    too_deep = levels_.size() >= most_levels_;
    if (!too_deep) levels_.push_back({object, {}, {}, {}});
    return !too_deep;
  }
  bool close() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!level.object) return add(make_list(arena_, level.items));
    HashBuilder hash(arena_, level.entries.size());
    for (const auto& e : level.entries) hash.set(e.key, e.value);
    return add(hash.finish());
  }

  Arena& arena_;
  size_t most_levels_;
  bool big_integers_;
  std::vector<Level> levels_;
};

} // namespace pupc::catalog
