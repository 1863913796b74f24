// Expressions, with values of which only a part is known.
#include "compiler/analysis/trial/trial.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr uint32_t most_steps = 100'000, most_steps_for_failures = 20'000; // of one run
constexpr size_t most_texts = 12;

/// What a fact or a part of the trusted data is: always another.
bool of_node(std::string_view name) { return one_of("facts|trusted|server_facts|environment|serverversion|settings", name); }

} // namespace

const Guess* Trial::find(const Frame& frame, Symbol name) {
  for (const Frame* f = &frame; f != nullptr; f = f->outer)
    for (const auto& [own, value] : f->variables)
      if (own == name) return &value;
  return nullptr;
}

void Trial::set(Symbol name, const Guess& value) {
  for (auto& [own, old] : frame_->variables)
    if (own == name) {
      old = value;
      return;
    }
  frame_->variables.emplace_back(name, value);
}

Guess Trial::eval(const Node* n) {
  if (n == nullptr) return {};
  if (++steps_ > (only_failures_ ? most_steps_for_failures : most_steps)) throw OutOfSteps();
  switch (n->kind) {
  case NodeKind::Literal: return (n->flags & literal_overflow) != 0 ? unknown() : Guess{n->as<Literal>().value};
  case NodeKind::RegexLiteral: return {n->as<Literal>().value};
  case NodeKind::Name: return {Value::string(n->as<Name>().name.str())};
  case NodeKind::Variable: return variable(n->as<Variable>());
  case NodeKind::Parenthesized: return eval(n->as<Unary>().operand);
  case NodeKind::Heredoc: return eval(n->as<Heredoc>().text);
  default: break;
  }
  if (++depth_ > 200) throw OutOfSteps();
  Guess result = eval_node(*n);
  --depth_;
  return result;
}

Guess Trial::eval_node(const Node& n) {
  switch (n.kind) {
  case NodeKind::Reference: {
    const Type* type = program_.type_of(n, *source_);
    return type != nullptr ? Guess{Value::type(type)} : unknown();
  }
  case NodeKind::Interpolation: return interpolation(n.as<Interpolation>());
  case NodeKind::ListLiteral: return list(n.as<ListLiteral>());
  case NodeKind::HashLiteral: return hash(n.as<HashLiteral>());
  case NodeKind::Access: return access(n.as<Access>());
  case NodeKind::Call: {
    const Call& c = n.as<Call>();
    if (c.functor->kind != NodeKind::Name) {
      for (const Node* argument : c.arguments) eval(argument);
      return unknown();
    }
    return call(n, c.functor->as<Name>().name, {c.arguments.data, c.arguments.size}, c.lambda);
  }
  case NodeKind::MethodCall: {
    const MethodCall& c = n.as<MethodCall>();
    if (c.name->kind != NodeKind::Name) return unknown();
    std::vector<const Node*> arguments{c.receiver};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    return call(n, c.name->as<Name>().name, arguments, c.lambda);
  }
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In: return binary(n.as<Binary>());
  case NodeKind::And:
  case NodeKind::Or: return logic(n.as<Binary>());
  case NodeKind::Not: {
    const Guess g = eval(n.as<Unary>().operand);
    return is_known(g) ? Guess{Value::boolean(!g.value.truthy())} : unknown();
  }
  case NodeKind::Minus: {
    const Guess g = eval(n.as<Unary>().operand);
    if (!is_known(g)) return unknown();
    auto* copy = arena_.make<Unary>(n.as<Unary>());
    copy->operand = constant(n, g.value);
    return evaluated(*copy, n);
  }
  case NodeKind::Assignment: {
    const Guess value = eval(n.as<Binary>().right);
    assign(n.as<Binary>().left, n.as<Binary>().op() == BinaryOp::Assign ? value : unknown());
    return value;
  }
  case NodeKind::Relationship: {
    note_related(n.as<Binary>().left);
    note_related(n.as<Binary>().right);
    return unknown();
  }
  case NodeKind::If: return conditional(n.as<If>());
  case NodeKind::Case: return choice(n.as<Case>());
  case NodeKind::Selector: return choice(n.as<Selector>(), eval(n.as<Selector>().left));
  case NodeKind::Block: return block(&n.as<Block>());
  case NodeKind::ResourceExpr: resources(n.as<ResourceExpr>()); return unknown();
  case NodeKind::Collector: {
    const Collector& c = n.as<Collector>();
    if (c.type_expr->kind != NodeKind::Reference) return unknown();
    const Symbol type = lower_symbol(c.type_expr->as<Reference>().name);
    if (c.exported()) declare_any(n, type);
    unit_->collectors.push_back({type, c.exported() ? nullptr : c.query, c.exported() ? nullptr : source_});
    return unknown();
  }
  default: return unknown();
  }
}

