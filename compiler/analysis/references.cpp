// References to resources and classes, and overrides: whether what they lead to is in the catalogs that they are in.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/resources/title_patterns.h"
#include "compiler/analysis/walker.h"

#include "catalog/base/split_text.h"
#include "catalog/graph/tags.h"
#include "catalog/schema/resource_type.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether one of the texts has a letter more, which makes no other word of it: http and https are two.
bool has_letter_more(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() != b.size() + 1 || !one_slip_apart(a, b)) return false;
  const auto more = std::mismatch(b.begin(), b.end(), a.begin()).second;
  const bool ends_word = more + 1 == a.end() || std::isalpha(static_cast<unsigned char>(more[1])) == 0;
  return *more != 's' || !ends_word;
}

/// Whether the class inherits the other one.
bool inherits(CheckedCodebase& program, const Definition* d, const Definition* other) {
  for (int depth = 0; d != nullptr && d->kind == NodeKind::ClassDef && depth < 50; ++depth) {
    if (d == other) return true;
    const DefinitionEntry* parent = d->as<ClassDef>().parent ? program.find_class(lower_symbol(d->as<ClassDef>().parent)) : nullptr;
    d = parent != nullptr ? parent->definition : nullptr;
  }
  return false;
}

/// Whether a resource is a file whose title is its path.
bool titled_by_path(Symbol type, const Seq<AttributeOp>* operations) {
  return type == sym::file && operations != nullptr && std::ranges::none_of(*operations, [](const AttributeOp& op) {
           return op.kind == AttributeOpKind::Splat || op.name == sym::path || op.name == sym::name;
         });
}

} // namespace

/// What is declared where the walk is, without its title.
DeclaredResource Walker::declaration(Symbol type, const Node& at) const {
  DeclaredResource d;
  d.type = type;
  d.offset = at.offset;
  d.length = at.length;
  d.source = source_;
  d.module = module_;
  d.definition = body_ ? body_->definition : nullptr;
  d.body = d.definition != nullptr || body_ == nullptr ? static_cast<const void*>(d.definition) : body_->layout;
  d.conditional = conditional_ > 0 || (body_ != nullptr && body_->dead);
  d.branch = body_ != nullptr && body_->dead ? no_branch : branch_;
  d.unit = unit_;
  d.guarded = undefined_ > 0;
  return d;
}

void Walker::note_dynamic_title(Symbol type, bool path) {
  if (!dynamic_.empty() && dynamic_.back().type == type && dynamic_.back().unit == unit_ && dynamic_.back().module == module_ &&
      dynamic_.back().path == path)
    return;
  dynamic_.push_back({type, unit_, module_, path});
}

/// `conditional`: the resource is declared only sometimes, whatever stands around it.
void Walker::note_declared(Symbol type, const Node* title, bool conditional, const Seq<AttributeOp>* operations) {
  if (title->kind == NodeKind::ListLiteral) {
    for (const Node* element : title->as<ListLiteral>().elements) note_declared(type, element, conditional, operations);
    return;
  }
  DeclaredResource d = declaration(type, *title);
  d.conditional = d.conditional || conditional;
  if (conditional) d.branch = no_branch;
  d.operations = operations;
  if (title->kind == NodeKind::Variable && note_declared_elements(title->as<Variable>(), d)) return;
  if (auto text = literal_text(title)) {
    d.title = plain_title(type, *text);
    d.number = numbers_.of(type, d.title);
    d.literal = true;
  } else if (auto pattern = text_pattern(title); pattern && *pattern != "\1") {
    d.title = program_.arena().copy(*pattern);
    if (auto made = program_.whole() ? made_texts(title) : std::nullopt) made_.push_back({d, std::move(*made), declared_.size()});
  } else {
    auto made = program_.whole() ? made_texts(title) : std::nullopt;
    if (!made) return note_dynamic_title(type, titled_by_path(type, operations));
    made_.push_back({d, std::move(*made)});
    return;
  }
  declared_.push_back(d);
}

