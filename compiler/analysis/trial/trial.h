#pragma once
// Runs the code of classes with what is known of their parameters: by data, defaults and declarations. What depends on facts is not known.
// Each class is run by itself, once with the values that any node may have, and once with those of each file of data. Node definitions are
// then put together of the classes that they include.
//   It knows less than a compile, and never more: a failure that it finds happens on each node that has these values.
#include "catalog/graph/tags.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/data/data_files.h"
#include "compiler/analysis/trial/guess.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::catalog {
class ResourceTypeInfo;
}
namespace pupc::compiler {

/// Something that fails, or would be refused.
struct TrialFailure {
  CheckCode code;
  const SourceFile* source;
  uint32_t offset, length;
  std::string message;
  bool maybe; // in a branch whose condition is not known
};
struct TrialResource {
  Symbol type;
  std::vector<std::string> titles;  // one of them; patterns
  std::vector<std::string> aliases; // each names it, too; patterns
  bool maybe = false;
  bool of_data = false; // some node has each of the titles
  bool by_name = false; // and the aliases are values of an attribute, of which some node has each
  bool ensured = false; // by a function that declares nothing that is there
  bool lazy = false;    // in a defined type, which is evaluated when all classes are
  ResourceForm form = ResourceForm::Regular;
  const SourceFile* source = nullptr;
  uint32_t offset = 0, length = 0;
  std::vector<std::pair<Symbol, Guess>> attributes; // of virtual ones
};
struct TrialReference {
  Symbol type;
  std::vector<std::string> titles; // one of them; patterns
  const SourceFile* source;
  uint32_t offset, length;
  bool maybe;
  std::string_view attribute = {}; // of a type that names the other resource by it: target
};
struct TrialUnit;
struct TrialInclude {
  Symbol name;
  bool maybe;
  const SourceFile* source;
  uint32_t offset, length;
  bool declared = false;                           // as a resource
  bool lazy = false;                               // in a defined type, which is evaluated when all classes are
  std::shared_ptr<const TrialUnit> unit = nullptr; // where it is declared: with the parameters that it gets
};
struct TrialCollector {
  Symbol type;
  const Node* query; // null: all
  const SourceFile* source;
};
/// What a class or node definition brings into a catalog by itself.
struct TrialUnit {
  std::vector<TrialResource> resources;
  std::vector<TrialReference> references;
  std::vector<TrialInclude> includes;
  std::vector<TrialCollector> collectors;
  std::vector<TrialFailure> failures;
  std::unordered_set<Symbol> open_types; // of which it may declare any title
  bool open = false;                     // it may declare anything
  bool realizes = false;                 // it calls realize()
  struct Place {
    const SourceFile* source;
    uint32_t offset;
    bool ensured, lazy; // as those of TrialResource
  };
  std::map<std::pair<uint32_t, std::string>, Place> declared; // what is surely there, by types and titles
  std::vector<std::pair<Symbol, Guess>> variables;
};

class Trial {
public:
  /// What the walk knows.
  struct Walked {
    std::function<Known(Symbol name, const DefinitionEntry*&, const ResourceTypeInfo*&)> find_type;
    std::function<bool(const Node& call, Symbol name)> may_declare; // a function: anything
    std::function<std::vector<Symbol>(Symbol name)> created_by;     // resources of these types
    std::function<void(const Seq<AttributeOp>&, const ResourceTypeInfo&, Symbol type, const SourceFile&)> check_values;
    std::function<bool(const SourceFile*)> asked;
    std::function<bool(Symbol type, Symbol attribute)> defaulted;
  };
  Trial(CheckedCodebase& program, Findings& findings, DataFiles& data, Walked walked);
  /// Runs all and reports what fails.
  void run();

private:
  struct Frame {
    Frame* outer = nullptr; // of a block: the frame around it
    const Definition* definition = nullptr;
    std::vector<std::pair<Symbol, Guess>> variables;
    std::unordered_set<Symbol> written; // parameters whose values stand in the code: the walk has followed them
    bool dead = false;                  // after return() or fail()
    uint32_t doubts = 0;                // of `maybe_`: something above may have left the body
    Guess result;                       // that of next() or return()
    bool has_result = false;
  };
  struct OutOfSteps {};
  /// A member's value for the time that a body runs.
  struct Set {
    Set(bool& of, bool value) : member(of), before(std::exchange(of, value)) {}
    ~Set() { member = before; }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    bool& member;
    bool before;
  };
  /// What failed in a body that was run before with the same values.
  struct Ran {
    std::vector<const std::vector<DataFiles::Source>*> asked; // what it has looked up
    const void* file;                                         // of data, with which it was run
    std::vector<TrialFailure> failures;
  };

