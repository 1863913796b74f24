// Methods of classes and modules that Ruby code defines: new, attributes, include, and what code asks of them.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/library.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

std::string_view text_of(Core& core, const MethodCall& c, size_t i) {
  if (i >= c.args.size() || !(c.args[i].is_symbol() || c.args[i].is_string()))
    core.not_rendered(c.line, fmt::format("method '{}'", c.name));
  return c.args[i].text();
}

bool is_module(const RubyValue& v) { return v.is(RubyKind::Module) || v.is(RubyKind::Class); }

} // namespace

/// Calls what stands in the body of a class: attributes, visibility, include, define_method.
bool Interpreter::module_body_method(RubyModule& module, const MethodCall& c, RubyValue& out) {
  out = RubyValue();
  auto attribute = [&](std::string_view name, bool sets) {
    RubyMethod method;
    method.attribute = name;
    method.sets = sets;
    method.visibility = visibility_;
    method.program = program_;
    add_method(module, sets ? fmt::format("{}=", name) : std::string(name), std::move(method));
  };
  if (c.name == "attr_reader" || c.name == "attr_accessor" || c.name == "attr_writer" || c.name == "attr") {
    for (size_t i = 0; i < c.args.size(); ++i) {
      if (c.name != "attr_writer") attribute(text_of(*this, c, i), false);
      if (c.name == "attr_writer" || c.name == "attr_accessor") attribute(text_of(*this, c, i), true);
    }
    return true;
  }
  if (c.name == "include" || c.name == "prepend" || c.name == "extend") {
    auto& list_of = c.name == "include" ? module.included : c.name == "prepend" ? module.prepended : module.extended;
    for (size_t i = c.args.size(); i-- > 0;) {
      forget_found();
      if (!is_module(c.args[i])) not_rendered(c.line, fmt::format("{} of this value", c.name));
      if (c.args[i].is(RubyKind::Class) && c.args[i].class_ != RubyClass::Comparable && c.args[i].class_ != RubyClass::Enumerable &&
          c.args[i].class_ != RubyClass::Kernel)
        not_rendered(c.line, fmt::format("{} of {}", c.name, class_name(c.args[i].class_)));
      if (c.args[i].is(RubyKind::Class) && c.args[i].class_ == RubyClass::Comparable) {
        load_library(*library_file_of("Comparable"));
        module.equality = this;
        list_of.push_back(RubyValue::of(&extension_of(RubyClass::Comparable)));
      }
      list_of.push_back(c.args[i]);
      if (c.args[i].is(RubyKind::Module)) {
        if (c.args[i].module->equality != nullptr) module.equality = this;
        const std::string_view hook = c.name == "include" ? "included" : c.name == "prepend" ? "prepended" : "extended";
        const RubyValue self = RubyValue::of(&module);
        if (const RubyMethod* called = find_singleton(*c.args[i].module, hook))
          call_defined(*called, {c.args[i], MethodId::unknown, hook, {&self, 1}, nullptr, c.line, false, true});
      }
    }
    out = RubyValue::of(&module);
    return true;
  }
  if (c.name == "private" || c.name == "public" || c.name == "protected" || c.name == "module_function") {
    const Visibility wanted = c.name == "private"     ? Visibility::Private
                              : c.name == "protected" ? Visibility::Protected
                                                      : Visibility::Public;
    if (c.args.empty()) {
      visibility_ = wanted;
      module_function_ = c.name == "module_function";
      return true;
    }
    std::vector<RubyValue> names;
    for (const RubyValue& arg : c.args)
      arg.is_array() ? void(names.insert(names.end(), arg.a->items.begin(), arg.a->items.end())) : names.push_back(arg);
    for (const RubyValue& name : names) {
      if (!name.is_symbol() && !name.is_string()) not_rendered(c.line, fmt::format("method '{}'", c.name));
      const RubyMethod* known = lookup_method(module, name.text());
      if (known == nullptr) not_rendered(c.line, fmt::format("'{}' of an unknown method", c.name));
      RubyMethod copy = *known;
      if (c.name == "module_function")
        add_method(module, name.text(), std::move(copy), true);
      else if (copy.visibility = wanted; true)
        add_method(module, name.text(), std::move(copy));
    }
    out = c.args[0];
    return true;
  }
  if (c.name == "private_class_method" || c.name == "public_class_method") {
    hide_class_methods(module, c);
    return true;
  }
  if (c.name == "private_constant") return true;
  if (c.name == "define_method") {
    define_by_block(module, c);
    out = heap.symbol(text_of(*this, c, 0));
    return true;
  }
  if (c.name == "alias_method") {
    define_alias(module, text_of(*this, c, 0), text_of(*this, c, 1), c.line);
    out = heap.symbol(text_of(*this, c, 0));
    return true;
  }
  if (c.name == "remove_method" || c.name == "undef_method") {
    for (size_t i = 0; i < c.args.size(); ++i) {
      if (c.name == "remove_method")
        module.methods.erase(std::string(text_of(*this, c, i)));
      else
        module.methods[std::string(text_of(*this, c, i))].undefined = true;
    }
    return true;
  }
  if (c.name == "class_eval" || c.name == "module_eval" || c.name == "class_exec" || c.name == "module_exec") {
    if (c.block == nullptr) return false;
    const RubyValue self = RubyValue::of(&module);
    const auto* nesting = new (slots_.allocate(sizeof(Nesting), alignof(Nesting))) Nesting{&module, c.block->nesting};
    out = call_with_self(*c.block, self, c.name.ends_with("exec") ? c.args : std::span(&self, 1), c.line, nesting);
    return true;
  }
  return false;
}

