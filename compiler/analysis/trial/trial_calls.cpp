// Calls of functions and their blocks.
#include "compiler/analysis/trial/trial.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr size_t most_combinations = 16; // of values that may be

} // namespace

Guess Trial::call(const Node& at, Symbol called, std::span<const Node* const> nodes, const Lambda* lambda) {
  const Symbol plain = lower_symbol(called);
  std::string_view name = plain.str();
  std::vector<Guess> arguments;
  bool spread = false;
  for (const Node* n : nodes) {
    spread = spread || n->kind == NodeKind::Unfold;
    arguments.push_back(n->kind == NodeKind::Unfold ? (eval(n->as<Unary>().operand), unknown()) : eval(n));
  }
  const DefinitionEntry* own = program_.find_function(plain);
  if (own != nullptr && !spread && lambda == nullptr) return own_function(at, *own, arguments);
  if (own == nullptr && lambda != nullptr && !arguments.empty() && !spread) {
    const Guess over = arguments.front();
    if (auto result = iterate(name, over, std::span<const Guess>(arguments).subspan(1), *lambda)) return *result;
  }
  if (lambda != nullptr) run_unknown_lambda(*lambda);
  if (walked_.may_declare(at, plain)) unit_->open = true;
  for (const Symbol type : walked_.created_by(plain)) declare_any(at, type);
  if (own != nullptr || spread || lambda != nullptr) return unknown();
  if (auto result = special_call(at, name, arguments)) return *result;
  const FunctionEntry* builtin = program_.functions().find(name);
  if (builtin == nullptr || !ConstantCalls::knows(*builtin)) return unknown();
  if (name == "new" && arguments.size() < 2) return unknown(); // the time, say
  std::string error;
  const auto result = combined(
      arguments, [&](std::span<const Value> values) { return outcome(program_.constant_calls().call(*builtin, values), error); });
  if (!result) fail(at, CheckCode::fails_with_data, fmt::format("'{}' fails: {}", name, error));
  return result.value_or(unknown());
}

/// What a call or operator gives, or nothing and why it fails.
std::optional<Guess> Trial::outcome(const ConstantCalls::Outcome& of, std::string& error) {
  if (of.value) return is_comparable(*of.value) ? Guess{*of.value} : unknown();
  if (of.error.empty()) return unknown();
  error = of.error;
  return std::nullopt;
}

/// The values of a function for all that its arguments may be; nothing where it fails with each of them.
std::optional<Guess> Trial::combined(std::span<const Guess> arguments,
                                     const std::function<std::optional<Guess>(std::span<const Value>)>& function) {
  size_t count = 1, several = 0;
  bool of_data = true;
  for (const Guess& g : arguments) {
    bool known = true;
    for_each_choice(g, [&](const Value& v) { known = known && is_known(v); });
    if (!known) return unknown();
    if (g.choices == nullptr) continue;
    count *= g.choices->items().size();
    ++several;
    of_data = of_data && g.of_data;
    if (count > most_combinations) return unknown();
  }
  std::optional<Guess> all;
  std::vector<Value> values(arguments.size());
  for (size_t number = 0; number < count; ++number) {
    size_t rest = number;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const List* choices = arguments[i].choices;
      values[i] = choices == nullptr ? arguments[i].value : choices->items()[rest % choices->items().size()];
      if (choices != nullptr) rest /= choices->items().size();
    }
    auto one = function(values);
    if (!one) continue;
    one->of_data = several == 1 && of_data; // of two that depend on each other not all combinations are there
    all = all ? either(arena_, *all, *one) : one;
  }
  return all;
}

