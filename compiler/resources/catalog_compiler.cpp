#include "compiler/resources/catalog_compiler.h"

#include "catalog/base/excerpt.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/value/frozen.h"
#include "compiler/eval/trace.h"
#include "compiler/eval/type_loader.h"
#include "compiler/resources/collector_state.h"
#include "compiler/resources/compiler_failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

CatalogCompiler::CatalogCompiler(Catalog& catalog, Evaluator& evaluator, const Environment& environment, LogSink& log)
    : catalog_(catalog), evaluator_(evaluator), environment_(environment), log_(log), arena_(catalog.arena()) {
  origins_.push_back({}); // 0: unknown
  evaluator_.set_catalog(*this);
}

CatalogCompiler::~CatalogCompiler() = default;

void CatalogCompiler::compile(const NodeInput& node) {
  node_name_ = arena_.copy(node.name);
  catalog_.name = node.name;
  catalog_.environment = node.environment;

  top_ = make_scope(ScopeKind::Top, nullptr);
  top_->enclosing = nullptr;
  // Parse first: a broken main manifest is reported before anything else.
  const auto& manifests = environment_.main_manifests(&log_);
  if (!manifests.empty()) top_->file = manifests.front().get();

  main_ = arena_.make<CodeUnit>();
  main_->kind = CodeUnit::Kind::Main;
  top_->frame = evaluator_.make_frame(manifests.empty() ? nullptr : manifests.front()->layout, top_, nullptr);

  ResourceId stage = catalog_.add(Catalog::stage_type, "main", ResourceKind::CompilableType);
  states_.push_back({top_, nullptr, nullptr, nullptr, ResourceState::outside});
  catalog_[stage].set(Resource::symbol_title, true);
  catalog_.tag(stage, "stage");
  for (const auto& [name, parameters] : node.classes) catalog_.add_class(name);
  for (const auto& file : manifests) check_definitions(*file);

  set_node_parameters(node);
  create_settings(node);
  evaluate_main();
  evaluate_node(node);
  evaluate_node_classes(node);
  evaluate_generators();
  finish();
  fail_on_unevaluated();
  validate_relationships();
  convert_to_document();
}

void CatalogCompiler::prepare_calls(const NodeInput& node) {
  node_name_ = arena_.copy(node.name);
  catalog_.name = node.name;
  catalog_.environment = node.environment;
  top_ = make_scope(ScopeKind::Top, nullptr);
  top_->enclosing = nullptr;
  main_ = arena_.make<CodeUnit>();
  main_->kind = CodeUnit::Kind::Main;
  top_->frame = evaluator_.make_frame(nullptr, top_, nullptr);
  catalog_.add(Catalog::stage_type, "main", ResourceKind::CompilableType);
  states_.push_back({top_, nullptr, nullptr, nullptr, ResourceState::outside});
  set_node_parameters(node);
  create_settings(node);
  main_->scope = top_;
}

Value CatalogCompiler::resolve(const DeferredData& deferred) {
  BodyGuard guard(evaluator_, *top_);
  const Value argument = Value::of(&deferred);
  return evaluator_.call_function("call", {&argument, 1}, nullptr, *top_->frame, {});
}

// ---------------------------------------------------------------------------------------------------------------------
// scopes and places

Scope* CatalogCompiler::make_scope(ScopeKind kind, Scope* parent) {
  Scope* s = arena_.make<Scope>();
  s->kind = kind;
  s->parent = parent;
  if (parent != nullptr) s->enclosing = parent->kind == ScopeKind::Top || parent->kind == ScopeKind::Node ? parent : parent->enclosing;
  return s;
}

Scope& CatalogCompiler::declaring_scope(Frame& frame) {
  Scope* s = frame.scope;
  while (s != nullptr && s->kind == ScopeKind::Template) s = s->parent ? s->parent : s->enclosing;
  return s == nullptr || s->kind == ScopeKind::Function ? *top_ : *s;
}

CodeUnit* CatalogCompiler::source_of(const Scope& scope) const {
  return scope.resource == no_resource ? main_ : states_[scope.resource].type;
}