/// private_class_method and public_class_method.
void Interpreter::hide_class_methods(RubyModule& module, const MethodCall& c) {
  for (size_t i = 0; i < c.args.size(); ++i) {
    const std::string_view name = text_of(*this, c, i);
    RubyMethod method;
    if (const RubyMethod* known = find_singleton(module, name))
      method = *known;
    else if (name == "new")
      method.ruby_name = name;
    else
      not_rendered(c.line, fmt::format("'{}' of an unknown method", c.name));
    method.visibility = c.name == "private_class_method" ? Visibility::Private : Visibility::Public;
    add_method(module, name, std::move(method), true);
  }
}

/// define_method.
void Interpreter::define_by_block(RubyModule& module, const MethodCall& c) {
  RubyMethod method;
  method.proc = c.args.size() > 1 && c.args[1].is(RubyKind::Proc) ? c.args[1].proc : c.block;
  if (method.proc != nullptr && method.proc->defined != nullptr) return add_method(module, text_of(*this, c, 0), *method.proc->defined);
  if (method.proc == nullptr) not_rendered(c.line, "define_method without a block");
  method.program = program_;
  method.nesting = method.proc->nesting;
  method.visibility = visibility_;
  add_method(module, text_of(*this, c, 0), std::move(method));
}

/// alias and alias_method.
void Interpreter::define_alias(RubyModule& module, std::string_view name, std::string_view old, uint32_t line) {
  RubyMethod method;
  if (const RubyMethod* known = lookup_method(module, old)) {
    method = *known;
    RubyModule* owner = known->owner;
    add_method(module, name, std::move(method));
    module.methods.find(name)->second.owner = owner;
    return;
  }
  if (module.is_class == false) not_rendered(line, "an alias of an unknown method");
  method.ruby_name = old;
  method.program = program_;
  add_method(module, name, std::move(method));
}

bool Interpreter::module_question(RubyModule& module, const MethodCall& c, RubyValue& out) {
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  auto names_of = [&](const RubyModule::Methods& methods) {
    std::vector<RubyValue> names;
    for (const auto& [name, method] : methods)
      if (method.visibility == Visibility::Public && !method.undefined) names.push_back(heap.symbol(name));
    if (names.size() > 1) not_rendered(c.line, "the order of methods");
    return list(std::move(names));
  };
  if (c.name == "name" || ((c.name == "to_s" || c.name == "inspect") && find_singleton(module, c.name) == nullptr)) {
    need(c, 0);
    if (module.name.empty() && c.name != "name") not_rendered(c.line, "a class without a name");
    out = module.name.empty() ? RubyValue() : str(module.name);
    return true;
  }
  if (c.name == "==" || c.name == "equal?" || c.name == "eql?") return answer(c.args.size() == 1 && ruby_eql(c.self, c.args[0]));
  if (c.name == "!=") return answer(c.args.size() == 1 && !ruby_eql(c.self, c.args[0]));
  if (c.name == "===") {
    need(c, 1);
    if (c.args[0].is(RubyKind::Object) || c.args[0].is(RubyKind::Exception)) return answer(is_of_module(c.args[0], module));
    if (c.args[0].kind >= RubyKind::Class && c.args[0].kind != RubyKind::Enumerator && c.args[0].kind != RubyKind::Address &&
        c.args[0].kind != RubyKind::Foreign)
      not_rendered(c.line, "=== of this value");
    return answer(is_of_module(c.args[0], module));
  }
  if (c.name == "ancestors" && c.args.empty()) {
    out = ancestors(module);
    return true;
  }
  if (c.name == "instance_method" || c.name == "public_instance_method") {
    out = unbound_method(module, text_of(*this, c, 0), c.line);
    return true;
  }
  if (c.name == "class_variable_defined?") return answer(module.class_variables.contains(text_of(*this, c, 0).substr(2)));
  if (c.name == "superclass") {
    out = module.parent != nullptr ? RubyValue::of(module.parent) : RubyValue::of(module.base);
    return true;
  }
  if (c.name == "<" || c.name == "<=" || c.name == "include?") {
    need(c, 1);
    if (!is_module(c.args[0])) not_rendered(c.line, "a comparison of classes");
    const bool same = ruby_eql(c.self, c.args[0]);
    if (same) return answer(c.name == "<=");
    if (descends_from(module, c.args[0])) return answer(true);
    out = c.name == "include?" ? RubyValue::boolean(false) : RubyValue();
    return c.name == "include?" ||
           (c.args[0].is(RubyKind::Module) ? (descends_from(*c.args[0].module, c.self) ? answer(false) : true) : true);
  }
  if (c.name == "instance_methods" && c.args.size() == 1 && !c.args[0].truthy()) {
    out = names_of(module.methods);
    return true;
  }
  if (c.name == "singleton_methods") {
    out = names_of(module.singleton_methods);
    return true;
  }
  if (c.name == "method_defined?" || c.name == "instance_method_defined?" || c.name == "public_method_defined?") {
    const RubyMethod* known = lookup_method(module, text_of(*this, c, 0));
    if (known == nullptr) not_rendered(c.line, "a question for a method of Ruby's own");
    return answer(known->visibility == Visibility::Public);
  }
  if (c.name == "const_get" || c.name == "const_defined?") {
    const std::string_view name = text_of(*this, c, 0);
    const bool found = find_constant_in(module, name, out);
    if (c.name == "const_defined?") return answer(found);
    if (!found) not_rendered(c.line, fmt::format("constant {}", name));
    return true;
  }
  if (c.name == "const_set") {
    need(c, 2);
    module.constants.insert_or_assign(std::string(text_of(*this, c, 0)), c.args[1]);
    forget_found();
    out = c.args[1];
    return true;
  }
  if (c.name == "class_variable_get" || c.name == "class_variable_set") {
    const std::string_view name = text_of(*this, c, 0).substr(2);
    if (c.name == "class_variable_set") change_kept(c.line, "a class variable that a call sets");
    if (c.name == "class_variable_set") module.class_variables.insert_or_assign(std::string(name), c.args[1]);
    const auto known = module.class_variables.find(name);
    if (known == module.class_variables.end()) not_rendered(c.line, "an unset class variable");
    out = known->second;
    return true;
  }
  return false;
}