Guess Trial::block(const Block* b) {
  Guess last;
  if (b == nullptr) return last;
  for (const Node* statement : b->statements) {
    last = eval(statement);
    if (frame_->dead) break;
  }
  return last;
}

Guess Trial::variable(const Variable& v) {
  if (v.form() == Variable::Form::Numeric) {
    const Guess* group = find(*frame_, v.base);
    return group != nullptr ? *group : unknown();
  }
  if (v.form() == Variable::Form::Qualified) {
    const DefinitionEntry* entry = v.scope ? program_.find_class(lower_symbol(v.scope)) : nullptr;
    if (entry == nullptr) return unknown();
    const Symbol name = lower_symbol(v.scope);
    for (Frame* f = frame_; f != nullptr; f = f->outer) // the class's own variable
      if (f->definition == entry->definition)
        if (const Guess* own = find(*f, v.base)) return *own;
    if (open_.contains(name)) return unknown();
    for (const auto& [own, value] : unit_of(name).variables)
      if (own == v.base) return value;
    return unknown();
  }
  if (v.form() != Variable::Form::Simple || of_node(v.base.str())) return unknown();
  const Guess* own = find(*frame_, v.base);
  return own != nullptr ? *own : unknown();
}

std::optional<std::string> Trial::text_of(const Value& v) {
  if (v.is_undef()) return std::string();
  if (v.is_string() || v.is_bool() || v.is_int()) return scalar_text(v);
  return std::nullopt;
}

Guess Trial::interpolation(const Interpolation& text) {
  std::vector<std::string> texts{""};
  bool of_data = true;
  for (const Node* part : text.parts) {
    const Guess g = eval(part);
    of_data = of_data && (g.choices == nullptr || g.of_data);
    std::vector<std::string> more;
    for_each_choice(g, [&](const Value& v) {
      const auto own = is_unknown(v) ? std::nullopt : text_of(v);
      for (const std::string& before : texts) more.push_back(before + own.value_or("%{?}"));
    });
    if (more.size() > most_texts) return {Value::string(arena_.copy("%{?}"))};
    texts = std::move(more);
  }
  Guess result{Value::string(arena_.copy(texts.front())), nullptr, of_data};
  for (size_t i = 1; i < texts.size(); ++i) result = either(arena_, result, {Value::string(arena_.copy(texts[i])), nullptr, of_data});
  return result;
}

Guess Trial::list(const ListLiteral& l) {
  ListBuilder builder(arena_);
  for (const Node* element : l.elements) {
    if (element->kind == NodeKind::Unfold) {
      const Guess g = eval(element->as<Unary>().operand);
      if (g.choices != nullptr || is_unknown(g.value)) return unknown();
      if (g.value.is_list())
        builder.add_all(g.value.items());
      else
        return unknown();
      continue;
    }
    builder.add(eval(element).value);
  }
  return {builder.finish()};
}

Guess Trial::hash(const HashLiteral& h) {
  HashBuilder builder(arena_);
  bool all = true;
  for (const KeyedEntry& e : h.entries) {
    const Guess key = eval(e.key), value = eval(e.value);
    all = all && is_known(key);
    builder.set(key.value, value.value);
  }
  return all ? Guess{builder.finish()} : unknown();
}

Node* Trial::constant(const Node& at, const Value& v) {
  auto* literal = arena_.make<Literal>();
  literal->kind = NodeKind::Literal;
  literal->offset = at.offset;
  literal->length = at.length;
  literal->value = v;
  return literal;
}

/// The value of an operator between literals, or why it fails.
Guess Trial::evaluated(const Node& n, const Node& at) {
  const auto outcome = program_.constant_calls().evaluate(n);
  if (outcome.value) return is_comparable(*outcome.value) ? Guess{*outcome.value} : unknown();
  if (!outcome.error.empty()) fail(at, CheckCode::fails_with_data, outcome.error);
  return unknown();
}

