// Keys of the data: what they bind to, whether their values are of the right types, and whether what is looked up is there.
#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/data/data_files.h"
#include "compiler/types/bare_type.h"

#include "catalog/base/paths.h"
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/resource_type.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/codebase/findings.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/hiera/interpolation_syntax.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_set>

namespace pupc::compiler {
namespace {

constexpr std::string_view blanks_and_quotes = " \t\r\"'";

/// Whether a value has the part that keys and numbers with dots between them lead to, or may have it when it is looked up.
bool may_have(const Value& value, std::string_view path) {
  if (value.is_string()) return value.str().find("%{") != std::string_view::npos;
  if (value.is_undef() || path.find_first_of("'\"") != std::string_view::npos) return true;
  const std::string_view part = path.substr(0, path.find('.'));
  const std::string_view rest = part.size() == path.size() ? std::string_view() : path.substr(part.size() + 1);
  const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  if (number) return value.is_list() || value.is_hash();
  if (!value.is_hash()) return false;
  const Value* inner = value.hash->find(part);
  return inner != nullptr && (rest.empty() || may_have(*inner, rest));
}

/// Whether a value has all of the path but its end.
bool lacks_end(const Value& value, std::string_view path) {
  const size_t dot = path.find('.');
  if (!value.is_hash()) return false;
  if (dot == std::string_view::npos) return true;
  const Value* inner = value.hash->find(path.substr(0, dot));
  return inner != nullptr && lacks_end(*inner, path.substr(dot + 1));
}

/// The line of the part of a value that the path leads to, at or below `line`, where the value's key stands.
uint32_t line_of_part(std::string_view text, uint32_t line, const std::vector<std::string>& path) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (line == 0 || line > lines.size()) return line;
  size_t at = line - 1, last = at + 1;
  // The value ends where the next key begins.
  while (last < lines.size() && (lines[last].empty() || lines[last].find_first_of(" -#}]\r") == 0)) ++last;
  for (const std::string& part : path) {
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    std::optional<size_t> found;
    if (!number || lines[at].find(part + ":") != std::string_view::npos) {
      for (size_t i = at; i < last && !found; ++i)
        for (std::string_view quote : {"", "'", "\""}) {
          const std::string wanted = fmt::format("{0}{1}{0}:", quote, part);
          const size_t place = lines[i].find(wanted);
          if (place == std::string_view::npos) continue;
          const char before = place == 0 ? ' ' : lines[i][place - 1];
          if (before == ' ' || before == '{' || before == ',') found = i;
        }
    } else {
      size_t element = std::stoul(part.substr(0, 6)), indentation = std::string_view::npos;
      for (size_t i = at + 1; i < last && !found; ++i) {
        const size_t dash = lines[i].find_first_not_of(' ');
        if (dash == std::string_view::npos || lines[i][dash] != '-') continue;
        if (indentation == std::string_view::npos) indentation = dash;
        if (dash == indentation && element-- == 0) found = i;
      }
    }
    if (!found) break;
    at = *found;
  }
  return static_cast<uint32_t>(at + 1);
}

} // namespace

void DataFiles::check(const LookupKeys& lookups) {
  lookups_ = &lookups;
  if (program_ == nullptr) return;
  for (const auto& d : data_) {
    Texts texts;
    for (size_t i = 0; i < d->root.hash->entries().size(); ++i) {
      texts.steps = 0;
      const HashEntry& e = d->root.hash->entries()[i];
      collect_lookups(*d, e.key.is_string() ? e.key.str() : std::string_view(), e.value, i < d->notes.lines.size() ? d->notes.lines[i] : 1,
                      texts);
    }
  }
  for (const auto& d : data_) check_keys(*d);
  check_needed();
  check_recursion();
  check_typed_lookups();
  check_merged_values();
  check_resources();
  check_options_of_keys();
}