/// The resources of `package { $names: }`, where the array stands in the code, and of a block that such an array is given to.
bool Walker::note_declared_elements(const Variable& title, DeclaredResource d) {
  const StaticValue known = static_value(&title);
  std::vector<Value> titles;
  if (known.known && known.value.is_list())
    titles.assign(known.value.items().begin(), known.value.items().end());
  else if (body_ != nullptr && body_->kind == Body::Kind::Lambda && title.up == 0 && title.slot == 0 &&
           title.slot < body_->parameters.size() && body_->branches == 0 && !body_->may_leave && branch_ != body_->around) {
    titles = elements_given(title);
    if (d.branch != no_branch) d.branch = body_->around; // the block is called for each
    d.body = body_->definition != nullptr ? static_cast<const void*>(body_->definition) : d.body;
  }
  if (titles.empty() || !std::ranges::all_of(titles, &Value::is_string)) return false;
  for (const Value& element : titles) {
    d.title = program_.arena().copy(plain_title(d.type, element.str()));
    d.number = numbers_.of(d.type, d.title);
    d.literal = true;
    declared_.push_back(d);
  }
  return true;
}

/// Another name of a resource. `title`: of the resource, where the name is unique in the catalog as titles are.
void Walker::note_alias(Symbol type, const Node* value, const Node* title) {
  const auto text = literal_text(value);
  if (!text) {
    auto made = program_.whole() ? made_texts(value) : std::nullopt;
    if (!made) return note_dynamic_title(type);
    DeclaredResource d = declaration(type, *value);
    d.conditional = d.alias = true;
    made_.push_back({d, std::move(*made)});
    return;
  }
  DeclaredResource d;
  const auto same = title != nullptr ? literal_text(title) : std::nullopt;
  if (title != nullptr && title->kind != NodeKind::ListLiteral && (!same || plain_title(type, *same) != plain_title(type, *text))) {
    d = declaration(type, *value);
    d.unique = true;
  }
  d.type = type;
  d.title = plain_title(type, *text);
  d.number = numbers_.of(type, d.title);
  d.conditional = true;
  d.module = module_;
  d.literal = true;
  d.alias = true;
  d.unit = unit_;
  declared_.push_back(d);
}

ResourceReference Walker::reference(Symbol type, std::string_view title, const Node& at) {
  ResourceReference r;
  r.type = type;
  r.title = plain_title(type, title);
  r.number = numbers_.of(type, r.title);
  r.offset = at.offset;
  r.length = at.length;
  r.source = source_;
  r.module = module_;
  r.unit = unit_;
  r.conditional = conditional_ > 0;
  return r;
}

void Walker::note_reference(const Access& a) {
  if (a.left->kind != NodeKind::Reference) return;
  const Symbol type = lower_symbol(a.left->as<Reference>().name);
  auto note = [&](const Node* key) {
    if (key->kind == NodeKind::Variable && type == sym::exec) execs_by_variables_.insert(module_);
    const auto title = key->kind == NodeKind::Variable ? std::nullopt : literal_text(key);
    if (title) note_mention(type, *title);
    if (!title && type == sym::class_ && !only_waits_) notifies_any_class_ = true;
    if (!title && (key->kind == NodeKind::Interpolation || key->kind == NodeKind::Variable) && in_relationship_ && type != sym::class_)
      if (const auto pattern = text_pattern(key); pattern && *pattern != "\1") {
        references_.push_back(reference(type, program_.arena().copy(*pattern), *key));
        references_.back().pattern = true;
      }
    if (!title) return;
    if (type == sym::class_) check_class_name(*key, intern(*title));
    if (in_relationship_) references_.push_back(reference(type, *title, *key));
  };
  for (const Node* key : a.keys) {
    if (key->kind == NodeKind::ListLiteral)
      for (const Node* element : key->as<ListLiteral>().elements) note(element);
    else
      note(key);
  }
}

/// What realize() names; references that are made at run time may name anything.
void Walker::note_realized(Arguments arguments) {
  for (const Node* argument : arguments)
    for (const Node* n : listed_elements(argument)) {
      const auto named = n->kind == NodeKind::Access ? named_resources(n) : std::vector<NamedResource>();
      if (named.empty() || named.size() < n->as<Access>().keys.size) realizes_anything_ = true;
      realized_.insert(named.begin(), named.end());
    }
}

/// Virtual resources that no collector and no realize() can reach.
void Walker::report_unrealized() {
  if (realizes_anything_ || !program_.whole()) return;
  for (const VirtualResource& v : virtual_)
    if (!realized_.contains(v.resource) && !collected_types_.contains(numbers_.type(v.resource)) &&
        !program_.in_broken(numbers_.type(v.resource).str()))
      findings_.add(CheckCode::never_realized, *v.source, v.offset, v.length,
                    fmt::format("Nothing realizes the virtual {}['{}']", capitalize_segments(numbers_.type(v.resource).str()),
                                numbers_.title(v.resource)),
                    "Leave out the @, or collect it.");
}

