// Checks the attributes of resources and classes: unknown, missing, given twice, of the wrong type.
#include "catalog/base/text.h"

#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/schema/metaparameters.h"
#include "catalog/schema/resource_type.h"
#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// The parameter of the name, or null. Attributes often have the order of the parameters: `next` is where the parameter may be, and gets
/// the place behind what was found.
const Parameter* find_parameter(const Definition& d, Symbol name, uint32_t& next) {
  if (next >= d.parameters.size || d.parameters[next].name != name) {
    // A layout begins with the parameters.
    const int slot = slot_in(d.layout, name);
    if (slot < 0 || static_cast<uint32_t>(slot) >= d.parameters.size) return nullptr;
    next = static_cast<uint32_t>(slot);
  }
  return &d.parameters[next++];
}

bool is_undef(const Node* n) { return n->kind == NodeKind::Literal && n->as<Literal>().value.is_undef(); }

/// Whether a parameter's name suggests that its value is a secret.
bool secret_name(std::string_view name) {
  static constexpr std::string_view words[] = {"password", "passwd",     "secret",       "api_key",
                                               "apikey",   "auth_token", "access_token", "private_key"};
  static constexpr std::string_view harmless[] = {"file", "path", "command", "length",   "hash",   "manage", "type", "enable",
                                                  "_ttl", "age",  "policy",  "required", "ensure", "source", "dir"};
  if (name.empty()) return false;
  bool is = false;
  for (std::string_view w : words) is = is || (w.back() == name.back() && name.ends_with(w));
  for (std::string_view w : harmless) is = is && name.find(w) == std::string_view::npos;
  return is;
}

} // namespace

void Walker::check_resource(const ResourceExpr& r) {
  if (r.type_name->kind != NodeKind::Name) {
    // Resource['type'] { … } may declare anything.
    note_dynamic_title({}); // of any type
    return catalogs_.open(unit_);
  }
  const Symbol type_name = lower_symbol(r.type_name->as<Name>().name);
  if (type_name == sym::class_) {
    for (const ResourceBody& body : r.bodies) {
      const auto title = literal_name(body.title);
      note_declared(type_name, body.title);
      if (!title) {
        note_included_texts(body.title);
        continue;
      }
      note_given(lower_symbol(*title), body.operations);
      passed_.declare(lower_symbol(*title), body.operations, *file_);
      check_class_name(*body.title, *title);
      if (r.form() == ResourceForm::Regular) check_declared_again(*body.title, title->str());
      note_include(*body.title, *title, &body.operations);
      if (const DefinitionEntry* entry = program_.find_class(*title))
        check_operations(body.operations, entry, nullptr, "class", entry->definition->name.str());
      else
        check_operations(body.operations, nullptr, nullptr, "class");
    }
    return;
  }
  const std::string_view type = type_name.str();
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  note_use(type_name, define, check_resource_type(*r.type_name, type_name, define, native));
  const auto is_default = [](const ResourceBody& b) {
    return b.title->kind == NodeKind::Literal && b.title->as<Literal>().value.is(Kind::Default);
  };
  if (define != nullptr && r.form() == ResourceForm::Regular)
    check_recursion(*r.type_name, NodeKind::DefineDef, define->definition->name.str(), "declares one of");
  const bool has_default_body = std::any_of(r.bodies.begin(), r.bodies.end(), is_default);
  for (const ResourceBody& body : r.bodies) {
    if (body.title->kind == NodeKind::Literal && body.title->as<Literal>().value.is(Kind::Default)) {
      check_operations(body.operations, define, native, "resource type", type);
      if (define != nullptr) note_given(type_name, body.operations);
      if (native != nullptr) {
        check_values(body.operations, *native, type_name);
        note_defaulted(type_name, body.operations);
      }
      continue;
    }
    if (define != nullptr && program_.whole()) {
      note_given(type_name, body.operations);
      given_.give(type_name, sym::title, made_texts(body.title));
    }
    note_declared(type_name, body.title, false, &body.operations);
    if (r.form() == ResourceForm::Virtual && file_->asked && program_.whole())
      for (const Node* element : listed_elements(body.title))
        if (const auto title = literal_text(element))
          virtual_.push_back({numbers_.of(type_name, plain_title(type_name, *title)), source_, element->offset, element->length});
    if (program_.whole()) note_splat(body.operations, define, native, type);
    note_waits(r, body, type_name);
    check_title(*body.title);
    check_repeated_title(r, body, type_name);
    if (define != nullptr && r.form() == ResourceForm::Regular)
      if (const Symbol around = class_around()) define_places_.emplace(type_name.id, around.id);
    if (define != nullptr) {
      check_operations(body.operations, define, nullptr, "defined type", type);
      passed_.declare(type_name, body.operations, *file_);
      note_passed(body.operations, type_name, nullptr);
      if (!has_default_body) check_missing(body, *define, type);
    } else if (native != nullptr) {
      check_operations(body.operations, nullptr, native, "resource type", type);
      check_rules(body, *native, type_name);
      note_passed(body.operations, type_name, native);
    } else {
      check_operations(body.operations, nullptr, nullptr, type);
    }
  }
}

