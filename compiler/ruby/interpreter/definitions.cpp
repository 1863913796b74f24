// Classes, modules and methods that Ruby code defines.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/library.h"
#include "compiler/ruby/interpreter/restore.h"

#include "catalog/base/stack.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

RubyModule& Interpreter::new_module(std::string name, bool is_class, const RubyValue& parent, uint32_t line) {
  RubyModule& module = modules_.emplace_back();
  module.name = std::move(name);
  module.is_class = is_class;
  module.library = program_->library;
  if (parent.is(RubyKind::Module)) {
    if (!parent.module->is_class) not_rendered(line, "a module as superclass");
    module.parent = parent.module;
    module.base = parent.module->base;
    module.equality = parent.module->equality;
  } else if (parent.is(RubyKind::Class)) {
    if (parent.class_ != RubyClass::Object && parent.class_ != RubyClass::BasicObject && !is_exception(parent.class_) &&
        !(program_->library && parent.class_ == RubyClass::Numeric))
      not_rendered(line, fmt::format("a class that inherits from {}", class_name(parent.class_)));
    module.base = parent.class_;
  } else if (!parent.is_nil()) {
    not_rendered(line, "a superclass that is no class");
  }
  return module;
}

/// What is added to one of Ruby's own classes.
RubyModule& Interpreter::extension_of(RubyClass of) {
  RubyModule*& module = extensions_[of];
  if (module == nullptr) {
    module = &modules_.emplace_back();
    module->name = class_name(of);
    module->is_class = true;
    module->base = of;
    forget_found();
  }
  return *module;
}

void Interpreter::run_body(RubyModule& module, const Node& body, int32_t slots) {
  if (native_stack_low()) not_rendered(body.line, "nesting that is too deep");
  const Restore restore(*this);
  environ_ = make_environ(nullptr, slots);
  self_ = module.base != RubyClass::Object && extensions_.contains(module.base) && extensions_[module.base] == &module
              ? RubyValue::of(module.base)
              : RubyValue::of(&module);
  nesting_ = new (slots_.allocate(sizeof(Nesting), alignof(Nesting))) Nesting{&module, nesting_};
  visibility_ = Visibility::Public;
  module_function_ = false;
  eval(&body);
}

/// The name of a class or module in another, or by itself. Puppet evaluates functions and templates inside classes of its own, and Ruby
/// names after those what their code defines; files that are required define at the top.
std::string Interpreter::full_name(const RubyModule* around, std::string_view name) const {
  if (around != nullptr && !around->name.empty()) return fmt::format("{}::{}", around->name, name);
  if (program_->library || required_programs_.contains(program_)) return std::string(name);
  switch (program_->self) {
  case Self::Template: return fmt::format("Puppet::Parser::TemplateWrapper::{}", name);
  case Self::Function: return fmt::format("Puppet::Pops::Loader::RubyFunctionInstantiator::{}", name);
  case Self::Scope: return fmt::format("Puppet::Pops::Loader::RubyLegacyFunctionInstantiator::{}", name);
  }
  return std::string(name);
}

RubyValue Interpreter::eval_class(const Class& node) {
  std::string_view name = node.name;
  RubyModule* around = nesting_ != nullptr ? nesting_->module : nullptr;
  RubyValue found;
  bool known = false;
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos) {
    RubyValue outer;
    RubyClass of_ruby{};
    if (find_class(name, of_ruby) || program_->library) { // Puppet::Util::Log stands for itself
      around = nullptr;
    } else if (find_constant(name.substr(0, colons), outer) && (outer.is(RubyKind::Module) || outer.is(RubyKind::Class))) {
      around = outer.is(RubyKind::Module) ? outer.module : &extension_of(outer.class_);
      name = name.substr(colons + 2);
    } else {
      not_rendered(node.line, fmt::format("constant {}", name));
    }
  }
  if (around != nullptr) {
    const auto own = around->constants.find(name);
    known = own != around->constants.end();
    if (known) found = own->second;
  } else {
    known = find_constant(name, found);
  }
  RubyModule* module = nullptr;
  if (known && found.is(RubyKind::Module)) {
    module = found.module;
  } else if (known && found.is(RubyKind::Class)) { // one of Ruby's own
    module = &extension_of(found.class_);
    extended |= !program_->library;
  } else if (known) {
    not_rendered(node.line, "a class that is something else already");
  } else {
    const RubyValue parent = eval(node.parent);
    module = &new_module(full_name(around, name), !node.module, parent, node.line);
    if (around == nullptr)
      define_constant(name, RubyValue::of(module), node.line);
    else if (!around->constants.emplace(name, RubyValue::of(module)))
      not_rendered(node.line, "a constant that changes");
    forget_found();
    if (module->parent != nullptr)
      if (const RubyMethod* hook = find_singleton(*module->parent, "inherited")) {
        const RubyValue made = RubyValue::of(module);
        call_defined(*hook, {RubyValue::of(module->parent), MethodId::unknown, "inherited", {&made, 1}, nullptr, node.line});
      }
  }
  run_body(*module, *node.body, node.slots);
  return {};
}

