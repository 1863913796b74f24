#include "tools/puppetdb/query.h"

#include "catalog/base/stack.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/rich_data.h"

#include <vector>

namespace pupc::puppetdb {
namespace {

using catalog::Arena;
using catalog::ExportQuery;
using catalog::JsonWriter;
using catalog::Value;

class Writer {
public:
  Writer(JsonWriter& json, Arena& scratch) : json_(json), scratch_(scratch) {}

  void write(const ExportQuery& q) {
    catalog::check_native_stack();
    if (q.op == ExportQuery::Op::And || q.op == ExportQuery::Op::Or) return join(q);
    if (q.negated) open("not");
    switch (q.op) {
    case ExportQuery::Op::Title: equals("title", q.value); break;
    case ExportQuery::Op::Tag: tags(q.value); break;
    default:
      open("=");
      open("parameter");
      json_.string(q.attribute);
      json_.end_array();
      value(q.value);
      json_.end_array();
    }
    if (q.negated) json_.end_array();
  }

  void open(std::string_view word) {
    json_.begin_array();
    json_.string(word);
  }

  void equals(std::string_view field, const Value& wanted) {
    open("=");
    json_.string(field);
    value(wanted);
    json_.end_array();
  }

private:
  /// A chain of one operator is nested to the left, so that recursion could use up the stack. One list with all its parts means the same.
  void join(const ExportQuery& q) {
    std::vector<const ExportQuery*> parts;
    const ExportQuery* at = &q;
    for (; at->op == q.op; at = at->left) parts.push_back(at->right);
    open(q.op == ExportQuery::Op::And ? "and" : "or");
    write(*at);
    for (auto it = parts.rbegin(); it != parts.rend(); ++it) write(**it);
    json_.end_array();
  }

  void tags(const Value& list) {
    const auto all = list.items();
    if (all.size() == 1) return equals("tag", all[0]);
    open("or");
    if (all.empty()) equals("tag", Value::string("")); // no resource has it
    for (const Value& tag : all) equals("tag", tag);
    json_.end_array();
  }

  void value(const Value& v) {
    json_.raw([&](std::string& out) {
      JsonWriter inner(out);
      catalog::write_rich_value(inner, v, scratch_);
    });
  }

  JsonWriter& json_;
  Arena& scratch_;
};

} // namespace

std::string resources_query(std::string_view type, const ExportQuery* query, std::string_view asking, Arena& scratch) {
  std::string text;
  JsonWriter json(text);
  Writer writer(json, scratch);
  writer.open("and");
  writer.equals("type", Value::string(type));
  writer.equals("exported", Value::boolean(true));
  writer.open("not");
  writer.equals("certname", Value::string(asking));
  json.end_array();
  if (query != nullptr) writer.write(*query);
  json.end_array();
  return text;
}

std::string one_line(std::string_view text) {
  std::string out(text.substr(0, 300));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size() * 3);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
    if (plain)
      out += c;
    else
      ((out += '%') += digits[byte >> 4]) += digits[byte & 15];
  }
  return out;
}

} // namespace pupc::puppetdb
