// Objects of classes that Ruby code defines: how their methods are found and called, and what every object and class has.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/library.h"
#include "compiler/ruby/interpreter/restore.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/base/stack.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

MethodId id_of(std::string_view name) { return find_method(name); }

/// The modules around a class in the order in which methods are looked up: prepended ones, itself, included ones, its superclass.
void ancestors_of(const RubyModule& module, std::vector<RubyValue>& out) {
  check_native_stack();
  auto add = [&](const RubyValue& v) {
    const auto same = [&](const RubyValue& known) { return ruby_eql(known, v); };
    if (std::any_of(out.begin(), out.end(), same)) return;
    v.is(RubyKind::Module) && !v.module->is_class ? ancestors_of(*v.module, out) : out.push_back(v);
  };
  for (size_t i = module.prepended.size(); i-- > 0;) add(module.prepended[i]);
  out.push_back(RubyValue::of(const_cast<RubyModule*>(&module)));
  for (size_t i = module.included.size(); i-- > 0;) add(module.included[i]);
  if (module.parent != nullptr) ancestors_of(*module.parent, out);
}

std::string_view name_argument(Core& core, const MethodCall& c, size_t i) {
  if (i >= c.args.size() || !(c.args[i].is_symbol() || c.args[i].is_string()))
    core.not_rendered(c.line, fmt::format("method '{}'", c.name));
  return c.args[i].text();
}

} // namespace

/// Module#ancestors. Between Object and Kernel stands what libraries have mixed into Object, of which nothing is known.
RubyValue Interpreter::ancestors(const RubyModule& module) {
  std::vector<RubyValue> all;
  ancestors_of(module, all);
  std::erase_if(all, [&](RubyValue& v) {
    if (v.is(RubyKind::Module) && extensions_.contains(v.module->base) && extensions_[v.module->base] == v.module)
      v = RubyValue::of(v.module->base);
    return false;
  });
  std::vector<RubyValue> once;
  for (const RubyValue& v : all)
    if (std::none_of(once.begin(), once.end(), [&](const RubyValue& known) { return ruby_eql(known, v); })) once.push_back(v);
  if (module.is_class) {
    for (RubyClass of : {RubyClass::Object, RubyClass::Other, RubyClass::Kernel, RubyClass::BasicObject}) once.push_back(RubyValue::of(of));
    if (module.base != RubyClass::Object) not_rendered(1, "the ancestors of such a class");
  }
  return list(std::move(once));
}

/// `behind`: only what comes after this module's own methods.
const RubyMethod* Interpreter::lookup_method(const RubyModule& module, std::string_view name, const RubyModule* behind) {
  constexpr size_t places = 128;
  const size_t at = (reinterpret_cast<uintptr_t>(&module) / 16 ^ hash_of_text(name)) % places;
  if (behind == nullptr && !found_methods_.empty())
    if (const FoundMethod& known = found_methods_[at]; known.module == &module && known.name == name) return known.method;
  const RubyModule::Methods::value_type* found = search_method(module, name, behind);
  if (found == nullptr || found->second.undefined) return nullptr;
  if (behind == nullptr) {
    found_methods_.resize(places);
    found_methods_[at] = {&module, found->first, &found->second};
  }
  return &found->second;
}

const RubyModule::Methods::value_type* Interpreter::search_method(const RubyModule& module, std::string_view name,
                                                                  const RubyModule* behind) {
  if (behind == nullptr && module.prepended.empty())
    if (const auto own = module.methods.find(name); own != module.methods.end()) return &*own;
  std::vector<RubyValue> all;
  ancestors_of(module, all);
  for (const RubyValue& v : all) {
    if (!v.is(RubyKind::Module)) continue;
    if (behind != nullptr) {
      if (v.module == behind) behind = nullptr;
      continue;
    }
    if (const auto own = v.module->methods.find(name); own != v.module->methods.end()) return &*own;
  }
  return nullptr;
}