std::set<std::string, std::less<>> DataFiles::always_set() const {
  std::set<std::string, std::less<>> out;
  for (const auto& d : data_)
    if (for_all_.contains(d->file->path))
      for (const HashEntry& e : d->root.hash->entries())
        if (e.key.is_string()) out.emplace(e.key.str());
  return out;
}

bool DataFiles::complete_for(std::string_view key) const {
  if (program_ == nullptr || unreadable_ || !program_->whole()) return false;
  const EnvironmentOptions& options = program_->environment().options();
  const auto read = [&](const std::string& config) { return configs_.contains(config) && !other_configs_.contains(config); };
  if (!options.hiera_config.empty() || options.path.empty() || !read(options.path + "/hiera.yaml")) return false;
  const size_t cut = key.find("::");
  if (cut == std::string_view::npos) return true;
  const std::string name = ascii_lower(key.substr(0, cut));
  const Module* module = program_->environment().find_module(name);
  if (module == nullptr) return !program_->lists_missing(name);
  const std::string config = module->path + "/hiera.yaml";
  return module->data_provider.empty() && (read(config) || !program_->environment().path_exists(config));
}

std::vector<Value> DataFiles::values(std::string_view key) const {
  std::vector<Value> out;
  if (keys_.contains(key))
    for (const auto& d : data_)
      if (const Value* v = d->root.hash->find(key); v != nullptr) out.push_back(*v);
  return out;
}

std::set<std::string> DataFiles::certain_texts(std::string_view key, bool keys) const {
  std::set<std::string> out;
  const KeyOptions* options = options_of(key);
  const bool merges = options != nullptr && (options->merge == "unique" || options->merge == "deep" || options->merge == "hash");
  if (options != nullptr && (options->converts || !options->knockout.empty())) return out;
  if (!merges && values(key).size() != 1) return out; // another level may win
  for (const auto& d : data_) {
    const Value* v = for_all_.contains(d->file->path) ? d->root.hash->find(key) : nullptr;
    if (v == nullptr) continue;
    if (v->is_list() && !keys)
      for (const Value& element : v->items())
        if (element.is_string() && !is_made(element)) out.emplace(element.str());
    if (v->is_hash() && keys)
      for (const HashEntry& e : v->hash->entries())
        if (e.key.is_string()) out.emplace(e.key.str());
  }
  return out;
}

bool DataFiles::mentions(std::string_view text) const {
  return std::ranges::any_of(data_, [&](const auto& d) { return d->text.find(text) != std::string::npos; });
}

bool DataFiles::plain(std::string_view key, const Value& value) const { return options_of(key) == nullptr && !is_made(value); }

bool DataFiles::has_key(std::string_view key) const {
  if (keys_.contains(key)) return true;
  const size_t dot = key.find('.');
  return dot != std::string_view::npos &&
         std::ranges::any_of(values(key.substr(0, dot)), [&](const Value& v) { return may_have(v, key.substr(dot + 1)); });
}

std::string DataFiles::near_key(std::string_view key) const { return did_you_mean(key, {keys_.begin(), keys_.end()}); }

/// What the lookups of a key do with values, or null.
const DataFiles::KeyOptions* DataFiles::options_of(std::string_view key) const {
  for (const KeyOptions& o : options_)
    if (o.fits(key)) return &o;
  return nullptr;
}

bool DataFiles::asked_for(const std::string& key) const {
  return lookups_->keys.contains(key) || interpolated_.contains(key) ||
         std::any_of(lookups_->keys.begin(), lookups_->keys.end(), [&](const std::string& k) { return k.starts_with(key + "."); });
}

/// False for a text without interpolation, and for one that was there before: what an alias of YAML stands for is the value itself.
bool DataFiles::Texts::is_first(std::string_view text) {
  return text.find("%{") != std::string_view::npos && seen.insert(text.data()).second;
}