/// A title that is none: undef, the empty text, or no text.
void Walker::check_title(const Node& title) {
  if (title.kind == NodeKind::Name || title.kind == NodeKind::Interpolation) return;
  if (title.kind == NodeKind::ListLiteral) {
    std::unordered_set<Symbol> seen;
    for (const Node* element : title.as<ListLiteral>().elements) {
      check_title(*element);
      if (element->kind == NodeKind::Variable && element->as<Variable>().form() == Variable::Form::Simple &&
          !seen.insert(element->as<Variable>().base).second)
        report(CheckCode::duplicate_resource, *element, fmt::format("The title ${} stands twice", element->as<Variable>().base.str()));
    }
    return;
  }
  const StaticValue v = static_value(&title);
  constexpr KindSet no_titles = kinds::boolean | kinds::number | kinds::regexp | kinds::hash;
  if (v.kinds != 0 && (v.kinds & ~no_titles) == 0) report(CheckCode::attribute_value, title, "The title is no String");
  if (!v.known) return;
  if (v.value.is_undef()) report(CheckCode::attribute_value, title, "The title is undef");
  if (v.value.is_string() && v.value.str().empty()) report(CheckCode::attribute_value, title, "The title is an empty text");
}

/// Keys that a hash has for certain: by its type, and those of literal hashes that are added up.
std::vector<Symbol> Walker::keys_of_splat(const Node* n) {
  std::vector<Symbol> out;
  const auto add = [&](Symbol key) {
    if (std::ranges::find(out, key) == out.end()) out.push_back(key);
  };
  const auto visit = [&](auto&& self, const Node* part, int depth) -> void {
    part = known_hash(unparenthesised(part));
    if (part->kind == NodeKind::HashLiteral) {
      for (const KeyedEntry& e : part->as<HashLiteral>().entries)
        if (const auto key = literal_text(e.key); key && e.key->kind != NodeKind::Variable) add(intern(*key));
    } else if (part->kind == NodeKind::Arithmetic && part->as<Binary>().op() == BinaryOp::Add && depth < 8) {
      self(self, part->as<Binary>().left, depth + 1);
      self(self, part->as<Binary>().right, depth + 1);
    } else if (part->kind == NodeKind::Variable) {
      const Type* type = bare_type(declared_type(part));
      if (type == nullptr || type->kind != TypeKind::Struct) return;
      for (const StructElement& e : type_cast<StructType>(type).elements)
        if (!e.optional) add(intern(e.name));
    }
  };
  visit(visit, n, 0);
  return out;
}

/// The attributes with those of the hashes that stand behind `* =>`.
std::vector<AttributeOp> Walker::spread_operations(const Seq<AttributeOp>& operations) {
  std::vector<AttributeOp> out;
  for (const AttributeOp& op : operations) {
    if (op.kind != AttributeOpKind::Splat) {
      out.push_back(op);
      continue;
    }
    const Node* value = unparenthesised(op.value);
    if ((static_value(value).kinds & (kinds::hash | kinds::other | kinds::undef)) == 0)
      report(CheckCode::parameter_type, *value, "What stands behind * => is no Hash");
    value = known_hash(value);
    if (value->kind != NodeKind::HashLiteral) {
      for (const Symbol key : keys_of_splat(value)) // their values are not known: undef stands for any
        out.push_back({AttributeOpKind::Set, key, constant_node(*value, Value()), value->offset, value->length});
      continue;
    }
    for (const KeyedEntry& e : value->as<HashLiteral>().entries)
      if (const auto key = literal_text(e.key); key && e.key->kind != NodeKind::Variable)
        out.push_back({AttributeOpKind::Set, intern(*key), e.value, e.key->offset, e.key->length});
  }
  return out;
}

