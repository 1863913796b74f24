#include "catalog/json/json_values.h"

#include "catalog/json/json_scanner.h"
#include "catalog/value/value_flags.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace pupc::catalog {
namespace {

class ValueBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  ValueBuilder(Arena& arena, const JsonValuesOptions& options, JsonValues& out) : arena_(arena), options_(options), out_(out) {}

  bool null() override { return add(Value::undef()); }
  bool boolean(bool v) override { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) override { return add(Value::integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v <= static_cast<number_unsigned_t>(INT64_MAX)) return add(Value::integer(static_cast<int64_t>(v)));
    return add(options_.big_integers ? big(std::to_string(v)) : Value::floating(static_cast<double>(v)));
  }
  bool number_float(number_float_t v, const string_t& written) override {
    const bool integer = written.find_first_of(".eE") == string_t::npos;
    return add(integer && options_.big_integers ? big(written) : Value::floating(v));
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
    out_.failed_at = position;
    out_.parser_message = e.what();
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
      out_.value = v;
    else if (levels_.back().object)
      levels_.back().entries.push_back({Value::string(levels_.back().key), v});
    else
      levels_.back().items.push_back(v);
    return true;
  }
  bool open(bool object) {
    out_.too_deep = levels_.size() >= options_.most_levels;
    if (!out_.too_deep) levels_.push_back({object, {}, {}, {}});
    return !out_.too_deep;
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
  const JsonValuesOptions& options_;
  JsonValues& out_;
  std::vector<Level> levels_;
};

} // namespace

JsonValues read_json_values(std::string_view text, Arena& arena, const JsonValuesOptions& options) {
  JsonValues out;
  if (const auto plain = scan_json(text, arena, options.most_levels)) {
    out.ok = true;
    out.value = *plain;
    return out;
  }
  ValueBuilder builder(arena, options, out);
  out.ok = nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, true, options.comments);
  return out;
}

} // namespace pupc::catalog