/// The keys that texts of the data look up.
void DataFiles::collect_lookups(const Data& d, std::string_view own, const Value& v, uint32_t line, Texts& texts, int depth) {
  if (depth > 64 || ++texts.steps > 1000000) return;
  if (v.is_string()) {
    if (!texts.is_first(v.str())) return;
    const std::string_view text = v.str();
    for (size_t at = 0; (at = text.find("%{", at)) != std::string_view::npos; at += 2) {
      const size_t open = text.find('(', at), close = text.find(')', at), end = text.find('}', at);
      if (open == std::string_view::npos || close == std::string_view::npos || open > close) continue;
      const std::string_view key = trimmed(text.substr(open + 1, close - open - 1), blanks_and_quotes);
      interpolated_.emplace(key);
      const std::string_view method = trimmed(text.substr(at + 2, open - at - 2));
      if (open < end && one_of("lookup|hiera|alias", method))
        interpolated_places_.push_back({std::string(key), &d, line, std::string(own)});
    }
  } else if (v.is_list()) {
    for (const Value& i : v.items()) collect_lookups(d, own, i, line, texts, depth + 1);
  } else if (v.is_hash()) {
    for (const HashEntry& e : v.hash->entries()) collect_lookups(d, own, e.value, line, texts, depth + 1);
  }
}

/// Interpolations in the values of a key that fail, or are none.
void DataFiles::check_interpolations(const Data& d, const Value& v, uint32_t line, Texts& texts, std::vector<std::string>& path) {
  if (path.size() > 64 || ++texts.steps > 1000000) return;
  if (v.is_string()) {
    for (std::string_view root : {"${facts[", "${facts.", "${trusted[", "${trusted."})
      if (v.str().find(root) != std::string_view::npos)
        return findings_.add(CheckCode::interpolation, d.file->shown, line_of_part(d.text, line, path), 0,
                             fmt::format("'{}…}}' stays as it is: data has %{{facts.x}}", root), {}, Severity::Warning);
    if (!texts.is_first(v.str())) return;
    // The place is looked for where it is told: most texts have nothing to tell.
    const auto place = [&] {
      const uint32_t part = line_of_part(d.text, line, path);
      return std::max(line_of(d.text, "%{", part), part);
    };
    const InterpolationProblem problem = interpolation_problem(v.str(), true);
    if (!problem.message.empty()) {
      // Other programs have %{ in their texts, too: but not with what follows here.
      const size_t at = v.str().rfind("%{");
      const std::string_view rest = without_leading_colons(trimmed(v.str().substr(at == std::string_view::npos ? 0 : at + 2)));
      const bool meant = one_of("lookup|hiera|alias|literal|scope|facts|trusted", rest.substr(0, rest.find_first_of(".('\" ")));
      findings_.add(CheckCode::interpolation, d.file->shown, place(), 0, problem.message, {},
                    problem.unclosed ? std::optional(meant ? Severity::Warning : Severity::Hint) : std::nullopt);
    } else {
      check_named_facts(*d.file, place, v.str());
      check_meant_key(d, place, v.str());
    }
  } else if (v.is_list()) {
    for (size_t i = 0; i < v.items().size(); ++i) {
      path.push_back(std::to_string(i));
      check_interpolations(d, v.items()[i], line, texts, path);
      path.pop_back();
    }
  } else if (v.is_hash()) {
    for (const HashEntry& e : v.hash->entries()) {
      path.emplace_back(e.key.is_string() ? std::string(e.key.str()) : std::string());
      check_interpolations(d, e.key, line, texts, path);
      check_interpolations(d, e.value, line, texts, path);
      path.pop_back();
    }
  }
}

