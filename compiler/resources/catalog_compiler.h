#pragma once
// The CatalogBuilder: evaluates the main manifest, node, classes and defines in Puppet's order, and leaves a finished Catalog. One object
// per compile. Each part has its own .cpp: catalog_compiler (phases, scopes), class_evaluation (classes, defines, nodes and their
// parameters), resource_expression (resources, defaults), resource_override, collectors, relationships, catalog_finish.
#include "catalog/graph/catalog.h"
#include "catalog/graph/exports.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/load/settings.h"
#include "compiler/resources/origin_observer.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

/// The node whose catalog is compiled, as the server knows it before the compile.
struct NodeInput {
  std::string name;
  Value facts;        // Hash: $facts, and top-scope variables
  Value parameters;   // Hash or undef: further top-scope variables (from an ENC)
  Value trusted;      // Hash; undef: local, unauthenticated data of the node's name
  Value server_facts; // Hash; undef: none
  /// Classes from an ENC, with their parameters (undef or a Hash), in order.
  std::vector<std::pair<std::string, Value>> classes;
  std::string environment = "production";
  std::shared_ptr<const SettingValues> settings; // read by $settings::NAME; null: the defaults
};

/// A class, define, node or the main manifest, with the body to evaluate. Puppet calls this a resource type, too.
struct CodeUnit {
  enum class Kind : uint8_t { Class, Define, Node, Main, Settings };
  Kind kind = Kind::Class;
  bool overrides = false;                 // a collector with overrides stands in its body: it may override everything from now on
  std::string_view name;                  // "a::b", "" for main
  const Definition* definition = nullptr; // set for classes and defines
  const NodeDef* node = nullptr;
  const Block* body = nullptr;
  const FrameLayout* layout = nullptr;
  const ParsedFile* file = nullptr;
  const Module* module = nullptr;
  std::string_view parent_name; // "" = none
  CodeUnit* parent = nullptr;
  Scope* scope = nullptr; // set when the class or node was evaluated
  MatchData match;        // match variables of a node's regex
  const Type** parameter_types = nullptr;
  int16_t title_slot = -1, name_slot = -1, module_slot = -1, caller_slot = -1;

  Seq<Parameter> parameters() const { return definition ? definition->parameters : Seq<Parameter>{}; }
  /// Whether a body of this type may override parameters that `other` set, as a subclass may.
  bool child_of(const CodeUnit* other) const {
    for (const CodeUnit* t = this; t != nullptr; t = t->parent) {
      if (t->overrides) return true;
      if (t->parent == other && other != nullptr) return true;
    }
    return false;
  }
};

/// What a resource type name stands for: a native type, a define, or `class`.
struct ResolvedType {
  enum class Kind : uint8_t { None, Native, Define, Class } kind = Kind::None;
  TypeId id = Catalog::no_type;
  CodeUnit* define = nullptr;
  const ResourceTypeInfo* info = nullptr;
};

/// Who set a parameter, and in which file. Param::origin is an index into the compiler's table of these.
struct ParamOrigin {
  CodeUnit* source = nullptr;
  const SourceFile* file = nullptr;
};

/// The resource defaults of one scope: for each type, in the order of the statements.
struct DefaultsTable {
  struct PerType {
    TypeId type;
    std::vector<Param> params;
  };
  std::vector<PerType> types;
  const std::vector<Param>* find(TypeId type) const {
    for (const auto& t : types)
      if (t.type == type) return &t.params;
    return nullptr;
  }
};

/// The value of a `before` or `notify` parameter to which relationships append. Resources of one body share it, as in Puppet; so it is the
/// one list that grows after it was made. Its owner reaches it through `own`: who has the value sees a list that it cannot change.
struct OwnList : List {
  OwnList* own;
  Value* storage; // the same as data
  uint32_t capacity;
};
/// In Param::flags: the value is an OwnList.
inline constexpr uint8_t own_list_flag = 4;
/// Above that bit, Param::flags holds the ParamSource.
inline constexpr int source_shift = 3;
inline void set_param_source(Param& p, ParamSource source) {
  p.flags = static_cast<uint8_t>((p.flags & ((1 << source_shift) - 1)) | (static_cast<int>(source) << source_shift));
}
inline ParamSource param_source(const Param& p) { return static_cast<ParamSource>(p.flags >> source_shift); }

struct CollectorState;
struct CollectorIndex;
struct QueryNode;

/// No real catalog has this many resources; the compile fails when it reaches the limit.
inline constexpr size_t max_resources = 2'000'000;