const RubyMethod* Interpreter::find_singleton(const RubyModule& module, std::string_view name, const RubyModule* behind) {
  for (const RubyModule* m = &module; m != nullptr; m = m->parent) {
    if (behind == nullptr)
      if (const auto own = m->singleton_methods.find(name); own != m->singleton_methods.end()) return &own->second;
    if (behind == m) behind = nullptr;
    if (behind == nullptr)
      for (size_t i = m->extended.size(); i-- > 0;)
        if (m->extended[i].is(RubyKind::Module))
          if (const RubyMethod* found = lookup_method(*m->extended[i].module, name)) return found;
  }
  return nullptr;
}

const RubyMethod* Interpreter::find_method_of(const RubyValue& self, std::string_view name, const RubyModule* behind) {
  switch (self.kind) {
  case RubyKind::Object: {
    if (behind == nullptr) {
      const auto& own = self.object->singleton_methods;
      if (const auto known = own.find(name); known != own.end()) return &known->second;
      for (size_t i = self.object->extended.size(); i-- > 0;)
        if (self.object->extended[i].is(RubyKind::Module))
          if (const RubyMethod* found = lookup_method(*self.object->extended[i].module, name)) return found;
    }
    return lookup_method(*self.object->class_, name, behind);
  }
  case RubyKind::Exception: return self.exception->module != nullptr ? lookup_method(*self.exception->module, name, behind) : nullptr;
  case RubyKind::Module: return find_singleton(*self.module, name, behind);
  default: return nullptr;
  }
}

bool Interpreter::descends_from(const RubyModule& module, const RubyValue& wanted) {
  if (wanted.is(RubyKind::Class)) {
    if (module.is_class && descends(module.base, wanted.class_)) return true;
  }
  std::vector<RubyValue> all;
  ancestors_of(module, all);
  return std::any_of(all.begin(), all.end(), [&](const RubyValue& v) { return ruby_eql(v, wanted); });
}

bool Interpreter::is_of_module(const RubyValue& v, const RubyModule& module) {
  const RubyValue wanted = RubyValue::of(const_cast<RubyModule*>(&module));
  if (v.is(RubyKind::Object)) {
    const auto& extended_by = v.object->extended;
    return descends_from(*v.object->class_, wanted) ||
           std::any_of(extended_by.begin(), extended_by.end(), [&](const RubyValue& e) { return ruby_eql(e, wanted); });
  }
  if (v.is(RubyKind::Exception)) return v.exception->module != nullptr && descends_from(*v.exception->module, wanted);
  if (v.is(RubyKind::Module) || v.is(RubyKind::Class) || v.is(RubyKind::Scope) || v.is(RubyKind::Instance))
    not_rendered(1, "the class of a class");
  if (const RubyModule* own = known_singleton(v); own != nullptr && descends_from(*own, wanted)) return true;
  const auto known = extensions_.find(class_of(v));
  return known != extensions_.end() && descends_from(*known->second, wanted);
}

/// The variables of all objects of a class have one order.
void Interpreter::note_variable(const RubyValue& self, std::string_view name) {
  if (!self.is(RubyKind::Object)) return;
  std::vector<std::string>& order = self.object->class_->variable_order;
  if (std::find(order.begin(), order.end(), name) == order.end()) order.emplace_back(name);
}

NamedValues* Interpreter::variables_of(const RubyValue& self) {
  switch (self.kind) {
  case RubyKind::Object: return &self.object->instance_variables;
  case RubyKind::Module: return &self.module->instance_variables;
  case RubyKind::Exception: return &self.exception->instance_variables;
  default: return nullptr;
  }
}

bool Interpreter::equal_objects(const RubyValue& a, const RubyValue& b, bool as_key) {
  const std::string_view name = as_key ? "eql?" : "==";
  const RubyMethod* method = find_method_of(a, name);
  if (method == nullptr) return b.is(RubyKind::Object) && a.object == b.object;
  return call_defined(*method, {a, id_of(name), name, {&b, 1}, nullptr, 1}).truthy();
}

size_t Interpreter::hash_object(const RubyValue& v) {
  const RubyMethod* method = find_method_of(v, "hash");
  if (method == nullptr) return 0;
  try {
    const RubyValue hash = call_defined(*method, {v, MethodId::m_hash, "hash", {}, nullptr, 1});
    return hash.is_integer() ? static_cast<size_t>(hash.i) : 0;
  } catch (const NeedsRuby&) { return 0; } // equal objects come to the same
}