/// %{key}: no variable has the name, and a key of the data has.
void DataFiles::check_meant_key(const Data& d, const std::function<uint32_t()>& place, std::string_view text) {
  for (size_t open = 0; (open = text.find("%{", open)) != std::string_view::npos; open += 2) {
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return;
    const std::string name(without_leading_colons(trimmed(text.substr(open + 2, close - open - 2))));
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_:") != std::string::npos || name == key_) continue;
    const Symbol symbol = find_symbol(name);
    if (const size_t colons = name.rfind("::"); colons != std::string::npos) { // a variable of a class
      const std::string_view owner = std::string_view(name).substr(0, colons);
      if (program_->find_class(intern(owner)) != nullptr || program_->may_exist(owner) != Known::No) continue;
    }
    if (!keys_.contains(name) || is_known_fact(name) || program_->custom_facts().contains(name) || program_->in_broken(name) ||
        (symbol && program_->top_variables().contains(symbol.id)) || (program_->top_scope() && program_->top_scope()->contains(name)))
      continue;
    findings_.add(CheckCode::interpolation, d.file->shown, place(), 0, fmt::format("'{}' is a key of the data, and no variable", name),
                  fmt::format("Write %{{lookup('{}')}}.", name), Severity::Warning);
  }
}

void DataFiles::check_keys(const Data& d) {
  const Module* owner = program_->module_of(d.file->path);
  const auto entries = d.root.hash->entries();
  Texts texts;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].key.is_string()) continue;
    const std::string key(entries[i].key.str());
    const uint32_t line = i < d.notes.lines.size() ? d.notes.lines[i] : 0;
    if (key == "lookup_options") continue;
    texts.steps = 0;
    std::vector<std::string> path;
    key_ = entries[i].key.str();
    check_interpolations(d, entries[i].value, line, texts, path);
    if (owner != nullptr && key != owner->name && !key.starts_with(owner->name + "::")) {
      findings_.add(CheckCode::unbound_key, d.file->shown, line, 1,
                    fmt::format("Data of the module '{}' cannot have the key '{}'", owner->name, key),
                    fmt::format("Its keys begin with {}::.", owner->name));
      continue;
    }
    check_key_written(d, key, line);
    const size_t cut = key.rfind("::");
    if (cut == std::string::npos || cut == 0) continue;
    check_binding(d, key, key.substr(0, cut), key.substr(cut + 2), entries[i].value, line);
  }
}

/// A key that is not what it was meant to be: lookup_options with a slip, one colon where two belong.
void DataFiles::check_key_written(const Data& d, const std::string& key, uint32_t line) {
  const auto told = [&](std::string_view meant) {
    if (!asked_for(key))
      findings_.add(CheckCode::unbound_key, d.file->shown, line, 1, fmt::format("The key '{}' binds to nothing", key),
                    fmt::format("Did you mean '{}'?", meant));
  };
  if (key == "lookup_option" || one_slip_apart(key, "lookup_options")) return told("lookup_options");
  size_t single = key.find(':');
  while (single != std::string::npos && single + 1 < key.size() && key[single + 1] == ':') single = key.find(':', single + 2);
  if (single == std::string::npos) return;
  std::string right;
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == ':' && i > 0 && key[i - 1] == ':') continue;
    right += key[i];
    if (key[i] == ':') right += ':';
  }
  const size_t cut = right.rfind("::");
  if (cut == std::string::npos || cut == 0) return;
  if (const DefinitionEntry* entry = program_->find_class(intern(right.substr(0, cut))); entry != nullptr)
    if (std::ranges::any_of(entry->definition->parameters, [&](const Parameter& p) { return p.name.str() == right.substr(cut + 2); }))
      told(right);
}

void DataFiles::check_binding(const Data& d, const std::string& key, const std::string& class_name, const std::string& parameter,
                              const Value& value, uint32_t line) {
  bool broken = false;
  const DefinitionEntry* entry = program_->find_class(intern(class_name), &broken);
  if (broken) return;
  if (entry == nullptr) {
    if (asked_for(key) || program_->may_exist(class_name) != Known::No || program_->find_define(intern(class_name)) != nullptr) return;
    std::string similar = program_->suggestion(NodeKind::ClassDef, class_name);
    if (!similar.empty())
      findings_.add(CheckCode::unbound_key, d.file->shown, line, 1, fmt::format("There is no class '{}' for the key '{}'", class_name, key),
                    std::move(similar));
    return;
  }
  const Definition& definition = *entry->definition;
  const auto p = std::find_if(definition.parameters.begin(), definition.parameters.end(),
                              [&](const Parameter& q) { return q.name.str() == parameter; });
  if (p == definition.parameters.end()) {
    if (asked_for(key)) return;
    std::vector<std::string_view> names;
    for (const Parameter& q : definition.parameters) names.push_back(q.name.str());
    findings_.add(CheckCode::unbound_key, d.file->shown, line, 1,
                  fmt::format("The class '{}' has no parameter '{}' for this key", class_name, parameter), did_you_mean(parameter, names));
    return;
  }
  if (const Type* type = program_->type_of(*p, *entry->file->source); type != nullptr)
    check_value(d, *type, key, value, line, fmt::format("Parameter '{}' of class '{}'", parameter, class_name));
}