  // trial.cpp
  void note_declared_classes();
  void run_with_data();
  bool has_wrong_data(Symbol name);
  void report_failures();
  void told(const TrialFailure& failure, std::string_view file);
  bool reported(const SourceFile* source, uint32_t offset) const;
  // trial_classes.cpp
  const TrialUnit& unit_of(Symbol name);
  struct Attributes;
  TrialUnit run_class(const DefinitionEntry& entry, const DataFiles::Source* pinned, const Attributes* given = nullptr);
  TrialUnit run_body(const Node* body, const SourceFile& source);
  void run_class_body(const DefinitionEntry& entry, Frame& frame);
  Guess parameter_of_class(const Definition& d, const Parameter& p, const DataFiles::Source* pinned);
  Guess looked_up(std::string_view key, const DataFiles::Source* pinned);
  Guess converted(std::string_view key, const Value& value);
  std::optional<Value> part_of_merge(std::string_view key, const DataFiles::Source& pinned);
  bool fits(const Parameter& p, const SourceFile& source, const Guess& g, std::string& why);
  // trial_expressions.cpp
  Guess eval(const Node* n);
  Guess eval_node(const Node& n);
  Guess block(const Block* b);
  Guess variable(const Variable& v);
  Guess interpolation(const Interpolation& text);
  Guess list(const ListLiteral& l);
  Guess hash(const HashLiteral& h);
  Guess access(const Access& a);
  Guess element(const Access& a, const Value& left, const Value& key);
  Guess binary(const Binary& b);
  Guess logic(const Binary& b);
  void note_groups(const Guess& text, const Guess& pattern);
  Guess conditional(const If& i);
  Guess choice(const Case& c);
  Guess choice(const Selector& s, const Guess& tested);
  enum class Match : uint8_t { No, Yes, Unknown };
  Match matches(const Guess& tested, const Node* option);
  Guess evaluated(const Node& n, const Node& at);
  Node* constant(const Node& at, const Value& v);
  Guess branches(std::span<const std::function<Guess()>> bodies);
  void join(Guess& all, const Guess& one);
  void assign(const Node* target, const Guess& value);
  std::optional<std::string> text_of(const Value& v);
  void set(Symbol name, const Guess& value);
  static const Guess* find(const Frame& frame, Symbol name);
  // trial_calls.cpp
  Guess call(const Node& at, Symbol name, std::span<const Node* const> arguments, const Lambda* lambda);
  std::optional<Guess> iterate(std::string_view name, const Guess& over, std::span<const Guess> arguments, const Lambda& lambda);
  std::optional<Guess> iterate_value(std::string_view name, const Value& over, std::span<const Guess> arguments, const Lambda& lambda);
  static std::optional<Guess> outcome(const ConstantCalls::Outcome& of, std::string& error);
  std::optional<Guess> combined(std::span<const Guess> arguments,
                                const std::function<std::optional<Guess>(std::span<const Value>)>& function);
  Guess result_of(const Block* body);
  Guess run_lambda(const Lambda& lambda, std::span<const Guess> arguments);
  void run_unknown_lambda(const Lambda& lambda);
  std::optional<Guess> special_call(const Node& at, std::string_view name, std::span<const Guess> arguments);
  Guess own_function(const Node& at, const DefinitionEntry& entry, std::span<const Guess> arguments);
  void include(const Node& at, const Guess& names);
  void create_resources(const Node& at, std::span<const Guess> arguments);
  // trial_resources.cpp
  struct Attributes {
    std::vector<std::pair<Symbol, Guess>> values;
    std::vector<const Node*> places; // of each value
    std::vector<bool> spread;        // it came from a hash
    bool others = false;             // and further ones, which are not known
  };
  void resources(const ResourceExpr& r);
  Attributes attributes_of(const Seq<AttributeOp>& operations);
  void add_attribute(Attributes& to, Symbol name, const Guess& value, const Node& place, bool spread);
  void spread(Attributes& to, const Guess& g, const Node& place);
  void declare(const Node& at, Symbol type, const Guess& titles, const Attributes& attributes, ResourceForm form);
  void declare_one(const Node& at, Symbol type, const Guess& title, const Attributes& attributes, ResourceForm form);
  void declare_any(const Node& at, Symbol type);
  void note_resource(const Node& at, Symbol type, const Guess& title, const Attributes& attributes, ResourceForm form,
                     const ResourceTypeInfo* native);
  void declare_define(const Node& at, const DefinitionEntry& define, const Guess& title, const Attributes& attributes, ResourceForm form);
  bool is_written(const Node& place) const;
  void check_native(Symbol type, const ResourceTypeInfo& native, const Attributes& attributes);
  void note_references(const Node& at, const Guess& value, bool texts = false);
  void note_reference_value(const Node& at, const Value& v, bool texts);
  std::optional<std::pair<Symbol, std::string>> named(const Value& v, bool texts);
  void note_related(const Node* n);
  void note_target(Symbol type, const Attributes& attributes);
  void declare_class(const Node& at, const Guess& title, const Attributes& attributes);
  void fail(const Node& at, CheckCode code, std::string message);
  // trial_bodies.cpp
  void run_once(const Definition& d, uint64_t values, const std::function<void()>& body);
  bool is_spent(const Definition& d) const;
  bool as_before(const Ran& ran) const;
  static uint64_t hash_of_guess(uint64_t before, Symbol name, const Guess& g);
  // trial_duplicates.cpp
  struct Catalog;
  struct Order;
  void check_duplicate_resources(const Catalog& catalog);
  void check_declared_twice(const Node& at, Symbol type, const Guess& title);
  void check_order(const Catalog& catalog, std::span<const TrialUnit* const> units);
  void follow(Order& order, const TrialUnit& unit);
  void check_declared(const Order& order, const TrialInclude& i);
  // trial_catalogs.cpp
  void check_catalogs();
  void check_catalog(Catalog& catalog, std::span<const TrialUnit* const> units);
  void gather(Catalog& catalog, const TrialUnit& unit, bool maybe);
  void check_references(const Catalog& catalog);
  void check_class_reference(const Catalog& catalog, const TrialReference& r, bool maybe);
  void check_virtual(const Catalog& catalog);
  static bool may_collect(const TrialCollector& c, const TrialResource& r, const Catalog& catalog);
  static bool may_match(const Node* query, const TrialResource& r, const Catalog& catalog);