Guess Trial::element(const Access& a, const Value& left, const Value& key) {
  if (left.is_hash() && key.is_string()) {
    if (const Value* found = left.hash->find(key)) return {*found};
    const bool all = std::ranges::all_of(left.hash->entries(), [](const HashEntry& e) { return is_known(e.key); });
    return all ? Guess{} : unknown();
  }
  if (left.is_list() && key.is_int())
    if (key.i >= 0 && key.i < static_cast<int64_t>(left.items().size())) return {left.items()[static_cast<size_t>(key.i)]};
  if (!is_known(left)) return unknown();
  auto* copy = arena_.make<Access>(a);
  copy->left = constant(a, left);
  copy->keys.data = arena_.make_array<Node*>(1);
  copy->keys[0] = constant(a, key);
  return evaluated(*copy, a);
}

Guess Trial::access(const Access& a) {
  const Node* left = unparenthesised(a.left);
  if (left->kind == NodeKind::Reference) {
    const Symbol type = lower_symbol(left->as<Reference>().name);
    const DefinitionEntry* define = nullptr;
    const ResourceTypeInfo* native = nullptr;
    if (type != sym::class_ && walked_.find_type(type, define, native) != Known::Yes) {
      const Type* data = program_.type_of(a, *source_);
      return data != nullptr ? Guess{Value::type(data)} : unknown();
    }
    const auto to = [&](const Value& title) {
      auto* reference = arena_.make<ResourceRef>();
      reference->type = type.str();
      reference->title = title.is_string() ? title.str() : anything;
      return Value::of(reference);
    };
    ListBuilder references(arena_);
    for (const Node* key : a.keys) {
      const Guess titles = eval(key);
      if (titles.choices != nullptr) { // one of several, or of several lists
        std::optional<Guess> one;
        for (const Value& v : titles.choices->items()) {
          const Guess reference{to(v)};
          one = one ? either(arena_, *one, reference) : reference;
        }
        if (a.keys.size == 1) return *one;
        references.add(to({}));
      } else if (titles.value.is_list()) {
        for (const Value& title : titles.value.items()) references.add(to(title));
      } else {
        references.add(to(titles.value));
      }
    }
    if (references.size() == 1) return {references[0]};
    return {references.finish()};
  }
  const Guess from = eval(a.left);
  if (a.keys.size != 1) {
    for (const Node* key : a.keys) eval(key);
    return unknown();
  }
  const Guess key = eval(a.keys[0]);
  if (!is_known(key)) return unknown();
  if (from.choices == nullptr) return is_unknown(from.value) ? unknown() : element(a, from.value, key.value);
  std::optional<Guess> all;
  for (const Value& v : from.choices->items()) {
    if (!v.is_hash() || !key.value.is_string()) return unknown();
    const Guess one = element(a, v, key.value);
    all = all ? either(arena_, *all, one) : one;
  }
  return all.value_or(unknown());
}

Guess Trial::binary(const Binary& b) {
  const Guess left = eval(b.left), right = eval(b.right);
  if (b.op() == BinaryOp::Add && left.choices == nullptr && right.choices == nullptr && left.value.is_hash() && right.value.is_hash()) {
    HashBuilder sum(arena_, *left.value.hash);
    for (const HashEntry& e : right.value.hash->entries()) sum.set(e.key, e.value);
    return {sum.finish()};
  }
  if (b.op() == BinaryOp::Subtract && left.choices == nullptr && left.value.is_hash() && is_known(right)) {
    HashBuilder rest(arena_, *left.value.hash);
    const auto erase = [&](const Value& key) { rest.erase(key); };
    if (right.value.is_list())
      for (const Value& key : right.value.items()) erase(key);
    else if (right.value.is_hash())
      for (const HashEntry& e : right.value.hash->entries()) erase(e.key);
    else
      erase(right.value);
    return {rest.finish()};
  }
  if (b.op() == BinaryOp::Matches) note_groups(left, right);
  const bool scalars = right.choices == nullptr && !is_unknown(right.value) && !right.value.is_hash();
  if (b.op() == BinaryOp::Add && left.choices == nullptr && left.value.is_list() && scalars) {
    ListBuilder sum(arena_);
    sum.add_all(left.value.items());
    if (right.value.is_list())
      sum.add_all(right.value.items());
    else
      sum.add(right.value);
    return {sum.finish()};
  }
  std::string error;
  const Guess operands[] = {left, right};
  const auto result = combined(operands, [&](std::span<const Value> values) {
    auto* copy = arena_.make<Binary>(b);
    copy->left = constant(b, values[0]);
    copy->right = constant(b, values[1]);
    return outcome(program_.constant_calls().evaluate(*copy), error);
  });
  if (!result) fail(b, CheckCode::fails_with_data, error);
  return result.value_or(unknown());
}

