// Computes frame layouts of bodies and slots of variables.
//   A layout has the parameters in order, then (class, define, node) title, name, module_name, caller_module_name, then every other
//   name that the body assigns, and for classes and defines every metaparameter that it mentions.
// A lambda has its own layout and reaches the bodies around it by Variable::up. The parser limits the depth.
#include "catalog/base/stack_memory.h"
#include "compiler/check/checker.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace pupc {
namespace {

bool is_metaparameter_name(Symbol s) {
  static constexpr Symbol names[] = {sym::alias,  sym::audit,   sym::before,   sym::consume, sym::export_,   sym::loglevel, sym::noop,
                                     sym::notify, sym::require, sym::schedule, sym::stage,   sym::subscribe, sym::tag};
  return std::find(std::begin(names), std::end(names), s) != std::end(names);
}

struct Body {
  explicit Body(std::pmr::memory_resource& memory) : names(&memory), variables(&memory), assignments(&memory), index(&memory) {}

  Body* outer = nullptr; // the body around a lambda; null for all other bodies
  std::pmr::vector<Symbol> names;
  std::pmr::vector<Variable*> variables;       // simple variables that the body reads or assigns
  std::pmr::vector<const Binary*> assignments; // without those in the defaults of parameters
  bool exposes_metaparameters = false;

  std::pmr::unordered_map<Symbol, int> index; // used for many names: generated manifests have thousands
  static constexpr size_t few = 64;           // up to here a search is faster than a table
  uint64_t marks = 0;                         // a bit for the names: one whose bit is not set is not among them

  static uint64_t mark(Symbol s) { return uint64_t(1) << (s.id % 64); }
  void add(Symbol s) {
    if (slot(s) >= 0) return;
    marks |= mark(s);
    names.push_back(s);
    if (names.size() < few) return;
    if (names.size() == few)
      for (size_t i = 0; i < names.size(); ++i) index.emplace(names[i], static_cast<int>(i));
    else
      index.emplace(s, static_cast<int>(names.size() - 1));
  }
  int slot(Symbol s) const {
    if ((marks & mark(s)) == 0) return -1;
    if (names.size() >= few) {
      auto it = index.find(s);
      return it == index.end() ? -1 : it->second;
    }
    auto it = std::find(names.begin(), names.end(), s);
    return it == names.end() ? -1 : static_cast<int>(it - names.begin());
  }
};

class Resolver {
public:
  explicit Resolver(ParsedFile& f) : file(f) {}

  void run() {
    if (file.body->kind == NodeKind::Epp) {
      walk(file.body); // makes its own layout
      file.layout = static_cast<Epp*>(file.body)->layout;
      return;
    }
    Body top(memory_.resource);
    in(top, [&] { walk(file.body); });
    file.layout = finish_all(top, 0);
  }

private:
  StackMemory<8192> memory_; // for the lists of all bodies of a usual file
  ParsedFile& file;
  Body* body = nullptr;

  template <class F> void in(Body& b, F inner) {
    Body* saved = body;
    body = &b;
    inner();
    body = saved;
  }

  FrameLayout* finish(Body& b) {
    for (Variable* v : b.variables) {
      uint16_t up = 0;
      for (const Body* at = &b; at != nullptr; at = at->outer, ++up) {
        int slot = at->slot(v->base);
        if (slot < 0) continue;
        v->up = up;
        // A slot number that needs more than 16 bits is dropped: evaluation looks the variable up by name.
        v->slot = slot < Variable::no_slot ? static_cast<uint16_t>(slot) : Variable::no_slot;
        break;
      }
    }
    auto* layout = file.arena.make<FrameLayout>();
    auto kept = file.arena.copy_span<Symbol>(std::span<const Symbol>(b.names));
    layout->names = {kept.data(), static_cast<uint32_t>(kept.size())};
    if (!b.assignments.empty()) {
      auto assignments = file.arena.copy_span<const Binary*>(std::span<const Binary* const>(b.assignments));
      layout->assignments = {assignments.data(), static_cast<uint32_t>(assignments.size())};
    }
    return layout;
  }

  void names(const Seq<Parameter>& list) {
    for (const Parameter& p : list) body->add(p.name);
  }
  /// Defaults of parameters. The types are evaluated around the body, so they are walked apart from it.
  void defaults(const Seq<Parameter>& list) {
    for (const Parameter& p : list) walk(p.default_value);
    body->assignments.clear();
  }

  void types(const Seq<Parameter>& list, Node* return_type) {
    for (const Parameter& p : list) walk(p.type);
    walk(return_type);
  }

