// Calls: unknown and removed functions, numbers and types of arguments, lambdas.
#include "catalog/base/text.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/codebase/pattern_groups.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace pupc::compiler {
namespace {

/// "1 argument", "2 or 3 arguments", "at least 2 arguments".
std::string arguments_text(uint32_t least, uint32_t most) {
  if (most == std::numeric_limits<uint32_t>::max()) return fmt::format("at least {} argument{}", least, least == 1 ? "" : "s");
  if (least == most) return fmt::format("{} argument{}", least, least == 1 ? "" : "s");
  return fmt::format("{} to {} arguments", least, most);
}

bool unfolds(Arguments arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const Node* n) { return n->kind == NodeKind::Unfold; });
}

bool leaves_body(std::string_view name) { return name == "fail" || name == "return"; }
bool ends_block(std::string_view name) { return name == "next" || name == "break"; }

/// Functions that declare resources.
constexpr std::string_view declaring[] = {"create_resources", "ensure_resource", "ensure_resources", "ensure_packages",
                                          "stdlib::ensure_packages"};

constexpr std::string_view variable_readers[] = {"template", "inline_template", "epp", "inline_epp", "getvar", "get_scope", "dig44"};

/// Whether check_special_call() has something to do for the function.
bool is_special(std::string_view name) {
  static constexpr std::string_view others[] = {"include",       "contain", "require", "lookup", "hiera", "hiera_array", "hiera_hash",
                                                "hiera_include", "file",    "get",     "dig",    "fact",  "tag"};
  return leaves_body(name) || ends_block(name) || std::ranges::find(variable_readers, name) != std::end(variable_readers) ||
         std::find(std::begin(declaring), std::end(declaring), name) != std::end(declaring) ||
         std::find(std::begin(others), std::end(others), name) != std::end(others);
}

/// Whether the options of a lookup stand there, and no default is among them.
bool lacks_default(const HashLiteral& options) {
  return std::ranges::all_of(options.entries, [](const KeyedEntry& e) {
    const auto name = written_text(*e.key);
    return name && one_of("merge|value_type", *name);
  });
}

/// Whether a lookup fails where no data has its key: it has neither a default nor a block, and asks for one key.
bool needs_value(std::string_view function, Arguments arguments, bool block) {
  if (function == "hiera_include" || arguments.empty() || block || unfolds(arguments)) return false;
  if (function != "lookup") return arguments.size() == 1;
  if (arguments.size() > 3 || arguments[0]->kind == NodeKind::ListLiteral || arguments[0]->kind == NodeKind::HashLiteral) return false;
  // A hash of options may have a default, also one that is not written here.
  for (const Node* argument : arguments.subspan(1)) {
    const NodeKind kind = argument->kind;
    if (kind == NodeKind::HashLiteral && lacks_default(argument->as<HashLiteral>())) continue;
    if (kind != NodeKind::Reference && kind != NodeKind::Access && kind != NodeKind::Literal && kind != NodeKind::Name) return false;
  }
  return true;
}

/// Whether check_pattern() has something to do for the function: it compiles a text as a regular expression.
bool compiles_pattern(std::string_view name) { return name == "regsubst" || name == "match" || name == "split" || name == "join"; }

/// Whether check_arguments_by_meaning() has.
bool has_meaning(std::string_view name) {
  return name == "sprintf" || name == "lookup" || name == "create_resources" || name == "fqdn_rand";
}

/// The only dispatch of a function, if it takes arguments of any type and can do without a block.
const ParsedDispatch* takes_any(const BuiltinSignatures& signatures) {
  if (signatures.takes_scope || signatures.dispatches.size() != 1) return nullptr;
  const ParsedDispatch& d = signatures.dispatches.front();
  if (d.dispatch->mismatch || d.old_api || d.block == ParsedDispatch::Block::Required) return nullptr;
  return std::ranges::all_of(d.parameters, &SignatureParameter::any) ? &d : nullptr;
}

} // namespace

/// Whether the function may read variables that its call does not name.
bool Walker::reads_variables(std::string_view function) {
  return std::ranges::find(variable_readers, function) != std::end(variable_readers);
}