RubyValue Interpreter::call_module(const MethodCall& c) {
  RubyModule& module = *c.self.module;
  if (const RubyMethod* method = find_singleton(module, c.name)) {
    const bool own = c.function || (self_.is(RubyKind::Module) && self_.module == c.self.module);
    if (method->visibility == Visibility::Private && !own)
      unworded(c.line, RubyClass::NoMethodError, fmt::format("the private method '{}'", c.name));
    return method->ruby_name == "new" ? make_object(module, c) : call_defined(*method, c);
  }
  if (c.function)
    if (const auto known = methods_.find(c.name); known != methods_.end()) return call_defined(known->second, c);
  RubyValue out;
  if (c.name == "new" || c.name == "__new__") return make_object(module, c);
  if (c.name == "exception" && is_exception(module.base)) return make_object(module, c);
  if (c.name == "allocate" && module.is_class && module.base == RubyClass::Object) {
    RubyObject& object = objects_.emplace_back();
    object.class_ = &module;
    return RubyValue::of(&object);
  }
  if (module_question(module, c, out)) return out;
  const bool changes = module_body_method(module, c, out);
  if (changes) forget_found();
  if (changes || any_object_method(c, out)) return out;
  if (const RubyMethod* missing = find_singleton(module, "method_missing")) {
    std::vector<RubyValue> args{heap.symbol(c.name)};
    args.insert(args.end(), c.args.begin(), c.args.end());
    return call_defined(*missing, {c.self, MethodId::unknown, "method_missing", args, c.block, c.line, c.keywords, true});
  }
  if (c.function) return own_function(c);
  not_rendered(c.line, fmt::format("{}.{}", module.name, c.name));
}

/// Class.new, Module.new and Object.new.
RubyValue Interpreter::make_class(const MethodCall& c) {
  if (c.self.class_ == RubyClass::Object) {
    need(c, 0);
    RubyObject& object = objects_.emplace_back();
    object.class_ = &extension_of(RubyClass::Object);
    return RubyValue::of(&object);
  }
  const bool is_class = c.self.class_ == RubyClass::Class;
  need(c, 0, is_class ? 1 : 0);
  RubyModule& module = new_module("", is_class, c.args.empty() ? RubyValue() : c.args[0], c.line);
  const RubyValue made = RubyValue::of(&module);
  if (module.parent != nullptr)
    if (const RubyMethod* hook = find_singleton(*module.parent, "inherited"))
      call_defined(*hook, {RubyValue::of(module.parent), MethodId::unknown, "inherited", {&made, 1}, nullptr, c.line, false, true});
  if (c.block != nullptr) {
    const auto* nesting = new (slots_.allocate(sizeof(Nesting), alignof(Nesting))) Nesting{&module, c.block->nesting};
    call_with_self(*c.block, made, {&made, 1}, c.line, nesting);
  }
  return made;
}

} // namespace pupc::compiler::ruby
