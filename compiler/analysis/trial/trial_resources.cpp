// Resources that the code declares, with what is known of their attributes.
#include "compiler/analysis/trial/trial.h"

#include "catalog/schema/metaparameters.h"
#include "catalog/schema/public_types.h"
#include "catalog/schema/resource_type.h"
#include "compiler/analysis/resources/title_patterns.h"

#include <fmt/format.h>

namespace pupc::compiler {

void Trial::fail(const Node& at, CheckCode code, std::string message) {
  unit_->failures.push_back({code, source_, at.offset, at.length, std::move(message), maybe_ > 0});
}

void Trial::add_attribute(Attributes& to, Symbol name, const Guess& value, const Node& place, bool spread) {
  for (size_t i = 0; i < to.values.size(); ++i)
    if (to.values[i].first == name) {
      to.values[i].second = value;
      to.places[i] = &place;
      to.spread[i] = spread;
      return;
    }
  to.values.emplace_back(name, value);
  to.places.push_back(&place);
  to.spread.push_back(spread);
}

/// What a hash gives.
void Trial::spread(Attributes& to, const Guess& g, const Node& place) {
  if (g.choices != nullptr || !g.value.is_hash()) {
    to.others = to.others || !(is_known(g) && g.value.is_undef());
    return;
  }
  for (const HashEntry& e : g.value.hash->entries()) {
    if (is_known(e.key) && e.key.is_string())
      add_attribute(to, intern(e.key.str()), {e.value}, place, true);
    else
      to.others = true;
  }
}

Trial::Attributes Trial::attributes_of(const Seq<AttributeOp>& operations) {
  Attributes out;
  for (const AttributeOp& op : operations) {
    const Guess value = eval(op.value);
    if (op.kind == AttributeOpKind::Splat)
      spread(out, value, *op.value);
    else
      add_attribute(out, op.name, op.kind == AttributeOpKind::Set ? value : unknown(), *op.value, false);
  }
  return out;
}

void Trial::resources(const ResourceExpr& r) {
  if (r.type_name->kind != NodeKind::Name && r.type_name->kind != NodeKind::Reference) {
    unit_->open = true;
    return;
  }
  const Symbol type = lower_symbol(r.type_name->kind == NodeKind::Name ? r.type_name->as<Name>().name : r.type_name->as<Reference>().name);
  Attributes defaults;
  for (const ResourceBody& body : r.bodies)
    if (is_default(*body.title)) defaults = attributes_of(body.operations);
  for (const ResourceBody& body : r.bodies) {
    if (is_default(*body.title)) continue;
    const Guess titles = eval(body.title);
    Attributes attributes = defaults;
    const Attributes own = attributes_of(body.operations);
    attributes.others = attributes.others || own.others;
    for (size_t i = 0; i < own.values.size(); ++i)
      add_attribute(attributes, own.values[i].first, own.values[i].second, *own.places[i], own.spread[i]);
    if (type == sym::class_)
      declare_class(*body.title, titles, attributes);
    else
      declare(*body.title, type, titles, attributes, r.form());
  }
}

void Trial::declare_class(const Node& at, const Guess& title, const Attributes& attributes) {
  const size_t first = unit_->includes.size();
  include(at, title);
  for (size_t i = first; i < unit_->includes.size(); ++i) unit_->includes[i].declared = true;
  const auto name = is_known(title) && title.value.is_string() ? lower_symbol(title.value.str()) : Symbol();
  const DefinitionEntry* entry = name ? program_.find_class(name) : nullptr;
  if (entry == nullptr || entry->definition->kind != NodeKind::ClassDef) return;
  // With what it gets here: a failure in it is one of this code.
  if (!attributes.others && !open_.contains(name) && open_.size() < 10) {
    uint64_t values = (pinned_ != nullptr ? 3 : 1) + name.id;
    for (size_t i = 0; i < attributes.values.size(); ++i)
      values = hash_of_guess(values, attributes.values[i].first, attributes.values[i].second) +
               (attributes.places[i]->kind == NodeKind::Literal ? 1 : 0);
    const size_t before = unit_->failures.size();
    run_once(*entry->definition, values, [&] {
      auto unit = std::make_shared<TrialUnit>(run_class(*entry, pinned_, &attributes));
      unit_->failures.insert(unit_->failures.end(), unit->failures.begin(), unit->failures.end());
      if (unit_->includes.size() > first) unit_->includes.back().unit = std::move(unit);
    });
    for (size_t i = before; i < unit_->failures.size(); ++i) unit_->failures[i].maybe = unit_->failures[i].maybe || maybe_ > 0;
  }
  for (size_t i = 0; i < attributes.values.size(); ++i) {
    const auto& [parameter, value] = attributes.values[i];
    if (is_metaparameter(parameter)) note_references(*attributes.places[i], value, is_relationship(parameter));
    for (const Parameter& p : entry->definition->parameters) {
      std::string why;
      if (p.name == parameter && !value.value.is_undef() && !fits(p, *entry->file->source, value, why))
        fail(*attributes.places[i], CheckCode::fails_with_data,
             fmt::format("Parameter '{}' of class '{}' {}", p.name.str(), name.str(), why));
    }
  }
}

void Trial::declare(const Node& at, Symbol type, const Guess& titles, const Attributes& attributes, ResourceForm form) {
  if (titles.choices == nullptr && titles.value.is_list()) {
    for (const Value& title : titles.value.items()) declare_one(at, type, {title}, attributes, form);
    return;
  }
  const bool lists = titles.choices != nullptr && std::ranges::any_of(titles.choices->items(), [](const Value& v) { return v.is_list(); });
  if (!lists) return declare_one(at, type, titles, attributes, form);
  ++maybe_;
  for (const Value& v : titles.choices->items()) declare(at, type, {v}, attributes, form);
  --maybe_;
}

/// One resource; its title is known, or one of several, or not known.
void Trial::declare_one(const Node& at, Symbol type, const Guess& title, const Attributes& attributes, ResourceForm form) {
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  const Known known = walked_.find_type(type, define, native);
  if (define == nullptr && native == nullptr && known != Known::No && module_of_public_type(type.str()).empty()) unit_->open = true;
  check_declared_twice(at, type, title);
  if (!only_failures_) note_resource(at, type, title, attributes, form, native);
  note_target(type, attributes);
  if (define != nullptr)
    declare_define(at, *define, title, attributes, form);
  else if (native != nullptr)
    check_native(type, *native, attributes);
}

/// Perhaps there are resources of the type, of which nothing is known.
void Trial::declare_any(const Node& at, Symbol type) {
  Attributes any;
  any.others = true;
  ++maybe_;
  declare_one(at, type, unknown(), any, ResourceForm::Regular);
  --maybe_;
}

/// What a catalog knows of a resource.
void Trial::note_resource(const Node& at, Symbol type, const Guess& title, const Attributes& attributes, ResourceForm form,
                          const ResourceTypeInfo* native) {
  TrialResource r;
  r.type = type;
  r.maybe = maybe_ > 0 || unrealized_;
  r.form = form;
  r.ensured = ensured_;
  r.lazy = defines_ > 0;
  r.source = source_;
  r.offset = at.offset;
  r.length = at.length;
  for_each_choice(title, [&](const Value& v) {
    if (v.is_undef()) return; // it fails, or the code asks for that before
    const auto text = is_unknown(v) ? std::nullopt : scalar_text(v);
    if (text)
      r.titles.push_back(pattern_of(std::string(plain_title(type, *text))));
    else
      unit_->open_types.insert(type);
  });
  static const Symbol alias = intern("alias");
  for (size_t i = 0; i < attributes.values.size(); ++i) {
    const auto& [name, value] = attributes.values[i];
    const bool names = name == alias || (native != nullptr && native->isomorphic() && name == native->namevar()) ||
                       (name == sym::path && type.str() == "concat");
    if (is_metaparameter(name)) note_references(*attributes.places[i], value, is_relationship(name));
    if (!names || (is_known(value) && value.value.is_undef())) continue;
    const Value one_alias = value.value;
    if (value.choices == nullptr && one_alias.is_list()) {
      for (const Value& v : one_alias.items())
        if (const auto text = scalar_text(v)) r.aliases.push_back(pattern_of(*text));
      continue;
    }
    r.by_name = value.of_data;
    for_each_choice(value, [&](const Value& v) {
      if (const auto text = is_unknown(v) ? std::nullopt : scalar_text(v))
        r.aliases.push_back(pattern_of(std::string(plain_title(type, *text))));
      else
        unit_->open_types.insert(type);
    });
  }
  if (attributes.others) unit_->open_types.insert(type);
  if (form == ResourceForm::Virtual) r.attributes = attributes.values;
  if (r.titles.empty() && form == ResourceForm::Virtual) r.titles.emplace_back("\1");
  r.of_data = title.choices == nullptr || title.of_data;
  if (!r.titles.empty()) unit_->resources.push_back(std::move(r));
}

/// Whether the value stands in the code, here or where a parameter gets it.
bool Trial::is_written(const Node& place) const {
  if (place.kind == NodeKind::Literal || place.kind == NodeKind::Name) return true;
  return place.kind == NodeKind::Variable && frame_ != nullptr && frame_->written.contains(place.as<Variable>().base);
}

/// Runs the body of a defined type.
void Trial::declare_define(const Node& at, const DefinitionEntry& define, const Guess& title, const Attributes& attributes,
                           ResourceForm form) {
  const Definition& d = *define.definition;
  if (depth_ > 120) throw OutOfSteps();
  const bool computed = std::ranges::find(attributes.spread, true) != attributes.spread.end();
  const std::string_view type = d.name.str();
  const auto shown = is_known(title) && title.value.is_string() ? fmt::format("'{}' of '{}'", type, title.value.str())
                                                                : fmt::format("'{}'", type);
  Frame frame;
  frame.definition = &d;
  frame.variables.emplace_back(sym::title, title);
  frame.variables.emplace_back(sym::name, title);
  for (size_t i = 0; i < attributes.values.size(); ++i) {
    const auto& [name, value] = attributes.values[i];
    if (is_metaparameter(name) || name == sym::name) continue;
    const auto p = std::find_if(d.parameters.begin(), d.parameters.end(), [&, name = name](const Parameter& q) { return q.name == name; });
    if (p == d.parameters.end()) {
      if (attributes.spread[i])
        fail(*attributes.places[i], CheckCode::fails_with_data, fmt::format("'{}' has no parameter '{}'", type, name.str()));
      continue;
    }
    if (is_known(value) && value.value.is_undef()) continue; // the default
    std::string why;
    const bool fit = fits(*p, *define.file->source, value, why);
    if (!fit) fail(*attributes.places[i], CheckCode::fails_with_data, fmt::format("Parameter '{}' of {} {}", name.str(), shown, why));
    frame.variables.emplace_back(name, fit ? value : unknown());
    if (!attributes.spread[i] && is_written(*attributes.places[i])) frame.written.insert(name);
  }
  const auto may_be_given = [&](const Parameter& p) { return attributes.others || walked_.defaulted(lower_symbol(d.name), p.name); };
  for (const Parameter& p : d.parameters)
    if (p.default_value == nullptr && computed && find(frame, p.name) == nullptr && !may_be_given(p))
      fail(at, CheckCode::fails_with_data, fmt::format("{} needs the parameter '{}', which it does not get", shown, p.name.str()));
  if (d.body == nullptr) return;
  uint64_t values = d.name.id + (maybe_ == 0 ? 0 : pinned_ != nullptr ? 1 : 2) + (attributes.others ? 4 : 0);
  for (const auto& [name, value] : frame.variables) values = hash_of_guess(values, name, value) + (frame.written.contains(name) ? 1 : 0);
  Frame* const outer = frame_;
  const SourceFile* const source = source_;
  const Set collected(unrealized_, unrealized_ || form != ResourceForm::Regular);
  run_once(d, values, [&] {
    frame_ = &frame;
    source_ = define.file->source.get();
    for (const Parameter& p : d.parameters) {
      if (find(frame, p.name) != nullptr) continue;
      frame.variables.emplace_back(p.name, may_be_given(p) || p.default_value == nullptr ? unknown() : eval(p.default_value));
    }
    const uint32_t before = maybe_;
    const Set ensured(ensured_, false);
    ++defines_;
    block(d.body);
    --defines_;
    maybe_ = before;
    frame_ = outer;
    source_ = source;
  });
}

/// Attributes of types in Ruby and of Puppet's own.
void Trial::check_native(Symbol type, const ResourceTypeInfo& native, const Attributes& attributes) {
  const size_t before = findings_.count();
  for (size_t i = 0; i < attributes.values.size(); ++i) {
    const auto& [name, value] = attributes.values[i];
    const Node& place = *attributes.places[i];
    if (attributes.spread[i] && !native.valid_attribute(name)) {
      fail(place, CheckCode::fails_with_data, fmt::format("'{}' has no attribute '{}'", type.str(), name.str()));
      continue;
    }
    // The walk has checked what stands there.
    if (!attributes.spread[i] && is_written(place)) continue;
    if (!is_known(value) || value.value.is_undef() || value.value.is(Kind::Ref) || value.value.is(Kind::Type)) continue;
    if ((pinned_ == nullptr && maybe_ > 0) || reported(source_, place.offset)) continue;
    AttributeOp op{AttributeOpKind::Set, name, constant(place, value.value), place.offset, place.length};
    walked_.check_values({&op, 1}, native, type, *source_);
  }
  if (findings_.count() != before && pinned_ != nullptr) findings_.amend_last(fmt::format(" (with {})", pinned_->shown));
}

/// `texts`: a text is a reference, too.
void Trial::note_reference_value(const Node& at, const Value& v, bool texts) {
  if (v.is_list()) {
    for (const Value& one : v.items()) note_reference_value(at, one, texts);
    return;
  }
  if (auto one = named(v, texts))
    unit_->references.push_back({one->first, {std::move(one->second)}, source_, at.offset, at.length, maybe_ > 0});
}

/// What a reference names: its type, and its title as a pattern.
std::optional<std::pair<Symbol, std::string>> Trial::named(const Value& v, bool texts) {
  std::string_view type_name, title;
  if (v.is(Kind::Ref)) {
    type_name = v.ref->type;
    title = v.ref->title;
  } else if (!texts || !v.is_string() || is_unknown(v) || !split_reference(v.str(), type_name, title) ||
             type_name.find('%') != std::string_view::npos) {
    return std::nullopt;
  }
  const Symbol type = lower_symbol(type_name);
  if (title.empty() || title == anything) return std::nullopt;
  return std::pair(type, pattern_of(std::string(plain_title(type, title))));
}

void Trial::note_references(const Node& at, const Guess& value, bool texts) {
  if (only_failures_ || unrealized_) return;
  if (value.choices == nullptr) return note_reference_value(at, value.value, texts);
  TrialReference r{{}, {}, source_, at.offset, at.length, maybe_ > 0};
  for (const Value& v : value.choices->items()) {
    auto one = named(v, texts);
    if (!one || (r.type && r.type != one->first)) return;
    r.type = one->first;
    r.titles.push_back(std::move(one->second));
  }
  unit_->references.push_back(std::move(r));
}

/// A side of a relationship.
void Trial::note_related(const Node* n) {
  if (n->kind == NodeKind::Access) return note_references(*n, eval(n));
  if (n->kind == NodeKind::ListLiteral) {
    for (const Node* element : n->as<ListLiteral>().elements) note_related(element);
    return;
  }
  eval(n);
}

/// A part of a file that concat puts together: the file must be there.
void Trial::note_target(Symbol type, const Attributes& attributes) {
  static const Symbol concat = intern("concat");
  if (only_failures_ || unrealized_ || type.str() != "concat::fragment") return;
  for (size_t i = 0; i < attributes.values.size(); ++i) {
    const auto& [name, value] = attributes.values[i];
    if (name != sym::target || value.choices != nullptr || !value.value.is_string() || is_unknown(value.value)) continue;
    const Node& place = *attributes.places[i];
    unit_->references.push_back({concat, {pattern_of(value.value.str())}, source_, place.offset, place.length, maybe_ > 0, "target"});
  }
}

} // namespace pupc::compiler