Walker::Callee& Walker::callee(Symbol name) {
  const auto [at, fresh] = callees_.try_emplace(name);
  Callee& c = at->second;
  if (!fresh) return c;
  const std::string_view plain = without_leading_colons(name.str());
  c.name = plain.size() == name.str().size() ? name : intern(plain);
  c.special = is_special(plain);
  c.results = kinds_of_results(name.str());
  c.pattern = compiles_pattern(plain);
  c.by_meaning = has_meaning(plain);
  c.own = program_.find_function(c.name, &c.broken);
  c.builtin = program_.functions().find(plain);
  if (c.builtin != nullptr && !c.builtin->module.empty() && program_.environment().find_module(c.builtin->module) == nullptr)
    c.builtin = nullptr;
  c.constant = c.builtin != nullptr && c.own == nullptr && ConstantCalls::knows(*c.builtin);
  c.elsewhere = c.builtin == nullptr && c.own == nullptr && !c.broken &&
                (!program_.environment().ruby_functions(plain).empty() || program_.environment().old_function(plain) != nullptr);
  c.reads = c.elsewhere && texts_matter_ && ruby_.reads_variables(plain);
  return c;
}

void Walker::check_call(const Node& at, Symbol called, Arguments arguments, const Lambda* lambda, bool maybe_attribute) {
  Callee& c = callee(called);
  const std::string_view name = c.name.str();
  if (c.special && !inline_text_) check_special_call(at, name, arguments, lambda);
  if (c.own != nullptr) {
    check_recursion(at, NodeKind::FunctionDef, c.own->definition->name.str(), "calls");
    return check_puppet_function(at, *c.own, arguments, lambda);
  }
  if (c.elsewhere && !c.broken) check_ruby_call(at, name, arguments, lambda);
  if (c.reads)
    for (Body* b = body_; b != nullptr; b = b->outer) b->opaque = true;
  if (c.broken || c.elsewhere) return;
  if (c.builtin == nullptr) {
    check_function_name(at, name, maybe_attribute);
    return;
  }
  // Of a module's function the module that is here tells what it takes: another version may take something else.
  if (!c.builtin->module.empty()) return check_ruby_call(at, name, arguments, lambda);
  const size_t before = findings_.count();
  check_builtin(at, c, arguments, lambda);
  if (c.pattern) check_pattern(name, arguments);
  if (c.by_meaning) check_arguments_by_meaning(at, name, arguments);
  if (findings_.count() != before || lambda != nullptr) return;
  if (c.name == sym::new_ && !arguments.empty() && arguments[0]->kind != NodeKind::Unfold)
    return check_conversion(at, *arguments[0], arguments.subspan(1));
  if (c.constant) check_constant_call(at, *c.builtin, arguments);
}