std::string Interpreter::object_text(const RubyValue& v, bool inspected, uint32_t line) {
  if (native_stack_low()) not_rendered(line, "nesting that is too deep");
  const std::string_view name = inspected ? "inspect" : "to_s";
  if (const RubyMethod* method = find_method_of(v, name)) {
    const RubyValue text = call_defined(*method, {v, id_of(name), name, {}, nullptr, line});
    if (!text.is_string()) not_rendered(line, "a text of an object that is none");
    return text.s->text;
  }
  if (v.is(RubyKind::Module) && !v.module->name.empty()) return v.module->name;
  if (v.is(RubyKind::Exception)) return v.exception->message;
  not_rendered(line, "an object as text");
}

bool Interpreter::items_of_object(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line) {
  if (!descends_from(*v.object->class_, RubyValue::of(RubyClass::Enumerable))) {
    if (find_method_of(v, "to_a") == nullptr) return false;
    const RubyValue all = call_named(v, "to_a", {v, MethodId::m_to_a, "to_a", {}, nullptr, line, false, true});
    if (!all.is_array()) return false;
    out.insert(out.end(), all.a->items.begin(), all.a->items.end());
    return true;
  }
  // A block of the interpreter's own: what `each` yields.
  RubyProc& collect = procs.emplace_back();
  collect.collected = &out;
  call_object({v, MethodId::m_each, "each", {}, &collect, line});
  collect.collected = nullptr;
  return true;
}

RubyValue Interpreter::make_object(RubyModule& module, const MethodCall& c) {
  if (!module.is_class) not_rendered(c.line, "new of a module");
  step(c.line);
  if (is_exception(module.base)) {
    RubyValue made = heap.exception(module.base, module.name);
    made.exception->module = &module;
    if (const RubyMethod* init = lookup_method(module, "initialize")) {
      call_defined(*init, {made, MethodId::m_initialize, "initialize", c.args, c.block, c.line, c.keywords, true});
    } else if (!c.args.empty()) {
      need(c, 1);
      made.exception->message = to_s(c.args[0], c.line);
    }
    return made;
  }
  RubyObject& object = objects_.emplace_back();
  object.class_ = &module;
  const RubyValue made = RubyValue::of(&object);
  if (const RubyMethod* init = lookup_method(module, "initialize"))
    call_defined(*init, {made, MethodId::m_initialize, "initialize", c.args, c.block, c.line, c.keywords, true});
  else if (!c.args.empty())
    not_rendered(c.line, "a wrong number of arguments");
  return made;
}

RubyValue Interpreter::call_object(const MethodCall& c) {
  if (const RubyMethod* method = find_method_of(c.self, c.name)) {
    const bool own = c.function || (self_.kind == c.self.kind && c.self.is(RubyKind::Object) && self_.object == c.self.object);
    if (method->visibility == Visibility::Private && !own && !c.name.ends_with('='))
      unworded(c.line, RubyClass::NoMethodError, fmt::format("the private method '{}'", c.name));
    if (method->visibility == Visibility::Protected && !own &&
        !(self_.is(RubyKind::Object) && method->owner != nullptr && descends_from(*self_.object->class_, RubyValue::of(method->owner))))
      unworded(c.line, RubyClass::NoMethodError, fmt::format("the protected method '{}'", c.name));
    return call_defined(*method, c);
  }
  RubyValue out;
  if (any_object_method(c, out)) return out;
  const RubyModule* module = c.self.is(RubyKind::Object) ? c.self.object->class_ : c.self.exception->module;
  if (c.self.is(RubyKind::Object) && descends_from(*module, RubyValue::of(RubyClass::Comparable)))
    if (auto file = library_method("Comparable", c.name, false)) {
      load_library(*file);
      if (const RubyMethod* method = lookup_method(extension_of(RubyClass::Comparable), c.name)) return call_defined(*method, c);
    }
  if (c.self.is(RubyKind::Object) && descends_from(*module, RubyValue::of(RubyClass::Enumerable))) {
    if (auto file = library_method("Enumerable", c.name, false)) {
      load_library(*file);
      if (const RubyMethod* method = lookup_method(extension_of(RubyClass::Enumerable), c.name)) return call_defined(*method, c);
    }
    if (c.method != MethodId::unknown && c.method != MethodId::m_each &&
        known_method(RubyClass::Array, c.name).presence == Presence::Public) {
      std::vector<RubyValue> items;
      items_of_object(c.self, items, c.line);
      if (c.method == MethodId::m_to_a || c.method == MethodId::m_entries) return list(std::move(items));
      const RubyValue all = list(items);
      return enumerable_method(*this, {all, c.method, c.name, c.args, c.block, c.line, c.keywords, false}, all.a->items);
    }
  }
  if (const RubyMethod* missing = find_method_of(c.self, "method_missing")) {
    std::vector<RubyValue> args{heap.symbol(c.name)};
    args.insert(args.end(), c.args.begin(), c.args.end());
    return call_defined(*missing, {c.self, MethodId::unknown, "method_missing", args, c.block, c.line, c.keywords, true});
  }
  const std::string what = fmt::format("method '{}' of {}", c.name, module->name.empty() ? "an object" : module->name);
  auto missing = [&](RubyClass of) { return known_method(of, c.name).presence == Presence::Missing; };
  // No object has it, so it is certain that Ruby raises; its text shows where the object is.
  if (c.self.is(RubyKind::Object) && !c.function && !module->library && missing(RubyClass::TrueClass) && missing(RubyClass::Array) &&
      missing(RubyClass::Integer))
    unworded(c.line, RubyClass::NoMethodError, what);
  not_rendered(c.line, what);
}

