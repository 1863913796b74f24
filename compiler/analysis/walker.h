#pragma once
// One walk over the files of a program runs all checks of Puppet code. Each family of checks has its own file:
// names.cpp, call_checks.cpp, parameters.cpp, variable_checks.cpp, conditions.cpp, operator_checks.cpp, resource_rules.cpp,
// attribute_rules.cpp, templates.cpp, template_variables.cpp. When all files are done, relations.cpp checks what the walk collected.
#include "catalog/base/stack_memory.h"
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/by_symbol.h"
#include "compiler/analysis/codebase/possible_catalogs.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/data/data_files.h"
#include "compiler/analysis/noted.h"
#include "compiler/analysis/resources/declared_resources.h"
#include "compiler/analysis/resources/passed_values.h"
#include "compiler/analysis/resources/waits.h"
#include "compiler/analysis/ruby/ruby_function_checks.h"
#include "compiler/analysis/ruby/ruby_providers.h"
#include "compiler/analysis/static_values.h"
#include "compiler/eval/signature.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace pupc::catalog {
class AllowedValues;
class ResourceTypeInfo;
} // namespace pupc::catalog
namespace pupc::compiler {
using Arguments = std::span<const Node* const>;

/// Where an expression begins and ends: an operator's own place is that of the operator or of its first part.
uint32_t first_offset(const Node& n);
uint32_t last_offset(const Node& n);
/// An expression, or all from one to another, as it stands in the source; empty for what has no place there.
std::string_view source_text(const SourceFile& source, const Node& first, const Node& last);
inline std::string_view source_text(const SourceFile& source, const Node& n) { return source_text(source, n, n); }
/// Collects the texts of an Enum, in lower case; see conditions.cpp.
bool enum_texts(const Type* type, std::set<std::string>& out, int depth = 0);

/// The path of a fact that is read by keys of $facts, such as os.family; empty for other expressions.
std::string fact_path(const Node* n);
/// The kinds of a fact of Facter that is the same kind on all systems: $facts['os']['release']['major'] is a String, or not there. Any for
/// other expressions.
KindSet fact_kinds(const Node* n);
/// The kinds of the values that one of the language's own functions returns, if they are always the same; else 0.
KindSet kinds_of_results(std::string_view function);
class Walker {
public:
  Walker(CheckedCodebase& program, Findings& findings, RubyFunctionChecks& ruby)
      : program_(program), findings_(findings), ruby_(ruby), texts_matter_(findings.hints()), numbers_(4 * program.files().size()) {
    // Growing would copy megabytes.
    declared_.reserve(8 * program.files().size());
    includes_.reserve(2 * program.files().size());
    class_variables_.reserve(4 * program.files().size());
    references_.reserve(2 * program.files().size());
  }
  void walk_file(const AnalysedFile& file);
  /// Call it after all files: checks relationships, duplicates and variables of classes. `data` has been read.
  void finish(DataFiles& data);
  /// Checks the variables of the ERB templates among these files (template_variables.cpp). Call it after all manifests.
  void check_template_variables(const std::vector<RepositoryFile>& files);
  /// Checks what the ERB templates among these files ask of their scope. Call it after all manifests, before finish().
  void check_template_calls(const std::vector<RepositoryFile>& files);
  /// Call it after the data was read. `always_set`: keys that are in data which every node has.
  void report_wrong_defaults(const std::set<std::string, std::less<>>& always_set);
  /// Runs classes with the data (trial/). Call it last: what it finds again is not told.
  void run_trial();
  const LookupKeys& lookups() const { return lookups_; }

private:
  /// Whether a variable is set where the walk is.
  enum class Set : uint8_t { unset, maybe, definite };
  struct SlotAssignment {
    uint32_t slot;
    const Binary* assignment;
  };
  /// A body being walked, with the variables that are set so far.
  struct Body {
    const FrameLayout* layout = nullptr;
    Body* outer = nullptr; // of a lambda: the body around it
    enum class Kind : uint8_t { Top, Node, Class, Define, Function, Lambda, Template } kind = Kind::Top;
    const Definition* definition = nullptr;
    uint32_t number = 0;
    std::span<const Parameter> parameters;
    struct Slot {
      Set set = Set::unset;
      bool read = false;
      bool lacking = false;             // maybe set: a branch plainly lacks it
      uint32_t forgotten_at = 0;        // where that branch is, if it alone lacks it and sets what the others set
      uint16_t kinds = 0;               // of a parameter, once they are asked for
      uint32_t first = 0, assigned = 0; // its place in `assignments`, and how many it has there
    };
    StackMemory<768> memory; // for the lists: most bodies are small
    std::pmr::vector<Slot> slots{&memory.resource};
    struct Change {
      uint32_t slot;
      Set before;
    };
    std::pmr::vector<Change> changes{&memory.resource};             // within branches: they are undone where a branch ends
    uint32_t branches = 0;                                          // around the place that is walked
    std::pmr::vector<SlotAssignment> assignments{&memory.resource}; // by slot; ask assignments_of(), which fills the list
    const Node* iterated = nullptr;                                 // of a lambda: that whose elements it gets
    std::array<const Type*, 2> given{};                             // of a lambda: the types of what its first parameters get, or null
    Value elements;         // of a lambda: the list or hash that stands in the code and whose elements it gets
    uint32_t around = 0;    // of a lambda: the branch around it
    bool entered = false;   // its contents are being walked, or have been
    bool dead = false;      // after return() or fail()
    bool may_leave = false; // something above may have left it: return() in a branch, too
    bool opaque = false;    // something in it may read any variable by name: a template