/// class << self: its methods are those of the class itself.
RubyValue Interpreter::eval_singleton_class(const SingletonClass& node) {
  const RubyValue of = eval(node.object);
  if (of.kind >= RubyKind::String && of.kind <= RubyKind::Hash) {
    RubyModule& own = singleton_of(of, node.line);
    run_body(own, *node.body, node.slots);
    check_singleton(own, node.line);
    return {};
  }
  if (!of.is(RubyKind::Module)) not_rendered(node.line, "class << of this value");
  RubyModule& inner = new_module("", true, {}, node.line);
  run_body(inner, *node.body, node.slots);
  for (const auto& [name, method] : inner.methods) {
    RubyMethod moved = method;
    moved.owner = of.module;
    moved.nesting = nesting_;
    of.module->singleton_methods.insert_or_assign(name, std::move(moved));
  }
  for (const RubyValue& included : inner.included) of.module->extended.push_back(included);
  forget_found();
  return {};
}

void Interpreter::add_method(RubyModule& module, std::string_view name, RubyMethod method, bool singleton) {
  method.owner = &module;
  if (!singleton && (name == "==" || name == "eql?")) module.equality = this;
  auto& methods = singleton ? module.singleton_methods : module.methods;
  if (program_->library && methods.contains(name)) return; // the code's own stays
  forget_found();
  methods.insert_or_assign(std::string(name), std::move(method));
}

/// The primitive to which a method of the library's text only passes self and its arguments on; null where it does more.
static Primitive passed_on_to(const Def& def) {
  const Node* body = def.body;
  if (const auto* statements = body == nullptr ? nullptr : body->to<Sequence>();
      statements != nullptr && statements->statements.size() == 1)
    body = statements->statements[0];
  const auto* call = body == nullptr ? nullptr : body->to<Call>();
  if (call == nullptr || call->receiver == nullptr || call->block != nullptr || call->have_keywords()) return nullptr;
  const auto* receiver = call->receiver->to<Constant>();
  const NodeList &given = call->arguments, &parameters = def.parameters;
  if (receiver == nullptr || receiver->name != "PupcCore" || given.size() != parameters.size() + 1 || given.size() > Call::most_plain ||
      given[0]->type != NodeType::Self)
    return nullptr;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Node* target = parameters[i];
    if (const auto* optional = target->to<OptionalParameter>()) {
      if (target->type != NodeType::TargetDefault || optional->default_value->type != NodeType::Nil) return nullptr;
      target = optional->target;
    }
    if (target->type != NodeType::TargetLocal || given[i + 1]->type != NodeType::Local) return nullptr;
    const auto& passed = given[i + 1]->as<LocalVariable>();
    if (passed.up != 0 || passed.slot != target->as<LocalVariable>().slot) return nullptr;
  }
  return find_primitive(call->name);
}