  /// Types of the parameters of a definition. They are evaluated in a frame that this file does not know (that of the top scope, or of
  /// the code that renders a template), so their variables get no slots: evaluation looks them up by name.
  void types_without_slots(const Seq<Parameter>& list, Node* return_type) {
    const size_t from = pending.size();
    Body around(memory_.resource);
    in(around, [&] { types(list, return_type); });
    around.names.clear();
    around.marks = 0;
    around.index.clear();
    finish_lambdas(from);
  }

  void definition(Definition& d, bool resource_body) {
    size_t from = pending.size();
    Body b(memory_.resource);
    b.exposes_metaparameters = resource_body;
    types_without_slots(d.parameters, d.kind == NodeKind::FunctionDef ? static_cast<FunctionDef&>(d).return_type : nullptr);
    in(b, [&] {
      names(d.parameters);
      if (resource_body)
        for (Symbol s : {sym::title, sym::name, sym::module_name, sym::caller_module_name}) b.add(s);
      defaults(d.parameters);
      walk(d.body);
    });
    d.layout = finish_all(b, from);
  }

  struct Pending {
    Lambda* lambda;
    std::unique_ptr<Body> body;
  };
  /// Lambdas of the body being walked. Their slots are assigned when the body is complete, because it may assign names after a lambda.
  std::vector<Pending> pending;

  void lambda(Lambda& l) {
    types(l.parameters, l.return_type); // evaluated in the frame around the lambda
    pending.push_back({&l, std::make_unique<Body>(memory_.resource)});
    Body& b = *pending.back().body;
    b.outer = body;
    b.exposes_metaparameters = body->exposes_metaparameters;
    in(b, [&] {
      names(l.parameters);
      defaults(l.parameters);
      walk(l.body);
    });
  }

  /// Makes the layout of a complete body. Also finishes its lambdas, those in `pending` from index `from` on, while the bodies around
  /// them are alive.
  FrameLayout* finish_all(Body& b, size_t from) {
    FrameLayout* layout = finish(b);
    finish_lambdas(from);
    return layout;
  }

  void finish_lambdas(size_t from) {
    for (size_t i = from; i < pending.size(); ++i) pending[i].lambda->layout = finish(*pending[i].body);
    pending.resize(from);
  }

  void assigned(Node* target) {
    if (target->kind == NodeKind::Variable) {
      auto* v = static_cast<Variable*>(target);
      if (v->form() == Variable::Form::Simple) body->add(v->base);
    } else if (target->kind == NodeKind::ListLiteral) {
      for (Node* n : static_cast<ListLiteral*>(target)->elements) assigned(n);
    }
  }

  void variable(Variable& v) {
    if (v.form() != Variable::Form::Simple) return;
    if (body->exposes_metaparameters && is_metaparameter_name(v.base)) {
      Body* outermost = body;
      while (outermost->outer != nullptr) outermost = outermost->outer;
      if (body->slot(v.base) < 0) outermost->add(v.base);
    }
    body->variables.push_back(&v);
  }

  void node_definition(NodeDef& d) {
    size_t from = pending.size();
    Body b(memory_.resource);
    in(b, [&] {
      for (Symbol s : {sym::title, sym::name, sym::module_name, sym::caller_module_name}) b.add(s);
      walk_all(d.matches);
      walk(d.body);
    });
    d.layout = finish_all(b, from);
  }

  void epp_template(Epp& e) {
    size_t from = pending.size();
    Body b(memory_.resource);
    types_without_slots(e.parameters, nullptr);
    in(b, [&] {
      names(e.parameters);
      defaults(e.parameters);
      walk(e.body);
    });
    e.layout = finish_all(b, from);
  }

  void resource(ResourceExpr& r) {
    walk(r.type_name);
    for (const ResourceBody& b : r.bodies) {
      walk(b.title);
      operations(b.operations);
    }
  }

  void walk_all(const Seq<Node*>& list) {
    for (Node* n : list) walk(n);
  }
  void operations(const Seq<AttributeOp>& list) {
    for (const AttributeOp& op : list) walk(op.value);
  }

  void walk(Node* n) {
    if (n == nullptr) return;
    switch (n->kind) { // most nodes have no parts
    case NodeKind::Nop:
    case NodeKind::Literal:
    case NodeKind::RegexLiteral:
    case NodeKind::Name:
    case NodeKind::Reference:
    case NodeKind::ReservedWord:
    case NodeKind::RenderString: return;
    case NodeKind::Variable: return variable(*static_cast<Variable*>(n));
    default: return walk_parts(n);
    }
  }

