// What expressions may give, as far as parameters and data tell it.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr size_t most_rows = 32;

} // namespace

/// The texts that an expression may give, an array being its elements; with `keys` the keys of the hash that it gives.
std::optional<MadeTexts> Walker::made_texts(const Node* n, bool keys, int depth) {
  n = unparenthesised(n);
  if (n == nullptr || depth > 6) return std::nullopt;
  MadeTexts out;
  const auto add_all = [&](const Node* part, bool of_keys) {
    auto made = made_texts(part, of_keys, depth + 1);
    if (!made || out.size() + made->size() > most_rows) return false;
    std::move(made->begin(), made->end(), std::back_inserter(out));
    return true;
  };
  switch (n->kind) {
  case NodeKind::Literal: {
    const Value& v = n->as<Literal>().value;
    if (v.is_undef()) return out;
    const auto text = scalar_text(v);
    if (!text || keys) return std::nullopt;
    out.push_back({{*text, {}, {}}});
    return out;
  }
  case NodeKind::Name:
    if (keys) return std::nullopt;
    out.push_back({{std::string(n->as<Name>().name.str()), {}, {}}});
    return out;
  case NodeKind::ListLiteral:
    if (keys) return std::nullopt;
    for (const Node* element : n->as<ListLiteral>().elements)
      if (element->kind == NodeKind::Unfold || !add_all(element, false)) return std::nullopt;
    return out;
  case NodeKind::HashLiteral:
    if (!keys) return std::nullopt;
    for (const KeyedEntry& e : n->as<HashLiteral>().entries)
      if (!add_all(e.key, false)) return std::nullopt;
    return out;
  case NodeKind::Interpolation: {
    if (keys) return std::nullopt;
    out.emplace_back();
    for (const Node* part : n->as<Interpolation>().parts) {
      const auto made = made_texts(part, false, depth + 1);
      if (!made || made->size() != 1) return std::nullopt;
      out.back().insert(out.back().end(), made->front().begin(), made->front().end());
    }
    return out;
  }
  case NodeKind::Selector:
    for (const SelectorEntry& e : n->as<Selector>().entries)
      if (!add_all(e.value, keys)) return std::nullopt;
    return out;
  case NodeKind::Access: { // an element of a hash that stands in the code
    const Access& a = n->as<Access>();
    const Node* hash = known_hash(a.left);
    if (keys || hash->kind != NodeKind::HashLiteral || a.keys.size != 1) break;
    const auto key = literal_text(a.keys[0]);
    for (const KeyedEntry& e : hash->as<HashLiteral>().entries) {
      const auto own = literal_text(e.key);
      if ((!key || !own || *key == *own) && !add_all(e.value, false)) return std::nullopt;
    }
    return out;
  }
  case NodeKind::Variable: return made_variable(n->as<Variable>(), keys, depth);
  case NodeKind::Call:
  case NodeKind::MethodCall: {
    const Node* functor = n->kind == NodeKind::Call ? n->as<Call>().functor : n->as<MethodCall>().name;
    if (functor->kind != NodeKind::Name) return std::nullopt;
    const std::string_view function = functor->as<Name>().name.str();
    if (function == "map" && !keys) return made_elements(*n, depth);
    if (one_of("unique|sort", function)) { // they have the elements of what is given
      const bool method = n->kind == NodeKind::MethodCall;
      const auto& arguments = method ? n->as<MethodCall>().arguments : n->as<Call>().arguments;
      const Lambda* lambda = method ? n->as<MethodCall>().lambda : n->as<Call>().lambda;
      if (lambda != nullptr || keys || arguments.size != (method ? 0U : 1U)) return std::nullopt;
      return made_texts(method ? n->as<MethodCall>().receiver : arguments[0], false, depth + 1);
    }
    if (n->kind == NodeKind::Call && function == "lookup" && n->as<Call>().arguments.size > 0 && n->as<Call>().lambda == nullptr)
      return made_lookup(n->as<Call>().arguments, keys, depth);
    break;
  }
  default: break;
  }
  const StaticValue v = static_value(n);
  if (!v.known || keys) return std::nullopt;
  if (v.value.is_undef()) return out;
  const auto elements = v.value.is_list() ? std::vector<Value>(v.value.items().begin(), v.value.items().end())
                                          : std::vector<Value>{v.value};
  for (const Value& element : elements) {
    const auto text = scalar_text(element);
    if (!text) return std::nullopt;
    out.push_back({{*text, {}, {}}});
  }
  return out.size() > most_rows ? std::nullopt : std::optional(std::move(out));
}

/// lookup('key'): what data has for it, or the default that is given.
std::optional<MadeTexts> Walker::made_lookup(const Seq<Node*>& arguments, bool keys, int depth) {
  const auto key = literal_text(arguments[0]);
  if (!key || key->find('.') != std::string_view::npos) return std::nullopt;
  TitlePart part;
  part.parameter = intern(*key);
  part.lookup = true;
  part.keys = keys;
  MadeTexts out;
  out.push_back({part});
  for (const Node* argument : std::span(arguments.data, arguments.size).subspan(1))
    if (argument->kind == NodeKind::HashLiteral) return std::nullopt; // options may have a default
  if (arguments.size <= 3) return out;
  auto given = made_texts(arguments[3], keys, depth + 1);
  if (!given || out.size() + given->size() > most_rows) return std::nullopt;
  std::move(given->begin(), given->end(), std::back_inserter(out));
  return out;
}