/// The titles that data gives to a parameter of a class on every node, where no code gives it another value.
std::set<std::string> Walker::certain_titles(const MadeTexts& made) const {
  if (made.size() != 1 || made[0].size() != 1) return {};
  const TitlePart& part = made[0][0];
  if (part.define || part.lookup || !part.owner) return {};
  for (const ClassGiven& given : class_given_)
    if (given.name == lower_symbol(part.owner) &&
        (given.anything || std::ranges::find(given.parameters, part.parameter) != given.parameters.end()))
      return {};
  return data_->certain_texts(fmt::format("{}::{}", lower_name(part.owner), part.parameter.str()), part.keys);
}

/// Finds what the titles that are made at run time may be: of those that cannot be told anything is possible.
void Walker::resolve_titles() {
  for (ComputedResource& made : made_) {
    const PossibleTexts possible = given_.texts(made.titles, program_, *data_);
    if (made.pattern != SIZE_MAX)
      declared_[made.pattern].resolved = possible.all;
    else if (!possible.all)
      dynamic_.push_back(
          {made.resource.type, made.resource.unit, made.resource.module, titled_by_path(made.resource.type, made.resource.operations)});
    const std::set<std::string> certain = made.resource.conditional ? std::set<std::string>() : certain_titles(made.titles);
    if (made.pattern != SIZE_MAX && !possible.all) continue;
    for (const std::string& text : possible.texts) {
      DeclaredResource d = made.resource;
      d.title = program_.arena().copy(plain_title(d.type, text));
      d.number = numbers_.of(d.type, d.title);
      d.literal = true;
      d.conditional = !certain.contains(text);
      d.branch = no_branch;
      declared_.push_back(d);
    }
  }
  for (const IncludedTexts& included : included_texts_) {
    const PossibleTexts possible = given_.texts(included.names, program_, *data_);
    if (!possible.all) catalogs_.open(included.unit);
    for (const std::string& text : possible.texts) {
      const Symbol name = lower_symbol(text);
      catalogs_.add(included.unit, catalogs_.unit(Catalogs::Kind::Class, name), false);
      if (!included.asked || text.empty() || text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_:") != std::string::npos ||
          program_.find_class(name) != nullptr || program_.in_broken(name.str()) || program_.may_exist(name.str()) != Known::No)
        continue;
      findings_.add(CheckCode::no_such_class, *included.source, included.offset, included.length,
                    fmt::format("There is no class '{}', which data or a parameter names here", name.str()),
                    program_.suggestion(NodeKind::ClassDef, name.str()), Severity::Warning);
    }
  }
}

void Walker::check_references() {
  if (references_.empty()) return;
  std::unordered_map<Symbol, std::vector<const DeclaredResource*>> by_type;
  for (const ResourceReference& r : references_) by_type[r.type];
  for (const DeclaredResource& d : declared_)
    if (const auto of = by_type.find(d.type); of != by_type.end()) of->second.push_back(&d);
  std::vector<bool> literal(numbers_.size());
  for (const DeclaredResource& d : declared_)
    if (d.literal) literal[d.number] = true;
  for (const ResourceReference& r : references_) {
    if (r.type == sym::class_) {
      check_class_reference(r);
      continue;
    }
    const std::vector<const DeclaredResource*>& candidates = by_type[r.type];
    if (r.is_override && r.pattern) {
      check_pattern_override(r, candidates);
      continue;
    }
    if (r.pattern) {
      check_pattern_reference(r, candidates);
      continue;
    }
    if (r.is_override && check_override(r, candidates)) continue;
    // Most references lead to what is declared: only with nodes it matters where.
    if (literal[r.number] && catalogs_.starts() == 0) continue;
    check_reference(r, candidates);
  }
}