/// The same of a value that is made a Sensitive.
std::optional<Mismatch> DataFiles::misfit_of_secret(const Type& type, const std::string& key, const Value& value) const {
  const Type* bare = bare_type(&type);
  if (bare == nullptr || value.is(Kind::Sensitive)) return std::nullopt;
  switch (bare->kind) {
  case TypeKind::Sensitive: {
    const Type* inner = type_cast<WrapperType>(bare).inner;
    const bool merged = inner == nullptr || !options_of(key)->merge.empty();
    Mismatch found = merged ? Mismatch() : mismatch(*program_, *inner, value, false);
    if (found.why.empty()) return std::nullopt;
    return found;
  }
  case TypeKind::String:
  case TypeKind::Enum:
  case TypeKind::Pattern:
  case TypeKind::Integer:
  case TypeKind::Boolean:
  case TypeKind::Array:
  case TypeKind::Hash:
  case TypeKind::Struct: return Mismatch{{}, "takes no Sensitive, which convert_to of the key's lookup_options makes of the value"};
  default: return std::nullopt;
  }
}

/// Values of several levels that the strategy `hash` cannot merge: they are no hashes.
void DataFiles::check_merged_values() {
  for (const auto& d : data_) {
    if (!for_all_.contains(d->file->path)) continue;
    const auto entries = d->root.hash->entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].key.is_string()) continue;
      const std::string_view key = entries[i].key.str();
      const KeyOptions* options = options_of(key);
      const std::vector<Value> all = options != nullptr && options->merge == "hash" ? values(key) : std::vector<Value>();
      if (all.size() < 2 || std::ranges::all_of(all, [](const Value& v) { return v.is_hash() || v.is_undef() || is_made(v); })) continue;
      findings_.add(CheckCode::data_type, d->file->shown, i < d->notes.lines.size() ? d->notes.lines[i] : 0, 1,
                    fmt::format("The values of '{}' are merged as hashes (lookup_options), and not all are hashes", key));
    }
  }
}

/// Why a value of the data does not fit what has a type; nothing when it does, or may.
std::optional<Mismatch> DataFiles::misfit(const Type& type, const std::string& key, const Value& value, bool merges) const {
  const KeyOptions* options = options_of(key);
  if (options != nullptr && options->secret && !value.is_undef() && !merges) return misfit_of_secret(type, key, value);
  if (value.is_undef() || (options != nullptr && options->converts)) return std::nullopt;
  const bool merged = options != nullptr && !options->merge.empty() && options->merge != "first" && options->merge != "default";
  // A merge of one value makes an array of it.
  if (merged && options->merge == "unique" && !value.is_list()) return std::nullopt;
  Mismatch found = mismatch(*program_, type, value, merged || merges,
                            options != nullptr ? std::string_view(options->knockout) : std::string_view());
  if (found.why.empty()) return std::nullopt;
  return found;
}

/// A value that the data gives to what has a type.
void DataFiles::check_value(const Data& d, const Type& type, const std::string& key, const Value& value, uint32_t line,
                            std::string_view whose) {
  if (const auto found = misfit(type, key, value))
    findings_.add(CheckCode::data_type, d.file->shown, line_of_part(d.text, line, found->path), 1, fmt::format("{} {}", whose, found->why));
}