    /// The variable's slot in the layout, or -1.
    int slot_of(const Variable& v) const {
      if (layout == nullptr) return -1;
      // The slot that the variable has is that of one of the bodies around it.
      return v.slot < layout->names.size && layout->names[v.slot] == v.base ? v.slot : layout->find(v.base);
    }
    /// The parameter that a variable with a slot of this body reads, or null. The first slots are those of the parameters.
    const Parameter* parameter_of(const Variable& v) const {
      return v.slot < parameters.size() && parameters[v.slot].name == v.base ? &parameters[v.slot] : nullptr;
    }
    void set(size_t slot, Set value) {
      if (branches > 0 && slots[slot].set != value) changes.push_back({static_cast<uint32_t>(slot), slots[slot].set});
      slots[slot].set = value;
    }
  };

  struct BranchState {
    uint32_t slot, branch;
    Set set;
  };

  // walker.cpp
  void walk(const Node* n) {
    if (n == nullptr) return;
    if (n->kind <= NodeKind::Name) { // a literal has little to check
      if (n->kind == NodeKind::Literal) check_text(n->as<Literal>());
      return;
    }
    if (n->kind == NodeKind::Variable) return check_variable(n->as<Variable>());
    if (n->kind == NodeKind::Reference) return check_type_name(n->as<Reference>());
    walk_node(*n);
  }
  void walk_node(const Node& node);
  void walk_type(const Node* type);
  bool reads_nothing(const Node& type) const;
  void walk_all(const Seq<Node*>& nodes);
  void walk_operations(const Seq<AttributeOp>& operations);
  void walk_definition(const Definition& d);
  void walk_node_definition(const NodeDef& d);
  void walk_template(const Epp& e);
  void walk_case(const Case& c);
  void walk_selector(const Selector& s);
  void walk_relationship(const Binary& b);
  void check_method_call(const MethodCall& c);
  void walk_lambda(const Lambda& l);
  void walk_parameters(Body& body);
  void enter(Body& body, const Node* contents);
  static std::span<const SlotAssignment> assignments_of(Body& body, size_t slot);
  static void index_assignments(Body& body);
  static void make_slots(Body& body);
  static std::optional<uint32_t> sets_as_others(std::span<const BranchState> states, std::span<const BranchState> of_variable,
                                                uint32_t branches);
  static Set set_by_puppet(Symbol name);
  /// Walks code of which at most one runs; exactly one, if it is exhaustive. A choice may be null. `listed`: the choices are meant to be
  /// all that may be, though nothing says so.
  void alternatives(std::span<const Node* const> choices, bool exhaustive, bool listed = false);
  bool shadowed(std::string_view path) const;
  void report(CheckCode code, const Node& at, std::string message, std::string suggestion = {}, std::optional<Severity> severity = {});
  void report_at(CheckCode code, uint32_t offset, uint32_t length, std::string message, std::string suggestion = {},
                 std::optional<Severity> severity = {});

  /// The second check only where the first finds nothing.
  template <class First, class Second> void told_once(First first, Second second) {
    const size_t before = findings_.count();
    first();
    if (findings_.count() == before) second();
  }

  // static_value.cpp
  StaticValue static_value(const Node* n, int depth = 0) {
    if (n == nullptr) return {};
    switch (n->kind) { // what most expressions are, here
    case NodeKind::Literal:
      if ((n->flags & literal_overflow) != 0) return {};
      return known_value(n->as<Literal>().value);
    case NodeKind::RegexLiteral: return known_value(n->as<Literal>().value);
    case NodeKind::Name: return known_value(Value::string(n->as<Name>().name.str()));
    default: return static_expression(*n, depth);
    }
  }
  static StaticValue known_value(const Value& v) { return {true, v, kinds_of_value(v)}; }
  StaticValue static_expression(const Node& n, int depth);
  StaticValue static_variable(const Variable& v, int depth);
  StaticValue static_element(const Access& a, int depth);
  StaticValue static_module_name();
  StaticValue static_text(const Interpolation& text, int depth);
  /// The values of the arguments; nullopt unless all are known.
  std::optional<std::vector<Value>> known_values(Arguments arguments, int depth = 0);
  StaticValue static_call(const Node& call, Symbol name, int depth);
  KindSet accepted_kinds(const Type* type, int depth = 0);
  /// Whether the type rejects every value that the expression may give; `why` gets the reason. False when unsure.
  bool rejects(const Type* type, const Node* n, std::string& why, int depth = 0);
  bool rejects_part(std::span<const Type* const> types, const ListLiteral& list, std::string& why, int depth);
  /// A title or name that stands as a literal in the code; nullopt when it is computed at run time. It lives as long as the program.
  std::optional<std::string_view> literal_text(const Node* n);
  /// The same as a symbol, for texts that are names.
  std::optional<Symbol> literal_name(const Node* n);
  /// The text with \1 in place of unknown parts; nullopt when all of it is unknown.
  std::optional<std::string> text_pattern(const Node* n);