/// is_a? and respond_to?.
bool Interpreter::object_question(const MethodCall& c, RubyValue& out) {
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  switch (c.method) {
  case MethodId::m_is_a_p:
  case MethodId::m_kind_of_p:
  case MethodId::m_instance_of_p: {
    need(c, 1);
    if (c.self.is(RubyKind::Module)) {
      if (!c.args[0].is(RubyKind::Class)) not_rendered(c.line, "the class of a class");
      return answer(c.args[0].class_ == RubyClass::Object);
    }
    const RubyModule* module = c.self.is(RubyKind::Object) ? c.self.object->class_ : c.self.exception->module;
    if (c.method == MethodId::m_instance_of_p) return answer(c.args[0].is(RubyKind::Module) && c.args[0].module == module);
    if (c.args[0].is(RubyKind::Module) && c.self.is(RubyKind::Object)) return answer(is_of_module(c.self, *c.args[0].module));
    return answer(descends_from(*module, c.args[0]));
  }
  case MethodId::m_respond_to_p: {
    const std::string_view name = name_argument(*this, c, 0);
    if (const RubyMethod* method = find_method_of(c.self, name))
      return answer(method->visibility == Visibility::Public || (c.args.size() > 1 && c.args[1].truthy()));
    if (const RubyMethod* asked = find_method_of(c.self, "respond_to_missing?")) {
      const RubyValue args[] = {heap.symbol(name), RubyValue::boolean(false)};
      return answer(call_defined(*asked, {c.self, MethodId::unknown, "respond_to_missing?", args, nullptr, c.line, false, true}).truthy());
    }
    if (c.self.is(RubyKind::Module)) not_rendered(c.line, fmt::format("respond_to?(:{})", name));
    const RubyModule* module = c.self.is(RubyKind::Object) ? c.self.object->class_ : c.self.exception->module;
    if (descends_from(*module, RubyValue::of(RubyClass::Enumerable)) || descends_from(*module, RubyValue::of(RubyClass::Comparable)))
      not_rendered(c.line, fmt::format("respond_to?(:{})", name));
    // What NilClass has beyond every object is little: the others are those of all.
    const KnownMethod known = known_method(RubyClass::TrueClass, name);
    if (known.presence == Presence::Unsure || name == "&" || name == "|" || name == "^")
      not_rendered(c.line, fmt::format("respond_to?(:{})", name));
    return answer(known.presence == Presence::Public);
  }
  default: return false;
  }
}