/// A reference to a resource: `declared` are those of its type.
void Walker::check_reference(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  // Puppet has some of these by itself; note_named_resource() leaves them out.
  const std::string_view type = r.type.str();
  if ((r.type == sym::stage && r.title == "main") || type == "filebucket" || r.type == sym::node) return;
  if (program_.find_resource_type(r.type) == nullptr && program_.find_define(r.type) == nullptr && !is_own_type(r.type))
    return check_beside(r, declared);
  std::vector<Catalogs::Unit> units; // that declare it
  std::vector<std::string_view> near;
  for (const DeclaredResource* d : declared) {
    if (d->literal ? d->number == r.number : !d->resolved && fits_title(d->title, r.title))
      units.push_back(d->unit);
    else if (d->literal && d->module == r.module)
      near.push_back(d->title);
  }
  const bool none = units.empty();
  bool dynamic_here = false, dynamic_near = false;
  for (const Dynamic& d : dynamic_)
    if (d.may_be(r)) {
      dynamic_here = dynamic_here || d.module == r.module;
      dynamic_near = dynamic_near || (none && catalogs_.may_share(d.unit, r.unit));
      units.push_back(d.unit);
    }
  const std::vector<uint32_t> starts = program_.whole() ? catalogs_.starts_of(r.unit) : std::vector<uint32_t>();
  const std::string name = fmt::format("{}['{}']", capitalize_segments(type), r.title);
  const auto told = [&](std::string message, std::string suggestion, std::optional<Severity> severity) {
    findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length, std::move(message), std::move(suggestion), severity);
  };
  const auto similar = [&] {
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    return r.title.size() < 4 ? "" : did_you_mean(r.title, near);
  };
  // Its name, which a reference may have too, is not known.
  const auto renamed = [&](const DeclaredResource& d) {
    return d.operations != nullptr && std::ranges::any_of(*d.operations, [&](const AttributeOp& op) {
             return op.kind == AttributeOpKind::Splat || (op.name == sym::name && op.value->kind != NodeKind::Literal);
           });
  };
  // What is computed may have any title, but hardly one so near to another.
  const auto slip = [&]() -> std::string {
    for (std::string_view title : near)
      if (one_slip_apart_in_word(r.title, title)) return fmt::format("Did you mean '{}'?", title);
    // Beside it in the same body, or of what comes with it from another module.
    for (const DeclaredResource* d : declared) {
      if (!d->literal || renamed(*d) || !one_slip_apart(r.title, d->title)) continue;
      // In a short word only letters that change places are certainly a slip.
      const bool beside = d->unit == r.unit && r.title.size() == d->title.size() && std::ranges::is_permutation(r.title, d->title);
      // Two paths in one body that differ by a letter more or less are hardly two files.
      const bool path = d->unit == r.unit && r.title.starts_with('/') && has_letter_more(r.title, d->title);
      if (beside || path || (one_slip_apart_in_word(r.title, d->title) && catalogs_.may_share(d->unit, r.unit)))
        return fmt::format("Did you mean '{}'?", d->title);
    }
    return {};
  };
  const auto declares = [&](uint32_t start) {
    return std::ranges::any_of(units, [&](Catalogs::Unit unit) { return catalogs_.has(start, unit); });
  };
  // What comes into some nodes' catalogs is not known: the others' tell as much, unless the code itself asks where it is.
  std::vector<uint32_t> closed = starts;
  std::erase_if(closed, [&](uint32_t start) { return catalogs_.is_open(start); });
  const bool some_open = closed.size() < starts.size();
  if (!closed.empty() && !(some_open && r.conditional) && std::ranges::none_of(starts, declares)) {
    const bool elsewhere = std::ranges::any_of(declared, [&](const DeclaredResource* d) { return d->literal && d->number == r.number; });
    if (!elsewhere)
      return told(fmt::format("Nothing declares {}", name), similar(), some_open ? std::optional(Severity::Warning) : std::nullopt);
    return told(fmt::format("What declares {} is in no catalog with this: {} does not include it", name, catalogs_.name_of(closed.front())),
                {}, Severity::Warning);
  }
  bool fits_computed = false;
  for (const DeclaredResource* d : declared) {
    if (d->literal && d->number == r.number) return;
    fits_computed = fits_computed || (!d->literal && !d->resolved && fits_title(d->title, r.title));
  }
  if (fits_computed || dynamic_here || dynamic_near)
    if (std::string near_one = slip(); !near_one.empty())
      return told(fmt::format("Nothing declares {}", name), std::move(near_one), Severity::Warning);
  if (fits_computed) {
    std::string suggestion = similar();
    if (!suggestion.empty() && !dynamic_here && !dynamic_near && made_of_nothing(r, declared))
      told(fmt::format("Nothing declares {}", name), std::move(suggestion), Severity::Warning);
    return;
  }
  const bool certain = program_.whole() && program_.complete(nullptr) && !program_.in_broken(type) && units.empty();
  std::string suggestion = similar();
  if (certain) return told(fmt::format("Nothing declares {}", name), std::move(suggestion), {});
  // What another class declares with titles that are not known is hardly this one.
  const bool likely = program_.whole() && starts.empty() && !dynamic_near && !program_.in_broken(type);
  if ((suggestion.empty() || dynamic_here) && !(likely && !catalogs_.near_open(r.unit)) && !stands_nowhere_else(r)) return;
  told(fmt::format("Nothing declares {}", name), std::move(suggestion), Severity::Warning);
}