/// Parameters that look their default up. Where no value of the data fits, the parameter is wrong rather than the data.
void DataFiles::check_typed_lookups() {
  for (const LookupKeys::Typed& typed : lookups_->typed) {
    struct Place {
      const Data* data;
      uint32_t line;
      std::string why;
    };
    std::vector<Place> misfits;
    size_t values = 0;
    const std::vector<std::string_view> path = catalog::split_views(typed.key, '.');
    const std::string root(path.front());
    const std::string whose = typed.parameter.empty() ? "The lookup of this key" : fmt::format("Parameter '{}'", typed.parameter);
    for (const Source& source : sources(root)) {
      if (!source.of_site) continue;
      const Data* const d = static_cast<const Data*>(source.file);
      const auto entries = d->root.hash->entries();
      const Value* value = source.value;
      for (size_t part = 1; part < path.size() && value != nullptr; ++part)
        value = value->is_hash() ? value->hash->find(path[part]) : nullptr;
      if (value == nullptr) continue;
      ++values;
      const auto entry = std::ranges::find(entries, source.value, [](const HashEntry& e) { return &e.value; });
      const auto i = static_cast<size_t>(entry - entries.begin());
      const uint32_t line = i < d->notes.lines.size() ? d->notes.lines[i] : 0;
      auto found = misfit(*typed.type, root, *value, typed.merged);
      if (!found) continue;
      found->path.insert(found->path.begin(), path.begin() + 1, path.end());
      misfits.push_back({d, line_of_part(d->text, line, found->path), std::move(found->why)});
    }
    if (misfits.empty()) continue;
    if (misfits.size() == values) {
      const Place& first = misfits.front();
      findings_.add(CheckCode::data_type, *typed.source, typed.offset, typed.length,
                    fmt::format("{} {} from {}:{}", whose, first.why, first.data->file->shown, first.line));
      continue;
    }
    // Whether nodes of this level have the class is not known.
    for (const Place& place : misfits)
      findings_.add(CheckCode::data_type, place.data->file->shown, place.line, 1,
                    typed.parameter.empty()
                        ? fmt::format("{} {} ({}:{})", whose, place.why, typed.source->path(), typed.source->line(typed.offset))
                        : fmt::format("{}, which looks this key up, {}", whose, place.why),
                    {}, Severity::Warning);
  }
}

/// Hashes of resources that the code declares as they are: create_resources('type', $hash), and `type { $title: * => $attributes }`.
void DataFiles::check_resources() {
  std::set<std::pair<std::string, std::string>> seen;
  for (const LookupKeys::Resources& r : lookups_->resources) {
    if (!seen.emplace(r.key, r.type).second) continue;
    const KeyOptions* options = options_of(r.key);
    if (options != nullptr && options->converts) continue;
    const std::vector<Value> levels = values(r.key);
    for (const auto& d : data_) {
      const auto entries = d->root.hash->entries();
      for (size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].key.is_string() || entries[i].key.str() != r.key || !entries[i].value.is_hash()) continue;
        const uint32_t line = i < d->notes.lines.size() ? d->notes.lines[i] : line_of(d->text, r.key);
        for (const HashEntry& e : entries[i].value.hash->entries())
          if (e.key.is_string() && e.value.is_hash()) {
            check_attributes(*d, r, std::string(e.key.str()), *e.value.hash, line);
            check_required(*d, r, levels, std::string(e.key.str()), *e.value.hash, line);
          }
      }
    }
  }
}

