#include "catalog/json/json_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pupc::catalog {
namespace {

constexpr size_t max_depth = 10000;

/// Builds values directly from nlohmann's events, without a document tree.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
  Builder(std::string_view text, Arena& arena, JsonError& error) : text_(text), arena_(arena), error_(error) {}

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
    // The text is "[json.exception.parse_error.101] parse error at line 2, column 1: syntax error while parsing value - unexpected …". Keep
    // only the last part for the user.
    std::string_view message = e.what();
    // Or it is "[json.exception.out_of_range.406] number overflow parsing '1e999'".
    std::string number;
    if (message.starts_with("[json.exception.out_of_range") && message.find('\'') != std::string_view::npos) {
      number = fmt::format("the number {} is out of range", message.substr(message.find('\'')));
      message = number;
    } else if (const size_t place = message.find(": "); place != std::string_view::npos)
      message.remove_prefix(place + 2);
    if (const size_t context = message.find(" - "); message.starts_with("syntax error") && context != std::string_view::npos)
      message.remove_prefix(context + 3);
    error_.message = message;
    error_.offset = std::min(position, text_.size());
    const std::string_view before = text_.substr(0, position > 0 ? std::min(position - 1, text_.size())
                                                                 : 0); // the position includes the wrong byte
    error_.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    error_.column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    return false;
  }

  Value result;

private:
  struct Level {
    bool object;
    std::string_view pending;
    std::vector<Value> items;       // of an array
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

  std::string_view text_;
  Arena& arena_;
  JsonError& error_;
  std::vector<Level> levels_;
};

} // namespace

bool parse_json(std::string_view text, Arena& arena, Value& out, JsonError& error) {
  Builder builder(text, arena, error);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    if (error.message.empty()) error.message = "malformed JSON";
    return false;
  }
  out = builder.result;
  return true;
}

} // namespace pupc::catalog