/// A reference of a type that is not here: the module declares another of it whose title is nearly that, and none of this title.
void Walker::check_beside(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  if (r.module == nullptr || r.title.size() < 6) return;
  if (std::ranges::any_of(dynamic_, [&](const Dynamic& d) { return d.may_be(r) && d.module == r.module; })) return;
  const DeclaredResource* near = nullptr;
  for (const DeclaredResource* d : declared) {
    if (d->literal ? d->number == r.number : fits_title(d->title, r.title)) return;
    if (d->literal && d->module == r.module && (one_slip_apart(r.title, d->title) || same_words(r.title, d->title))) near = d;
  }
  if (near != nullptr)
    findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                  fmt::format("This module declares no {}['{}']", capitalize_segments(r.type.str()), r.title),
                  fmt::format("Did you mean '{}'?", near->title), Severity::Warning);
}

/// Whether neither code nor data has the title elsewhere than in references: what is made at run time is made of such texts.
bool Walker::stands_nowhere_else(const ResourceReference& r) {
  if (!program_.whole() || !program_.complete(nullptr) || program_.in_broken(r.type.str()) || r.title.size() < 4) return false;
  const auto [known, fresh] = stands_nowhere_.try_emplace(r.title);
  if (fresh) known->second = !stands_in_code(r.title, &r, nullptr) && !data_->mentions(r.title);
  return known->second;
}

/// Whether some code has the text, also where it cannot be read. `but`: references with its title do not count; nor does that file.
bool Walker::stands_in_code(std::string_view wanted, const ResourceReference* but, const SourceFile* but_file) const {
  std::vector<const ResourceReference*> same;
  if (but != nullptr)
    for (const ResourceReference& other : references_)
      if (other.number == but->number) same.push_back(&other);
  for (const AnalysedFile& file : program_.files()) {
    if (!file.parsed) return true;
    const SourceFile* source = file.parsed->source.get();
    if (source == but_file) continue;
    const std::string_view text = source->text();
    for (size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos; ++at) {
      const bool in_reference = std::ranges::any_of(same, [&](const ResourceReference* other) {
        return other->source == source && other->offset <= at && at < size_t{other->offset} + other->length;
      });
      if (!in_reference && (but == nullptr || at < 2 || (text[at - 1] != '[' && text[at - 2] != '['))) return true;
    }
  }
  return false;
}

/// Whether a title that is made at run time, and that fits the reference, would be made of a text which stands nowhere.
bool Walker::made_of_nothing(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  if (!program_.whole() || program_.in_broken(r.type.str())) return false;
  return std::ranges::all_of(declared, [&](const DeclaredResource* d) {
    if (d->literal || d->resolved || !fits_title(d->title, r.title)) return true;
    const size_t first = d->title.find('\1');
    if (first != d->title.rfind('\1')) return false;
    const std::string_view part = r.title.substr(first, r.title.size() - (d->title.size() - 1));
    return part.size() > 3 && !stands_in_code(part, &r, nullptr) && !data_->mentions(part);
  });
}