/// The resources of create_resources('type', { 'title' => { attributes } }), as far as their attributes stand there.
void Walker::check_created(const Node& resources, const DefinitionEntry* define, const ResourceTypeInfo* native, std::string_view type) {
  if (resources.kind != NodeKind::HashLiteral || (define == nullptr && native == nullptr)) return;
  for (const KeyedEntry& e : resources.as<HashLiteral>().entries) {
    if (e.value->kind != NodeKind::HashLiteral) continue;
    AttributeOp all{AttributeOpKind::Splat, {}, e.value, e.value->offset, e.value->length};
    check_operations({&all, 1}, define, native, define != nullptr ? "defined type" : "resource type", type);
  }
}

/// Every resource type refuses audit of what is no attribute.
void Walker::check_audit(const AttributeOp& op, const ResourceTypeInfo& native, std::string_view type) {
  const bool several = op.value->kind == NodeKind::ListLiteral;
  for (const Node* value : listed_elements(op.value)) {
    const StaticValue v = static_value(value);
    if (!v.known || !v.value.is_string()) continue;
    const std::string_view text = v.value.str();
    if ((several || text != "all") && !native.valid_attribute(intern(text)))
      refuse(*value, "audit", type, fmt::format("names '{}', which is no attribute of this type", text));
  }
}

/// A text in place of a reference: "Package[ntp]" does, as that is how a reference is written without quotes around the title.
void Walker::check_relationship_texts(const AttributeOp& op, std::string_view type) {
  for (const Node* value : listed_elements(op.value)) {
    if (value->kind == NodeKind::Variable) continue;
    const StaticValue v = static_value(value);
    if (!v.known || !v.value.is_string()) continue;
    const std::string_view text = v.value.str();
    const size_t open = text.find('[');
    if (!text.ends_with(']') || open == std::string_view::npos || open == 0) {
      refuse(*value, op.name.str(), type, fmt::format("cannot be '{}': it is no reference", text), "Write Type['title'].");
      continue;
    }
    const std::string_view title = text.substr(open + 1, text.size() - open - 2);
    if (title.size() > 2 && (title.front() == '\'' || title.front() == '"') && title.back() == title.front())
      refuse(*value, op.name.str(), type, fmt::format("is a text with quotes in the title: nothing is called {}", title),
             fmt::format("Write {}['{}'].", text.substr(0, open), title.substr(1, title.size() - 2)));
    else if (!title.empty())
      references_.push_back(reference(lower_symbol(text.substr(0, open)), title, *value));
  }
}

/// Parameters of a class or defined type that are named as what every resource takes. Puppet asks it when the definition is first used.
void Walker::check_parameter_names(const Definition& d) {
  for (const Parameter& p : d.parameters) {
    if (!is_metaparameter(p.name) || is_guard_metaparameter(p.name)) continue;
    const bool refused = p.default_value == nullptr;
    report_at(CheckCode::metaparameter_name, p.offset, p.length,
              fmt::format("The parameter '{}' has the name of a metaparameter, {}", p.name.str(),
                          refused ? "so nothing can use this definition" : "so its value goes to the resources inside, too"),
              "Choose another name.", refused ? Severity::Error : Severity::Warning);
  }
}