uint32_t CatalogCompiler::origin_of(CodeUnit* source, const SourceFile* file) {
  if (last_origin_ != 0 && origins_[last_origin_].source == source && origins_[last_origin_].file == file) return last_origin_;
  auto [it, added] = origin_ids_.try_emplace({source, file}, static_cast<uint32_t>(origins_.size()));
  if (added) origins_.push_back({source, file});
  return last_origin_ = it->second;
}

std::string CatalogCompiler::place_of(ResourceId id) const {
  const Resource& r = catalog_[id];
  std::string text = position_suffix(catalog_.file_name(r.file), r.line, 0);
  return text.empty() ? text : text.substr(1);
}

Diagnostic CatalogCompiler::at_line(std::string message, const SourceFile* file, uint32_t line, ErrorCode code) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.style = PositionStyle::Line;
  if (file != nullptr) d.file = file->path();
  d.line = line;
  set_cause(d, whole_line(file, line));
  return d;
}

void CatalogCompiler::fail_at_line(std::string message, const SourceFile* file, uint32_t line, ErrorCode code) const {
  throw CompileError(at_line(std::move(message), file, line, code));
}

Loc CatalogCompiler::place_of_parameter(ResourceId id, const Param& p) const {
  const SourceFile* file = origins_[p.origin].file;
  const std::string_view name = p.name.str();
  if (file != nullptr && p.position < file->text().size() && file->text().substr(p.position).starts_with(name))
    return {file, p.position, static_cast<uint32_t>(name.size())};
  return whole_line(states_[id].file, catalog_[id].line); // from a hash, data or a function
}

// ---------------------------------------------------------------------------------------------------------------------
// the phases

void CatalogCompiler::check_definitions(const ParsedFile& file) {
  FileGuard guard(evaluator_, &file);
  for (const Node* node : file.definitions) {
    if (node->kind == NodeKind::NodeDef)
      for (const Node* match : node->as<NodeDef>().matches)
        // The main class has that name already.
        if (match->kind == NodeKind::Literal && match->as<Literal>().value.is_string() && match->as<Literal>().value.str().empty())
          fail_at_line("Class '' is already defined; cannot be redefined as a node", file.source.get(), file.source->line(node->offset));
    if (node->kind != NodeKind::ClassDef && node->kind != NodeKind::DefineDef) continue;
    std::string_view name = node->as<Definition>().name.str();
    CodeUnit* type = node->kind == NodeKind::ClassDef ? find_class(name) : find_define(name);
    // Puppet makes the types of parameters when it loads a definition, even one that nothing uses.
    if (type == nullptr || type->definition != &node->as<Definition>()) continue;
    TypeLoader::LoadingGuard loading(static_cast<TypeLoader&>(evaluator_.types()), &file, node->offset);
    evaluate_parameter_types(*type);
  }
}

void CatalogCompiler::set_node_parameters(const NodeInput& node) {
  auto reserved = [](std::string_view name) {
    return name == "environment" || name == "facts" || name == "trusted" || name == "server_facts";
  };
  HashBuilder empty(arena_);
  const Value none = empty.finish();
  // The variables of single facts hold the same objects as $facts.
  auto frozen = [&](const Value& data) { return deep_frozen(arena_, data.is_hash() ? data : none); };
  const Value facts = frozen(node.facts), server_facts = frozen(node.server_facts);
  for (const Value* source : {&node.parameters, &facts}) {
    if (!source->is_hash()) continue;
    for (const auto& e : source->hash->entries()) {
      if (!e.key.is_string() || reserved(e.key.str())) continue;
      // The node's parameters win: a fact of the same name does not replace them.
      if (source == &facts && node.parameters.is_hash()) {
        if (const Value* set = node.parameters.hash->find(e.key)) {
          evaluator_.warn({}, fmt::format("The node parameter '{}' for node '{}' was already set to '{}'. It could not be set to '{}'",
                                          e.key.str(), node_name_, evaluator_.to_string(*set), evaluator_.to_string(e.value)));
          continue;
        }
      }
      evaluator_.set_global(e.key.str(), e.value);
    }
  }
  for (const auto& e : server_facts.hash->entries()) {
    auto set = [&](const Value& source) { return source.is_hash() && source.hash->find(e.key) != nullptr; };
    if (e.key.is_string() && !reserved(e.key.str()) && !set(node.parameters) && !set(facts)) evaluator_.set_global(e.key.str(), e.value);
  }
  evaluator_.set_global("environment", Value::string(arena_.copy(node.environment)));
  evaluator_.set_global("trusted", frozen(node.trusted));
  evaluator_.set_global("server_facts", server_facts);
  evaluator_.set_global("facts", facts);
}

