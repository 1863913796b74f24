#include "compiler/analysis/resources/made_titles.h"

#include "compiler/analysis/codebase/tree_queries.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr size_t most_texts = 500;

/// Adds the texts of a value: itself, the elements of an array, or with `keys` the keys of a hash. False: not a text.
bool add_texts(const Value& value, bool keys, std::set<std::string>& out) {
  if (value.is_undef()) return true;
  if (value.is_list() && !keys) {
    for (const Value& v : value.items())
      if (!add_texts(v, false, out)) return false;
    return true;
  }
  if (value.is_hash() && keys) {
    for (const HashEntry& e : value.hash->entries())
      if (!add_texts(e.key, false, out)) return false;
    return true;
  }
  const auto text = scalar_text(value);
  if (!text || keys) return false;
  out.insert(*text);
  return true;
}

/// The same of an expression that stands as a default in the code.
bool add_texts(const Node& n, bool keys, std::set<std::string>& out, int depth = 0) {
  if (depth > 8) return false;
  switch (n.kind) {
  case NodeKind::Literal: return add_texts(n.as<Literal>().value, keys, out);
  case NodeKind::Name: out.emplace(n.as<Name>().name.str()); return !keys;
  case NodeKind::ListLiteral:
    if (keys) return false;
    for (const Node* e : n.as<ListLiteral>().elements)
      if (!add_texts(*e, false, out, depth + 1)) return false;
    return true;
  case NodeKind::HashLiteral:
    for (const KeyedEntry& e : n.as<HashLiteral>().entries)
      if (!keys || !add_texts(*e.key, false, out, depth + 1)) return false;
    return true;
  default: return false;
  }
}

} // namespace

void GivenValues::give(Symbol owner, Symbol parameter, std::optional<MadeTexts> value) {
  Given& given = given_[{owner.id, parameter.id}];
  if (!value || given.values.size() > most_texts)
    given.anything = true;
  else
    given.values.push_back(std::move(*value));
}

PossibleTexts GivenValues::texts(const MadeTexts& made, CheckedCodebase& program, DataFiles& data) {
  PossibleTexts out;
  for (const std::vector<TitlePart>& row : made) {
    std::set<std::string> texts{""};
    for (const TitlePart& part : row) {
      PossibleTexts values;
      if (part.owner || part.lookup)
        values = values_of(part, program, data);
      else
        values.texts.insert(part.text);
      out.all = out.all && values.all && texts.size() * values.texts.size() <= most_texts;
      std::set<std::string> longer;
      for (const std::string& text : texts)
        for (const std::string& value : values.texts)
          if (longer.size() < most_texts) longer.insert(text + value);
      texts = std::move(longer);
    }
    out.texts.merge(texts);
  }
  return out;
}

PossibleTexts GivenValues::values_of(const TitlePart& part, CheckedCodebase& program, DataFiles& data) {
  const std::tuple key(part.lookup ? 0 : part.owner.id, part.parameter.id, part.keys);
  const auto [at, fresh] = known_.try_emplace(key, PossibleTexts{{}, false});
  if (!fresh) return at->second;
  return known_[key] = find_values(part, program, data);
}

PossibleTexts GivenValues::find_values(const TitlePart& part, CheckedCodebase& program, DataFiles& data) {
  PossibleTexts out;
  const auto add_data = [&](std::string_view key) {
    out.all = out.all && data.complete_for(key);
    for (const Value& v : data.values(key)) out.all = !is_made(v) && add_texts(v, part.keys, out.texts) && out.all;
  };
  if (part.lookup) {
    add_data(part.parameter.str());
    return out;
  }
  out.all = part.parameter == sym::title || !anything_.contains(part.owner.id); // attributes of a hash give no title
  const DefinitionEntry* entry = part.define ? program.find_define(part.owner) : program.find_class(part.owner);
  if (entry == nullptr) return {{}, false};
  if (part.parameter != sym::title) {
    const auto parameters = std::span(entry->definition->parameters.data, entry->definition->parameters.size);
    const auto p = std::ranges::find(parameters, part.parameter, &Parameter::name);
    if (p == parameters.end()) return {{}, false};
    if (!part.define) add_data(fmt::format("{}::{}", lower_name(part.owner), part.parameter.str()));
    if (p->default_value != nullptr) out.all = add_texts(*p->default_value, part.keys, out.texts) && out.all;
  }
  const auto given = given_.find({part.owner.id, part.parameter.id});
  if (given == given_.end()) return out;
  out.all = out.all && !given->second.anything && !part.keys; // keys of what is given are not kept
  for (const MadeTexts& made : given->second.values) {
    PossibleTexts more = texts(made, program, data);
    out.all = out.all && more.all && out.texts.size() <= most_texts;
    if (!part.keys) out.texts.merge(more.texts);
  }
  return out;
}

} // namespace pupc::compiler