RubyValue Interpreter::eval_def(const Def& node) {
  RubyMethod method;
  if (program_->library) method.primitive = passed_on_to(node);
  method.def = &node;
  method.program = program_;
  method.path = path_;
  method.nesting = nesting_;
  const RubyValue name = heap.symbol(node.name);
  if (node.of != nullptr) { // def self.name
    const RubyValue of = eval(node.of);
    if (of.is(RubyKind::Module)) {
      add_method(*of.module, node.name, std::move(method), true);
    } else if (of.is(RubyKind::Class)) {
      extended |= !program_->library;
      add_method(extension_of(of.class_), node.name, std::move(method), true);
    } else if (of.is(RubyKind::Object)) {
      method.owner = of.object->class_;
      of.object->singleton_methods.insert_or_assign(std::string(node.name), std::move(method));
    } else if (of.is(RubyKind::Instance) || of.is(RubyKind::Scope)) {
      methods_[node.name] = std::move(method);
    } else {
      define_singleton_method(of, node.name, std::move(method), node.line);
    }
    return name;
  }
  if (nesting_ == nullptr) {
    methods_[node.name] = std::move(method);
    return name;
  }
  method.visibility = node.name == "initialize" ? Visibility::Private : visibility_;
  if (module_function_) {
    RubyMethod both = method;
    both.visibility = Visibility::Public;
    add_method(*nesting_->module, node.name, std::move(both), true);
  }
  add_method(*nesting_->module, node.name, std::move(method));
  return name;
}

/// What `super` without arguments passes on: the values that the method's parameters have by then. True: the last is a hash of keywords.
bool Interpreter::current_arguments(const Def& def, const LocalScope& scope, std::vector<RubyValue>& out) {
  const RubyValue named = heap.hash();
  RubyValue rest_of_keywords;
  auto value_of = [&](const Node& target) {
    return target.type == NodeType::TargetLocal ? scope.slots[target.as<LocalVariable>().slot] : RubyValue();
  };
  for (const Node* parameter : def.parameters) {
    const Node& p = *parameter;
    const auto* more = p.to<RestTarget>();
    if (p.type == NodeType::TargetMany || (more != nullptr && p.type != NodeType::TargetBlock && more->target == nullptr))
      not_rendered(def.line, "super with such parameters");
    switch (p.type) {
    case NodeType::TargetLocal: out.push_back(value_of(p)); break;
    case NodeType::TargetDefault: out.push_back(value_of(*p.as<OptionalParameter>().target)); break;
    case NodeType::TargetSplat: {
      const RubyValue rest = value_of(*more->target);
      if (rest.is_array()) out.insert(out.end(), rest.a->items.begin(), rest.a->items.end());
      break;
    }
    case NodeType::TargetKeywords: rest_of_keywords = value_of(*more->target); break;
    default: break;
    }
  }
  if (rest_of_keywords.is_hash())
    for (const auto& [key, value] : rest_of_keywords.h->entries()) named.h->set(key, value);
  for (const bool optional : {false, true})
    for (const Node* p : def.parameters)
      if (p->type == NodeType::TargetKeyword && (p->as<OptionalParameter>().default_value != nullptr) == optional)
        named.h->set(heap.symbol(p->as<OptionalParameter>().name), value_of(*p->as<OptionalParameter>().target));
  if (named.h->size() == 0) return false;
  out.push_back(named);
  return true;
}

/// super: the method of the same name that comes behind the running one.
RubyValue Interpreter::eval_super(const Super& node) {
  if (method_ == nullptr || method_->method == nullptr || method_->method->owner == nullptr) not_rendered(node.line, "super");
  const RubyMethod& running = *method_->method;
  std::vector<RubyValue> args;
  bool keywords = false;
  if (node.implicit) {
    if (!method_->has_args || method_->environ == nullptr || running.def == nullptr) not_rendered(node.line, "super in a block");
    keywords = current_arguments(*running.def, *method_->environ, args);
  } else {
    eval_arguments(node.arguments, args);
    keywords = node.have_keywords();
  }
  const RubyProc* block = node.block != nullptr ? block_of(*node.block) : method_->block;
  const std::string_view name = running.def != nullptr ? running.def->name : std::string_view();
  if (name.empty()) not_rendered(node.line, "super in a method of define_method");
  const MethodCall call{self_, find_method(name), name, args, block, node.line, keywords, true};
  if (const RubyMethod* next = find_method_of(self_, name, running.owner)) return call_defined(*next, call);
  if (name == "initialize") {
    if (self_.is(RubyKind::Exception)) {
      if (!args.empty()) self_.exception->message = to_s(args[0], node.line);
      return {};
    }
    if (self_.is(RubyKind::Object)) return {};
  }
  if (name == "respond_to_missing?") return RubyValue::boolean(false);
  if (name == "inherited" || name == "included" || name == "extended" || name == "method_added") return {};
  if (name == "method_missing" && !args.empty()) not_rendered(node.line, fmt::format("method '{}'", to_s(args[0], node.line)));
  RubyValue out;
  if (self_.is(RubyKind::Module) && name == "new") return make_object(*self_.module, call);
  if ((self_.is(RubyKind::Object) || self_.is(RubyKind::Exception)) && any_object_method(call, out)) return out;
  not_rendered(node.line, fmt::format("super of '{}'", name));
}