/// $names.map |$name| { "profile::${name}" }
std::optional<MadeTexts> Walker::made_elements(const Node& call, int depth) {
  const bool method = call.kind == NodeKind::MethodCall;
  const Lambda* lambda = method ? call.as<MethodCall>().lambda : call.as<Call>().lambda;
  const Node* iterated = method ? call.as<MethodCall>().receiver : nullptr;
  if (!method && call.as<Call>().arguments.size == 1) iterated = call.as<Call>().arguments[0];
  if (lambda == nullptr || iterated == nullptr || lambda->parameters.size != 1 || lambda->body == nullptr ||
      lambda->body->statements.size != 1 || lambda->body->statements[0]->kind != NodeKind::Interpolation)
    return std::nullopt;
  const auto rows = made_texts(iterated, false, depth + 1);
  if (!rows) return std::nullopt;
  MadeTexts out;
  for (const auto& row : *rows) {
    out.emplace_back();
    for (const Node* part : lambda->body->statements[0]->as<Interpolation>().parts) {
      if (part->kind == NodeKind::Literal && part->as<Literal>().value.is_string())
        out.back().push_back({std::string(part->as<Literal>().value.str()), {}, {}});
      else if (part->kind == NodeKind::Variable && part->as<Variable>().base == lambda->parameters[0].name)
        out.back().insert(out.back().end(), row.begin(), row.end());
      else
        return std::nullopt;
    }
  }
  return out;
}

std::optional<MadeTexts> Walker::made_variable(const Variable& v, bool keys, int depth) {
  const auto of_parameter = [&](Symbol owner, Symbol parameter, bool define) {
    TitlePart part;
    part.owner = owner;
    part.parameter = parameter;
    part.define = define;
    part.keys = keys;
    return MadeTexts{{part}};
  };
  if (v.form() == Variable::Form::Qualified) {
    const DefinitionEntry* entry = v.scope ? program_.find_class(v.scope) : nullptr;
    if (entry == nullptr) return std::nullopt;
    const Definition& d = *entry->definition;
    const bool parameter = std::ranges::any_of(d.parameters, [&](const Parameter& p) { return p.name == v.base; });
    return parameter ? std::optional(of_parameter(lower_symbol(d.name), v.base, false)) : std::nullopt;
  }
  if (v.form() != Variable::Form::Simple || body_ == nullptr) return std::nullopt;
  for (Body* body = body_; body != nullptr; body = body->outer) {
    const int slot = body->slot_of(v);
    const bool title = body->kind == Body::Kind::Define && (v.base == sym::title || v.base == sym::name);
    if (slot < 0 && !title) continue;
    const bool parameter = slot >= 0 && static_cast<size_t>(slot) < body->parameters.size();
    if (body->kind == Body::Kind::Lambda && parameter) {
      // The element, or the key, of what is iterated.
      const size_t count = body->parameters.size();
      if (body->iterated == nullptr || slot != 0 || keys || count > 2) return std::nullopt;
      Body* const here = std::exchange(body_, body->outer);
      auto made = made_texts(body->iterated, count == 2, depth + 1);
      body_ = here;
      return made;
    }
    if ((body->kind == Body::Kind::Class || body->kind == Body::Kind::Define) && body->definition != nullptr && (parameter || title))
      return of_parameter(lower_symbol(body->definition->name), title && !parameter ? sym::title : v.base,
                          body->kind == Body::Kind::Define);
    if (slot < 0) return std::nullopt;
    MadeTexts out;
    const auto assignments = assignments_of(*body, static_cast<size_t>(slot));
    if (assignments.empty()) return std::nullopt;
    Body* const here = std::exchange(body_, body);
    bool all = true;
    for (const auto& [_, assignment] : assignments) {
      auto made = assignment->left->kind == NodeKind::Variable ? made_texts(assignment->right, keys, depth + 1) : std::nullopt;
      all = all && made && out.size() + made->size() <= most_rows;
      if (!all) break;
      std::move(made->begin(), made->end(), std::back_inserter(out));
    }
    body_ = here;
    return all ? std::optional(std::move(out)) : std::nullopt;
  }
  return std::nullopt;
}

/// What a declaration gives to the parameters of a class or defined type.
void Walker::note_given(Symbol owner, const Seq<AttributeOp>& operations) {
  if (!program_.whole()) return;
  for (const AttributeOp& op : operations) {
    if (op.kind == AttributeOpKind::Splat)
      given_.give_anything(owner);
    else
      given_.give(owner, op.name, op.kind == AttributeOpKind::Set ? made_texts(op.value) : std::nullopt);
  }
}

