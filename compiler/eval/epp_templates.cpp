// Rendering EPP templates.
#include "compiler/eval/evaluator_state.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Arguments for which the template has no slot: an additional frame around the template's holds them.
struct ExtraVariables {
  std::vector<Symbol> names;
  std::vector<Value> values;
};

} // namespace

Frame& Evaluator::global_frame(Frame& frame) {
  Scope* scope = frame.scope;
  while (scope->kind != ScopeKind::Top && scope->kind != ScopeKind::Node) {
    Scope* next = scope->inherited ? scope->inherited : scope->enclosing;
    if (next == nullptr) break;
    scope = next;
  }
  return *scope->frame;
}

Value Evaluator::render_template(const ParsedFile& file, const Hash* arguments, Frame& base, bool own_match) {
  if (native_stack_low(room_for_call))
    fail_unplaced("templates call each other without end (stack level too deep)", ErrorCode::stack_overflow);
  const Epp& epp = file.body->as<Epp>();
  FileGuard file_guard(*this, &file);
  MatchGuard match_guard(*this);
  if (own_match) match_ = {};

  bool declared = epp.flags & epp_parameters_given;
  bool enforce = declared || arguments == nullptr;
  Frame outer{nullptr, nullptr, &base, base.scope};
  Frame* frame = make_frame(epp.layout, base.scope, &outer);
  FrameLayout extra_layout;
  ExtraVariables extra;
  auto entries = arguments ? arguments->entries() : std::span<const HashEntry>();

  if (enforce) {
    std::vector<HashEntry> values;
    for (uint32_t i = 0; i < epp.parameters.size; ++i) frame->slot(i) = unevaluated_value();
    for (const HashEntry& given : entries)
      for (uint32_t i = 0; i < epp.parameters.size; ++i)
        if (given.key.str() == epp.parameters[i].name.str() && !given.value.is_undef()) frame->slot(i) = given.value;
    for (uint32_t i = 0; i < epp.parameters.size; ++i) {
      const Parameter& p = epp.parameters[i];
      if (!is_unevaluated(frame->slot(i))) continue;
      if (p.default_value != nullptr)
        frame->slot(i) = evaluate_default(*p.default_value, *frame, "lambda", p.name);
      else if (arguments != nullptr && arguments->find(p.name.str()) != nullptr)
        frame->slot(i) = Value::undef();
    }
    std::vector<ParameterDescription> specs;
    for (uint32_t i = 0; i < epp.parameters.size; ++i) {
      const Parameter& p = epp.parameters[i];
      specs.push_back({p.name.str(), evaluate_type(p.type, base), p.default_value != nullptr});
      if (!is_unevaluated(frame->slot(i))) values.push_back({Value::string(p.name.str()), frame->slot(i)});
    }
    for (const HashEntry& given : entries) {
      bool known = given.value.is_undef(); // Puppet treats undef as not given, even for an undeclared name
      for (const auto& spec : specs) known |= spec.name == given.key.str();
      if (!known) values.push_back(given);
    }
    std::string problem = describe_parameters(types(), "lambda", specs, values);
    if (!problem.empty()) fail_unplaced(std::move(problem), ErrorCode::argument_mismatch);
    for (const Parameter& p : epp.parameters) check_reserved_parameter(p.name);
  } else {
    for (const HashEntry& given : entries) {
      // Skip a name that appears in no source text: no code can read it.
      Symbol name = find_symbol(given.key.str());
      if (!name) continue;
      check_reserved_parameter(name);
      int slot = slot_in(epp.layout, name);
      if (slot >= 0) {
        frame->slot(slot) = given.value;
      } else {
        extra.names.push_back(name);
        extra.values.push_back(given.value);
      }
    }
    extra_layout.names = {extra.names.data(), static_cast<uint32_t>(extra.names.size())};
    outer.layout = &extra_layout;
    outer.slots = extra.values.data();
  }

  TemplateOutput output;
  struct Restore {
    TemplateOutput*& slot;
    TemplateOutput* previous;
    ~Restore() { slot = previous; }
  } restore{state_->output, state_->output};
  state_->output = &output;
  auto checked = [&](const Value& result) {
    const Value& text = result.is(Kind::Sensitive) ? result.unwrap() : result;
    if (text.is_string()) return result;
    const Type* expected = parse_type(types(), "Variant[String, Sensitive[String]]");
    std::string_view function = own_match ? "epp" : "inline_epp";
    fail_unplaced(describe_mismatch(types(), fmt::format("value returned from function '{}' has wrong type,", function), expected, result),
                  ErrorCode::type_mismatch);
  };
  try {
    Flow flow;
    EvaluatorImpl::block(*this, *epp.body, *frame, &flow);
    // A jump out of a template replaces the rendered text by its value; the value of next() must be text, too.
    if (flow.kind == Flow::Kind::Next) return checked(flow.value);
    if (flow) return flow.value;
  } catch (const NextSignal& signal) { return checked(signal.value); } catch (const ReturnSignal& signal) {
    return signal.value;
  }
  Value text = Value::string(arena_.copy(output.text));
  return output.sensitive ? Value::sensitive(arena_, text) : text;
}

} // namespace pupc::compiler