void DataFiles::check_attributes(const Data& d, const LookupKeys::Resources& r, const std::string& title, const Hash& attributes,
                                 uint32_t line) {
  const KeyOptions* options = options_of(r.key);
  const std::string_view knockout = options != nullptr ? std::string_view(options->knockout) : std::string_view();
  for (const HashEntry& e : attributes.entries()) {
    if (!e.key.is_string() || is_made(e.key) || (!knockout.empty() && e.key.str().starts_with(knockout))) continue;
    const std::string name(e.key.str());
    const Symbol symbol = intern(name);
    std::vector<std::string_view> names;
    const Parameter* parameter = nullptr;
    if (r.define != nullptr) {
      for (const Parameter& p : r.define->definition->parameters) {
        names.push_back(p.name.str());
        if (p.name == symbol) parameter = &p;
      }
    } else {
      for (const auto& a : r.native->attributes()) names.push_back(a.name.str());
    }
    const bool known = is_metaparameter(symbol) || symbol == sym::name ||
                       (r.define != nullptr ? parameter != nullptr : r.native->valid_attribute(symbol));
    const uint32_t at = line_of_part(d.text, line, {title, name});
    if (!known) {
      findings_.add(
          CheckCode::unbound_key, d.file->shown, at, 1,
          fmt::format("'{}' has no {} '{}', which '{}' is to get", r.type, r.define != nullptr ? "parameter" : "attribute", name, title),
          did_you_mean(name, names));
      continue;
    }
    const Type* type = parameter != nullptr ? program_->type_of(*parameter, *r.define->file->source) : nullptr;
    if (type == nullptr || e.value.is_undef() || (r.beside.win && std::ranges::count(r.beside.names, symbol) != 0)) continue;
    if (Mismatch found = mismatch(*program_, *type, e.value, true, knockout); !found.why.empty()) {
      found.path.insert(found.path.begin(), {title, name});
      findings_.add(CheckCode::data_type, d.file->shown, line_of_part(d.text, line, found.path), 1,
                    fmt::format("Parameter '{}' of '{}' {}", name, r.type, found.why));
    }
  }
}

/// A parameter of a defined type that has no default and that neither the code nor any level of the data gives to the resource.
/// `levels`: the values of the key.
void DataFiles::check_required(const Data& d, const LookupKeys::Resources& r, std::span<const Value> levels, const std::string& title,
                               const Hash& attributes, uint32_t line) {
  if (r.define == nullptr || r.beside.others || is_made(Value::string(title))) return;
  // Levels may be merged, and any text of the data may stand for what is merged, too.
  if (std::ranges::any_of(attributes.entries(), [](const HashEntry& e) { return !e.key.is_string() || is_made(e.key); })) return;
  for (const Parameter& p : r.define->definition->parameters) {
    if (p.default_value != nullptr || std::ranges::count(r.beside.names, p.name) != 0) continue;
    const auto gives = [&](const Value& resources) {
      const Value* one = resources.is_hash() ? resources.hash->find(title) : nullptr;
      return one != nullptr && one->is_hash() && one->hash->find(p.name.str()) != nullptr;
    };
    if (std::ranges::any_of(levels, gives)) continue;
    findings_.add(CheckCode::missing_parameter, d.file->shown, line_of_part(d.text, line, {title}), 1,
                  fmt::format("The defined type '{}' needs the parameter '{}', which '{}' does not get", r.type, p.name.str(), title));
  }
}

/// Keys that the code or the data looks up, that no data has.
void DataFiles::check_needed() {
  std::unordered_set<std::string> words; // the keys, all signs between words alike
  const auto words_of = [](std::string_view key) {
    std::string out;
    for (char c : key) {
      const bool sign = c == ':' || c == '_' || c == '-' || c == ' ';
      if (!sign || !out.ends_with(' ')) out += sign ? ' ' : c;
    }
    return out;
  };
  // Data that is not here may have any key, but hardly another part of what is here, nor one so near to another.
  const auto likely = [&](const std::string& key) {
    const size_t dot = key.find('.');
    const std::string_view root = std::string_view(key).substr(0, dot);
    if (dot != std::string::npos && keys_.contains(root))
      return std::ranges::any_of(values(root), [&](const Value& v) { return lacks_end(v, std::string_view(key).substr(dot + 1)); });
    if (words.empty())
      for (const std::string& k : keys_) words.insert(words_of(k));
    return words.contains(words_of(root)) ||
           std::ranges::any_of(keys_, [&](std::string_view k) { return one_slip_apart_in_word(root, k); });
  };
  const auto missing = [&](const std::string& key) {
    return !key.empty() && !has_key(key) && key.find_first_of("$%{\"'") == std::string::npos && (complete_for(key) || likely(key));
  };
  for (const LookupKeys::Needed& needed : lookups_->needed)
    if (missing(needed.key))
      findings_.add(CheckCode::missing_key, *needed.source, needed.offset, needed.length,
                    fmt::format("No data has the key '{}'", needed.key), near_key(needed.key));
  for (const Interpolated& place : interpolated_places_)
    if (missing(place.key))
      findings_.add(CheckCode::missing_key, place.data->file->shown, std::max(place.line, line_of(place.data->text, place.key, place.line)),
                    1, fmt::format("No data has the key '{}' that is looked up here", place.key), near_key(place.key));
}