/// A reference whose title is made of parts: no resource of the type begins or ends as it does.
void Walker::check_pattern_reference(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  if (check_near_pattern(r, declared)) return;
  if (!program_.whole()) return check_own_pattern(r, declared);
  if (program_.in_broken(r.type.str()) || (program_.find_resource_type(r.type) == nullptr && program_.find_define(r.type) == nullptr))
    return;
  if (std::ranges::any_of(declared, [&](const DeclaredResource* d) { return may_be_one(d->title, r.title); })) return;
  const auto tell = [&] {
    findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                  fmt::format("Nothing declares a resource such as {}['{}']", capitalize_segments(r.type.str()), shown_pattern(r.title)),
                  {}, Severity::Warning);
  };
  // What no other file has a part of is made in this one, if at all.
  std::string_view longest;
  for (std::string_view part : catalog::split_views(r.title, '\1'))
    if (part.size() > longest.size()) longest = part;
  const bool dynamic_here = std::ranges::any_of(
      dynamic_, [&](const Dynamic& d) { return d.may_be(r) && (d.unit == r.unit || d.module == r.module); });
  if (!dynamic_here && longest.size() > 7 && !stands_in_code(longest, nullptr, r.source) && !data_->mentions(longest)) return tell();
  if (std::ranges::any_of(dynamic_, [&](const Dynamic& d) { return d.may_be(r) && catalogs_.may_share(d.unit, r.unit); })) return;
  const std::vector<uint32_t> starts = catalogs_.starts_of(r.unit);
  const bool open = std::ranges::any_of(starts, [&](uint32_t start) { return catalogs_.is_open(start); });
  if (starts.empty() ? program_.complete(nullptr) : !open) tell();
}

/// What stands beside it is made of the same parts and hardly another text, and nothing has its own. True where that is told.
bool Walker::check_near_pattern(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  if (program_.in_broken(r.type.str()) || std::ranges::count_if(r.title, [](char c) { return std::isalpha(c) != 0; }) < 6) return false;
  const DeclaredResource* near = nullptr;
  for (const DeclaredResource* d : declared)
    if (!d->literal && d->unit == r.unit && (same_words(d->title, r.title) || one_slip_apart_in_word(d->title, r.title))) near = d;
  if (near == nullptr) return false;
  for (const DeclaredResource* d : declared)
    if (!d->title.empty() && (d->unit == r.unit || share_a_side(d->title, r.title)) && may_be_one(d->title, r.title)) return false;
  findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                fmt::format("Nothing declares a resource such as {}['{}']", capitalize_segments(r.type.str()), shown_pattern(r.title)),
                fmt::format("Did you mean '{}'?", shown_pattern(near->title)), Severity::Warning);
  return true;
}

/// The same in a module by itself, where the title begins with the module's name: nobody else declares it.
void Walker::check_own_pattern(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  if (r.module == nullptr || !r.title.starts_with(r.module->name + "::") || program_.in_broken(r.type.str())) return;
  if (std::ranges::any_of(dynamic_, [&](const Dynamic& d) { return d.may_be(r) && d.module == r.module; })) return;
  if (declared.empty() || std::ranges::any_of(declared, [&](const DeclaredResource* d) { return may_be_one(d->title, r.title); })) return;
  findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                fmt::format("Nothing declares a resource such as {}['{}']", capitalize_segments(r.type.str()), shown_pattern(r.title)), {},
                Severity::Warning);
}

/// Class['x'] in a relationship: the class must be in the catalog.
void Walker::check_class_reference(const ResourceReference& r) {
  if (!program_.whole() || r.title.empty()) return;
  const Symbol name = lower_symbol(r.title);
  if (program_.find_class(name) == nullptr) return; // check_class_name has told, or it is not known
  const Catalogs::Unit wanted = catalogs_.unit(Catalogs::Kind::Class, name);
  const std::vector<uint32_t> starts = catalogs_.starts_of(r.unit);
  if (starts.empty()) return check_class_reference_of_roots(r, wanted);
  if (std::ranges::any_of(starts, [&](uint32_t start) { return catalogs_.is_open(start) || catalogs_.has(start, wanted); })) return;
  for (const Dynamic& d : dynamic_)
    if (d.may_be(sym::class_) && std::ranges::any_of(starts, [&](uint32_t start) { return catalogs_.has(start, d.unit); })) return;
  findings_.add(
      CheckCode::no_such_resource, *r.source, r.offset, r.length,
      fmt::format("The class '{}' is in no catalog with this: {} does not include it", name.str(), catalogs_.name_of(starts.front())), {},
      Severity::Warning);
}

/// The same where no node of the code has the class that needs the other: of what something outside may assign, nothing brings both.
void Walker::check_class_reference_of_roots(const ResourceReference& r, Catalogs::Unit wanted) {
  if (!program_.complete(nullptr) || catalogs_.near_open(r.unit)) return;
  const std::vector<Catalogs::Unit> roots = catalogs_.roots_of(r.unit);
  // What nothing includes is assigned from outside, perhaps with the other class.
  if (std::ranges::any_of(roots, [&](Catalogs::Unit root) { return root == r.unit || catalogs_.may_bring(root, wanted); })) return;
  for (const Dynamic& d : dynamic_)
    if (d.may_be(sym::class_) && catalogs_.may_share(d.unit, r.unit)) return;
  findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                fmt::format("Nothing that brings this includes the class '{}'", catalogs_.name(wanted).str()), {}, Severity::Warning);
}