  // type_flow.cpp
  const Type* declared_type(const Node* n, int depth = 0);
  static const Type* type_of_part(const Node& targets, Symbol name, const Type* whole);
  const Type* variable_type(const Variable& v, int depth);
  const Type* result_type(Symbol name, Arguments arguments, int depth);
  const Type* part_type(const Node* n, int depth);
  const Type* type_of_first(Arguments arguments, int depth);
  const Type* iterated_type(const Node* n, int depth = 0);
  struct Narrowed {
    size_t types, values;
  };
  Narrowed narrowed() const { return {narrowed_.size(), compared_.size()}; }
  void widen(Narrowed before) {
    narrowed_.resize(before.types);
    compared_.resize(before.values);
  }
  Narrowed narrow(const Node* test);
  Narrowed narrow(const Node* tested, std::span<const Node* const> choices);
  bool is_narrowed(const Variable& v) const { return std::ranges::find(narrowed_, v.base) != narrowed_.end(); }
  struct ClassValue {
    Value value;
    const SourceFile* source;
    uint32_t offset, length;
  };
  bool is_compared(const Variable& v) const { return std::ranges::find(compared_, v.base) != compared_.end(); }
  std::vector<ClassValue> class_values(const Variable& v);
  std::vector<Value> elements_given(const Variable& v);
  bool exclude(const Type* wanted, const Type* given, int depth = 0);
  bool exclude_keys(const Type* wanted, const Type* given, int depth);
  void check_given_to_block(Symbol name, Arguments arguments, const Lambda& lambda);

  // names.cpp
  void check_class_name(const Node& at, Symbol name);
  void check_class_names(const Node* n);
  void check_type_name(const Reference& r);
  /// Finds a defined or native type by its lower-case name. For Yes it sets exactly one of `define` and `native`.
  Known find_type(Symbol name, const DefinitionEntry*& define, const ResourceTypeInfo*& native);
  Known search_type(Symbol key, const DefinitionEntry*& define, const ResourceTypeInfo*& native);
  Known check_resource_type(const Node& at, Symbol name, const DefinitionEntry*& define, const ResourceTypeInfo*& native);
  /// `maybe_attribute`: it may be an attribute of an object instead, which no check knows.
  std::string near_module_type(std::string_view name);
  // near_functions.cpp
  const std::vector<std::string>& module_functions();
  std::string near_function(std::string_view name);
  std::string singular_type(std::string_view name);
  Known check_function_name(const Node& at, std::string_view name, bool maybe_attribute);
  void check_definition_place(const AnalysedFile& file);

  // call_checks.cpp
  /// What is known of a function by the name that stands in a call.
  struct Callee {
    Symbol name;                                   // without leading ::
    const DefinitionEntry* own = nullptr;          // written in Puppet
    const FunctionEntry* builtin = nullptr;        // of the language, or of a module that is here
    bool broken = false;                           // its file has errors
    bool elsewhere = false;                        // written in Ruby, in a module
    bool reads = false;                            // may read variables that the call does not name; kept with hints only
    bool constant = false;                         // a call with known arguments can be made
    bool special = false;                          // for check_special_call()
    KindSet results = 0;                           // kinds of the values that it returns; 0: not known
    bool pattern = false;                          // for check_pattern()
    bool by_meaning = false;                       // for check_arguments_by_meaning()
    const BuiltinSignatures* signatures = nullptr; // of `builtin`, once a call is checked
    const ParsedDispatch* takes_any = nullptr;     // its only one, if it takes arguments of any type and needs no block
  };
  Callee& callee(Symbol name);
  void check_call(const Node& at, Symbol called, Arguments arguments, const Lambda* lambda, bool maybe_attribute);
  void check_builtin(const Node& at, Callee& callee, Arguments arguments, const Lambda* lambda);
  void check_leaving(const Node& at, std::string_view function);
  void check_pattern(std::string_view function, Arguments arguments);
  void check_separator(const Node& pattern);
  void check_groups(const Node& pattern, Arguments arguments);
  void check_block(const Node& at, const FunctionEntry& entry, uint32_t arguments, const Lambda& lambda);
  void check_puppet_function(const Node& at, const DefinitionEntry& entry, Arguments arguments, const Lambda* lambda);
  void check_special_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda);
  void note_lookup_type(Arguments arguments);
  void note_typed_lookup(const Parameter& p, const Type& type);