/// Functions that do more than compute a value, and some of stdlib.
std::optional<Guess> Trial::special_call(const Node& at, std::string_view name, std::span<const Guess> arguments) {
  if (name.starts_with("stdlib::")) name.remove_prefix(8);
  if (one_of("fail|return|next|break", name)) {
    frame_->dead = true;
    if (!arguments.empty() && name != "fail") {
      frame_->result = frame_->has_result ? unknown() : arguments[0];
      if (maybe_ > 0) frame_->result = unknown();
    }
    frame_->has_result = true;
    return unknown();
  }
  if (one_of("include|contain|require", name)) {
    for (const Guess& names : arguments) include(at, names);
    return unknown();
  }
  if (name == "hiera_include") {
    unit_->open = true;
    return unknown();
  }
  if (name == "realize") {
    unit_->realizes = true;
    return unknown();
  }
  if (name == "create_resources") {
    create_resources(at, arguments);
    return unknown();
  }
  if (one_of("ensure_packages|ensure_resource|ensure_resources", name)) {
    const bool packages = name == "ensure_packages";
    if (arguments.empty()) return unknown();
    const Guess titles = packages ? arguments[0] : arguments.size() > 1 ? arguments[1] : unknown();
    const Guess type = packages ? Guess{Value::string("package")} : arguments[0];
    if (!is_known(type) || !type.value.is_string()) {
      unit_->open = true;
      return unknown();
    }
    const Set ensured(ensured_, true);
    for_each_choice(titles, [&](const Value& v) {
      const auto add = [&](const Value& title) { declare_one(at, lower_symbol(type.value.str()), {title}, {}, ResourceForm::Regular); };
      if (v.is_list())
        for (const Value& title : v.items()) add(title);
      else if (v.is_hash())
        for (const HashEntry& e : v.hash->entries()) add(e.key);
      else
        add(v);
    });
    return unknown();
  }
  if (name == "lookup" && !arguments.empty() && is_known(arguments[0]) && arguments[0].value.is_string() && arguments.size() <= 2)
    return looked_up(arguments[0].value.str(), pinned_);
  if (name == "pick" || name == "pick_default") {
    for (const Guess& g : arguments) {
      if (!is_known(g) && (g.choices != nullptr || g.value.is_string())) return unknown();
      if (!g.value.is_undef() && !(g.value.is_string() && g.value.str().empty())) return g;
    }
    return unknown();
  }
  return std::nullopt;
}

/// Runs the body of a function or block in its frame: what its last statement or return() gives.
Guess Trial::result_of(const Block* body) {
  const uint32_t before = maybe_;
  const Guess last = block(body);
  maybe_ = before;
  if (!frame_->has_result) return last;
  return frame_->dead && frame_->doubts == 0 ? frame_->result : unknown();
}

Guess Trial::own_function(const Node& at, const DefinitionEntry& entry, std::span<const Guess> arguments) {
  const Definition& d = *entry.definition;
  if (depth_ > 120 || d.kind != NodeKind::FunctionDef) return unknown();
  Frame frame;
  frame.definition = &d;
  for (size_t i = 0; i < d.parameters.size; ++i) {
    const Parameter& p = d.parameters[i];
    Guess value = unknown();
    if (p.captures_rest) {
      ListBuilder rest(arena_);
      for (size_t k = i; k < arguments.size(); ++k) rest.add(arguments[k].value);
      value = {rest.finish()};
    } else if (i < arguments.size()) {
      value = arguments[i];
      std::string why;
      if (!fits(p, *entry.file->source, value, why)) {
        fail(at, CheckCode::fails_with_data, fmt::format("Parameter '{}' of '{}' {}", p.name.str(), d.name.str(), why));
        return unknown();
      }
    } else if (p.default_value == nullptr) {
      return unknown();
    }
    frame.variables.emplace_back(p.name, value);
  }
  Frame* const outer = std::exchange(frame_, &frame);
  const SourceFile* const source = std::exchange(source_, entry.file->source.get());
  for (size_t i = arguments.size(); i < d.parameters.size; ++i)
    if (!d.parameters[i].captures_rest) set(d.parameters[i].name, eval(d.parameters[i].default_value));
  const Guess result = result_of(d.body);
  frame_ = outer;
  source_ = source;
  return result;
}

/// Runs a block with these arguments.
Guess Trial::run_lambda(const Lambda& lambda, std::span<const Guess> arguments) {
  Frame frame;
  frame.outer = frame_;
  for (size_t i = 0; i < lambda.parameters.size; ++i) {
    const Parameter& p = lambda.parameters[i];
    Guess value = i < arguments.size() && !p.captures_rest ? arguments[i] : unknown();
    std::string why;
    if (i < arguments.size() && !p.captures_rest && !fits(p, *source_, value, why)) {
      Node at;
      at.kind = NodeKind::Nop;
      at.offset = p.offset;
      at.length = p.length;
      fail(at, CheckCode::fails_with_data, fmt::format("Parameter '{}' of the block {}", p.name.str(), why));
      return unknown();
    }
    if (i >= arguments.size() && p.default_value != nullptr) value = eval(p.default_value);
    frame.variables.emplace_back(p.name, value);
  }
  Frame* const outer = std::exchange(frame_, &frame);
  const Guess result = result_of(lambda.body);
  frame_ = outer;
  return result;
}

void Trial::run_unknown_lambda(const Lambda& lambda) {
  ++maybe_;
  run_lambda(lambda, {});
  --maybe_;
}