  [[gnu::noinline]] void walk_parts(Node* n) {
    switch (n->kind) {
    case NodeKind::Nop:
    case NodeKind::Literal:
    case NodeKind::RegexLiteral:
    case NodeKind::Name:
    case NodeKind::Reference:
    case NodeKind::ReservedWord:
    case NodeKind::RenderString:
    case NodeKind::Variable: return;
    case NodeKind::Interpolation: return walk_all(static_cast<Interpolation*>(n)->parts);
    case NodeKind::Heredoc: return walk(static_cast<Heredoc*>(n)->text);
    case NodeKind::ListLiteral: return walk_all(static_cast<ListLiteral*>(n)->elements);
    case NodeKind::HashLiteral:
      for (const KeyedEntry& e : static_cast<HashLiteral*>(n)->entries) {
        walk(e.key);
        walk(e.value);
      }
      return;
    case NodeKind::Access: walk(static_cast<Access*>(n)->left); return walk_all(static_cast<Access*>(n)->keys);
    case NodeKind::Call: {
      auto* c = static_cast<Call*>(n);
      walk(c->functor);
      walk_all(c->arguments);
      if (c->lambda != nullptr) lambda(*c->lambda);
      return;
    }
    case NodeKind::MethodCall: {
      auto* c = static_cast<MethodCall*>(n);
      walk(c->receiver);
      walk(c->name);
      walk_all(c->arguments);
      if (c->lambda != nullptr) lambda(*c->lambda);
      return;
    }
    case NodeKind::Assignment:
      assigned(static_cast<Binary*>(n)->left);
      body->assignments.push_back(static_cast<Binary*>(n));
      [[fallthrough]];
    case NodeKind::Arithmetic:
    case NodeKind::Comparison:
    case NodeKind::Match:
    case NodeKind::In:
    case NodeKind::And:
    case NodeKind::Or:
    case NodeKind::Relationship: walk(static_cast<Binary*>(n)->left); return walk(static_cast<Binary*>(n)->right);
    case NodeKind::Not:
    case NodeKind::Minus:
    case NodeKind::Unfold:
    case NodeKind::Parenthesized:
    case NodeKind::RenderExpr: return walk(static_cast<Unary*>(n)->operand);
    case NodeKind::If: {
      auto* i = static_cast<If*>(n);
      walk(i->test);
      walk(i->then_block);
      return walk(i->else_part);
    }
    case NodeKind::Case: {
      auto* c = static_cast<Case*>(n);
      walk(c->test);
      for (const CaseOption& o : c->options) {
        walk_all(o.values);
        walk(o.body);
      }
      return;
    }
    case NodeKind::Selector: {
      auto* s = static_cast<Selector*>(n);
      walk(s->left);
      for (const SelectorEntry& e : s->entries) {
        walk(e.match);
        walk(e.value);
      }
      return;
    }
    case NodeKind::Block: return walk_all(static_cast<Block*>(n)->statements);
    case NodeKind::Lambda: return lambda(*static_cast<Lambda*>(n));
    case NodeKind::ResourceExpr: return resource(*static_cast<ResourceExpr*>(n));
    case NodeKind::ResourceDefaults:
      walk(static_cast<ResourceDefaults*>(n)->type_ref);
      return operations(static_cast<ResourceDefaults*>(n)->operations);
    case NodeKind::ResourceOverride:
      walk(static_cast<ResourceOverride*>(n)->resources);
      return operations(static_cast<ResourceOverride*>(n)->operations);
    case NodeKind::Collector: {
      auto* c = static_cast<Collector*>(n);
      walk(c->type_expr);
      walk(c->query);
      return operations(c->operations);
    }
    case NodeKind::ClassDef:
    case NodeKind::DefineDef: return definition(*static_cast<Definition*>(n), true);
    case NodeKind::FunctionDef: return definition(*static_cast<Definition*>(n), false);
    case NodeKind::NodeDef: return node_definition(*static_cast<NodeDef*>(n));
    case NodeKind::TypeAlias: return walk(static_cast<TypeAlias*>(n)->type);
    case NodeKind::TypeDefinition: return walk(static_cast<TypeDefinition*>(n)->body);
    case NodeKind::TypeMapping: walk(static_cast<TypeMapping*>(n)->left); return walk(static_cast<TypeMapping*>(n)->right);
    case NodeKind::Epp: return epp_template(*static_cast<Epp*>(n));
    }
  }
};

} // namespace

void resolve_names(ParsedFile& file) {
  if (file.body == nullptr) return;
  Resolver(file).run();
}

} // namespace pupc