/// The @param lines of the comment above a definition.
void Walker::check_documentation(const Definition& d) {
  const std::string_view text = source_->text();
  if (text.substr(0, d.offset).find("@param ") == std::string_view::npos) return; // most have none
  size_t end = text.find_last_not_of(" \t\r\n", d.offset == 0 ? 0 : d.offset - 1);
  if (d.offset == 0 || end == std::string_view::npos) return;
  end = text.find('\n', end);
  std::vector<std::string_view> names;
  while (end != std::string_view::npos && end > 0) {
    const size_t before = text.rfind('\n', end - 1), begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    if (!line.starts_with('#')) break;
    end = before;
    std::string_view rest = trimmed(line.substr(1));
    if (!rest.starts_with("@param ")) continue;
    rest = trimmed(rest.substr(7));
    // Types may stand there: @param [Integer] port.
    if (rest.starts_with('[')) rest = trimmed(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
    const std::string_view name = rest.substr(0, rest.find_first_of(" \t[:,."));
    if (name.empty() || name == "name" || name == "title" || !std::islower(static_cast<unsigned char>(name[0])) ||
        std::ranges::any_of(d.parameters, [&](const Parameter& p) { return p.name.str() == name; }))
      continue;
    if (names.empty())
      for (const Parameter& p : d.parameters) names.push_back(p.name.str());
    const std::string suggestion = did_you_mean(name, names);
    const auto at = static_cast<uint32_t>(name.data() - text.data());
    report_at(CheckCode::documented_parameter, at, static_cast<uint32_t>(name.size()),
              fmt::format("'{}' has no parameter '{}'", d.name.str(), name), suggestion,
              suggestion.empty() ? std::optional(Severity::Hint) : std::nullopt);
  }
}

/// A tag that Puppet refuses: it has letters, digits and _ : . - only, and begins with one of the first three.
void Walker::check_tag(const Node* value) {
  if (value->kind == NodeKind::ListLiteral) {
    for (const Node* element : value->as<ListLiteral>().elements) check_tag(element);
    return;
  }
  const auto text = literal_text(value);
  if (!text || text->empty() || text->find_first_of(" \t,;/") == std::string::npos) return;
  report(CheckCode::attribute_value, *value, fmt::format("'{}' is no tag", *text), "A tag has letters, digits and _ : . - only.");
}

/// Without a definition (`entry`) and a native type it checks only what holds for all resources.
void Walker::check_operations(const Seq<AttributeOp>& operations, const DefinitionEntry* entry, const ResourceTypeInfo* native,
                              std::string_view what, std::string_view name) {
  auto label = [&] { return name.empty() ? std::string(what) : fmt::format("{} '{}'", what, name); };
  if (has_splat(operations)) {
    std::vector<AttributeOp> all = spread_operations(operations);
    return check_operations({all.data(), static_cast<uint32_t>(all.size())}, entry, native, what, name);
  }
  attributes_.begin();
  uint32_t next = 0;
  for (const AttributeOp& op : operations) {
    if (op.name == sym::schedule || (op.name == sym::stage && what == "class")) note_named_resource(op);
    if (op.name == sym::tag) check_tag(op.value);
    if (op.name == sym::loglevel && native == nullptr) check_loglevel(op, name);
    if (attributes_.again(op.name))
      report_at(CheckCode::repeated_attribute, op.offset, op.length, fmt::format("The attribute '{}' is given twice", op.name.str()));
    if (native != nullptr && !native->valid_attribute(op.name)) {
      const auto [suggestion, fresh] = parameter_suggestions_.try_emplace({native, op.name.id});
      if (fresh) {
        std::vector<std::string_view> names;
        for (const auto& a : native->attributes()) names.push_back(a.name.str());
        for (Symbol s : metaparameters()) names.push_back(s.str());
        suggestion->second = did_you_mean(op.name.str(), names);
      }
      report_at(CheckCode::no_such_parameter, op.offset, op.length, fmt::format("The {} has no attribute '{}'", label(), op.name.str()),
                suggestion->second);
      continue;
    }
    if (native != nullptr && op.name == sym::audit) check_audit(op, *native, name);
    if (is_relationship(op.name)) check_relationship_texts(op, name);
    if (entry == nullptr) continue;
    const Parameter* parameter = find_parameter(*entry->definition, op.name, next);
    if (parameter == nullptr) {
      if (is_metaparameter(op.name) || op.name == sym::name) continue;
      auto [suggestion, fresh] = parameter_suggestions_.try_emplace({entry->definition, op.name.id});
      if (fresh) {
        std::vector<std::string_view> names;
        for (const Parameter& p : entry->definition->parameters) names.push_back(p.name.str());
        suggestion->second = did_you_mean(op.name.str(), names);
      }
      report_at(CheckCode::no_such_parameter, op.offset, op.length, fmt::format("The {} has no parameter '{}'", label(), op.name.str()),
                suggestion->second);
      continue;
    }
    check_secret(op, *parameter, *entry->file->source);
    if (is_undef(op.value)) continue; // undef means: not given
    // Nothing but a `source` takes such an address, so the parameter ends there.
    if (op.value->kind == NodeKind::Literal || op.value->kind == NodeKind::ListLiteral) check_source(op.value, Severity::Warning);
    check_template_text(op.value);
    const Type* type = program_.type_of(*parameter, *entry->file->source);
    if (type == nullptr) continue;
    std::string why;
    const auto told = [&](const Node& at) {
      report(CheckCode::parameter_type, at, fmt::format("Parameter '{}' of {} {}", op.name.str(), label(), why));
    };
    std::set<std::string> texts, taken;
    const Node* value = unparenthesised(op.value);
    if (rejects(type, op.value, why))
      told(*op.value);
    else if (value->kind == NodeKind::Variable && !is_narrowed(value->as<Variable>()) && !is_compared(value->as<Variable>()) &&
             enum_texts(declared_type(value), texts) && std::ranges::any_of(texts, [&](const std::string& text) {
               why = text;
               return enum_texts(type, taken) && !taken.empty() && !taken.contains(text);
             }))
      report(CheckCode::parameter_type, *op.value,
             fmt::format("Parameter '{}' of {} cannot be '{}', as this may be by its type", op.name.str(), label(), why), {},
             Severity::Warning);
    else
      for (const Node* choice : choices_of(op.value))
        if (!is_undef(choice) && rejects(type, choice, why)) told(*choice);
  }
}

void Walker::check_missing(const ResourceBody& body, const DefinitionEntry& entry, std::string_view label) {
  if (has_splat(body.operations)) return;
  std::string missing;
  std::vector<Symbol> names;
  for (const Parameter& p : entry.definition->parameters) {
    if (p.default_value != nullptr) continue;
    // Even one that takes undef has to be given, if only as undef.
    const bool given = std::any_of(body.operations.begin(), body.operations.end(),
                                   [&](const AttributeOp& op) { return op.name == p.name; });
    if (given) continue;
    missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", p.name.str());
    names.push_back(p.name);
  }
  if (names.empty()) return;
  missing_.push_back({lower_name(label), source_, body.title->offset, body.title->length,
                      fmt::format("The defined type '{}' needs the parameter{} {}", label, names.size() == 1 ? "" : "s", missing),
                      std::move(names)});
}

/// Reports missing parameters after all files are walked: resource defaults and collectors in any file may supply the values.
void Walker::report_missing() {
  for (MissingParameters& m : missing_) {
    const Symbol type = lower_symbol(m.type);
    if (std::ranges::any_of(m.names, [&](Symbol name) { return defaulted(type, name); })) continue;
    findings_.add(m.code, *m.source, m.offset, m.length, std::move(m.message), std::move(m.suggestion), m.severity);
  }
}

/// Resource defaults or a collector set attributes of a type.
void Walker::note_defaulted(Symbol type, const Seq<AttributeOp>& operations) {
  for (const AttributeOp& op : operations) {
    defaulted_.emplace(type.id, op.kind == AttributeOpKind::Splat ? 0 : op.name.id);
    if (type != sym::exec || (op.kind != AttributeOpKind::Splat && op.name != sym::path)) continue;
    exec_paths_.insert(source_);
    // Defaults reach what is included from their scope: those of another's module never reach code that is checked.
    const bool top = body_ == nullptr || body_->kind == Body::Kind::Top;
    exec_path_everywhere_ = exec_path_everywhere_ || top;
    exec_path_ = exec_path_ || file_->asked || top || body_->definition == nullptr;
  }
}

/// Whether some of these may set the attribute.
bool Walker::defaulted(Symbol type, Symbol attribute) const {
  return defaulted_.contains({type.id, attribute.id}) || defaulted_.contains({type.id, 0});
}

void Walker::check_defaults(const ResourceDefaults& d) {
  if (d.type_ref->kind != NodeKind::Reference) return;
  const Symbol type_name = lower_symbol(d.type_ref->as<Reference>().name);
  const std::string_view type = type_name.str();
  note_defaulted(type_name, d.operations);
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  find_type(type_name, define, native);
  if (define != nullptr) note_given(type_name, d.operations);
  check_operations(d.operations, define, native, define != nullptr ? "defined type" : "resource type", type);
  if (native != nullptr) check_values(d.operations, *native, type_name);
}

void Walker::check_override(const ResourceOverride& o) {
  if (o.resources->kind != NodeKind::Access || o.resources->as<Access>().left->kind != NodeKind::Reference) return;
  const Symbol type_name = lower_symbol(o.resources->as<Access>().left->as<Reference>().name);
  const std::string_view type = type_name.str();
  if (type_name == sym::class_ || type == "resource") return;
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  find_type(type_name, define, native);
  if (define != nullptr) note_given(type_name, o.operations);
  check_operations(o.operations, define, native, define != nullptr ? "defined type" : "resource type", type);
  if (native != nullptr) check_values(o.operations, *native, type_name);
  for (const Node* key : o.resources->as<Access>().keys)
    for (const Node* element : listed_elements(key))
      if (const auto title = element->kind == NodeKind::Variable ? std::nullopt : text_pattern(element); title && *title != "\1") {
        ResourceReference r = reference(type_name, program_.arena().copy(*title), *element);
        r.pattern = title->find('\1') != std::string::npos;
        r.is_override = true;
        r.overrides = body_ != nullptr ? body_->definition : nullptr;
        r.operations = &o.operations;
        references_.push_back(r);
      }
}

/// The attributes that a query asks for: with a name that the type does not have, it finds nothing.
void Walker::check_query(const Node* query, const DefinitionEntry* define, const ResourceTypeInfo* native, std::string_view type) {
  if (query->kind == NodeKind::Parenthesized) return check_query(query->as<Unary>().operand, define, native, type);
  if (query->kind == NodeKind::And || query->kind == NodeKind::Or) {
    check_query(query->as<Binary>().left, define, native, type);
    return check_query(query->as<Binary>().right, define, native, type);
  }
  if (query->kind != NodeKind::Comparison || query->as<Binary>().left->kind != NodeKind::Name) return;
  const Name& attribute = query->as<Binary>().left->as<Name>();
  if (is_metaparameter(attribute.name) || attribute.name == sym::title || attribute.name == sym::name || attribute.name == sym::tag) return;
  uint32_t first = 0;
  if (native != nullptr ? native->valid_attribute(attribute.name) : find_parameter(*define->definition, attribute.name, first) != nullptr)
    return;
  std::vector<std::string_view> names;
  if (native != nullptr)
    for (const auto& a : native->attributes()) names.push_back(a.name.str());
  else
    for (const Parameter& p : define->definition->parameters) names.push_back(p.name.str());
  report(CheckCode::no_such_parameter, attribute,
         fmt::format("'{}' has no attribute '{}': the query finds nothing", type, attribute.name.str()),
         did_you_mean(attribute.name.str(), names), Severity::Warning);
}

/// Reports a secret that stands in clear text in the code, for a parameter that does not hide its value.
void Walker::check_secret(const AttributeOp& op, const Parameter& parameter, const SourceFile& source) {
  if (!secret_names_.ask(op.name, [&] { return secret_name(op.name.str()); })) return;
  const StaticValue value = static_value(op.value);
  if (!value.known || !value.value.is_string() || value.value.str().empty()) return;
  if (parameter.type != nullptr && (accepted_kinds(program_.type_of(parameter, source)) & kinds::string) == 0) return;
  report(CheckCode::clear_text_secret, *op.value, fmt::format("The value of '{}' is a secret in clear text", op.name.str()),
         "Keep it in encrypted data and pass it as Sensitive.");
}

} // namespace pupc::compiler