/// What a match gives to $0, $1 and so on: those of a match around it are hidden.
void Trial::note_groups(const Guess& text, const Guess& pattern) {
  static const Symbol names[] = {intern("0"), intern("1"), intern("2"), intern("3"), intern("4"),
                                 intern("5"), intern("6"), intern("7"), intern("8"), intern("9")};
  for (Symbol name : names)
    if (find(*frame_, name) != nullptr) set(name, unknown());
  const FunctionEntry* match = program_.functions().find("match");
  if (match == nullptr || !is_known(text) || !text.value.is_string() || !is_known(pattern) || !pattern.value.is(Kind::Regex)) return;
  const Value arguments[] = {text.value, pattern.value};
  const auto outcome = program_.constant_calls().call(*match, arguments);
  if (!outcome.value || !outcome.value->is_list()) return;
  size_t i = 0;
  for (const Value& group : outcome.value->items())
    if (i < std::size(names)) set(names[i++], {group});
}

Guess Trial::logic(const Binary& b) {
  const bool conjunction = b.kind == NodeKind::And;
  const Guess left = eval(b.left);
  if (is_known(left) && left.value.truthy() != conjunction) return {Value::boolean(!conjunction)};
  if (!is_known(left)) ++maybe_;
  const Guess right = eval(b.right);
  if (!is_known(left)) --maybe_;
  if (is_known(right) && right.value.truthy() != conjunction) return {Value::boolean(!conjunction)};
  return is_known(left) && is_known(right) ? Guess{Value::boolean(conjunction)} : unknown();
}

/// Makes of the value of one branch that of one or another.
void Trial::join(Guess& all, const Guess& one) {
  const bool same_text = one.value.is_string() && all.value.is_string() && one.value.str().data() == all.value.str().data();
  if (one.choices == all.choices && (same_text || eql(one.value, all.value))) {
    all = one;
    return;
  }
  all = either(arena_, all, one);
  all.of_data = false;
}

/// Runs code of which one part is run, which one is not known; one may be empty. The value is that of one of them.
Guess Trial::branches(std::span<const std::function<Guess()>> bodies) {
  const auto before = frame_->variables;
  std::vector<std::vector<std::pair<Symbol, Guess>>> after;
  std::optional<Guess> result;
  size_t left = 0;
  ++maybe_;
  for (const auto& body : bodies) {
    frame_->variables = before;
    const Guess one = body();
    if (frame_->dead) {
      frame_->dead = false;
      ++left;
      continue;
    }
    result = result ? either(arena_, *result, one) : one;
    result->of_data = false;
    after.push_back(std::move(frame_->variables));
  }
  --maybe_;
  frame_->variables = before;
  if (after.empty()) {
    frame_->dead = !bodies.empty();
    return unknown();
  }
  if (left > 0) {
    ++maybe_;
    ++frame_->doubts;
  }
  for (size_t i = 0; i < before.size(); ++i) { // each branch has these at the same place
    Guess& all = frame_->variables[i].second;
    all = after.front()[i].second;
    for (size_t k = 1; k < after.size(); ++k) join(all, after[k][i].second);
  }
  std::vector<Symbol> names; // set in some branch
  for (const auto& variables : after)
    for (size_t i = before.size(); i < variables.size(); ++i)
      if (std::ranges::find(names, variables[i].first) == names.end()) names.push_back(variables[i].first);
  for (Symbol name : names) {
    std::optional<Guess> all;
    for (const auto& variables : after) {
      const auto own = std::ranges::find(variables, name, &std::pair<Symbol, Guess>::first);
      const Guess one = own != variables.end() ? own->second : unknown();
      if (all)
        join(*all, one);
      else
        all = one;
    }
    set(name, *all);
  }
  return *result;
}

Guess Trial::conditional(const If& i) {
  const Guess test = eval(i.test);
  const auto then = [&] { return block(i.then_block); };
  const auto otherwise = [&]() -> Guess { return i.else_part != nullptr ? eval(i.else_part) : Guess{}; };
  if (is_known(test)) return test.value.truthy() != ((i.flags & if_unless) != 0) ? then() : otherwise();
  const std::function<Guess()> both[] = {then, otherwise};
  return branches(both);
}