/// Instance variables, copies, singleton methods.
bool Interpreter::object_change(const MethodCall& c, RubyValue& out) {
  NamedValues* variables = variables_of(c.self);
  auto variable_name = [&] {
    std::string_view name = name_argument(*this, c, 0);
    if (!name.starts_with('@')) not_rendered(c.line, "a variable's name");
    return name.substr(1);
  };
  switch (c.method) {
  case MethodId::m_instance_variable_get: {
    if (variables == nullptr) return false;
    const auto known = variables->find(variable_name());
    out = known == variables->end() ? RubyValue() : known->second;
    return true;
  }
  case MethodId::m_instance_variable_set:
    need(c, 2);
    if (variables == nullptr) return false;
    check_lasting(c.self, c.line);
    note_variable(c.self, variable_name());
    out = (*variables)[variable_name()] = c.args[1];
    return true;
  case MethodId::m_instance_variable_defined_p:
    if (variables == nullptr) return false;
    out = RubyValue::boolean(variables->contains(variable_name()));
    return true;
  case MethodId::m_instance_variables: {
    need(c, 0);
    if (!c.self.is(RubyKind::Object)) return false;
    std::vector<RubyValue> names;
    for (const std::string& name : c.self.object->class_->variable_order)
      if (variables->contains(name)) names.push_back(heap.symbol("@" + name));
    out = list(std::move(names));
    return true;
  }
  case MethodId::m_dup:
  case MethodId::m_clone: {
    if (!c.self.is(RubyKind::Object)) return false;
    RubyObject& copy = objects_.emplace_back(*c.self.object);
    copy.frozen = copy.frozen && c.method == MethodId::m_clone;
    if (c.method == MethodId::m_dup) {
      copy.singleton_methods.clear();
      copy.extended.clear();
    }
    out = RubyValue::of(&copy);
    for (std::string_view hook : {"initialize_copy", "initialize_dup"})
      if (const RubyMethod* init = find_method_of(out, hook))
        call_defined(*init, {out, MethodId::unknown, hook, {&c.self, 1}, nullptr, c.line, false, true});
    return true;
  }
  case MethodId::m_instance_eval:
  case MethodId::m_instance_exec:
    if (c.block == nullptr) return false;
    out = call_with_self(*c.block, c.self, c.method == MethodId::m_instance_eval ? std::span(&c.self, 1) : c.args, c.line,
                         c.block->nesting);
    return true;
  case MethodId::m_extend:
    if (!c.self.is(RubyKind::Object)) return false;
    if (c.args.empty()) not_rendered(c.line, "extend without a module");
    for (const RubyValue& module : c.args) c.self.object->extended.push_back(module);
    out = c.self;
    return true;
  case MethodId::m_define_singleton_method: {
    if (c.block == nullptr) return false;
    RubyMethod method;
    method.proc = c.block;
    method.program = program_;
    method.nesting = c.block->nesting;
    const std::string name(name_argument(*this, c, 0));
    if (c.self.is(RubyKind::Module)) {
      add_method(*c.self.module, name, std::move(method), true);
    } else if (c.self.is(RubyKind::Object)) {
      method.owner = c.self.object->class_;
      c.self.object->singleton_methods.insert_or_assign(name, std::move(method));
    } else {
      return false;
    }
    out = heap.symbol(name);
    return true;
  }
  default: return false;
  }
}