std::optional<Guess> Trial::iterate(std::string_view name, const Guess& over, std::span<const Guess> arguments, const Lambda& lambda) {
  if (name == "with") {
    std::vector<Guess> all{over};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_lambda(lambda, all);
  }
  if (name == "then" || name == "lest") {
    if (!is_known(over)) return std::nullopt;
    if (over.value.is_undef() == (name == "then")) return over;
    return name == "then" ? run_lambda(lambda, std::array{over}) : run_lambda(lambda, {});
  }
  if (!one_of("each|map|filter|reduce", name)) return std::nullopt;
  if (over.choices == nullptr) return iterate_value(name, over.value, arguments, lambda);
  ++maybe_;
  std::optional<Guess> all;
  for (const Value& v : over.choices->items()) {
    const auto one = iterate_value(name, v, arguments, lambda);
    const Guess result = one ? *one : unknown();
    all = all ? either(arena_, *all, result) : result;
  }
  --maybe_;
  return name == "each" ? over : all;
}

/// Runs the block with each element of a list or hash.
std::optional<Guess> Trial::iterate_value(std::string_view name, const Value& over, std::span<const Guess> arguments,
                                          const Lambda& lambda) {
  if (!over.is_list() && !over.is_hash()) return std::nullopt;
  if (name == "reduce" && over.is_hash()) return std::nullopt;
  ListBuilder list(arena_);
  HashBuilder hash(arena_);
  bool known = true;
  std::optional<Guess> memo;
  if (name == "reduce" && !arguments.empty()) memo = arguments[0];
  const auto one = [&](const Value& key, const Value& value) {
    if (name == "reduce") {
      memo = memo ? run_lambda(lambda, std::array{*memo, Guess{value}}) : Guess{value};
      return;
    }
    std::vector<Guess> given{{key}, {value}};
    if (lambda.parameters.size == 1 && over.is_hash()) given = {{make_list(arena_, std::array{key, value})}};
    if (lambda.parameters.size == 1 && over.is_list()) given = {{value}};
    const Guess result = run_lambda(lambda, given);
    if (name == "map") list.add(result.value);
    if (name != "filter") return;
    known = known && is_known(result);
    if (!is_known(result) || !result.value.truthy()) return;
    if (over.is_hash())
      hash.set(key, value);
    else
      list.add(value);
  };
  if (over.is_list()) {
    int64_t i = 0;
    for (const Value& v : over.items()) one(Value::integer(i++), v);
  } else {
    for (const HashEntry& e : over.hash->entries()) one(e.key, e.value);
  }
  if (name == "each") return Guess{over};
  if (name == "reduce") return memo.value_or(Guess{});
  if (!known) return unknown();
  return Guess{name == "filter" && over.is_hash() ? hash.finish() : list.finish()};
}

void Trial::include(const Node& at, const Guess& names) {
  for_each_choice(names, [&](const Value& v) {
    const auto add = [&](const Value& name) {
      if (!is_known(name) || !name.is_string()) {
        unit_->open = true;
        return;
      }
      const Symbol symbol = lower_symbol(name.str());
      if (program_.find_class(symbol) == nullptr) unit_->open = true;
      unit_->includes.push_back(
          {symbol, maybe_ > 0 || unrealized_ || names.choices != nullptr, source_, at.offset, at.length, false, defines_ > 0});
    };
    if (v.is_list())
      for (const Value& name : v.items()) add(name);
    else
      add(v);
  });
}

/// create_resources('type', {title => attributes}, defaults)
void Trial::create_resources(const Node& at, std::span<const Guess> arguments) {
  if (arguments.size() < 2 || !is_known(arguments[0]) || !arguments[0].value.is_string()) {
    unit_->open = true;
    return;
  }
  std::string_view name = arguments[0].value.str();
  ResourceForm form = ResourceForm::Regular;
  if (name.starts_with("@@"))
    form = ResourceForm::Exported;
  else if (name.starts_with("@"))
    form = ResourceForm::Virtual;
  name.remove_prefix(std::min(name.find_first_not_of('@'), name.size()));
  const Symbol type = lower_symbol(name);
  const bool choices = arguments[1].choices != nullptr;
  if (choices) ++maybe_;
  for_each_choice(arguments[1], [&](const Value& v) {
    if (!v.is_hash()) {
      Attributes any;
      any.others = true;
      if (is_unknown(v)) declare_one(at, type, unknown(), any, form);
      return;
    }
    for (const HashEntry& e : v.hash->entries()) {
      Attributes attributes;
      if (arguments.size() > 2) spread(attributes, arguments[2], at);
      spread(attributes, {e.value}, at);
      declare_one(at, type, {e.key}, attributes, form);
    }
  });
  if (choices) --maybe_;
}

} // namespace pupc::compiler
