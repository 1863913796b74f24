#include "catalog/json/plain_json.h"

namespace pupc::catalog {

void write_plain_json(JsonWriter& w, const Value& v) {
  switch (v.kind) {
  case Kind::Hash:
    w.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      w.key(e.key.is_string() ? e.key.str() : std::string_view());
      write_plain_json(w, e.value);
    }
    w.end_object();
    break;
  case Kind::List:
    w.begin_array();
    for (const Value& item : v.items()) write_plain_json(w, item);
    w.end_array();
    break;
  case Kind::String: w.string(v.str()); break;
  case Kind::Int: w.integer(v.i); break;
  case Kind::Float: w.floating(v.d); break;
  case Kind::Bool: w.boolean(v.b); break;
  default: w.null();
  }
}

} // namespace pupc::catalog
