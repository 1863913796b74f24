// Whether a value of the data is an instance of a type, part by part, so that a finding stands where the wrong part is.
#include "compiler/analysis/data/data_files.h"

#include "catalog/base/text.h"
#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"
#include "compiler/types/mismatch.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether some text is an instance of the type.
bool takes_texts(const Type* type, int depth = 0) {
  type = without_aliases(type);
  if (type == nullptr || depth > 12) return true;
  switch (type->kind) {
  case TypeKind::Undef:
  case TypeKind::Default:
  case TypeKind::Integer:
  case TypeKind::Float:
  case TypeKind::Numeric:
  case TypeKind::Boolean:
  case TypeKind::Array:
  case TypeKind::Tuple:
  case TypeKind::Hash:
  case TypeKind::Struct:
  case TypeKind::Collection:
  case TypeKind::Regexp:
  case TypeKind::Sensitive: return false;
  case TypeKind::Optional:
  case TypeKind::NotUndef:
    return type_cast<WrapperType>(type).inner == nullptr || takes_texts(type_cast<WrapperType>(type).inner, depth + 1);
  case TypeKind::Variant:
    return std::ranges::any_of(type_cast<VariantType>(type).types, [&](const Type* t) { return takes_texts(t, depth + 1); });
  default: return true;
  }
}

class Comparison {
public:
  Comparison(CheckedCodebase& program, bool in_part, std::string_view knockout)
      : program_(program), in_part_(in_part), knockout_(knockout) {}

  Mismatch compare(const Type* type, const Value& value, int depth = 0) {
    const Type* plain = without_aliases(type);
    if (plain == nullptr || depth > 24 || ++steps_ > 100000) return {};
    switch (plain->kind) {
    case TypeKind::Optional:
    case TypeKind::NotUndef: {
      const Type* inner = type_cast<WrapperType>(plain).inner;
      if (value.is_undef() && plain->kind == TypeKind::Optional) return {};
      return inner == nullptr ? Mismatch{} : compare(inner, value, depth + 1);
    }
    case TypeKind::Variant: return variant(plain, value, depth);
    default: break;
    }
    if (value.is_string() && !knockout_.empty() && value.str().starts_with(knockout_)) return {}; // takes another value out
    if (value.is_string() && is_made(value)) {
      // What looks another key up as it is may be anything, an encrypted text anything that a plugin makes.
      const bool text = value.str().find("%{") != std::string_view::npos && value.str().find("alias(") == std::string_view::npos;
      return !text || takes_texts(plain) ? Mismatch{} : Mismatch{{}, fmt::format("expects {}, got String", brief_text(type))};
    }
    Mismatch found;
    if (plain->kind == TypeKind::Array && value.is_list()) {
      size_t number = 0;
      for (const Value& element : value.items()) {
        found = below(std::to_string(number++), compare(type_cast<ArrayType>(plain).element, element, depth + 1));
        if (!found.why.empty()) return found;
      }
    } else if (plain->kind == TypeKind::Hash && value.is_hash()) {
      for (const HashEntry& e : value.hash->entries()) {
        const std::string key = e.key.is_string() ? std::string(e.key.str()) : e.key.is_int() ? std::to_string(e.key.i) : std::string();
        found = below(key, compare(type_cast<HashType>(plain).key, e.key, depth + 1));
        if (!found.why.empty()) found.why = "has a key that " + found.why;
        if (found.why.empty()) found = below(key, compare(type_cast<HashType>(plain).value, e.value, depth + 1));
        if (!found.why.empty()) return found;
      }
    } else if (plain->kind == TypeKind::Struct && value.is_hash()) {
      found = structure(type_cast<StructType>(plain), value, depth);
      if (!found.why.empty()) return found;
    } else {
      return whole(type, value);
    }
    return in_part_ || is_made(value) ? Mismatch{} : whole(type, value); // sizes, and what a part alone does not tell
  }

  Mismatch whole(const Type* type, const Value& value) {
    if (is_made(value) || is_instance(program_.types(), type, value)) return {};
    std::string why;
    try {
      why = describe_briefly(program_.types(), type, value);
    } catch (const CompileError&) { why = fmt::format("expects a value of type {}", brief_text(type)); }
    return {{}, std::string(trimmed(why))};
  }

private:
  static Mismatch below(std::string part, Mismatch found) {
    if (!found.why.empty()) found.path.insert(found.path.begin(), std::move(part));
    return found;
  }

  Mismatch structure(const StructType& type, const Value& value, int depth) {
    for (const HashEntry& e : value.hash->entries()) {
      if (!e.key.is_string() || is_made(e.key)) continue;
      const std::string key(e.key.str());
      const StructElement* element = type.find(key);
      if (element == nullptr) {
        std::vector<std::string_view> names;
        for (const StructElement& known : type.elements) names.push_back(known.name);
        return {{key}, fmt::format("has the key '{}', which is none of the type's. {}", key, did_you_mean(key, names))};
      }
      Mismatch found = below(key, compare(element->value, e.value, depth + 1));
      if (!found.why.empty()) return found;
    }
    if (in_part_) return {};
    for (const StructElement& element : type.elements)
      if (!element.optional && value.hash->find(element.name) == nullptr) return {{}, fmt::format("lacks the key '{}'", element.name)};
    return {};
  }

  Mismatch variant(const Type* type, const Value& value, int depth) {
    Mismatch near;
    int of_the_kind = 0;
    for (const Type* t : type_cast<VariantType>(type).types) {
      Mismatch found = compare(t, value, depth + 1);
      if (found.why.empty()) return {};
      if (!found.path.empty()) {
        near = std::move(found);
        ++of_the_kind;
      }
    }
    if (of_the_kind == 1) return near;
    return {{}, is_made(value) ? fmt::format("expects {}", brief_text(type)) : whole(type, value).why};
  }

  CheckedCodebase& program_;
  bool in_part_;
  std::string_view knockout_;
  uint32_t steps_ = 0;
};

} // namespace

Mismatch mismatch(CheckedCodebase& program, const Type& type, const Value& value, bool in_part, std::string_view knockout) {
  Comparison comparison(program, in_part, knockout);
  Mismatch found = comparison.compare(&type, value);
  // Puppet's own words say the most, and name the part.
  if (!found.why.empty() && !in_part)
    if (Mismatch all = comparison.whole(&type, value); !all.why.empty()) found.why = std::move(all.why);
  while (!found.why.empty() && found.why.back() == ' ') found.why.pop_back();
  return found;
}

} // namespace pupc::compiler
