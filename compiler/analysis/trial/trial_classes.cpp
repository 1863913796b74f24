// Classes, with what data, defaults and declarations give to their parameters.
#include "compiler/analysis/trial/trial.h"

#include <fmt/format.h>

namespace pupc::compiler {

/// Whether the value may be an instance of the parameter's type.
bool Trial::fits(const Parameter& p, const SourceFile& source, const Guess& g, std::string& why) {
  if (p.type == nullptr || g.choices != nullptr || is_unknown(g.value) || !is_comparable(g.value)) return true;
  const Type* type = program_.type_of(p, source);
  if (type == nullptr) return true;
  why = mismatch(program_, *type, g.value, false).why;
  return why.empty();
}

/// A value of the data as lookups give it.
Guess Trial::converted(std::string_view key, const Value& value) {
  switch (data_.conversion(key)) {
  case DataFiles::Conversion::None: return {value};
  case DataFiles::Conversion::Secret: return is_known(value) ? Guess{Value::sensitive(arena_, value)} : unknown();
  default: return unknown();
  }
}

/// Of a value that is merged with those of other levels: what no other level changes. The others may have further keys.
std::optional<Value> Trial::part_of_merge(std::string_view key, const DataFiles::Source& pinned) {
  const auto& all = data_.sources(key);
  if (all.size() < 2) return *pinned.value;
  if (!pinned.value->is_hash()) return std::nullopt;
  HashBuilder own(arena_);
  for (const HashEntry& e : pinned.value->hash->entries()) {
    const bool other = std::ranges::any_of(all, [&](const DataFiles::Source& s) {
      return s.file != pinned.file && (!s.value->is_hash() || s.value->hash->find(e.key) != nullptr);
    });
    own.set(e.key, other ? unknown().value : e.value);
  }
  own.set(unknown().value, unknown().value);
  return own.finish();
}

/// What a lookup of the key gives.
Guess Trial::looked_up(std::string_view key, const DataFiles::Source* pinned) {
  const auto& all = data_.sources(key);
  if (!all.empty()) asked_.push_back(&all);
  const bool merged = data_.merges(key);
  if (pinned != nullptr)
    for (const DataFiles::Source& s : all)
      if (s.file == pinned->file) {
        const auto value = merged ? part_of_merge(key, s) : std::optional(*s.value);
        return value ? converted(key, *value) : unknown();
      }
  if (all.empty() || !data_.known_for(key)) return unknown();
  std::optional<Guess> result;
  for (const DataFiles::Source& s : all) {
    Guess one = converted(key, *s.value);
    one.of_data = s.of_site;
    result = result ? either(arena_, *result, one) : one;
  }
  return *result;
}

/// The value of a class's parameter.
Guess Trial::parameter_of_class(const Definition& d, const Parameter& p, const DataFiles::Source* pinned) {
  const Symbol name = lower_symbol(d.name);
  if (given_ != nullptr)
    for (const auto& [own, value] : given_->values)
      if (own == p.name) return value;
  if (const auto declared = declared_classes_.find(name);
      declared != declared_classes_.end() && (declared->second.anything || declared->second.parameters.contains(p.name)))
    return unknown();
  const std::string key = fmt::format("{}::{}", name.str(), p.name.str());
  const auto& all = data_.sources(key); // looked_up() notes that they were asked
  if (all.empty() && data_.known_for(key)) return p.default_value != nullptr ? eval(p.default_value) : unknown();
  Guess value = looked_up(key, pinned);
  if (value.choices == nullptr && value.value.is_undef()) return unknown();
  const bool by_file = pinned != nullptr && std::ranges::any_of(all, [&](const auto& s) { return s.file == pinned->file; });
  const bool always = by_file || std::ranges::any_of(all, [](const DataFiles::Source& s) { return s.always; });
  if (!always && p.default_value != nullptr) value = either(arena_, value, eval(p.default_value));
  return value;
}

void Trial::run_class_body(const DefinitionEntry& entry, Frame& frame) {
  const Definition& d = *entry.definition;
  frame.definition = &d;
  frame.variables.emplace_back(sym::title, Guess{Value::string(d.name.str())});
  frame.variables.emplace_back(sym::name, Guess{Value::string(d.name.str())});
  if (entry.module != nullptr) frame.variables.emplace_back(intern("module_name"), Guess{Value::string(entry.module->name)});
  Frame* const outer = std::exchange(frame_, &frame);
  const SourceFile* const source = std::exchange(source_, entry.file->source.get());
  if (const Symbol parent = d.as<ClassDef>().parent; parent && !open_.contains(lower_symbol(parent))) {
    include(d, {Value::string(lower_symbol(parent).str())});
    for (const auto& [name, value] : unit_of(lower_symbol(parent)).variables)
      if (find(frame, name) == nullptr) frame.variables.emplace_back(name, value);
  }
  for (const Parameter& p : d.parameters) {
    Guess value = parameter_of_class(d, p, pinned_);
    std::string why;
    if (!fits(p, *entry.file->source, value, why)) value = unknown(); // told where the value stands
    set(p.name, value);
  }
  for (size_t i = 0; given_ != nullptr && i < given_->values.size(); ++i)
    if (given_->places[i]->kind == NodeKind::Literal) frame.written.insert(given_->values[i].first);
  given_ = nullptr;
  block(d.body);
  frame_ = outer;
  source_ = source;
}

TrialUnit Trial::run_class(const DefinitionEntry& entry, const DataFiles::Source* pinned, const Attributes* given) {
  TrialUnit unit;
  const Attributes* const outer_given = std::exchange(given_, given);
  TrialUnit* const outer_unit = std::exchange(unit_, &unit);
  const DataFiles::Source* const outer_pinned = std::exchange(pinned_, pinned);
  Frame* const outer_frame = frame_;
  const SourceFile* const outer_source = source_;
  const uint32_t outer_maybe = std::exchange(maybe_, 0), outer_steps = std::exchange(steps_, 0);
  const int outer_depth = std::exchange(depth_, 0);
  const Symbol name = lower_symbol(entry.definition->name);
  const bool first = open_.insert(name).second;
  Frame frame;
  try {
    run_class_body(entry, frame);
    unit.variables = std::move(frame.variables);
  } catch (const OutOfSteps&) { unit.open = true; }
  if (first) open_.erase(name);
  all_steps_ += steps_;
  if (pinned != nullptr && given == nullptr) spent_[entry.definition->name] += steps_;
  if (outer_unit == nullptr) asked_.clear();
  given_ = outer_given;
  frame_ = outer_frame;
  source_ = outer_source;
  unit_ = outer_unit;
  pinned_ = outer_pinned;
  maybe_ = outer_maybe;
  steps_ = outer_steps;
  depth_ = outer_depth;
  return unit;
}

/// A node definition, or the code of top scope.
TrialUnit Trial::run_body(const Node* body, const SourceFile& source) {
  TrialUnit unit;
  unit_ = &unit;
  source_ = &source;
  maybe_ = steps_ = 0;
  depth_ = 0;
  Frame frame;
  frame_ = &frame;
  try {
    eval(body);
  } catch (const OutOfSteps&) { unit.open = true; }
  frame_ = nullptr;
  unit_ = nullptr;
  return unit;
}

const TrialUnit& Trial::unit_of(Symbol name) {
  auto& unit = units_[name];
  if (unit) return *unit;
  const DefinitionEntry* entry = program_.find_class(name);
  if (entry == nullptr || entry->definition->kind != NodeKind::ClassDef || open_.contains(name) || open_.size() > 40) {
    static const TrialUnit nothing = [] {
      TrialUnit u;
      u.open = true;
      return u;
    }();
    return nothing;
  }
  // Catalogs need all of it, even when code that is run for its failures alone is the first to ask.
  const Set whole(only_failures_, false), declared(unrealized_, false);
  auto run = std::make_unique<TrialUnit>(run_class(*entry, nullptr));
  auto& kept = units_[name];
  if (!kept) kept = std::move(run);
  return *kept;
}

} // namespace pupc::compiler