void CatalogCompiler::create_settings(const NodeInput& node) {
  settings_ = arena_.make<CodeUnit>();
  settings_->kind = CodeUnit::Kind::Settings;
  settings_->name = "settings";
  ResourceId id = catalog_.add(Catalog::class_type, "Settings", ResourceKind::Unknown);
  states_.push_back({top_, settings_, main_, nullptr, static_cast<uint8_t>(ResourceState::outside | ResourceState::evaluated)});
  catalog_.tag(id, "class");
  catalog_.tag(id, "settings");
  catalog_.add_class("settings");
  Scope* scope = make_scope(ScopeKind::Class, top_);
  scope->resource = id;
  scope->class_name = "settings";
  scope->frame = evaluator_.make_frame(nullptr, scope, nullptr);
  settings_->scope = scope;
  class_scopes_.emplace("settings", scope);
  catalog_.add_edge(0, id);

  setting_values_ = node.settings ? node.settings.get() : &default_setting_values();
  if (node.settings) catalog_.keep_alive(node.settings);
}

std::optional<Value> CatalogCompiler::decided_setting(std::string_view name) {
  const CompileSettings& how = evaluator_.settings();
  if (name == "environment") return Value::string(catalog_.environment);
  if (name == "strict") return Value::string(how.strict == Strict::Off ? "off" : how.strict == Strict::Warning ? "warning" : "error");
  if (name == "strict_variables") return Value::boolean(how.strict_variables);
  if (name == "storeconfigs") return Value::boolean(exports_ != nullptr);
  // Without such settings the node's name is that of the machine that compiles.
  if ((name == "certname" && !setting_values_->given("certname")) ||
      (name == "node_name_value" && !setting_values_->given("node_name_value") && !setting_values_->given("certname")))
    return Value::string(node_name_);
  if (name == "manifest") {
    const std::string& manifest = environment_.options().manifest;
    return Value::string(manifest.empty() ? std::string_view("no_manifest") : std::string_view(manifest));
  }
  if (name == "modulepath") {
    std::string path;
    for (const auto& p : environment_.options().modulepath) path += (path.empty() ? "" : ":") + p;
    return Value::string(arena_.copy(path));
  }
  return std::nullopt;
}

bool CatalogCompiler::find_setting(std::string_view name, Value& out) {
  if (setting_values_ == nullptr) return false;
  if (name == "all_local") {
    HashBuilder all(arena_);
    const auto values = setting_values_->all();
    for (size_t i = 0; const SettingInfo& s : all_settings()) {
      const auto decided = decided_setting(s.name);
      all.set(s.name, decided ? *decided : values[i]);
      ++i;
    }
    out = all.finish();
    return true;
  }
  const Value* found = setting_values_->find(name);
  if (found == nullptr) return false;
  const auto decided = decided_setting(name);
  out = decided ? *decided : *found;
  return true;
}