void Walker::check_builtin(const Node& at, Callee& c, Arguments arguments, const Lambda* lambda) {
  const FunctionEntry& entry = *c.builtin;
  if (c.signatures == nullptr) {
    c.signatures = &signatures_of(entry);
    c.takes_any = takes_any(*c.signatures);
  }
  const BuiltinSignatures& signatures = *c.signatures;
  const uint32_t n = static_cast<uint32_t>(arguments.size());
  if (const ParsedDispatch* any = c.takes_any; any != nullptr && lambda == nullptr && n >= any->required && n <= any->maximum) return;
  if (unfolds(arguments)) return;
  if (signatures.takes_scope || signatures.dispatches.empty()) return;
  uint32_t least = std::numeric_limits<uint32_t>::max(), most = 0;
  bool fits = false, lambda_fits = false, needs_lambda = true;
  for (const ParsedDispatch& d : signatures.dispatches) {
    if (d.dispatch->mismatch) continue;
    uint32_t from = d.required, to = d.maximum;
    if (d.old_api) {
      from = d.arity < 0 ? static_cast<uint32_t>(-d.arity - 1) : static_cast<uint32_t>(d.arity);
      to = d.arity < 0 ? std::numeric_limits<uint32_t>::max() : from;
    }
    least = std::min(least, from);
    most = std::max(most, to);
    needs_lambda = needs_lambda && d.block == ParsedDispatch::Block::Required;
    if (n < from || n > to) continue;
    fits = true;
    if (d.old_api || (lambda != nullptr ? d.block != ParsedDispatch::Block::None : d.block != ParsedDispatch::Block::Required))
      lambda_fits = true;
  }
  if (least > most) return;
  if (!fits) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {}, got {}", entry.name, arguments_text(least, most), n));
    return;
  }
  if (!lambda_fits) {
    report(CheckCode::argument_count, at,
           lambda != nullptr ? fmt::format("'{}' takes no block with {}", entry.name, arguments_text(n, n))
                             : fmt::format("'{}' needs a block", entry.name),
           needs_lambda && lambda == nullptr ? "Write |$x| { … } behind the arguments." : "");
    return;
  }
  if (lambda != nullptr) check_block(at, entry, n, *lambda);
  // At least one of the dispatches that fit the number of arguments must accept every argument.
  const Node* blamed = nullptr;
  std::string reason;
  for (const ParsedDispatch& d : signatures.dispatches) {
    if (d.dispatch->mismatch || d.old_api) {
      if (d.old_api) return;
      continue;
    }
    if (n < d.required || n > d.maximum) continue;
    if (lambda == nullptr ? d.block == ParsedDispatch::Block::Required : d.block == ParsedDispatch::Block::None) continue;
    const Node* refused = nullptr;
    std::string why;
    for (uint32_t i = 0; i < n && refused == nullptr; ++i) {
      const SignatureParameter& p = d.parameters[std::min<size_t>(i, d.parameters.size() - 1)];
      if (!p.any && rejects(p.type, arguments[i], why)) refused = arguments[i];
    }
    if (refused == nullptr) return;
    if (blamed == nullptr) {
      blamed = refused;
      reason = std::move(why);
    }
  }
  if (blamed != nullptr) report(CheckCode::argument_type, *blamed, fmt::format("An argument of '{}' {}", entry.name, reason));
}

/// The block's parameters must be as many as one of the calls with so many arguments gives it.
void Walker::check_block(const Node& at, const FunctionEntry& entry, uint32_t arguments, const Lambda& lambda) {
  int least = 0, most = 0;
  for (const Parameter& p : lambda.parameters) {
    if (p.captures_rest) {
      most = std::numeric_limits<int>::max();
      if (p.default_value == nullptr && p.type != nullptr) return; // its type may ask for a number of values
      continue;
    }
    ++most;
    if (p.default_value == nullptr) least = most;
  }
  std::string wanted;
  for (const ParsedDispatch& d : signatures_of(entry).dispatches) {
    if (d.dispatch->mismatch || d.block == ParsedDispatch::Block::None || arguments < d.required || arguments > d.maximum) continue;
    if (d.block_minimum < 0 || d.block_maximum == 1 << 30) return; // any block, or one that is compared by its types
    if (least <= d.block_minimum && most >= d.block_maximum) return;
    const std::string number = d.block_minimum == d.block_maximum ? fmt::format("{}", d.block_minimum)
                                                                  : fmt::format("{} to {}", d.block_minimum, d.block_maximum);
    if (wanted.find(number) == std::string::npos) wanted += (wanted.empty() ? "" : " or ") + number;
  }
  if (wanted.empty()) return;
  report(CheckCode::argument_count, at,
         fmt::format("The block of '{}' must take {} parameter{}, this one has {}", entry.name, wanted, wanted == "1" ? "" : "s",
                     lambda.parameters.size));
}

/// A replacement with \\2 where the pattern has one group.
void Walker::check_groups(const Node& pattern, Arguments arguments) {
  const bool regex = pattern.kind == NodeKind::RegexLiteral;
  if (arguments.size() < 3 || (!regex && pattern.kind != NodeKind::Literal)) return;
  const Value& value = pattern.as<Literal>().value;
  const auto text = regex               ? std::optional(source_->text().substr(pattern.offset, pattern.length))
                    : value.is_string() ? std::optional(value.str())
                                        : std::nullopt;
  const auto replacement = arguments[2]->kind == NodeKind::Literal ? literal_text(arguments[2]) : std::nullopt;
  if (!text || !replacement) return;
  const auto groups = groups_of(*text);
  if (!groups) return;
  for (size_t i = 0; i + 1 < replacement->size(); ++i) {
    if ((*replacement)[i] != '\\') continue;
    const char digit = (*replacement)[++i];
    if (digit >= '1' && digit <= '9' && digit - '0' > *groups)
      return report(CheckCode::argument_type, *arguments[2],
                    fmt::format("The pattern has no group {}: \\{} stands for nothing", digit, digit), {}, Severity::Warning);
  }
}