/// Methods that every object has, for what code defines: objects, exceptions, classes and modules.
bool Interpreter::any_object_method(const MethodCall& c, RubyValue& out) {
  auto answer = [&](bool b) {
    out = RubyValue::boolean(b);
    return true;
  };
  if (object_question(c, out) || object_change(c, out)) return true;
  if (c.method == MethodId::unknown && (c.name == "to_enum" || c.name == "enum_for")) {
    out = enumerator_of(c.self, c);
    return true;
  }
  switch (c.method) {
  case MethodId::m_class:
    need(c, 0);
    if (c.self.is(RubyKind::Module)) not_rendered(c.line, "the class of a class");
    out = RubyValue::of(c.self.is(RubyKind::Object) ? c.self.object->class_ : c.self.exception->module);
    if (const auto of_object = extensions_.find(RubyClass::Object); of_object != extensions_.end() && of_object->second == out.module)
      out = RubyValue::of(RubyClass::Object);
    return true;
  case MethodId::m_freeze:
    if (c.self.is(RubyKind::Object)) c.self.object->frozen = true;
    out = c.self;
    return true;
  case MethodId::m_frozen_p: return answer(c.self.is(RubyKind::Object) && c.self.object->frozen);
  case MethodId::m_method: out = method_object(c.self, c); return true;
  case MethodId::m_inspect:
  case MethodId::m_to_s:
    need(c, 0);
    out = str(c.method == MethodId::m_inspect ? inspect(c.self, c.line) : object_text(c.self, false, c.line));
    return true;
  case MethodId::m_message:
    if (!c.self.is(RubyKind::Exception)) return false;
    out = str(object_text(c.self, false, c.line));
    return true;
  case MethodId::m_exception:
    if (!c.self.is(RubyKind::Exception) || !c.args.empty()) return false;
    out = c.self;
    return true;
  case MethodId::m_equal_p: need(c, 1); return answer(c.self.kind == c.args[0].kind && c.self.object == c.args[0].object);
  case MethodId::m_eql_p: need(c, 1); return answer(ruby_eql(c.self, c.args[0]));
  case MethodId::Eq: need(c, 1); return answer(equals(c.self, c.args[0]));
  case MethodId::NotEq: need(c, 1); return answer(!send(c.self, MethodId::Eq, {c.args[0]}, c.line).truthy());
  case MethodId::CaseEq:
    need(c, 1);
    if (c.self.is(RubyKind::Module)) return false;
    return answer(send(c.self, MethodId::Eq, {c.args[0]}, c.line).truthy());
  case MethodId::Cmp:
    need(c, 1);
    if (c.self.is(RubyKind::Module)) return false;
    out = send(c.self, MethodId::Eq, {c.args[0]}, c.line).truthy() ? RubyValue::integer(0) : RubyValue();
    return true;
  case MethodId::MatchOp: return false;
  case MethodId::m_nil_p:
  case MethodId::Not:
  case MethodId::NotMatchOp:
  case MethodId::m_itself:
  case MethodId::m_tap:
  case MethodId::m_then:
  case MethodId::m_yield_self:
  case MethodId::m_send:
  case MethodId::m_public_send:
  case MethodId::m_private_send: return object_method(c, out);
  default: return false;
  }
}

/// Calls a method by its name; `c` has the arguments. A private one may be called where `c.function` says so.
RubyValue Interpreter::call_named(const RubyValue& self, std::string_view name, const MethodCall& c) {
  MethodCall call{self,
                  name.starts_with("function_") ? MethodId::m_function : id_of(name),
                  host.keep(std::string(name)),
                  c.args,
                  c.block,
                  c.line,
                  c.keywords,
                  false};
  if ((self.is(RubyKind::Object) || self.is(RubyKind::Module) || self.is(RubyKind::Exception)) && c.function) {
    call.function = true;
    return call_method(call);
  }
  if (self.is(RubyKind::Instance) && c.function) {
    call.function = true;
    return kernel_function(call);
  }
  return call_method(call);
}

/// to_enum: what a method yields, `each` where it is not named.
RubyValue Interpreter::enumerator_of(const RubyValue& self, const MethodCall& c) {
  RubyValue of;
  if (!find_constant("Enumerator", of)) unknown(c);
  const RubyValue each = heap.symbol("each");
  const RubyValue method = c.args.empty() ? method_object(self, {self, MethodId::m_method, "method", {&each, 1}, nullptr, c.line})
                                          : method_object(self, c);
  const RubyValue args[] = {method,
                            list(c.args.empty() ? std::vector<RubyValue>{} : std::vector<RubyValue>(c.args.begin() + 1, c.args.end()))};
  return call_method({of, MethodId::unknown, "__of", args, nullptr, c.line});
}