void CatalogCompiler::evaluate_main() {
  main_resource_ = catalog_.add(Catalog::class_type, "main", ResourceKind::Unknown);
  states_.push_back({top_, main_, main_, nullptr, ResourceState::evaluated | ResourceState::evaluation_finished});
  catalog_[main_resource_].set(Resource::symbol_title, true);
  catalog_.tag(main_resource_, "class");
  top_->resource = main_resource_;
  main_->scope = top_;
  evaluator_.set_global("title", Value::string("main"));
  evaluator_.set_global("name", Value::string("main"));
  evaluator_.set_global("module_name", frozen_text(Value::string("")));
  class_scopes_.emplace("", top_);
  add_edge_to_stage(main_resource_);

  Frame* previous = nullptr;
  for (const auto& file : environment_.main_manifests(&log_)) {
    if (file->body == nullptr || file->body->kind != NodeKind::Block) continue;
    // All manifests share one scope, but each has its own frame, because slots are numbered per file.
    Frame* frame = previous == nullptr ? top_->frame : evaluator_.make_frame(file->layout, top_, nullptr);
    top_->frame = frame;
    top_->file = file.get();
    main_->file = file.get();
    BodyGuard guard(evaluator_, *top_);
    evaluator_.evaluate_manifest(*file, *frame);
    previous = frame;
  }
}

namespace {

/// Name of a node definition by regex, as the catalog document shows it.
std::string regex_node_name(std::string_view pattern) {
  std::string out;
  for (char c : downcase_name(pattern)) {
    bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':' || c == '.';
    if (word && !(out.empty() && c == '.')) out += c;
  }
  return "__node_regexp__" + out;
}

} // namespace

void CatalogCompiler::evaluate_node(const NodeInput& input) {
  const auto& nodes = environment_.nodes();
  if (nodes.empty()) return;
  std::string name = downcase_name(input.name);
  const NodeEntry* found = nullptr;
  const NodeEntry* fallback = nullptr;
  std::string title = name;
  MatchData match;
  for (const auto& entry : nodes) {
    for (const Node* m : entry.node->matches) {
      if (m->kind != NodeKind::Literal) continue;
      const Value& v = m->as<Literal>().value;
      if (v.is(Kind::Default)) {
        if (fallback == nullptr) fallback = &entry;
      } else if (v.is_string() && found == nullptr && downcase_name(v.str()) == name) {
        found = &entry;
      }
    }
  }
  for (const auto& entry : nodes) {
    if (found != nullptr) break;
    for (const Node* m : entry.node->matches) {
      if (m->kind != NodeKind::RegexLiteral) continue;
      const Regex* regex = m->as<Literal>().value.regex;
      MatchResult result = regex->search(name);
      if (!result.matched) continue;
      found = &entry;
      title = regex_node_name(regex->source());
      ListBuilder groups(arena_);
      for (const auto& g : result.groups)
        groups.add(g.begin < 0 ? Value::undef()
                               : Value::string(arena_.copy(
                                     std::string_view(name).substr(static_cast<size_t>(g.begin), static_cast<size_t>(g.end - g.begin)))));
      match.groups = groups.finish_list();
      break;
    }
  }
  if (found == nullptr) {
    found = fallback;
    title = "default";
  }
  if (found == nullptr)
    fail_unplaced(fmt::format("Could not find node statement with name 'default' or '{}'", input.name), ErrorCode::catalog_error);

  CodeUnit* type = arena_.make<CodeUnit>();
  type->kind = CodeUnit::Kind::Node;
  type->name = arena_.copy(title);
  type->node = found->node;
  type->body = found->node->body;
  type->file = found->file.get();
  type->match = match;
  set_layout(*type, found->node->layout);
  ResourceId id = create({.type = Catalog::node_type,
                          .title = title,
                          .kind = ResourceKind::Unknown,
                          .defined = type,
                          .scope = top_,
                          .source = type,
                          .how = DeclaredBy::NodeDefinition,
                          .place = {found->file->source.get(), found->node->offset, 0}});
  evaluate_resource_body(id);
  node_scope_ = type->scope;
}