/// split($text, '.'): a separator is a pattern, in which some signs stand for others.
void Walker::check_separator(const Node& pattern) {
  const StaticValue v = static_value(&pattern);
  if (!v.known || (!v.value.is_string() && v.value.kind != Kind::Regex)) return;
  const std::string_view text = v.value.is_string() ? v.value.str() : v.value.regex->source();
  if (text == ".")
    report(CheckCode::argument_type, pattern, "The separator of 'split' is a pattern, and '.' fits every character: nothing is left",
           "Write '[.]'.", Severity::Warning);
  else if (text == "|" || text == "^" || text == "$")
    report(CheckCode::argument_type, pattern, fmt::format("The separator of 'split' is a pattern, and '{}' fits no character", text),
           fmt::format("Write '\\{}'.", text), Severity::Warning);
}

/// join($lines, '\n'): two signs, no end of a line.
void Walker::check_glue(const Node& glue) {
  const auto text = glue.kind == NodeKind::Literal ? literal_text(&glue) : std::nullopt;
  if (text && one_of("\\n|\\t|\\r\\n|,\\n|\\n\\n", *text))
    report(CheckCode::argument_type, glue,
           fmt::format("Between single quotes '{}' is a backslash and a letter, here between all parts", *text),
           "Write it between double quotes.", Severity::Warning);
}

/// A text that a function compiles as a regular expression. With the flag E (a fourth argument of regsubst) it may mean something else.
void Walker::check_pattern(std::string_view function, Arguments arguments) {
  if (arguments.size() < 2 || unfolds(arguments)) return;
  if (arguments.size() > 3) {
    const auto flags = literal_text(arguments[3]);
    if (!flags || flags->find('E') != std::string::npos) return;
  }
  const Node* pattern = arguments[1];
  if (function == "join") return check_glue(*pattern);
  // split(',', $text): a sign that separates is no text to be split.
  if (function == "split" && pattern->kind != NodeKind::Literal && pattern->kind != NodeKind::RegexLiteral &&
      arguments[0]->kind == NodeKind::Literal)
    if (const auto sign = literal_text(arguments[0]); sign && sign->size() == 1 && !std::isalnum(static_cast<unsigned char>((*sign)[0])))
      report(CheckCode::argument_type, *arguments[0], "'split' takes the text first, and then what separates its parts", {},
             Severity::Warning);
  if (function == "regsubst") check_groups(*pattern, arguments);
  if (function == "split") check_separator(*pattern);
  if (pattern->kind != NodeKind::Literal || !pattern->as<Literal>().value.is_string()) return;
  try {
    program_.environment().regexes().get(pattern->as<Literal>().value.str());
  } catch (const RegexError& error) {
    report(CheckCode::argument_type, *pattern,
           fmt::format("'{}' gets a pattern that is no regular expression: {}", function, error.message));
  }
}

void Walker::check_puppet_function(const Node& at, const DefinitionEntry& entry, Arguments arguments, const Lambda* lambda) {
  if (unfolds(arguments)) return;
  const Definition& d = *entry.definition;
  uint32_t least = 0, most = 0;
  for (const Parameter& p : d.parameters) {
    if (p.captures_rest) {
      most = std::numeric_limits<uint32_t>::max();
    } else {
      if (p.default_value == nullptr) least = most + 1; // the caller must also pass the parameters before it, even those with a default
      ++most;
    }
  }
  const uint32_t n = static_cast<uint32_t>(arguments.size());
  if (n < least || n > most) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {}, got {}", d.name.str(), arguments_text(least, most), n));
    return;
  }
  if (lambda != nullptr) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes no block", d.name.str()));
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const Parameter& p = d.parameters[std::min<size_t>(i, d.parameters.size - 1)];
    const Type* type = program_.type_of(p, *entry.file->source);
    std::string why;
    if (type == nullptr) continue;
    if (p.captures_rest && type->kind == TypeKind::Array) continue;
    if (rejects(type, arguments[i], why))
      report(CheckCode::argument_type, *arguments[i], fmt::format("Parameter '{}' of '{}' {}", p.name.str(), d.name.str(), why));
  }
}

