// The access operator: text[1, 2], list[-1], hash['a', 'b'], types, resources and classes.
#include "catalog/base/text.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/numeric_text.h"
#include "compiler/eval/type_loader.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The evaluated keys, and the expression to blame for the n-th.
struct Keys {
  std::vector<Value> values;
  const Access& node;
  const Node& blamed(size_t i) const {
    if (node.keys.size == 0) return node;
    return *node.keys[std::min<size_t>(i, node.keys.size - 1)];
  }
};

void flatten(const Value& v, std::vector<Value>& out) {
  check_native_stack();
  if (v.is_list())
    for (const Value& item : v.items()) flatten(item, out);
  else
    out.push_back(v);
}

std::vector<Value> flattened(const std::vector<Value>& values) {
  std::vector<Value> out;
  for (const Value& v : values) flatten(v, out);
  return out;
}

/// Name of a wrong key's type as messages show it.
std::string key_type_name(Evaluator& e, const Value& key) {
  if (key.is_undef()) return "Undef";
  if (key.is(Kind::Default)) return "Default";
  return generalize(e.types(), infer(e.types(), key))->to_string();
}

int64_t string_index(Evaluator& e, const Keys& keys, const Value& key, size_t i) {
  Value n = key;
  if (key.is_string())
    if (auto number = number_from_text(key.str())) n = *number;
  if (n.is_int()) return n.i;
  std::string type = key_type_name(e, n);
  std::string article = a_an(type);
  e.fail(ErrorCode::evaluation_error, keys.blamed(i),
         fmt::format("A substring operation does not accept {} as a character index. Expected an Integer", article));
}

int64_t list_index(Evaluator& e, const Keys& keys, const Value& key, size_t i) {
  Value n = EvaluatorImpl::coerce_numeric(e, key, keys.blamed(i));
  if (n.is_int()) return n.i;
  e.fail(ErrorCode::evaluation_error, keys.blamed(i),
         fmt::format("An Array[] cannot use {} where Integer is expected", key_type_name(e, n)));
}

/// Begin and length of the slice `[from, count]` of `size` elements; negative numbers count from the end. Returns false for an empty slice.
bool slice(int64_t size, int64_t from, int64_t count, int64_t& begin, int64_t& length) {
  begin = from < 0 ? size + from : from;
  length = count < 0 ? size - begin + count + 1 : count;
  if (begin < 0) {
    length += begin;
    begin = 0;
  }
  if (begin > size || length <= 0) return false;
  length = std::min(length, size - begin);
  return true;
}