void CatalogCompiler::evaluate_node_classes(const NodeInput& input) {
  if (input.classes.empty()) return;
  Scope& scope = node_scope_ ? *node_scope_ : *top_;
  std::vector<std::pair<CodeUnit*, Value>> with, without;
  for (const auto& [name, parameters] : input.classes) {
    CodeUnit* type = find_class(name);
    if (type == nullptr) fail_unplaced(fmt::format("Could not find class {} for {}", name, node_name_), ErrorCode::catalog_error);
    bool given = parameters.is_hash() && parameters.hash->size != 0;
    (given ? with : without).emplace_back(type, parameters);
  }
  for (auto& [type, parameters] : with) {
    std::vector<Param> params;
    for (const auto& e : parameters.hash->entries()) {
      Param p;
      p.name = intern(e.key.is_string() ? e.key.str() : std::string_view());
      p.value = e.value;
      p.origin = origin_of(type, nullptr);
      set_param_source(p, ParamSource::Classifier);
      params.push_back(p);
    }
    ResourceId id = create({.type = Catalog::class_type,
                            .title = type->name,
                            .kind = ResourceKind::Unknown,
                            .defined = type,
                            .params = params,
                            .scope = &scope,
                            .source = type,
                            .how = DeclaredBy::Classifier});
    pending_.push_back(id);
  }
  for (auto& [type, parameters] : without)
    if (type->scope == nullptr) {
      size_t before = catalog_.size();
      ResourceId id = ensure_class(*type, scope, DeclaredBy::Classifier, {});
      if (id >= before) pending_.push_back(id);
    }
}

void CatalogCompiler::evaluate_generators() {
  for (int count = 0;; ++count) {
    bool collected = evaluate_collectors();
    bool evaluated = evaluate_definitions();
    if (!collected && !evaluated) return;
    if (count >= 1000) fail_unplaced("Somehow looped more than 1000 times while evaluating host catalog", ErrorCode::catalog_error);
  }
}

bool CatalogCompiler::evaluate_definitions() {
  std::vector<ResourceId> batch;
  batch.swap(pending_);
  if (!realized_.empty()) {
    batch.insert(batch.end(), realized_.begin(), realized_.end());
    realized_.clear();
    std::sort(batch.begin(), batch.end());
    batch.erase(std::unique(batch.begin(), batch.end()), batch.end());
  }
  bool any = false;
  for (ResourceId id : batch) {
    // A virtual resource comes back through realized_.
    if (state(id).has(ResourceState::evaluated) || catalog_[id].has(Resource::is_virtual)) continue;
    any = true;
    auto wrapped = [&](std::string text, const char* what) {
      const Resource& r = catalog_[id];
      Diagnostic d;
      d.code = ErrorCode::catalog_error;
      d.style = PositionStyle::Line;
      d.message = fmt::format("Evaluation Error: Error while evaluating {}, {}", what, text);
      d.file = catalog_.file_name(r.file);
      d.line = r.line;
      return d;
    };
    try {
      evaluate_resource_body(id);
    } catch (const BreakSignal& jump) {
      try {
        fail_illegal_jump("break", jump.loc);
      } catch (CompileError& error) {
        error.diagnostic.message = "Evaluation Error: Error while evaluating an Object, " + error.diagnostic.message;
        error.diagnostic.loc = jump.loc;
        throw;
      }
    } catch (const CompilerFailure&) { throw; } catch (CompileError& error) {
      Diagnostic d = wrapped(error.diagnostic.puppet_text(), "a Resource Statement");
      d.code = error.diagnostic.code;
      Loc cause = cause_of(error.diagnostic);
      if (!cause) cause = error.diagnostic.loc;
      if (!cause) cause = whole_line(state(id).file, catalog_[id].line);
      set_cause(error.diagnostic, {});
      d.suggestion = std::move(error.diagnostic.suggestion);
      d.trace = std::move(error.diagnostic.trace);
      if (d.trace.empty()) trace_scopes(state(id).scope, &catalog_, d.trace);
      set_cause(d, cause);
      throw CompileError(std::move(d));
    }
  }
  return any;
}

// ---------------------------------------------------------------------------------------------------------------------
// origins, for the observer

namespace {

OriginPlace origin_place(const Loc& loc) { return {loc.file, loc.file != nullptr ? loc.file->line(loc.offset) : 0, loc.offset}; }

} // namespace