/// Notes a parameter whose default is `lookup('key')`, perhaps with a default value: the data must fit its type.
void Walker::note_typed_lookup(const Parameter& p, const Type& type) {
  if (!file_->asked || p.default_value->kind != NodeKind::Call) return;
  const Call& call = p.default_value->as<Call>();
  if (call.functor->kind != NodeKind::Name || call.functor->as<Name>().name.str() != "lookup" || call.lambda != nullptr) return;
  if (call.arguments.empty() || call.arguments.size > 2) return;
  const auto key = literal_text(call.arguments[0]);
  if (!key || key->find('.') != std::string_view::npos) return;
  if (call.arguments.size == 2) {
    if (call.arguments[1]->kind != NodeKind::HashLiteral) return;
    for (const KeyedEntry& option : call.arguments[1]->as<HashLiteral>().entries)
      if (const auto name = literal_text(option.key); !name || *name != "default_value") return;
  }
  lookups_.typed.push_back({std::string(*key), &type, std::string(p.name.str()), source_, call.offset, call.length});
}

/// lookup('key', Type): what the data has must be of the type.
void Walker::note_lookup_type(Arguments arguments) {
  if (!file_->asked || arguments.size() < 2) return;
  const Node* named = arguments[1];
  if (named->kind != NodeKind::Reference && (named->kind != NodeKind::Access || named->as<Access>().left->kind != NodeKind::Reference))
    return;
  const auto key = arguments[0]->kind == NodeKind::Variable ? std::nullopt : literal_text(arguments[0]);
  if (!key || key->empty() || key->find_first_of("'\"") != std::string_view::npos) return;
  const Type* type = program_.type_of(*named, *source_);
  if (type == nullptr) return;
  const auto merge = arguments.size() > 2 ? literal_text(arguments[2]) : std::nullopt;
  const bool merged = arguments.size() > 2 && merge != "first" &&
                      !(arguments[2]->kind == NodeKind::Literal && arguments[2]->as<Literal>().value.is_undef());
  lookups_.typed.push_back({std::string(*key), type, {}, source_, arguments[0]->offset, arguments[0]->length, merged});
}