class CatalogCompiler final : public CatalogBuilder {
public:
  /// All must outlive the compiler; `catalog` is empty.
  CatalogCompiler(Catalog& catalog, Evaluator& evaluator, const Environment& environment, LogSink& log);
  ~CatalogCompiler() override;

  /// Where `<<| |>>` finds the resources that other nodes exported; must outlive the compiler. Without it (the default) storeconfigs is
  /// off: exporting and collecting log a warning and do nothing.
  void set_exports(ExportSource* exports) { exports_ = exports; }
  ExportSource* exports() const { return exports_; }
  /// Hears where resources and parameters come from; must outlive the compiler. Null (the default): no observer.
  void set_origin_observer(OriginObserver* observer) { observer_ = observer; }

  /// Compiles the node's catalog in Puppet's phases: node parameters, settings, main, node, the ENC's classes, generators, finish,
  /// validation. Throws CompileError with Puppet's text; an error that has no place in the code keeps none.
  void compile(const NodeInput& node);

  /// Use instead of compile() to call functions only: makes the top scope with the node's data and evaluates no manifest.
  void prepare_calls(const NodeInput& node);
  /// Calls a Deferred at top scope and returns its value. Throws CompileError.
  Value resolve(const DeferredData& deferred);

  // -- CatalogBuilder
  Value evaluate_resource(const ResourceExpr& node, Frame& frame) override;
  Value evaluate_defaults(const ResourceDefaults& node, Frame& frame) override;
  Value evaluate_override(const ResourceOverride& node, Frame& frame) override;
  Value evaluate_collector(const Collector& node, Frame& frame) override;
  Value evaluate_relationship(const Binary& node, Frame& frame) override;
  void include_classes(std::span<const std::string_view> names, Inclusion how, Frame& caller, Loc loc) override;
  bool class_included(std::string_view name) override;
  Scope* class_scope(std::string_view name) override;
  bool find_setting(std::string_view name, Value& out) override;
  std::optional<std::string> add_definition(bool define, std::string_view name, std::string_view parent,
                                            std::span<const Value> parameters) override;
  ResourceId add_made(const MadeResource& resource, Frame& declared_in, Frame* container) override;
  void evaluate_made(ResourceId resource, bool again) override;
  ResourceId ensure_class_declared(std::string_view name, const Hash* parameters, Frame& scope) override;
  Scope* new_scope(Frame& parent, ResourceId resource) override;
  void override_with(const MadeResource& resource, Frame& scope) override;
  std::vector<std::string_view> known_definitions(bool defines) const override;
  void add_relationship(const ResourceRef& from, const ResourceRef& to, bool notify) override;
  const Scope* giver_of(const Scope& scope, std::string_view parameter) const override;
  bool compiler_has(ResourceId resource) const override { return !states_[resource].has(ResourceState::outside); }
  bool class_known(std::string_view name) override;
  bool define_known(std::string_view name) override;
  bool native_type_known(std::string_view name) override;
  bool resource_declared(std::string_view type, std::string_view title) override;
  ResourceId find_declared(std::string_view type, std::string_view title) override { return find_reference(type, title); }
  ResourceId container_of(Frame& frame) override { return declaring_scope(frame).resource; }
  void create_resource(std::string_view type, const Value& title, std::span<const HashEntry> attributes, ResourceForm form, Frame& caller,
                       Loc loc) override;
  bool resource_parameter(std::string_view type, std::string_view title, std::string_view parameter, Value& out) override;
  void realize(std::span<const ResourceRef> references, Frame& caller, Loc loc) override;
  void add_tags(std::span<const std::string_view> tags, Frame& caller) override;
  bool tagged(std::string_view tag, Frame& caller) override;
  std::string_view node_name() const override { return node_name_; }
  Scope& top_scope() override { return *top_; }
  Catalog& catalog() override { return catalog_; }

private:
  // What the compile knows about a resource beyond the catalog's data; indexed like the catalog.
  struct ResourceState {
    enum Flag : uint8_t {
      evaluated = 1,
      evaluation_finished = 2, // it has its scope's tags
      finished = 4,
      outside = 8,  // Stage[main], Class[Settings] and what Ruby code adds to the catalog only: the finish phase skips them
      changed = 16, // parameters were set after the body was evaluated
      renamed = 32, // its alias was set after creation
    };
    Scope* scope = nullptr;     // where the resource was declared
    CodeUnit* type = nullptr;   // set for classes, defines and nodes
    CodeUnit* source = nullptr; // the definition whose body declared the resource
    const SourceFile* file = nullptr;
    uint8_t flags = 0;
    bool has(Flag f) const { return (flags & f) != 0; }
  };
  /// A resource to declare, the argument of create().
  struct NewResource {
    TypeId type;
    std::string_view title{};
    ResourceKind kind{};
    CodeUnit* defined = nullptr;
    std::span<const Param> params{};
    bool is_virtual = false;
    bool exported = false;
    Scope* scope = nullptr;
    CodeUnit* source = nullptr;
    Loc loc{};
    bool by_function = false; // declared by create_resources or the like, not by an expression
    Value title_value{};      // a title that is not a string
    DeclaredBy how = DeclaredBy::Expression;
    Loc place{}; // the place of the declaration when `loc`, which the catalog document shows, is none
    std::string_view detail{};
    const MadeResource* made =
        nullptr;                // Ruby code made it: this is its place, and the class's parent and the catalog's tags stay as they are
    Scope* container = nullptr; // contains it; for a made resource null means that it is in the catalog only
  };
  /// Parameters that an override sets on a resource. It waits in overrides_ until the resource exists.
  struct Override {
    TypeId type;
    std::string_view title;
    std::vector<Param> params;
    CodeUnit* source;
    const SourceFile* file;
    uint32_t line;
  };

public:
  /// One side of a relationship: a reference, or a collector whose resources are known only at the end.
  struct RelationOperand {
    enum class Kind : uint8_t { Reference, Collector } kind = Kind::Reference;
    ResourceRef ref;
    CollectorState* collector = nullptr;
    Value value; // what the relationship expression returns for this operand
    bool operator==(const RelationOperand& o) const {
      return collector == o.collector && ref.type == o.ref.type && ref.title == o.ref.title;
    }
  };

private:
  struct Relation {
    RelationOperand from, to;
    bool notify;
  };