RubyValue Interpreter::method_object(const RubyValue& self, const MethodCall& c) {
  const std::string_view name = name_argument(*this, c, 0);
  const RubyMethod* defined = nullptr;
  bool known = false;
  if (self.is(RubyKind::Instance)) {
    const auto own = methods_.find(name);
    if (own != methods_.end()) defined = &own->second;
    known = is_kernel(id_of(name));
  } else {
    defined = find_method_of(self, name);
    known = self.is(RubyKind::Object) && descends_from(*self.object->class_, RubyValue::of(RubyClass::Enumerable)) &&
            known_method(RubyClass::Array, name).presence == Presence::Public;
    known |= self.kind < RubyKind::Scope && known_method(class_of(self), name).presence == Presence::Public;
  }
  if (defined == nullptr && !known) not_rendered(c.line, fmt::format("method(:{})", name));
  RubyProc& proc = procs.emplace_back();
  if (defined != nullptr) proc.defined = &spare_methods_.emplace_back(*defined); // as it is now
  proc.self = self;
  proc.bound = true;
  proc.lambda = true;
  proc.name = own_name(std::string(name));
  proc.method = id_of(name);
  return RubyValue::of(&proc);
}

RubyValue Interpreter::call_with_self(const RubyProc& proc, const RubyValue& self, std::span<const RubyValue> args, uint32_t line,
                                      const Nesting* nesting) {
  if (proc.node == nullptr || proc.of_host) not_rendered(line, "a block with another self");
  RubyProc copy = proc;
  copy.self = self;
  copy.nesting = nesting;
  RubyProc& kept = procs.emplace_back(copy);
  try {
    return call_proc(kept, args, line);
  } catch (BreakJump& jump) {
    if (jump.target == &kept) jump.target = &proc;
    throw;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// additions to classes of Ruby's own

const RubyMethod* Interpreter::extension_method(const MethodCall& c, bool own_only) {
  if (const RubyMethod* own = singleton_method(c)) return own;
  auto wanted = [&](const RubyMethod& method) { return !own_only || method.program == nullptr || !method.program->library; };
  auto of_class = [&](RubyClass of, bool singleton) -> const RubyMethod* {
    if (const auto known = extensions_.find(of); known != extensions_.end()) {
      const auto& methods = singleton ? known->second->singleton_methods : known->second->methods;
      if (const auto own = methods.find(c.name); own != methods.end() && wanted(own->second)) return &own->second;
      if (!singleton)
        if (const RubyMethod* included = lookup_method(*known->second, c.name); included != nullptr && wanted(*included)) return included;
    }
    if (own_only) return nullptr;
    if (const auto file = library_method(class_name(of), c.name, singleton); file && load_library(*file)) {
      const auto& methods = singleton ? extension_of(of).singleton_methods : extension_of(of).methods;
      if (const auto own = methods.find(c.name); own != methods.end()) return &own->second;
    }
    return nullptr;
  };
  if (c.self.is(RubyKind::Class)) {
    if (c.self.class_ == RubyClass::Primitives) return nullptr; // which only the library's text knows
    if (const RubyMethod* own = of_class(c.self.class_, true)) return own;
    return of_class(RubyClass::Object, false);
  }
  if (c.function && c.self.is_nil()) return of_class(RubyClass::Kernel, false);
  const RubyClass own = class_of(c.self);
  if (own == RubyClass::Other) return nullptr;
  if (const RubyMethod* found = of_class(own, false)) return found;
  if (descends(own, RubyClass::Enumerable))
    if (const RubyMethod* found = of_class(RubyClass::Enumerable, false)) return found;
  if (c.self.is_number())
    if (const RubyMethod* found = of_class(RubyClass::Numeric, false)) return found;
  if (is_exception(own))
    if (const RubyMethod* found = of_class(RubyClass::Exception, false)) return found;
  if (descends(own, RubyClass::Comparable))
    if (const RubyMethod* found = of_class(RubyClass::Comparable, false)) return found;
  return of_class(RubyClass::Object, false);
}

bool Interpreter::has_extension(const MethodCall& c) { return extension_method(c, false) != nullptr; }

bool Interpreter::call_extension(const MethodCall& c, RubyValue& out, bool own) {
  const RubyMethod* method = extension_method(c, own);
  if (method == nullptr) return false;
  // The library's text asks the method here for a plainer call; where that gives up, too, it would ask itself without end.
  if (method_ != nullptr && method_->method == method && program_->library && method_->has_args && ruby_eql(self_, c.self) &&
      std::equal(method_->args.begin(), method_->args.end(), c.args.begin(), c.args.end(), ruby_eql))
    return false;
  out = call_defined(*method, c);
  return true;
}

} // namespace pupc::compiler::ruby