/// Keys whose values look themselves up: each value that the other keys of the circle have leads on.
void DataFiles::check_recursion() const {
  std::map<std::string_view, std::map<std::string_view, std::set<const Data*>>> leads; // from a key to others, in these files
  for (const Interpolated& place : interpolated_places_)
    if (!place.own.empty()) leads[place.own][place.key].insert(place.data);
  const auto always = [&](std::string_view from, const std::set<const Data*>& files) { return files.size() == values(from).size(); };
  for (const Interpolated& place : interpolated_places_) {
    if (place.own.empty()) continue;
    std::set<std::string_view> reached{place.key};
    std::vector<std::string_view> open{place.key};
    for (size_t i = 0; i < open.size() && open.size() < 100 && !reached.contains(place.own); ++i)
      if (const auto next = leads.find(open[i]); next != leads.end())
        for (const auto& [key, files] : next->second)
          if (always(open[i], files) && reached.insert(key).second) open.push_back(key);
    if (!reached.contains(place.own)) continue;
    findings_.add(CheckCode::interpolation, place.data->file->shown, std::max(place.line, line_of(place.data->text, place.key, place.line)),
                  1,
                  place.own == place.key ? fmt::format("The value of '{}' looks itself up", place.own)
                                         : fmt::format("The value of '{}' looks '{}' up, which leads back to it", place.own, place.key));
  }
}

/// lookup_options for a key that nothing has.
void DataFiles::check_options_of_keys() {
  for (const OptionsPlace& place : options_places_) {
    // What the key begins with says of which module it is; where that is not here nothing is known.
    const std::string_view plain = std::string_view(place.key).substr(place.key.starts_with('^') ? 1 : 0);
    const std::string module(plain.substr(0, plain.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")));
    const bool here = plain.substr(module.size()).starts_with("::") && program_->environment().find_module(module) != nullptr;
    // Where other backends may have the key, too, or other code asks for it, only what is nearly one that is here is told.
    const std::string near = near_key(place.key);
    if (!here && near.empty() && (!program_->missing().empty() || lookups_->dynamic)) continue;
    const auto options = std::ranges::find(options_, place.key, &KeyOptions::key);
    if (options == options_.end()) continue;
    if (!complete_for(place.key.starts_with('^') ? "a" : place.key) && near.empty()) continue;
    const auto fits = [&](std::string_view key) { return options->fits(key); };
    if (std::ranges::any_of(keys_, fits) || std::ranges::any_of(lookups_->keys, fits) || std::ranges::any_of(interpolated_, fits)) continue;
    const bool of_class = std::ranges::any_of(program_->own(NodeKind::ClassDef), [&](Symbol name) {
      const DefinitionEntry* entry = program_->find_class(name);
      return entry != nullptr && std::ranges::any_of(entry->definition->parameters, [&](const Parameter& p) {
               return fits(fmt::format("{}::{}", lower_name(name), p.name.str()));
             });
    });
    if (!of_class)
      findings_.add(CheckCode::lookup_option, place.file->shown, place.line, 1,
                    fmt::format("These options fit no key: neither data nor a class has '{}'", place.key), near, Severity::Warning);
  }
}

} // namespace pupc::compiler