/// Treats particular functions by their meaning: include names classes, lookup names keys, template names a file, and so on.
void Walker::check_special_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda) {
  if (name == "include" || name == "contain" || name == "require") {
    for (const Node* argument : arguments) {
      check_class_names(argument);
      for (const Node* element : listed_elements(argument))
        if (const auto own = element->kind == NodeKind::Name || element->kind == NodeKind::Literal ? literal_name(element) : std::nullopt)
          note_contained(name, *own, *element);
    }
    return;
  }
  if (name == "lookup" || name == "hiera" || name == "hiera_array" || name == "hiera_hash" || name == "hiera_include") {
    const bool needed = file_->asked && needs_value(name, arguments, lambda != nullptr);
    auto note = [&](const Node* key) {
      if (auto text = literal_text(key)) {
        lookups_.keys.emplace(*text);
        if (needed && key->kind != NodeKind::Variable) lookups_.needed.push_back({std::string(*text), source_, key->offset, key->length});
      } else {
        lookups_.dynamic = true;
      }
    };
    if (arguments.empty()) return;
    if (name == "lookup") note_lookup_type(arguments);
    if (arguments[0]->kind == NodeKind::ListLiteral)
      for (const Node* element : arguments[0]->as<ListLiteral>().elements) note(element);
    else
      note(arguments[0]);
    return;
  }
  if (name == "tag")
    for (const Node* argument : arguments) check_tag(argument);
  if (name == "return" || ends_block(name)) check_leaving(at, name);
  if (name == "return" || ends_block(name)) // where something fails there is no catalog
    for (Body* b = body_; b != nullptr; b = b->outer) b->may_leave = true;
  if (leaves_body(name) && body_ != nullptr) {
    body_->dead = true;
    return;
  }
  if (reads_variables(name))
    for (Body* b = body_; b != nullptr; b = b->outer) b->opaque = true;
  if (name == "template" || name == "epp" || name == "file") return check_template_call(name, arguments);
  if (name == "inline_template") return check_inline_template(at, arguments);
  if (name == "inline_epp") return check_inline_epp(arguments);
  if (name == "get" || name == "dig" || name == "fact") return check_fact_call(name, arguments);
  if (std::find(std::begin(declaring), std::end(declaring), name) == std::end(declaring)) return;
  note_created(name, arguments);
  if (name.ends_with("packages") || arguments.empty()) return;
  const auto type = literal_text(arguments[0]);
  if (!type || arguments[0]->kind == NodeKind::Variable) return;
  std::string_view plain = without_leading_colons(*type);
  while (plain.starts_with("@")) plain.remove_prefix(1);
  if (plain == "class") return;
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  check_resource_type(*arguments[0], intern(plain), define, native);
  if (name != "create_resources" || arguments.size() < 2) return;
  check_created(*arguments[1], define, native, ascii_lower(plain));
  if (define != nullptr && !type->starts_with("@"))
    if (const Symbol around = class_around()) define_places_.emplace(lower_symbol(plain).id, around.id);
  if (arguments.size() < 3 || arguments[2]->kind != NodeKind::HashLiteral || (define == nullptr && native == nullptr)) return;
  std::vector<AttributeOp> defaults;
  for (const KeyedEntry& e : arguments[2]->as<HashLiteral>().entries)
    if (const auto key = literal_text(e.key); key && e.key->kind != NodeKind::Variable)
      defaults.push_back({AttributeOpKind::Set, intern(*key), e.value, e.key->offset, e.key->length});
  check_operations({defaults.data(), static_cast<uint32_t>(defaults.size())}, define, native,
                   define != nullptr ? "defined type" : "resource type", ascii_lower(plain));
}

/// break() ends a loop, so it needs a block; next() and return() leave a block or a body, of which the top scope and a node are none.
void Walker::check_leaving(const Node& at, std::string_view function) {
  const Body* b = body_;
  bool block = false;
  for (; b != nullptr && b->kind == Body::Kind::Lambda; b = b->outer) block = true;
  if (b == nullptr || b->kind == Body::Kind::Template) return;
  const bool body = b->kind != Body::Kind::Top && b->kind != Body::Kind::Node;
  if (function == "break" ? block : body || (function == "next" && block)) return;
  report(CheckCode::misplaced_leaving, at, fmt::format("{}() is called where there is nothing that it could leave", function),
         function == "break" ? "It ends the block of a function like each." : "It leaves a block, a class, a defined type or a function.");
}

/// Arguments that are of the right type and still make the call fail.
void Walker::check_arguments_by_meaning(const Node& at, std::string_view function, Arguments arguments) {
  if (unfolds(arguments)) return;
  if (function == "sprintf") return check_format(at, arguments);
  if (function == "fqdn_rand" && !arguments.empty()) {
    const StaticValue v = static_value(arguments[0]);
    if (v.known && ((v.value.is_int() && v.value.i < 1) || (v.value.is_string() && !numeric_text(v.value.str()))))
      report(CheckCode::argument_type, *arguments[0], "fqdn_rand() takes a positive number: how many values there are");
    return;
  }
  if (function == "lookup") {
    if (arguments.size() >= 3) check_merge(arguments[2]);
    const bool none = arguments.size() == 4 && arguments[3]->kind == NodeKind::Literal && arguments[3]->as<Literal>().value.is_undef();
    if (std::string why; arguments.size() == 4 && !none && rejects(program_.type_of(*arguments[1], *source_), arguments[3], why))
      report(CheckCode::argument_type, *arguments[3], fmt::format("The default of the lookup {}", why),
             "The lookup fails where no data has the key.", Severity::Warning);
    for (const Node* argument : arguments)
      if (argument->kind == NodeKind::HashLiteral)
        for (const KeyedEntry& e : argument->as<HashLiteral>().entries)
          if (argument == arguments.back() && arguments.size() <= 2 && literal_text(e.key) == "merge") check_merge(e.value);
    return;
  }
  if (function == "create_resources" && arguments.size() >= 2) {
    const StaticValue v = static_value(arguments[1]);
    if ((v.kinds & (kinds::hash | kinds::undef | kinds::sensitive | kinds::other)) == 0)
      report(CheckCode::argument_type, *arguments[1], "The second argument of 'create_resources' must be a Hash of titles");
    if (arguments.size() > 2)
      if (const KindSet kinds = static_value(arguments[2]).kinds; (kinds & (kinds::hash | kinds::undef | kinds::other)) == 0)
        report(CheckCode::argument_type, *arguments[2], "The third argument of 'create_resources' must be a Hash of attributes");
  }
}