  // -- catalog_compiler.cpp
  void set_node_parameters(const NodeInput& node);
  void create_settings(const NodeInput& node);
  /// The value of a setting that the compile itself decides, whatever the configuration says; nothing for other settings.
  std::optional<Value> decided_setting(std::string_view name);
  void evaluate_main();
  /// Checks the values of guard metaparameters. Throws the error of an invalid one.
  void check_guards(ResourceId id);
  void evaluate_node(const NodeInput& node);
  void evaluate_node_classes(const NodeInput& node);
  /// Evaluates collectors and postponed bodies in turn, until a pass finds nothing new. Throws Puppet's error after 1,000 passes.
  void evaluate_generators();
  /// Evaluates the bodies of pending_ and realized_. Returns whether there were any.
  bool evaluate_definitions();
  void check_definitions(const ParsedFile& file);
  /// Checks the files that Puppet reads to autoload a module's definition: init.pp, which it always loads first, and the definition's own.
  void check_autoloaded(const DefinitionEntry& entry);
  Scope* make_scope(ScopeKind kind, Scope* parent);
  /// The scope in which a declaration takes effect: top scope for a function's body, the calling scope for a template.
  Scope& declaring_scope(Frame& frame);
  CodeUnit* source_of(const Scope& scope) const;
  /// The index for Param::origin; adds an entry to the table if necessary.
  uint32_t origin_of(CodeUnit* source, const SourceFile* file);
  ResourceState& state(ResourceId id) { return states_[id]; }
  /// "(file: F, line: L)" of a resource; empty when unknown.
  std::string place_of(ResourceId id) const;
  /// The error that fail_at_line throws.
  static Diagnostic at_line(std::string message, const SourceFile* file, uint32_t line, ErrorCode code = ErrorCode::catalog_error);
  /// The name of a parameter where it is set, else the line of its resource. For excerpts.
  Loc place_of_parameter(ResourceId id, const Param& p) const;
  /// Throws `message (file: F, line: L)`. Puppet gives these errors no column, and no expression around them adds its own words.
  [[noreturn]] void fail_at_line(std::string message, const SourceFile* file, uint32_t line,
                                 ErrorCode code = ErrorCode::catalog_error) const;

