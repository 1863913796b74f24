#include "catalog/json/json_reader.h"

#include <nlohmann/json.hpp>

namespace pupc {
namespace {

constexpr size_t max_depth = 10000;

/// Builds values from nlohmann's events, so that no document tree is made.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  Builder(Arena& arena, JsonError& error) : arena_(arena), error_(error) {}

  bool null() override { return add(Value::undef()); }
  bool boolean(bool v) override { return add(Value::boolean(v)); }
  bool number_integer(number_integer_t v) override { return add(Value::integer(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<uint64_t>(INT64_MAX)) return add(Value::floating(static_cast<double>(v)));
    return add(Value::integer(static_cast<int64_t>(v)));
  }
  bool number_float(number_float_t v, const string_t&) override { return add(Value::floating(v)); }
  bool string(string_t& v) override { return add(Value::string(arena_.copy(v))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& v) override {
    levels_.back().pending = arena_.copy(v);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    error_.message = e.what();
    error_.offset = position;
    return false;
  }

  Value result;

private:
  struct Level {
    bool object;
    std::string_view pending;
    std::vector<Value> items;      // of an array
    std::vector<HashEntry> entries; // of an object
  };
  bool open(bool object) {
    if (levels_.size() >= max_depth) {
      error_.message = "nesting is too deep";
      return false;
    }
    levels_.push_back({object, {}, {}, {}});
    return true;
  }
  bool close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!level.object) return add(make_list(arena_, level.items));
    HashBuilder hash(arena_, level.entries.size());
    for (const auto& e : level.entries) hash.set(e.key, e.value);
    return add(hash.finish());
  }
  bool add(Value v) {
    if (levels_.empty())
      result = v;
    else if (levels_.back().object)
      levels_.back().entries.push_back({Value::string(levels_.back().pending), v});
    else
      levels_.back().items.push_back(v);
    return true;
  }

  Arena& arena_;
  JsonError& error_;
  std::vector<Level> levels_;
};

} // namespace

bool parse_json(std::string_view text, Arena& arena, Value& out, JsonError& error) {
  Builder builder(arena, error);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    if (error.message.empty()) error.message = "malformed JSON";
    return false;
  }
  out = builder.result;
  return true;
}

} // namespace pupc