/// The strategy of a lookup: a name, or a hash that has it.
void Walker::check_merge(const Node* strategy) {
  static const std::vector<std::string_view> known = {"first", "unique", "hash", "deep"};
  if (strategy->kind == NodeKind::HashLiteral) {
    for (const KeyedEntry& e : strategy->as<HashLiteral>().entries)
      if (literal_text(e.key) == "strategy") check_merge(e.value);
    return;
  }
  const auto text = literal_text(strategy);
  if (!text || std::find(known.begin(), known.end(), *text) != known.end()) return;
  const std::string similar = did_you_mean(*text, known);
  report(CheckCode::argument_type, *strategy, fmt::format("'{}' is no strategy of a lookup", *text),
         similar.empty() ? "It is first, unique, hash or deep." : similar);
}

/// A format takes as many arguments as it has directives; %d and its like take numbers.
void Walker::check_format(const Node& at, Arguments arguments) {
  if (arguments.empty()) return;
  const auto format = literal_text(arguments[0]);
  if (!format) return;
  size_t needed = 0;
  std::vector<std::pair<size_t, char>> directives;
  for (size_t i = 0; i + 1 < format->size(); ++i) {
    if ((*format)[i] != '%') continue;
    size_t k = i + 1;
    for (; k < format->size() && std::string_view(" #+-0123456789.*").find((*format)[k]) != std::string_view::npos; ++k)
      if ((*format)[k] == '*') ++needed;
    if (k >= format->size()) break;
    const char c = (*format)[k];
    i = k;
    if (c == '%' || c == '\n') continue;
    if (std::string_view("sdiufgGeExXobBcpaA").find(c) == std::string_view::npos) return; // names, positions
    directives.emplace_back(++needed, c);
  }
  if (arguments.size() - 1 < needed)
    return report(CheckCode::argument_count, at,
                  fmt::format("The format '{}' needs {}, got {}", *format,
                              arguments_text(static_cast<uint32_t>(needed), static_cast<uint32_t>(needed)), arguments.size() - 1));
  for (const auto& [index, c] : directives) {
    if (std::string_view("diufgGeExXobB").find(c) == std::string_view::npos) continue;
    const auto text = literal_text(arguments[index]);
    if (text && !numeric_text(*text))
      report(CheckCode::argument_type, *arguments[index], fmt::format("%{} takes a number, not '{}'", c, *text));
  }
}

/// Deferred names a function that the agent calls.
void Walker::check_deferred(Arguments arguments) {
  if (arguments.empty() || arguments[0]->kind != NodeKind::Literal) return;
  const auto text = literal_text(arguments[0]);
  if (!text || text->empty() || text->starts_with('$')) return;
  const std::string_view name = without_leading_colons(*text);
  const Callee& c = callee(intern(name));
  if (c.own == nullptr && !c.broken && c.builtin == nullptr && !c.elsewhere) {
    check_function_name(*arguments[0], name, false);
    return;
  }
  if (arguments.size() != 2 || arguments[1]->kind != NodeKind::ListLiteral || c.special) return;
  const Seq<Node*>& given = arguments[1]->as<ListLiteral>().elements;
  check_call(*arguments[0], intern(name), {given.data, given.size}, nullptr, false);
}

} // namespace pupc::compiler