  // -- class_evaluation.cpp
  CodeUnit* find_class(std::string_view name);
  CodeUnit* find_define(std::string_view name);
  CodeUnit* defined_type(const DefinitionEntry& entry, CodeUnit::Kind kind);
  /// Finds the classes that a class inherits. Throws when one does not exist or a class inherits itself.
  void resolve_parent(CodeUnit& type);
  const Type* parameter_type(CodeUnit& type, uint32_t index);
  void evaluate_parameter_types(CodeUnit& type);
  void set_layout(CodeUnit& type, const FrameLayout* layout);
  /// Returns the class's resource, and creates it without parameters if necessary.
  ResourceId ensure_class(CodeUnit& type, Scope& scope, DeclaredBy how, Loc place, std::string_view detail = {});
  void evaluate_resource_body(ResourceId id);
  void evaluate_code(CodeUnit& type, ResourceId id);
  void bind_parameters(CodeUnit& type, ResourceId id, Scope& scope, Frame& frame);
  /// Automatic parameter lookup: sets the parameters that have no value from Hiera's data.
  void inject_lookups(CodeUnit& type, ResourceId id, Scope& scope, Frame& frame);
  void validate_parameters(CodeUnit& type, ResourceId id);
  void add_edge_to_stage(ResourceId id);
  /// Whether the resource's type has the parameter; metaparameters count.
  bool valid_parameter(ResourceId id, std::string_view name) const;

  // -- resource_expression.cpp
  ResolvedType resolve_type(std::string_view name);
  std::string type_name_of(const ResourceExpr& node, Frame& frame);
  void evaluate_attributes(const Seq<AttributeOp>& operations, Frame& frame, std::vector<Param>& out, const Node* unique_in);
  /// Converts a value to the form of the catalog: types of resources and classes become references. `own_list`: a list becomes an OwnList.
  Value catalog_value(const Value& v, bool own_list);
  Value reference_of(const Type* type);
  ResourceId create(const NewResource& wanted);
  void create_titles(std::string_view type_name, std::span<const std::string_view> titles, std::span<const Param> params, ResourceForm form,
                     Scope& scope, Loc loc, std::vector<Value>* references, const Value& title_value = Value::undef());
  /// The observer of origins gets `place` and `from` where the parameter itself does not hold them.
  void set_param(ResourceId id, const Param& param, const OriginPlace& place = {}, ResourceId from = no_resource);
  /// Passes the parameter to the observer, if there is one.
  void note_param(ResourceId id, const Param& param, const OriginPlace& place = {}, ResourceId from = no_resource) {
    if (observer_ != nullptr) tell_param(id, param, place, from);
  }
  void tell_param(ResourceId id, const Param& param, OriginPlace place, ResourceId from);
  void tell_declared(ResourceId id, const NewResource& declared);
  /// Tags a resource with a text, or with all texts in a list or hash. Throws for an invalid tag.
  void tag_with(ResourceId id, const Value& value);
  void tag_with_type(ResourceId id);
  /// Makes a list to which `->` can append in place. All titles of a body share it, as in Puppet.
  Value own_copy(std::span<const Value> items);
  /// The attributes that a function gives to a resource.
  std::vector<Param> params_of(std::span<const HashEntry> attributes, CodeUnit* source);
  void append_to_own(Param& p, const Value& item);
  /// Registers aliases, and adds the containment edge from the scope's resource.
  void add_resource(Scope& scope, ResourceId id);
  /// Registers aliases and, unless `explicit_only`, the uniqueness key. Throws when one of them belongs to another resource.
  void create_aliases(ResourceId id, bool explicit_only = false);
  /// Sets the parameters that the resource lacks and that resource defaults of the scope have.
  void apply_defaults(ResourceId id, Scope& scope);
  void collect_defaults(const Scope* scope, TypeId type, std::vector<Param>& out) const;
  /// Whether the value of a parameter equals a resource default that the scope sees.
  bool is_default(const Scope* scope, TypeId type, Symbol name, const Value& value) const;
  Value type_reference(ResourceId id);
  ResourceId find_reference(std::string_view type, std::string_view title);

  // -- resource_override.cpp
  void add_override(Override override);
  void merge(ResourceId id, const Override& override);
  void override_param(ResourceId id, const Override& override, const Param& param);