  CheckedCodebase& program_;
  Findings& findings_;
  DataFiles& data_;
  Walked walked_;
  Arena& arena_;
  const SourceFile* source_ = nullptr;
  Frame* frame_ = nullptr;
  TrialUnit* unit_ = nullptr;
  const DataFiles::Source* pinned_ = nullptr;
  const Attributes* given_ = nullptr; // by the declaration of the class that is run
  uint32_t maybe_ = 0;                // conditions around that are not known
  uint32_t steps_ = 0;
  uint64_t all_steps_ = 0;
  int depth_ = 0;
  struct Declared {
    std::unordered_set<Symbol> parameters;
    bool anything = false;
  };
  std::unordered_map<Symbol, Declared> declared_classes_; // with parameters
  std::unordered_map<Symbol, std::unique_ptr<TrialUnit>> units_;
  std::unordered_set<Symbol> open_; // units that are being run
  bool only_failures_ = false;      // no catalog needs what is declared
  bool ensured_ = false;            // what is declared is so by a function that declares nothing that is there
  uint32_t defines_ = 0;            // bodies of defined types that are run
  bool unrealized_ = false;         // in the body of a virtual or exported resource, which is evaluated where somebody collects it
  std::unordered_map<uint64_t, Ran> ran_;
  std::unordered_map<Symbol, uint32_t> spent_; // steps of bodies that were run for their failures alone
  std::vector<const std::vector<DataFiles::Source>*> asked_;
  std::set<std::pair<const SourceFile*, uint32_t>> told_;
  struct Virtual {
    TrialResource resource;
    bool realized = false, doubtful = false;
    bool closed = false; // all of some catalog with it is known
  };
  std::map<std::pair<const SourceFile*, uint32_t>, Virtual> virtual_;
  std::unordered_set<Symbol> in_catalogs_; // classes that a node includes
};

} // namespace pupc::compiler