/// Attributes that always get a parameter of the body as it is.
void Walker::note_passed(const Seq<AttributeOp>& operations, Symbol type, const ResourceTypeInfo* native) {
  if (!always() || body_ == nullptr || (body_->kind != Body::Kind::Class && body_->kind != Body::Kind::Define)) return;
  for (const AttributeOp& op : operations)
    if (op.kind == AttributeOpKind::Set && op.value->kind == NodeKind::Variable && op.value->as<Variable>().up == 0)
      if (const Parameter* p = body_->parameter_of(op.value->as<Variable>()))
        passed_.pass(lower_symbol(body_->definition->name), p->name, {type, op.name, native});
}

/// What stands in a declaration of a class or defined type, as the value of the attributes that it is handed on to.
void Walker::check_passed_values() {
  for (const PassedValues::Declaration& d : passed_.declarations()) {
    if (!passed_.passes(d.owner)) continue;
    file_ = d.file;
    source_ = d.file->parsed->source.get();
    module_ = d.file->module;
    body_ = nullptr;
    for (const AttributeOp& op : *d.operations) {
      if (op.kind != AttributeOpKind::Set || (op.value->kind != NodeKind::Literal && op.value->kind != NodeKind::Name)) continue;
      AttributeOp passed = op;
      for (const PassedValues::Attribute& to : passed_.reached(d.owner, op.name)) {
        passed.name = to.name;
        check_values({&passed, 1}, *to.native, to.type);
      }
    }
  }
}

/// Resources whose titles and attributes are a hash of the data. `source`: the expression that gives it, which may have more in it;
/// `beside`: what the code gives them, too.
void Walker::note_data_resources(const Node& source, const std::optional<MadeTexts>& titles, const DefinitionEntry* define,
                                 const ResourceTypeInfo* native, std::string_view type, const LookupKeys::Beside& beside) {
  if (!titles || (define == nullptr && native == nullptr)) return;
  for (const auto& row : *titles) {
    if (row.size() != 1 || !row[0].keys || row[0].define || (!row[0].lookup && !row[0].owner)) continue;
    const std::string parameter(row[0].parameter.str());
    lookups_.resources.push_back({row[0].lookup ? parameter : fmt::format("{}::{}", lower_name(row[0].owner), parameter), define, native,
                                  std::string(type), beside});
    const bool as_it_is = source.kind == NodeKind::Variable && source.as<Variable>().base == row[0].parameter;
    if (!as_it_is) lookups_.resources.back().beside.others = true;
  }
}

/// What resource defaults and collectors give to resources of the data.
void Walker::finish_data_resources() {
  for (LookupKeys::Resources& r : lookups_.resources)
    if (r.define != nullptr)
      for (const Parameter& p : r.define->definition->parameters)
        if (p.default_value == nullptr && defaulted(lower_symbol(r.type), p.name)) r.beside.names.push_back(p.name);
}

/// `type { $title: * => $attributes }` in a block that gets both of a hash. What is added to the hash wins over what is in it.
void Walker::note_splat(const Seq<AttributeOp>& operations, const DefinitionEntry* define, const ResourceTypeInfo* native,
                        std::string_view type) {
  if (body_ == nullptr || body_->kind != Body::Kind::Lambda || body_->iterated == nullptr || body_->parameters.size() != 2) return;
  const auto is_element = [&](const Node* n) {
    return n->kind == NodeKind::Variable && n->as<Variable>().base == body_->parameters[1].name;
  };
  LookupKeys::Beside beside;
  const Node* element = nullptr;
  for (const AttributeOp& op : operations) {
    if (op.kind != AttributeOpKind::Splat) {
      beside.names.push_back(op.name);
      continue;
    }
    const Node* value = unparenthesised(op.value);
    const Node* added = nullptr;
    if (value->kind == NodeKind::Arithmetic && value->as<Binary>().op() == BinaryOp::Add) {
      const Node *left = unparenthesised(value->as<Binary>().left), *right = unparenthesised(value->as<Binary>().right);
      beside.win = is_element(left);
      added = beside.win ? right : left;
      value = beside.win ? left : right;
    }
    if (element != nullptr || !is_element(value) || (added != nullptr && !note_beside(*added, beside) && beside.win)) return;
    element = value;
  }
  if (element == nullptr) return;
  Body* const here = std::exchange(body_, body_->outer);
  note_data_resources(*here->iterated, made_texts(here->iterated, true), define, native, type, beside);
  body_ = here;
}

/// Adds the keys of a hash that stands in the code. Returns false, and says that there are others, for any other expression.
bool Walker::note_beside(const Node& given, LookupKeys::Beside& beside) {
  const Node& hash = *known_hash(unparenthesised(&given));
  beside.others = beside.others || hash.kind != NodeKind::HashLiteral;
  if (hash.kind != NodeKind::HashLiteral) return false;
  for (const KeyedEntry& e : hash.as<HashLiteral>().entries) {
    const auto key = literal_text(e.key);
    if (key)
      beside.names.push_back(intern(*key));
    else
      beside.others = true;
  }
  return !beside.others;
}

} // namespace pupc::compiler