void CatalogCompiler::tell_param(ResourceId id, const Param& param, OriginPlace place, ResourceId from) {
  if (param_source(param) == ParamSource::Unknown) return; // a list to which relationships are about to append
  const SourceFile* file = origins_[param.origin].file;
  if (place.file == nullptr && file != nullptr) place = origin_place({file, param.position, 0});
  observer_->parameter_set(id, param, param_source(param), place, (param.flags & Param::append) != 0, from);
}

void CatalogCompiler::tell_declared(ResourceId id, const NewResource& declared) {
  observer_->declared(id, declared.how, origin_place(declared.place.file != nullptr ? declared.place : declared.loc),
                      declared.scope != nullptr ? declared.scope->resource : no_resource, declared.detail);
}

// ---------------------------------------------------------------------------------------------------------------------
// queries by functions and expressions

bool CatalogCompiler::class_included(std::string_view name) { return class_scope(name) != nullptr; }

Scope* CatalogCompiler::class_scope(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  auto it = class_scopes_.find(name);
  if (it != class_scopes_.end()) return it->second;
  std::string low = downcase_name(name);
  it = class_scopes_.find(low);
  return it == class_scopes_.end() ? nullptr : it->second;
}

bool CatalogCompiler::class_known(std::string_view name) { return find_class(name) != nullptr; }
bool CatalogCompiler::define_known(std::string_view name) { return find_define(name) != nullptr; }
bool CatalogCompiler::native_type_known(std::string_view name) { return environment_.find_resource_type(downcase_name(name)) != nullptr; }

ResourceId CatalogCompiler::find_reference(std::string_view type, std::string_view title) {
  std::string low = downcase_name(type);
  std::string_view key = low;
  if (key.starts_with("::")) key.remove_prefix(2);
  if (key == "class") {
    std::string_view name = title.starts_with("::") ? title.substr(2) : title;
    return catalog_.find(Catalog::class_type, capitalize_segments(name));
  }
  TypeId id = catalog_.find_type(key);
  return id == Catalog::no_type ? no_resource : find_resource(catalog_, id, title);
}

bool CatalogCompiler::resource_declared(std::string_view type, std::string_view title) {
  return find_reference(type, title) != no_resource;
}

bool CatalogCompiler::resource_parameter(std::string_view type, std::string_view title, std::string_view parameter, Value& out) {
  out = Value::undef();
  ResourceId id = find_reference(type, title);
  if (id == no_resource || !valid_parameter(id, parameter)) return false;
  Symbol name = find_symbol(parameter);
  if (!name) return true;
  if (const Param* p = catalog_[id].find(name)) out = p->value;
  if (!out.is_undef()) return true;
  std::vector<Param> defaults;
  collect_defaults(state(id).scope, catalog_[id].type, defaults);
  for (const Param& p : defaults)
    if (p.name == name) out = p.value;
  return true;
}

const Scope* CatalogCompiler::giver_of(const Scope& scope, std::string_view parameter) const {
  if (scope.resource == no_resource) return nullptr;
  const Symbol name = find_symbol(parameter);
  const Param* found = name ? catalog_[scope.resource].find(name) : nullptr;
  if (found == nullptr) return nullptr;
  const ParamSource source = param_source(*found);
  return source == ParamSource::Data || source == ParamSource::DefaultExpression ? nullptr : states_[scope.resource].scope;
}

void CatalogCompiler::add_tags(std::span<const std::string_view> tags, Frame& caller) {
  ResourceId id = declaring_scope(caller).resource;
  for (auto text : tags)
    if (!catalog_.tag(id, text)) fail_unplaced(fmt::format("Invalid tag '{}'", downcase_name(text)), ErrorCode::catalog_error);
  note_container_tags(id);
}

bool CatalogCompiler::tagged(std::string_view tag, Frame& caller) {
  std::string low = downcase_name(tag);
  auto id = catalog_.find_tag(low);
  if (!id) return false;
  return catalog_.tagged(*id) || tagged_with_scope(declaring_scope(caller).resource, {&*id, 1});
}

} // namespace pupc::compiler