int64_t count_characters(std::string_view s) {
  if (is_ascii(s)) return static_cast<int64_t>(s.size());
  int64_t n = 0;
  for (char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

/// `length` characters from character `begin`.
std::string_view substring(std::string_view s, int64_t begin, int64_t length, bool bytes) {
  if (bytes || is_ascii(s)) return s.substr(static_cast<size_t>(begin), static_cast<size_t>(length));
  size_t i = 0;
  auto advance = [&](int64_t characters) {
    for (; characters > 0 && i < s.size(); --characters) {
      ++i;
      while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    }
  };
  advance(begin);
  size_t first = i;
  advance(length);
  return s.substr(first, i - first);
}

std::string_view access_text(Evaluator& e, std::string_view text, const Keys& keys, bool bytes) {
  std::vector<Value> flat = flattened(keys.values);
  if (flat.empty() || flat.size() > 2)
    e.fail(ErrorCode::evaluation_error, *keys.node.left, fmt::format("String supports [] with one or two arguments. Got {}", flat.size()));
  int64_t from = string_index(e, keys, flat[0], 0);
  int64_t count = flat.size() == 2 ? string_index(e, keys, flat[1], 1) : 1;
  int64_t size = bytes ? static_cast<int64_t>(text.size()) : count_characters(text);
  // A single index before the start gives nothing; a slice is cut to the text.
  if (flat.size() == 1 && from + size < 0) return {};
  int64_t begin = 0, length = 0;
  if (!slice(size, from, count, begin, length)) return {};
  return substring(text, begin, length, bytes);
}

Value access_list(Evaluator& e, const Value& list, const Keys& keys) {
  auto items = list.items();
  std::vector<Value> flat = flattened(keys.values);
  if (flat.empty() || flat.size() > 2)
    e.fail(ErrorCode::evaluation_error, *keys.node.left, fmt::format("Array supports [] with one or two arguments. Got {}", flat.size()));
  auto size = static_cast<int64_t>(items.size());
  if (flat.size() == 1) {
    int64_t i = list_index(e, keys, flat[0], 0);
    if (i < 0) i += size;
    return i < 0 || i >= size ? Value::undef() : items[static_cast<size_t>(i)];
  }
  int64_t from = list_index(e, keys, flat[0], 0), count = list_index(e, keys, flat[1], 1);
  int64_t begin = 0, length = 0;
  if (!slice(size, from, count, begin, length)) return make_list(e.arena(), {});
  // The result shares the elements of the original list.
  return Value::of(e.arena().make<List>(List{static_cast<uint32_t>(length), items.data() + begin}));
}

Value access_hash(Evaluator& e, const Value& hash, const Keys& keys) {
  if (keys.values.empty()) e.fail(ErrorCode::evaluation_error, *keys.node.left, "Hash supports [] with one or more arguments. Got 0");
  if (keys.values.size() == 1) {
    const Value* v = hash.hash->find(keys.values[0]);
    return v ? *v : Value::undef();
  }
  ListBuilder out(e.arena(), keys.values.size());
  for (const Value& key : keys.values) {
    const Value* v = hash.hash->find(key);
    if (v != nullptr && !v->is_undef()) out.add(*v);
  }
  return out.finish();
}

std::string capitalised(std::string_view name) {
  std::string out(name);
  for (size_t i = 0; i < out.size(); ++i) {
    char& c = out[i];
    if (i == 0 && c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 32);
    else if (i > 0 && c >= 'A' && c <= 'Z')
      c = static_cast<char>(c + 32);
  }
  return out;
}

/// Parameters of a declared resource or an evaluated class: File['/x']['mode'], Class['a']['p', 'q'].
Value access_resource(Evaluator& e, const ResourceRef& ref, bool is_class, const Keys& keys) {
  if (keys.values.empty())
    e.fail(ErrorCode::evaluation_error, keys.node, fmt::format("{}[] accepts 1 or more arguments. Got 0", to_string(ref)));
  bool list = keys.values.size() > 1 || keys.values[0].is_list();
  std::vector<Value> names;
  for (const Value& v : flattened(keys.values))
    if (!v.is_undef()) names.push_back(v);
  if (names.empty()) return list ? make_list(e.arena(), {}) : Value::undef();
  std::string_view type = is_class ? std::string_view("Class") : ref.type;
  if (!e.catalog().resource_declared(type, ref.title))
    e.fail(ErrorCode::catalog_error, keys.node, fmt::format("Resource not found: {}['{}']", type, ref.title));
  std::vector<Value> values;
  for (const Value& name : names) {
    Value v;
    if (!name.is_string() || !e.catalog().resource_parameter(type, ref.title, name.str(), v))
      e.fail(ErrorCode::catalog_error, keys.node,
             fmt::format("The resource {}['{}'] does not have a parameter called '{}'", capitalised(type), ref.title, ruby_to_s(name)));
    values.push_back(v);
  }
  return list ? make_list(e.arena(), values) : values[0];
}

Value access_type(Evaluator& e, const Type* type, const Keys& keys) {
  ResourceRef ref;
  if ((type->kind == TypeKind::Resource || type->kind == TypeKind::Class) && type_to_ref(type, ref))
    return access_resource(e, ref, type->kind == TypeKind::Class, keys);
  try {
    return parameterize(e.types(), type, keys.values);
  } catch (TypeArgumentError& error) {
    const Node* blamed = &keys.node;
    if (error.key >= 0) blamed = &keys.blamed(static_cast<size_t>(error.key));
    if (error.key == -2) blamed = keys.node.left;
    e.fail(error.diagnostic.code, *blamed, std::move(error.diagnostic.message));
  } catch (CompileError& error) {
    e.place(error, keys.node);
    throw;
  }
}

} // namespace

Value EvaluatorImpl::access(Evaluator& e, const Access& node, Frame& frame) {
  Value left = e.evaluate(*node.left, frame);
  // The usual forms first: one string key of a hash, one index of a list.
  if (node.keys.size == 1) {
    if (left.is_hash()) {
      const Value* v = left.hash->find(e.evaluate(*node.keys[0], frame));
      return v ? *v : Value::undef();
    }
    if (left.is_list()) {
      Value key = e.evaluate(*node.keys[0], frame);
      if (key.is_int()) {
        auto size = static_cast<int64_t>(left.items().size());
        int64_t i = key.i < 0 ? key.i + size : key.i;
        return i < 0 || i >= size ? Value::undef() : left.items()[static_cast<size_t>(i)];
      }
      return access_list(e, left, Keys{{key}, node});
    }
  }
  Keys keys{{}, node};
  keys.values.reserve(node.keys.size);
  const Type* type = as_type(left);
  for (const Node* key : node.keys) {
    // In Class[Foo] only the name matters, whether or not such a type exists.
    if (type != nullptr && type->kind == TypeKind::Class && key->kind == NodeKind::Reference) {
      keys.values.push_back(class_reference_key(e, key->as<Reference>(), frame));
      continue;
    }
    keys.values.push_back(e.evaluate(*key, frame));
  }
  switch (left.kind) {
  case Kind::String: return Value::string(access_text(e, left.str(), keys, false));
  case Kind::Binary: return Value::binary(access_text(e, left.str(), keys, true));
  case Kind::List: return access_list(e, left, keys);
  case Kind::Hash: return access_hash(e, left, keys);
  case Kind::Type: return access_type(e, type, keys);
  case Kind::Ref: return access_resource(e, *left.ref, left.ref->type == "Class", keys);
  default: e.fail(ErrorCode::evaluation_error, *node.left, fmt::format("Operator '[]' is not applicable to {}.", a_an(label(left))));
  }
}

Value EvaluatorImpl::class_reference_key(Evaluator& e, const Reference& node, Frame&) {
  if (const Type* type = static_cast<TypeLoader&>(e.types()).named(node.cased, node.name)) return Value::type(type);
  // Puppet makes a type reference of an unknown name, and Class[] refuses it.
  e.fail(ErrorCode::invalid_type, node,
         fmt::format("Illegal Class name in class reference. {} cannot be used where a String is expected",
                     a_an_upper(fmt::format("TypeReference['{}']-Type", node.cased.str()))));
}

} // namespace pupc::compiler