  // -- collectors.cpp
  friend struct CollectorState;
  bool evaluate_collectors();
  bool evaluate_collector_state(CollectorState& c);
  /// Sets the collector's key, if its query has one.
  void find_key(const QueryNode& query, CollectorState& c);
  /// Registers a collector with a key in its type's index; its candidates are then the resources that have the key.
  void watch(CollectorState& c);
  /// Brings the index of a type up to date with its change log. New entries become candidates of the collectors that wait for them.
  CollectorIndex& drain_changes(TypeId type);
  void realize_resource(ResourceId id);
  /// Adds a resource to the change log of its type.
  void note_change(ResourceId id);
  /// Call this when a container gets a tag: queries see the tag on its contents, too.
  void note_container_tags(ResourceId id);
  bool tagged_with_scope(ResourceId id, std::span<const TagId> tags) const;
  Value query_value(ResourceId id, Symbol attribute) const;
  bool matches(const QueryNode& query, ResourceId id);
  const QueryNode* make_query(const Node& expression, Frame& frame, CollectorState& c);
  Value query_operand(const Node& node, Frame& frame);
  const ExportQuery* export_query(const QueryNode& query);
  void collect_exported(CollectorState& c, std::vector<ResourceId>& found);

  // -- relationships.cpp
  void relation_operands(const Value& v, const Binary& node, std::vector<RelationOperand>& out);
  void evaluate_relationships();
  struct RelationEnd {
    ResourceRef ref;
    bool as_type = false; // stands for an empty collector: messages print it as its type
  };
  void relate(const RelationEnd& from, const RelationEnd& to, bool notify, const OriginPlace& place);
  void expand(const RelationOperand& operand, bool left, std::vector<RelationEnd>& out);
  /// The value of a collector expression: an object whose number is the collector's index.
  Value collector_value(uint32_t index);
  /// The collector whose value it is; null for other values.
  CollectorState* collector_of(const Value& v);
  bool related_ = false; // relationships are in the parameters of resources
  static Value operand_list(Arena& arena, const std::vector<RelationOperand>& operands);
  ResourceId find_by_text(const ResourceRef& ref);

  // -- catalog_finish.cpp
  /// Gives a resource the tags of its scope, once.
  void finish_evaluation(ResourceId id);
  void finish();
  void finish_resource(ResourceId id);
  void inherit_metaparameters();
  void fail_on_unevaluated();
  void validate_relationships();
  void convert_to_document();

  Catalog& catalog_;
  Evaluator& evaluator_;
  const Environment& environment_;
  LogSink& log_;
  ExportSource* exports_ = nullptr;
  OriginObserver* observer_ = nullptr;
  Arena& arena_;
  std::string_view node_name_;
  Scope* top_ = nullptr;
  Scope* node_scope_ = nullptr;
  CodeUnit* main_ = nullptr;
  CodeUnit* settings_ = nullptr;
  const SettingValues* setting_values_ = nullptr;
  ResourceId main_resource_ = no_resource;
  std::vector<ResourceState> states_;
  std::unordered_map<ResourceId, Value> other_titles_; // titles that are not strings
  std::unordered_map<const DefinitionEntry*, CodeUnit*> defined_;
  std::unordered_map<std::string_view, CodeUnit*> classes_;   // by lower-case name; null: no such class
  std::unordered_map<std::string_view, ResolvedType> types_;  // by lower-case name
  std::unordered_map<std::string_view, Scope*> class_scopes_; // evaluated classes and nodes
  std::vector<ParamOrigin> origins_;
  std::map<std::pair<const CodeUnit*, const SourceFile*>, uint32_t> origin_ids_;
  uint32_t last_origin_ = 0;
  std::deque<DefaultsTable> defaults_;        // owned here; scopes point into it
  std::vector<std::vector<TagId>> type_tags_; // per TypeId: the tags that the type's name gives
  std::vector<bool> types_with_defaults_;     // by TypeId: false (most types) means no search for defaults
  std::vector<ResourceId> pending_;           // declared resources whose code is still to be evaluated: defines, a classifier's classes
  std::vector<ResourceId> realized_;          // the same for resources that were virtual when declared
  std::deque<CollectorState> collectors_;
  std::vector<std::vector<ResourceId>> changes_; // per TypeId: a log of created and changed resources, for collectors
  std::vector<size_t> changes_read_;             // per TypeId: how much of that log any collector has read
  std::unordered_set<const ParsedFile*> autoloaded_;
  std::unordered_map<TypeId, std::unique_ptr<CollectorIndex>> collector_indexes_;
  std::unordered_map<std::string, std::vector<Override>> overrides_; // by reference, for resources that do not exist yet
  std::vector<std::string> override_order_;
  std::vector<Relation> relations_;
  std::vector<OriginPlace> relation_places_;                        // place of each relation; filled only for the observer
  std::unordered_map<ResourceId, std::string_view> collected_from_; // exported resources: the node that exported each
  uint32_t tag_epoch_ = 0;                                          // counts the tags that containers with contents got
};

} // namespace pupc::compiler