/// Whether a choice of a case or selector takes the value.
Trial::Match Trial::matches(const Guess& tested, const Node* option) {
  if (is_default(*option)) return Match::Yes;
  if (option->kind == NodeKind::Unfold) return Match::Unknown;
  if (!is_comparable(tested.value) || tested.choices != nullptr || is_unknown(tested.value)) return Match::Unknown;
  const Node* plain = unparenthesised(option);
  const bool type = plain->kind == NodeKind::Reference ||
                    (plain->kind == NodeKind::Access && plain->as<Access>().left->kind == NodeKind::Reference);
  if (type) {
    const Type* t = is_known(tested) ? program_.type_of(*plain, *source_) : nullptr;
    if (t == nullptr || !unknown_type(t).empty()) return Match::Unknown;
    return is_instance(program_.types(), t, tested.value) ? Match::Yes : Match::No;
  }
  const Guess g = eval(option);
  if (g.choices == nullptr && g.value.is(Kind::Regex) && !is_known(tested)) note_groups(tested, g);
  if (!is_known(g) || !is_known(tested)) return Match::Unknown;
  auto* comparison = arena_.make<Binary>();
  const bool pattern = g.value.is(Kind::Regex);
  if (pattern && !tested.value.is_string()) return Match::No;
  comparison->kind = pattern ? NodeKind::Match : NodeKind::Comparison;
  comparison->aux = static_cast<uint16_t>(pattern ? BinaryOp::Matches : BinaryOp::Equal);
  comparison->offset = option->offset;
  comparison->length = option->length;
  comparison->left = constant(*option, tested.value);
  comparison->right = constant(*option, g.value);
  if (pattern) note_groups(tested, g);
  const Guess result = evaluated(*comparison, *option);
  return !is_known(result) ? Match::Unknown : result.value.truthy() ? Match::Yes : Match::No;
}

Guess Trial::choice(const Case& c) {
  const Guess tested = eval(c.test);
  std::vector<std::function<Guess()>> possible;
  const CaseOption* fallback = nullptr;
  bool certain = false;
  for (const CaseOption& option : c.options) {
    Match best = Match::No;
    for (const Node* value : option.values) {
      if (is_default(*value)) {
        fallback = &option;
        continue;
      }
      const Match m = matches(tested, value);
      if (m == Match::Yes || (m == Match::Unknown && best == Match::No)) best = m;
      if (best == Match::Yes) break;
    }
    if (best != Match::No) possible.emplace_back([this, &option] { return block(option.body); });
    certain = best == Match::Yes;
    if (certain) break;
  }
  if (!certain && fallback != nullptr) possible.emplace_back([this, fallback] { return block(fallback->body); });
  if (!certain && fallback == nullptr) possible.emplace_back([] { return Guess{}; });
  if (possible.size() == 1) return possible.front()();
  note_groups(unknown(), unknown());
  return branches(possible);
}

Guess Trial::choice(const Selector& s, const Guess& tested) {
  if (tested.choices != nullptr) {
    std::optional<Guess> all;
    ++maybe_;
    for (const Value& v : tested.choices->items()) {
      Guess one = choice(s, {v});
      one.of_data = tested.of_data;
      all = all ? either(arena_, *all, one) : one;
    }
    --maybe_;
    return *all;
  }
  std::vector<std::function<Guess()>> possible;
  const SelectorEntry* fallback = nullptr;
  bool certain = false;
  for (const SelectorEntry& entry : s.entries) {
    if (is_default(*entry.match)) {
      fallback = &entry;
      continue;
    }
    const Match m = matches(tested, entry.match);
    if (m != Match::No) possible.emplace_back([this, &entry] { return eval(entry.value); });
    certain = m == Match::Yes;
    if (certain) break;
  }
  if (!certain && fallback != nullptr) possible.emplace_back([this, fallback] { return eval(fallback->value); });
  if (possible.empty()) {
    const auto shown = is_known(tested) ? scalar_text(tested.value) : std::nullopt;
    fail(s, CheckCode::fails_with_data,
         fmt::format("No choice of the selector takes {}", tested.value.is_undef() ? "undef"
                                                           : shown                 ? "'" + *shown + "'"
                                                                                   : "the value"));
    return unknown();
  }
  if (possible.size() == 1 && (certain || fallback != nullptr)) return possible.front()();
  note_groups(unknown(), unknown());
  return branches(possible);
}

void Trial::assign(const Node* target, const Guess& value) {
  if (target->kind == NodeKind::Variable) return set(target->as<Variable>().base, value);
  if (target->kind != NodeKind::ListLiteral) return;
  const auto& names = target->as<ListLiteral>().elements;
  const bool list = value.choices == nullptr && value.value.is_list() && value.value.items().size() == names.size;
  for (uint32_t i = 0; i < names.size; ++i) assign(names[i], list ? Guess{value.value.items()[i]} : unknown());
}

} // namespace pupc::compiler