RubyValue Interpreter::define_constant(std::string_view name, const RubyValue& value, uint32_t line) {
  NamedValues& constants = nesting_ != nullptr ? nesting_->module->constants : constants_;
  if (!constants.emplace(name, value)) not_rendered(line, "a constant that changes");
  forget_found();
  if (value.is(RubyKind::Module) && value.module->name.empty())
    value.module->name = full_name(nesting_ != nullptr ? nesting_->module : nullptr, name);
  return value;
}

bool Interpreter::load_library(size_t file) {
  if (!loaded_.insert(file).second) return false;
  forget_found();
  const Restore restore(*this);
  program_ = &library_program(file);
  self_ = RubyValue::instance();
  nesting_ = nullptr;
  environ_ = make_environ(nullptr, program_->slots);
  eval(program_->body);
  return true;
}

bool Interpreter::find_constant_in(const RubyModule& module, std::string_view name, RubyValue& out) {
  for (const RubyModule* m = &module; m != nullptr; m = m->parent) {
    if (const auto own = m->constants.find(name); own != m->constants.end()) {
      out = own->second;
      return true;
    }
    for (const RubyValue& included : m->included)
      if (included.is(RubyKind::Module) && find_constant_in(*included.module, name, out)) return true;
  }
  return false;
}

/// Finds a constant by its name, which may have :: in it.
bool Interpreter::find_constant(std::string_view name, RubyValue& out) {
  const std::string_view first = name.substr(0, name.find("::")), whole = name;
  bool found = false;
  if (first.size() < name.size()) { // the library has a few by their whole names
    auto own = constants_.find(name);
    if (const auto file = library_file_of(name); own == constants_.end() && file && load_library(*file)) own = constants_.find(name);
    if (own != constants_.end()) {
      out = own->second;
      return true;
    }
  }
  for (const Nesting* n = nesting_; n != nullptr && !found; n = n->up) {
    const auto own = n->module->constants.find(first);
    found = own != n->module->constants.end();
    if (found) out = own->second;
  }
  if (!found && nesting_ != nullptr) found = find_constant_in(*nesting_->module, first, out);
  if (!found) {
    const auto own = constants_.find(first);
    found = own != constants_.end();
    if (found) out = own->second;
  }
  if (!found) {
    RubyClass of_ruby{};
    if (find_class(name, of_ruby)) {
      out = RubyValue::of(of_ruby);
      return of_ruby != RubyClass::Primitives || program_->library;
    }
    if (auto file = library_file_of(first); file && load_library(*file)) return find_constant(name, out);
    if (!find_class(first, of_ruby)) return false;
    out = RubyValue::of(of_ruby);
  }
  for (size_t colons = name.find("::"); colons != std::string_view::npos; colons = name.find("::")) {
    name.remove_prefix(colons + 2);
    const std::string_view next = name.substr(0, name.find("::"));
    const RubyModule* in = nullptr;
    if (out.is(RubyKind::Module)) in = out.module;
    if (out.is(RubyKind::Class)) {
      if (auto file = library_file_of(class_name(out.class_))) load_library(*file);
      in = &extension_of(out.class_);
    }
    if (in == nullptr || !find_constant_in(*in, next, out)) {
      RubyClass of_ruby{}; // a module of the library's has some classes of Ruby's own
      if (!out.is(RubyKind::Module) || !find_class(whole, of_ruby)) return false;
      out = RubyValue::of(of_ruby);
      return true;
    }
  }
  return true;
}

} // namespace pupc::compiler::ruby