  // plans.cpp
  void check_plan_file(const AnalysedFile& file);
  void check_targets_and_files(const Node& at, std::string_view function, Arguments arguments);
  void check_plan_name(const AnalysedFile& file);
  void check_plan_variables(const Node& body);
  void check_run(std::string_view function, Arguments arguments);
  const FunctionDef* plan_of(const std::string& path);
  // apply_blocks.cpp
  void check_plan_names(const Node& n, bool applied, int depth);
  void check_applied(const Node& n, int depth);
  // ruby_calls.cpp
  bool is_statement(std::string_view function);
  void check_used(const Node* value);
  void check_ruby_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda);

  // repeated_titles.cpp
  void check_repeated_title(const ResourceExpr& r, const ResourceBody& body, Symbol type);
  Symbol class_around() const;
  void check_waits_for_class(const AttributeOp& op);
  void report_defines_in_classes();
  bool gives_several(const ComputedResource& made) const;
  void report_fixed_titles();

  // missing_modules.cpp
  bool note_missing_module(const Node& at, std::string_view name, bool bare = false);
  void report_missing_modules();
  std::string near_name(std::string_view name, std::span<const std::string_view> known) const;

  // parameters.cpp
  void check_resource(const ResourceExpr& r);
  /// `what` and `name` name the resource in messages: "defined type", "a::b".
  void check_operations(const Seq<AttributeOp>& operations, const DefinitionEntry* definition, const ResourceTypeInfo* native,
                        std::string_view what, std::string_view name = {});
  void check_tag(const Node* value);
  void check_parameter_names(const Definition& d);
  void check_documentation(const Definition& d);
  void check_missing(const ResourceBody& body, const DefinitionEntry& definition, std::string_view label);
  void report_missing();
  void check_defaults(const ResourceDefaults& d);
  void check_override(const ResourceOverride& o);
  void check_query(const Node* query, const DefinitionEntry* definition, const ResourceTypeInfo* native, std::string_view type);
  void check_secret(const AttributeOp& op, const Parameter& parameter, const SourceFile& source);

  // operator_checks.cpp
  void check_arithmetic(const Binary& b);
  /// Whether the text is a number in the language's eyes, as arithmetic and formats take it.
  bool numeric_text(std::string_view text);
  std::string no_operand(const Node* n, bool collections);
  std::string no_operand_by_type(const Node* variable);
  void check_operands(const Binary& b);
  void check_index(const Access& a);
  void check_spread(const Binary& b);
  bool is_deferred(const Node* n);
  void check_match_of_type(const Binary& b);
  bool is_narrowed_element(const Node* n) const;
  void check_results(const FunctionDef& d);
  void check_result(const Type& type, const Node* n, std::string_view function, int depth);
  void check_missing_result(const Type& type, const If& i, std::string_view function);

  // attribute_rules.cpp
  void check_attribute_pattern(const AttributeOp& op, Symbol type);
  void check_type_rules(const ResourceBody& body, Symbol type);
  void check_provider(const AttributeOp& op, const ResourceTypeInfo& type, Symbol name);
  void note_named_resource(const AttributeOp& op);

  // resource_rules.cpp
  void check_rules(const ResourceBody& body, const ResourceTypeInfo& type, Symbol name);
  void check_values(const Seq<AttributeOp>& operations, const ResourceTypeInfo& type, Symbol name);
  void check_words(const AttributeOp& op, std::string_view type, const AllowedValues& allowed);
  void check_words_of_type(const AttributeOp& op, std::string_view type, const AllowedValues& allowed, KindSet kinds);
  bool foreign(const ResourceTypeInfo& type, Symbol name);
  bool is_own_type(Symbol name);
  std::vector<Node*> choices_of(const Node* value);
  void check_listed_values(const AttributeOp& op, const ResourceTypeInfo& type, Symbol name);
  void check_file(const ResourceBody& body);
  void check_idle_file_attributes(const ResourceBody& body);
  void check_file_values(const ResourceBody& body);
  void check_checksum_value(const ResourceBody& body);
  void check_exec_values(const ResourceBody& body);
  void check_exec(const ResourceBody& body);
  void check_cron(const ResourceBody& body);
  void check_cron_minute(const ResourceBody& body);
  void check_package(const ResourceBody& body);
  void check_tidy(const ResourceBody& body);
  void check_account(const ResourceBody& body, std::string_view type);
  void report_relative_commands();
  void check_loglevel(const AttributeOp& op, std::string_view name);
  void refuse(const Node& at, std::string_view attribute, std::string_view type, std::string why, std::string suggestion = {});

  // variable_checks.cpp
  void check_variable(const Variable& v);
  void check_assignment(const Binary& b);
  void check_assigned_each(const Node& value);
  void assign(const Node& target, const Binary& b);
  void check_unused(Body& body);
  bool found_outside(const Variable& v, const Body& body, bool& sure);
  void check_sometimes_unset(const Variable& v, const Body& body, Body::Slot& state);
  void check_qualified(const Variable& v);
  void check_top_variable(const Variable& v);
  void check_legacy_fact(const Variable& v);
  void check_fact_key(const Access& access);
  void check_fact_keys(const Access& access);
  /// A path of keys that stand in the code, such as os and family, with the place of the last one.
  void check_fact_path(std::span<const std::string> path, const Node& at);
  void check_fact_call(std::string_view function, Arguments arguments);
  void report_legacy_fact(const Node& at, std::string_view name);
  void told_of_legacy_fact(std::string_view name, const Module* module,
                           const std::function<void(std::string, std::string, std::optional<Severity>)>& told);

  // texts.cpp
  Symbol variable_in_text(const Literal& text) const;
  bool names_only_own(const Literal& text) const;
  static bool names_facts(std::string_view text);
  bool is_unescaped(const Literal& text) const;
  void check_text(const Literal& text) {
    check_plain_text(text);
    if (text.value.is_string() && text.value.str().ends_with(']')) note_text_reference(text.value.str());
  }
  void check_plain_text(const Literal& text);
  void check_plain_name(const Node* n);
  static bool is_plain_name(Symbol attribute);
  void check_interpolation(const Interpolation& text);
  void check_secret_in_text(const Node& part);
  void check_group_in_text(const Node& part);
  void check_fact_dots(const Node& at, std::string_view name);
  void note_unused_class_variables(Body& body);
  void report_unused_class_variables();

  // conditions.cpp
  void check_condition(const Node& test);
  void check_call_as_condition(const Node& n);
  void check_comparison(const Binary& b);
  void check_bare_word(const Node& n);
  void check_membership(const Binary& b);
  void check_repeated_condition(const If& first);
  void check_same_branches(const If& i);
  void check_repeated_operand(const Binary& b);
  void check_match_groups(const Node& condition, const Node* branch);
  void check_node_groups(const NodeDef& d);
  void check_match_index(const Access& a, int64_t index);
  void check_glue(const Node& glue);
  void check_case(const Case& c);
  void check_selector(const Selector& s);
  void check_choices(const Node* tested, std::span<const Node* const> values, const Case* of = nullptr);
  void check_order(const Binary& b);
  std::string never_equal(const Node* tested, const Node* literal);
  bool mistaken_for_undef(const Node* tested, const Node* literal);
  bool is_asked_beside(const Variable& v) const;
  std::string shown(const Node& n) const;
  void check_operand_of_logic(const Node* operand);
  void check_versions(const Binary& b);
  void check_coverage(const Node& at, const Node* tested, std::span<const Node* const> values, bool selector);

  // templates.cpp
  void check_template_call(std::string_view function, Arguments arguments);
  void check_inline_template(const Node& at, Arguments arguments);
  void check_inline_variables(const Node& at, const std::string& code);
  void check_source(const Node* value, Severity severity = Severity::Error);
  bool is_mount(std::string_view name);
  const Node* known_hash(const Node* n);
  void note_epp_use(const std::string& path, const Node* given);
  void check_epp_variables();
  void check_unread_keys(const HashLiteral& given, const Epp& epp);
  static bool reads_variables(std::string_view function);
  void check_inline_epp(Arguments arguments);
  void walk_inline_text(const Node& at, std::shared_ptr<const ParsedFile> parsed);
  void check_arguments_by_meaning(const Node& at, std::string_view function, Arguments arguments);
  void check_format(const Node& at, Arguments arguments);
  void check_merge(const Node* strategy);
  void check_deferred(Arguments arguments);
  void check_conversion(const Node& at, const Node& type, Arguments arguments);
  void check_key(const Access& a);
  void note_key_chosen(const Access& a);
  void check_chosen_keys();
  void check_template_text(const Node* value);
  void check_recursion(const Node& at, NodeKind kind, std::string_view name, std::string_view does);
  void check_inheritance(const ClassDef& d);
  void check_alias(const TypeAlias& alias);
  void check_title(const Node& title);
  std::vector<Symbol> keys_of_splat(const Node* n);
  std::vector<AttributeOp> spread_operations(const Seq<AttributeOp>& operations);
  void check_created(const Node& resources, const DefinitionEntry* define, const ResourceTypeInfo* native, std::string_view type);
  // cycles.cpp: what waits for itself
  void note_waits(const ResourceExpr& r, const ResourceBody& body, Symbol type);
  void note_waits(const Binary& relationship);
  std::optional<NamedResource> titled_resource(Symbol type, const Node& title);
  void note_contained(std::string_view function, Symbol name, const Node& at);
  std::optional<NamedResource> class_at_hand();
  std::vector<NamedResource> named_resources(const Node* n);
  void add_named_resources(const Node* n, std::vector<NamedResource>& out);
  void check_audit(const AttributeOp& op, const ResourceTypeInfo& native, std::string_view type);
  void check_relationship_texts(const AttributeOp& op, std::string_view type);
  Node* constant_node(const Node& at, const Value& value);
  void check_constant(const Binary& b);
  void check_constant(const Access& a);
  void check_constant(const Unary& minus);
  void check_constant_call(const Node& at, const FunctionEntry& function, Arguments arguments);
  bool file_missing(ModuleFileKind kind, std::string_view reference, bool epp = false);
  void check_template_function(const RepositoryFile& file, uint32_t line, std::string_view name, bool of_scope);
  void check_template_branches(const RepositoryFile& file, std::span<const RubyToken> tokens);
  void check_template_names(const RepositoryFile& file, std::span<const RubyToken> tokens);
  bool written_by_template(const RepositoryFile& file, std::string_view function);
  void check_template_scope(const RepositoryFile& file, uint32_t line, std::string_view name);
  void note_template_use(const std::string& path);
  void add_visible(TemplateUse& use);
  bool seen_by_all_templates(std::string_view name);
  void check_template_variables(const RepositoryFile& file);
  void check_rendered(const RepositoryFile& file, uint32_t line, std::string_view name);
  void check_template_method(const RepositoryFile& file, std::span<const RubyToken> tokens, size_t i);
  const std::unordered_set<uint32_t>& variables_of_module(const Module* module);
  bool set_in_module(const Module* module, std::string_view variable);
  void check_template_parameters(const Node& at, const std::string& path, const Node* given);

  // references.cpp
  void note_declared(Symbol type, const Node* title, bool conditional = false, const Seq<AttributeOp>* operations = nullptr);
  bool note_declared_elements(const Variable& title, DeclaredResource d);
  void note_dynamic_title(Symbol type, bool path = false);
  DeclaredResource declaration(Symbol type, const Node& at) const;
  void note_alias(Symbol type, const Node* value, const Node* title = nullptr);
  void note_reference(const Access& a);
  ResourceReference reference(Symbol type, std::string_view title, const Node& at);
  std::set<std::string> certain_titles(const MadeTexts& made) const;
  void resolve_titles();
  void note_realized(Arguments arguments);
  void report_unrealized();
  void check_references();
  void check_reference(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  bool stands_nowhere_else(const ResourceReference& r);
  bool stands_in_code(std::string_view wanted, const ResourceReference* but, const SourceFile* but_file) const;
  bool made_of_nothing(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  void check_beside(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  void check_pattern_reference(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  void check_class_reference(const ResourceReference& r);
  bool check_near_pattern(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  void check_own_pattern(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  void check_class_reference_of_roots(const ResourceReference& r, Catalogs::Unit wanted);
  bool check_override_of_nothing(const ResourceReference& r, bool slip = false);
  void check_pattern_override(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  bool check_override(const ResourceReference& r, std::span<const DeclaredResource* const> declared);
  // made_texts.cpp: what expressions may give
  std::optional<MadeTexts> made_texts(const Node* n, bool keys = false, int depth = 0);
  void finish_data_resources();
  bool note_beside(const Node& hash, LookupKeys::Beside& beside);
  void note_data_resources(const Node& source, const std::optional<MadeTexts>& titles, const DefinitionEntry* define,
                           const ResourceTypeInfo* native, std::string_view type, const LookupKeys::Beside& beside);
  void note_splat(const Seq<AttributeOp>& operations, const DefinitionEntry* define, const ResourceTypeInfo* native, std::string_view type);
  std::optional<MadeTexts> made_lookup(const Seq<Node*>& arguments, bool keys, int depth);
  std::optional<MadeTexts> made_elements(const Node& call, int depth);
  std::optional<MadeTexts> made_variable(const Variable& v, bool keys, int depth);
  void note_passed(const Seq<AttributeOp>& operations, Symbol type, const ResourceTypeInfo* native);
  void check_passed_values();
  void note_given(Symbol owner, const Seq<AttributeOp>& operations);
  // units.cpp: what units of catalogs bring along
  void begin_unit(const Definition& d);
  Catalogs::Unit node_unit(const NodeDef& d);
  Catalogs::Unit file_unit();
  bool always() const { return conditional_ == 0 && (body_ == nullptr || (!body_->dead && !body_->may_leave)); }
  void note_use(Symbol type, const DefinitionEntry* define, Known known);
  void note_call(const Node& call, Symbol name);
  bool opens_catalog(const Node& call, Symbol name);
  std::vector<Symbol> created_by(Symbol function);
  void note_any_of(Symbol type);
  void note_collector(const Collector& c);
  void note_included_texts(const Node* n);
  void note_created(std::string_view function, Arguments arguments);
  void check_missing_values();

  // relations.cpp
  void check_duplicates();
  std::optional<std::pair<Symbol, Symbol>> conditions_of_both(const DeclaredResource& a, const DeclaredResource& b) const;
  void check_duplicates_of_branches(std::span<const DeclaredResource* const> repeated);
  void check_duplicates_of_includes();
  void check_definitions();
  void note_include(const Node& at, Symbol name, const Seq<AttributeOp>* given = nullptr);
  void check_declared_again(const Node& title, std::string_view name);
  void check_declared_behind_includes();
  struct ClassUse;
  void check_class_of_variable(const ClassUse& read);
  void check_default_of_class(const ClassUse& read);
  void note_sometimes_set(const Body& body);
  bool leads_to(Symbol name, Symbol wanted) const;
  void check_inclusion_order();

  CheckedCodebase& program_;
  Findings& findings_;
  RubyFunctionChecks& ruby_;
  const bool texts_matter_; // hints are wanted
  const AnalysedFile* file_ = nullptr;
  const SourceFile* source_ = nullptr;
  const Module* module_ = nullptr;
  Body* body_ = nullptr;
  std::vector<BranchState> branch_states_; // what the finished branches of the choices being walked have set
  int conditional_ = 0;
  uint32_t branch_ = 0;                     // the branch or lambda that is walked; 0: the body itself
  std::vector<uint32_t> outer_branches_{0}; // of each branch, the one that it is in
  uint32_t new_branch() {
    outer_branches_.push_back(branch_);
    branch_conditions_.push_back(std::exchange(next_condition_, nullptr));
    return static_cast<uint32_t>(outer_branches_.size() - 1);
  }
  LookupKeys lookups_;
  DataFiles* data_ = nullptr;                                  // once all files are walked
  uint32_t steps_ = 0;                                         // spent on the current static_value()
  std::unordered_map<std::string, TemplateUse> template_uses_; // by path
  std::unordered_set<std::string> dynamic_templates_;          // modules that render templates with names made at run time; "" = no module
  std::unordered_map<const Module*, std::unordered_set<uint32_t>> module_variables_;          // ids of their names
  std::unordered_map<Symbol, std::map<std::string, std::string, std::less<>>> listed_values_; // of types in Ruby
  std::unordered_map<Symbol, RubyProviders> providers_;                                       // of modules, by type
  std::unordered_map<std::string, EppUse> epp_uses_;                                          // by path
  std::vector<EppRead> epp_reads_;                                                            // by templates without parameters
  bool in_relationship_ = false;
  bool notified_here_ = false;  // what is declared there gets one
  const Node* logic_ = nullptr; // the outermost `and` or `or` that is walked
  /// A text of EPP that is walked: its findings stand where it is given.
  struct InlineText {
    const SourceFile* source;
    const Node* at;
  };
  std::optional<InlineText> inline_text_;
  bool only_waits_ = false; // what the walk is in notifies nothing that it names
  struct MissingParameters {
    std::string_view type; // of a resource that lacks them
    const SourceFile* source;
    uint32_t offset, length;
    std::string message;
    std::vector<Symbol> names;
    CheckCode code = CheckCode::missing_parameter;
    std::string suggestion = {};
    std::optional<Severity> severity = {};
  };
  std::vector<MissingParameters> missing_;
  /// A module that is not here, and where its names are used.
  struct MissingModule {
    struct Place {
      const SourceFile* source;
      uint32_t offset, length;
    };
    std::vector<Place> first; // of those in files asked about
    std::set<std::pair<const SourceFile*, uint32_t>> places;
    bool qualified = false; // some use has a name of the module with ::
  };
  std::map<std::string, MissingModule> missing_modules_;
  std::unordered_map<Symbol, bool> module_missing_; // answers of note_missing_module(), by names of modules
  std::vector<WrongDefault> wrong_defaults_;
  std::vector<UnusedVariable> unused_variables_;
  std::unordered_set<Symbol> inherited_;                 // classes that others inherit
  std::set<std::string, std::less<>> read_in_templates_; // a::b
  std::vector<RelativeCommand> relative_commands_;
  std::set<const SourceFile*> exec_paths_;                // files that set the path of all execs
  bool exec_path_ = false, exec_path_everywhere_ = false; // some code may set it for execs that are checked; the main manifest does
  /// An exec of a class that runs only when it is notified, and subscribes to nothing.
  struct RefreshOnly {
    NamedResource exec, owner;
    const SourceFile* source;
    uint32_t offset, length;
    const Module* module;
  };
  std::vector<RefreshOnly> refresh_only_;
  std::unordered_set<NamedResource> named_execs_;                              // by any code
  std::unordered_set<const Module*> execs_by_variables_;                       // modules that name execs by variables
  std::unordered_set<NamedResource> notified_;                                 // perhaps: code names it where it may be notified
  bool notifies_any_class_ = false;                                            // code makes names of classes at run time there
  std::unordered_map<NamedResource, std::vector<NamedResource>> contained_in_; // of classes
  bool may_be_notified(NamedResource class_, int depth = 0) const;
  void note_refresh_only(const ResourceBody& body);
  void note_mention(Symbol type, std::string_view title);
  void note_text_reference(std::string_view text);
  void note_made_reference(const Interpolation& text);
  void report_never_run();
  /// A place that includes a class or reads a variable of it.
  struct ClassUse {
    Symbol name, variable;
    const SourceFile* source;
    uint32_t offset, length;
    uint32_t body;
    bool conditional;
    bool own = false;   // in the class itself
    Symbol in = {};     // the class that includes it; empty = no class
    uint32_t other = 0; // of includes_: one more than the index of the one before of the same class; 0: none
    const Module* module = nullptr;
    Catalogs::Unit unit = 0;
    bool in_default = false; // of a parameter
    Symbol node = {};        // the node definition that includes the class always, as messages name it
  };
  std::vector<ClassUse> includes_, class_variables_;
  std::vector<uint32_t> declared_classes_;              // of includes_: `class { 'name': }` where nothing around it is a condition
  BySymbol<uint32_t> last_includes_;                    // of a class, by its name: one more than its index; 0: none
  std::unordered_set<const Module*> includes_computed_; // modules that include classes whose names are made at run time
  uint32_t bodies_ = 0;                                 // counts bodies: a number identifies a body after it is gone
  ResourceNumbers numbers_;                             // of the resources in the next lists
  std::vector<DeclaredResource> declared_;
  std::unordered_map<Symbol, Callee> callees_;
  std::unordered_map<std::string, std::shared_ptr<const ParsedFile>> plans_;      // by path
  RepeatedNames attributes_;                                                      // of a resource
  std::map<std::pair<const void*, uint32_t>, std::string> parameter_suggestions_; // for unknown parameters, by what has none of the name
  Waits waits_{numbers_};
  std::vector<ResourceReference> references_;
  std::unordered_map<std::string_view, bool> stands_nowhere_; // by title
  std::vector<ComputedResource> made_;
  std::unordered_set<const SourceFile*> asked_files_;
  Catalogs catalogs_;
  Catalogs::Unit unit_ = Catalogs::top;
  GivenValues given_;
  PassedValues passed_;
  /// Names of classes that are made at run time.
  struct IncludedTexts {
    Catalogs::Unit unit;
    MadeTexts names;
    const SourceFile* source;
    uint32_t offset, length;
    bool asked;
  };
  std::vector<IncludedTexts> included_texts_;
  /// An index whose key a parameter chooses, into a hash that stands in the code.
  struct ChosenKey {
    Value hash;
    MadeTexts key;
    const SourceFile* source;
    uint32_t offset, length;
  };
  std::vector<ChosenKey> chosen_keys_;
  const Node* iterated_ = nullptr;                      // for the next lambda
  std::array<const Type*, 2> block_gets_{};             // the same
  Value block_elements_;                                // the same
  std::vector<Symbol> narrowed_, compared_;             // variables whose types, or values, the conditions around have asked for
  const Node* next_condition_ = nullptr;                // of the first of the branches that are walked next
  std::vector<const Node*> branch_conditions_{nullptr}; // of each branch: the test of the if whose first branch it is
  uint32_t node_offset_ = 0;                            // of the node definition that is walked
  /// A virtual resource whose title stands in the code.
  struct VirtualResource {
    NamedResource resource;
    const SourceFile* source;
    uint32_t offset, length;
  };
  std::vector<VirtualResource> virtual_;
  std::unordered_set<NamedResource> realized_;
  bool realizes_anything_ = false;
  int undefined_ = 0;       // conditions around that ask defined()
  bool in_default_ = false; // of a class's parameter
  /// Variables that a class sets in some of its branches only, by their qualified names.
  struct ForgottenVariable {
    const SourceFile* source;
    uint32_t offset; // of the branch
    bool told = false;
  };
  std::map<std::pair<uint32_t, uint32_t>, ForgottenVariable> sometimes_set_;
  /// Where a class is declared or included, and which of its parameters it gets there.
  struct ClassGiven {
    Symbol name;
    std::vector<Symbol> parameters;
    bool anything = false;
    const SourceFile* source;
    uint32_t offset, length;
    bool asked; // in a file asked about
  };
  std::vector<ClassGiven> class_given_;
  std::set<std::pair<uint32_t, uint32_t>>
      defaulted_; // attributes of types, by ids, that resource defaults or collectors set somewhere; 0: any
  void note_defaulted(Symbol type, const Seq<AttributeOp>& operations);
  bool defaulted(Symbol type, Symbol attribute) const;
  struct FoundType {
    const DefinitionEntry* define = nullptr;
    const ResourceTypeInfo* native = nullptr;
  };
  std::unordered_map<Symbol, FoundType> found_types_;    // those that are there
  SymbolAnswers builtin_types_;                          // names of the language's own types
  SymbolAnswers known_classes_;                          // names of classes that are there, as they are written
  SymbolAnswers known_types_;                            // names of data types that are there
  SymbolAnswers top_names_;                              // names of facts and of variables of top scope
  SymbolAnswers settings_;                               // names of variables that are settings
  SymbolAnswers legacy_facts_;                           // names of facts that Puppet 8 does not have
  std::optional<std::vector<std::string>> module_types_; // names of the types in Ruby of all modules
  std::optional<std::vector<std::string>> module_functions_;
  SymbolAnswers own_types_;    // names of the types that come with Puppet
  SymbolAnswers secret_names_; // of attributes whose values are secrets
  uint32_t unsure_types_ = 0;  // counts names of data types that may be there
  /// Units that declare resources of a type with titles of which nothing is known.
  struct Dynamic {
    Symbol type; // none: it is made at run time, too
    Catalogs::Unit unit;
    const Module* module;
    bool path = false; // the title is the path of a file
    bool may_be(Symbol wanted) const { return !type || type == wanted; }
    bool may_be(const ResourceReference& r) const {
      return may_be(r.type) && (!path || r.title.starts_with('/') || r.title.starts_with('\1'));
    }
  };
  std::vector<Dynamic> dynamic_;
  std::unordered_set<Symbol> collected_types_, exported_types_; // that some collector names, <| |> and <<| |>>
  struct DefineWait {                                           // a defined type whose resources wait for a class
    Symbol define, name;
    const SourceFile* source;
    uint32_t offset, length;
  };
  std::vector<DefineWait> define_waits_;
  std::set<std::pair<uint32_t, uint32_t>> define_places_; // defined types and the classes that declare them
  struct FixedTitle {                                     // what a defined type always declares
    Symbol define, type;
    const SourceFile* source;
    uint32_t offset, length;
    std::string_view title;
  };
  std::vector<FixedTitle> fixed_titles_;
  std::unordered_set<const Node*> plain_names_; // texts that check_plain_name() has told of
};

} // namespace pupc::compiler