/// An override of what the class neither declares nor inherits: Puppet refuses it wherever the resource comes from.
/// `slip`: what is declared at run time is hardly meant.
bool Walker::check_override_of_nothing(const ResourceReference& r, bool slip) {
  if (r.overrides == nullptr || r.overrides->kind == NodeKind::FunctionDef || catalogs_.brings_unknown(r.unit) ||
      program_.in_broken(r.type.str()))
    return false;
  std::vector<Catalogs::Unit> own{r.unit};
  for (const Definition* d = r.overrides; d->kind == NodeKind::ClassDef && d->as<ClassDef>().parent && own.size() < 50;) {
    const DefinitionEntry* parent = program_.find_class(lower_symbol(d->as<ClassDef>().parent));
    if (parent == nullptr) return false;
    d = parent->definition;
    own.push_back(catalogs_.unit(Catalogs::Kind::Class, lower_symbol(d->name)));
    if (catalogs_.brings_unknown(own.back())) return false;
  }
  if (!slip && std::ranges::any_of(dynamic_, [&](const Dynamic& d) { return d.may_be(r) && std::ranges::find(own, d.unit) != own.end(); }))
    return false;
  findings_.add(CheckCode::refused_override, *r.source, r.offset, r.length,
                fmt::format("'{}' declares no {}['{}'], so it cannot change it", r.overrides->name.str(), capitalize_segments(r.type.str()),
                            shown_pattern(r.title)),
                "Only what a class declares or inherits can be changed so.");
  return true;
}

/// An override whose title is made of parts, where no resource of the type begins or ends so.
void Walker::check_pattern_override(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  std::vector<std::string_view> own;
  bool fits = false;
  for (const DeclaredResource* d : declared) {
    if (d->title.empty() || !may_be_one(d->title, r.title)) {
      if (d->unit == r.unit && !d->literal) own.push_back(d->title);
      continue;
    }
    if (d->title == r.title || share_a_side(d->title, r.title)) return;
    fits = true;
  }
  const bool slip = !did_you_mean(r.title, own).empty();
  if (slip || !fits) check_override_of_nothing(r, slip);
}

/// An override of a resource that another class declares. True where that is told.
bool Walker::check_override(const ResourceReference& r, std::span<const DeclaredResource* const> declared) {
  const DeclaredResource* other = nullptr;
  for (const DeclaredResource* d : declared) {
    if (d->literal ? d->number != r.number : !fits_title(d->title, r.title)) continue;
    if (!d->literal) return false;
    if (d->unit == r.unit || d->definition == r.overrides) {
      if (d->conditional || d->operations == nullptr || r.operations == nullptr) return false;
      for (const AttributeOp& op : *r.operations)
        if (op.kind == AttributeOpKind::Set &&
            std::ranges::any_of(*d->operations, [&](const AttributeOp& own) { return own.name == op.name; })) {
          findings_.add(CheckCode::refused_override, *r.source, op.offset, op.length,
                        fmt::format("'{}' of {}['{}'] is set already (line {}), and cannot be changed here", op.name.str(),
                                    capitalize_segments(r.type.str()), r.title, d->source->line(d->offset)));
          return true;
        }
      return false;
    }
    if (r.overrides != nullptr && inherits(program_, r.overrides, d->definition)) return false;
    other = d;
  }
  if (other == nullptr) return check_override_of_nothing(r);
  for (const Dynamic& d : dynamic_)
    if (d.may_be(r) && d.unit == r.unit) return false;
  const bool of_class = other->definition != nullptr && other->definition->kind == NodeKind::ClassDef;
  findings_.add(CheckCode::refused_override, *r.source, r.offset, r.length,
                fmt::format("{}['{}'] is declared {}, so it cannot be changed here", capitalize_segments(r.type.str()), r.title,
                            other->definition != nullptr ? fmt::format("by '{}'", other->definition->name.str()) : "elsewhere"),
                of_class ? "Only a class that inherits the other may; a collector may, too." : "A collector may.");
  return true;
}

} // namespace pupc::compiler
