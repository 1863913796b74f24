// Finds values that a resource type's own rules refuse. Puppet's types check them when they apply a catalog.
#include "compiler/analysis/walker.h"

#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/resources/cron_fields.h"
#include "compiler/analysis/ruby/ruby_type_values.h"
#include "compiler/analysis/rule_table.h"

#include "catalog/schema/attribute_values.h"
#include "catalog/schema/native_types.h"
#include "catalog/schema/resource_type.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_absolute(std::string_view path) {
  if (path.starts_with('/')) return true;
  return path.size() > 2 && std::isalpha(static_cast<unsigned char>(path[0])) && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
             ? true
             : path.starts_with("\\\\");
}

constexpr std::string_view loglevel_words = "debug info notice warning err alert emerg crit verbose", noop_words = "true false";

/// Attributes (type, attribute) that accept only absolute paths.
struct PathRule {
  std::string_view type, attribute;
};
constexpr PathRule path_rules[] = {{"file", "path"}, {"exec", "cwd"}, {"tidy", "path"}, {"user", "home"}};

/// How to write a number of octal digits that must be a text.
std::string octal_advice(const SourceFile& source, const Node& number) {
  if (number.kind != NodeKind::Literal) return "Write its octal digits in quotes.";
  return fmt::format("Write '{:0>4}'.", source.text().substr(number.offset, number.length));
}

bool is_undef(const AttributeOp& op) { return op.value->kind == NodeKind::Literal && op.value->as<Literal>().value.is_undef(); }

} // namespace

void Walker::refuse(const Node& at, std::string_view attribute, std::string_view type, std::string why, std::string suggestion) {
  report(CheckCode::attribute_value, at, fmt::format("{} of {} {}", attribute, type, why), std::move(suggestion));
}

/// A value of which only some words are allowed. Booleans may be strings.
void Walker::check_words(const AttributeOp& op, std::string_view type, const AllowedValues& allowed) {
  const StaticValue v = static_value(op.value);
  if (!v.known) return check_words_of_type(op, type, allowed, v.kinds);
  if (v.value.is_undef()) return;
  if (!v.value.is_string() && !v.value.is_bool() && !v.value.is_int()) {
    if (v.value.is_list() || v.value.is_hash()) refuse(*op.value, op.name.str(), type, "takes one value");
    return;
  }
  const std::string text = scalar_text(v.value).value_or("");
  if (allowed.allows(text)) return;
  std::string known = fmt::format("{}", fmt::join(allowed.names(), ", "));
  if (known.size() > 120) known.clear();
  std::string similar = did_you_mean(text, allowed.names());
  if (similar.empty() && !known.empty()) similar = fmt::format("It is one of {}.", known);
  if (similar.empty() && allowed.names().empty()) {
    const std::string said = allowed.refusal("", "");
    similar = said.substr(std::min(said.find("Valid values match"), said.size()));
  }
  refuse(*op.value, op.name.str(), type, fmt::format("cannot be '{}'", text), similar);
}

/// The same of a value of which only the type is known: what a parameter takes and the attribute refuses.
void Walker::check_words_of_type(const AttributeOp& op, std::string_view type, const AllowedValues& allowed, KindSet kinds) {
  const bool truth = kinds == kinds::boolean && !allowed.allows("true") && !allowed.allows("false");
  if (truth || kinds == kinds::list || kinds == kinds::hash)
    return refuse(*op.value, op.name.str(), type, truth ? "cannot be a Boolean" : "takes one value");
  const Node* value = unparenthesised(op.value);
  std::set<std::string> texts;
  if (value->kind == NodeKind::Variable && (is_narrowed(value->as<Variable>()) || is_compared(value->as<Variable>()))) return;
  if (value->kind != NodeKind::Variable || !enum_texts(declared_type(value), texts)) return;
  for (const std::string& text : texts)
    if (std::ranges::none_of(allowed.names(), [&](std::string_view name) { return ascii_lower(name) == text; }) && !allowed.allows(text))
      return report(CheckCode::attribute_value, *op.value,
                    fmt::format("{} of {} cannot be '{}', as it may be by its type", op.name.str(), type, text), {}, Severity::Warning);
}

/// The values that the type's own rules refuse, in a resource as in defaults and overrides.
void Walker::check_values(const Seq<AttributeOp>& operations, const ResourceTypeInfo& type, Symbol name) {
  static const AllowedValues noops(noop_words);
  static const RuleTable<NativeAttribute> natives(all_native_attributes(), [](const NativeAttribute& rule) { return rule.name; });
  static const RuleTable<PathRule> paths(path_rules, [](const PathRule& rule) { return rule.attribute; });
  const bool other = foreign(type, name);
  for (const AttributeOp& op : operations) {
    if (op.kind == AttributeOpKind::Splat) continue;
    for (Node* choice : choices_of(op.value)) {
      AttributeOp one = op;
      one.value = choice;
      check_values({&one, 1}, type, name);
    }
    if (op.name == sym::loglevel) check_loglevel(op, name.str());
    if (op.name == sym::noop) check_words(op, name.str(), noops);
    if (op.name == sym::provider) check_provider(op, type, name);
    if (other) {
      check_listed_values(op, type, name);
      continue;
    }
    check_attribute_pattern(op, name);
    if (const NativeAttribute* native = natives.find(name, op.name))
      if (const AllowedValues& allowed = allowed_values(*native); allowed.closed()) check_words(op, name.str(), allowed);
    if (paths.find(name, op.name) != nullptr)
      if (auto text = literal_text(op.value); text && !text->empty() && !is_absolute(*text) && !(name == sym::user && *text == "absent"))
        refuse(*op.value, op.name.str(), name.str(), fmt::format("must be an absolute path, not '{}'", *text));
  }
  if (other) return;
  const ResourceBody body{nullptr, operations, 0, 0};
  if (name == sym::file) return check_file_values(body);
  if (name == sym::exec) return check_exec_values(body);
  if (name == sym::cron) return check_cron(body);
  if (name == sym::package) return check_package(body);
  if (name == sym::user || name == sym::group) return check_account(body, name.str());
}

/// The literals that a selector chooses from, here or where the variable is set: each of them must do by itself.
std::vector<Node*> Walker::choices_of(const Node* value) {
  std::vector<Node*> out;
  const auto add = [&](Node* n) {
    if (n->kind == NodeKind::Literal || n->kind == NodeKind::Name) out.push_back(n);
  };
  const auto add_all = [&](const Node* n) {
    n = unparenthesised(n);
    if (n->kind == NodeKind::Selector)
      for (const SelectorEntry& entry : n->as<Selector>().entries) add(entry.value);
  };
  value = unparenthesised(value);
  add_all(value);
  if (value->kind == NodeKind::Variable) {
    for (const ClassValue& given : class_values(value->as<Variable>())) out.push_back(constant_node(*value, given.value));
    for (const Value& given : elements_given(value->as<Variable>())) out.push_back(constant_node(*value, given));
    if (const Parameter* p = body_ != nullptr ? body_->parameter_of(value->as<Variable>()) : nullptr;
        p != nullptr && p->default_value != nullptr && body_->kind != Body::Kind::Lambda && value->as<Variable>().up == 0 &&
        body_->branches == 0 && !body_->may_leave && !is_narrowed(value->as<Variable>()))
      add(p->default_value);
  }
  if (value->kind != NodeKind::Variable || value->as<Variable>().form() != Variable::Form::Simple || body_ == nullptr) return out;
  const int slot = body_->slot_of(value->as<Variable>());
  if (slot < 0) return out;
  const auto assignments = assignments_of(*body_, static_cast<size_t>(slot));
  for (const auto& [_, assignment] : assignments) {
    if (assignment->left->kind != NodeKind::Variable) continue;
    add_all(assignment->right);
    if (assignments.size() > 1) add(assignment->right); // in branches
  }
  return out;
}

/// A value that the type's own file does not list.
void Walker::check_listed_values(const AttributeOp& op, const ResourceTypeInfo& type, Symbol name) {
  if (type.origin() != TypeOrigin::Module || type.file().empty() || op.kind == AttributeOpKind::Splat) return;
  const auto [at, fresh] = listed_values_.try_emplace(name);
  if (fresh)
    if (const auto file = ruby_.files().read(std::string(type.file())); file && file->text.size() < (1u << 20))
      at->second = read_ruby_type_values(file, name.str());
  const auto words = at->second.find(op.name.str());
  if (words == at->second.end()) return;
  const StaticValue v = static_value(op.value);
  if (!v.known || v.value.is_list()) return; // the type may take several
  if (words->second == integer_values) {
    if (const auto text = scalar_text(v.value); text && !AllowedValues(integer_values).allows(*text))
      refuse(*op.value, op.name.str(), name.str(), fmt::format("is made an Integer, and '{}' is none", *text));
    return;
  }
  check_words(op, name.str(), AllowedValues(words->second));
}

/// The log level of a resource of any type, or of a class.
void Walker::check_loglevel(const AttributeOp& op, std::string_view name) {
  static const AllowedValues loglevels(loglevel_words);
  if (op.kind != AttributeOpKind::Splat) check_words(op, name.empty() ? "class" : name, loglevels);
}

/// Whether a type is not one of Puppet's own. Types of these that a module brings (cron_core and the like) keep their rules.
bool Walker::foreign(const ResourceTypeInfo& type, Symbol name) {
  if (type.origin() != TypeOrigin::Module && type.origin() != TypeOrigin::Generated) return false;
  return !is_own_type(name);
}

/// Whether Puppet or its packages bring a type of this name.
bool Walker::is_own_type(Symbol name) {
  return own_types_.ask(name, [&] {
    const auto names = native_type_names();
    return std::find(names.begin(), names.end(), name.str()) != names.end();
  });
}

void Walker::check_rules(const ResourceBody& body, const ResourceTypeInfo& type, Symbol name) {
  check_values(body.operations, type, name);
  const bool other = foreign(type, name);
  // Commands may be the same; packages of several providers have one name.
  const bool unique = !other && name != sym::exec && (name != sym::package || attribute_of(body, sym::provider) == nullptr);
  if (const AttributeOp* op = attribute_of(body, type.namevar())) note_alias(name, op->value, unique ? body.title : nullptr);
  if (!other && type.namevar() != sym::name)
    if (const AttributeOp* op = attribute_of(body, sym::name)) note_alias(name, op->value);
  if (const AttributeOp* op = attribute_of(body, sym::alias)) note_alias(name, op->value, other ? nullptr : body.title);
  if (const AttributeOp* stage = attribute_of(body, sym::stage))
    report_at(CheckCode::no_such_parameter, stage->offset, stage->length, "Only classes have a stage");
  if (other) return;
  check_type_rules(body, name);
  if (name == sym::file) return check_file(body);
  if (name == sym::exec) return check_exec(body);
}

/// The mode and the state of a file.
void Walker::check_file_values(const ResourceBody& body) {
  if (const AttributeOp* mode = attribute_of(body, sym::mode)) {
    const StaticValue v = static_value(mode->value);
    if (v.known && v.value.is_int())
      refuse(*mode->value, "mode", "file", "must be a String, not a number", octal_advice(*source_, *mode->value));
    else if (v.known && v.value.is_string() && !v.value.str().empty() && !catalog::valid_file_mode(v.value.str()))
      refuse(*mode->value, "mode", "file", fmt::format("cannot be '{}'", v.value.str()),
             "It is octal digits or symbolic, such as 'u=rw,g=r'.");
    else if (!v.known && v.kinds != 0 && (v.kinds & ~(kinds::number | kinds::boolean)) == 0)
      refuse(*mode->value, "mode", "file", "must be a String");
  }
  const AttributeOp* ensure = attribute_of(body, sym::ensure);
  const auto state = ensure != nullptr ? literal_text(ensure->value) : std::nullopt;
  if (state && state->empty()) refuse(*ensure->value, "ensure", "file", "cannot be ''", "It is file, directory, link, present or absent.");
  static const Symbol validate_cmd = intern("validate_cmd");
  if (const AttributeOp* op = attribute_of(body, validate_cmd))
    if (const StaticValue v = static_value(op->value); v.known && !v.value.is_string() && !v.value.is_undef())
      refuse(*op->value, "validate_cmd", "file", "is a command: a String");
  if (state && !state->empty() && state->find_first_of("/\\") == std::string::npos &&
      !one_of("absent|false|file|present|directory|link|true", *state)) {
    static const std::vector<std::string_view> words = {"absent", "file", "present", "directory", "link"};
    std::string similar = did_you_mean(*state, words);
    // With a target that one counts.
    if (similar.empty() && one_of("symlink|softlink|hardlink", *state) && attribute_of(body, sym::target) == nullptr)
      similar = "Write link, and the path as target.";
    if (similar.empty() && one_of("dir|folder|exists|created|yes|no|installed|running|enabled|purged|latest", *state))
      similar = "It is file, directory, link, present or absent.";
    if (!similar.empty())
      refuse(*ensure->value, "ensure", "file", fmt::format("'{}' would be the target of a symbolic link", *state), similar);
  }
}

/// A digest of another algorithm than `checksum` names, or none.
void Walker::check_checksum_value(const ResourceBody& body) {
  static const Symbol checksum = intern("checksum"), checksum_value = intern("checksum_value");
  const AttributeOp *digest = attribute_of(body, checksum_value), *kind = attribute_of(body, checksum);
  if (digest == nullptr || has_splat(body.operations)) return;
  const StaticValue v = static_value(digest->value), k = kind == nullptr ? StaticValue{} : static_value(kind->value);
  if (!v.known || !v.value.is_string() || (kind != nullptr && (!k.known || !k.value.is_string()))) return;
  const std::string_view text = v.value.str(), fits = catalog::algorithm_of_digest(text);
  std::string suggestion = !fits.empty() ? fmt::format("Write checksum => {}.", fits) : "";
  if (text.starts_with('{') && text.find('}') != std::string_view::npos)
    suggestion = fmt::format("Write it without {}.", text.substr(0, text.find('}') + 1));
  if (kind != nullptr) {
    if (!catalog::valid_checksum(k.value.str(), text))
      refuse(*digest->value, checksum_value.str(), "file", fmt::format("is no digest of {}: '{}'", k.value.str(), text),
             std::move(suggestion));
  } else if (fits.empty()) {
    refuse(*digest->value, checksum_value.str(), "file", fmt::format("is no digest: '{}'", text), std::move(suggestion));
  } else if (fits != "sha256") { // unless the agents' setting digest_algorithm names it
    missing_.push_back({"file",
                        source_,
                        digest->value->offset,
                        digest->value->length,
                        fmt::format("checksum_value of file is a digest of {}, and checksum is sha256 where it is not given", fits),
                        {checksum},
                        CheckCode::attribute_value,
                        std::move(suggestion),
                        Severity::Warning});
  }
}

/// Attributes of a file that do nothing without another one.
void Walker::check_idle_file_attributes(const ResourceBody& body) {
  if (has_splat(body.operations)) return;
  const auto told = [&](const AttributeOp& op, std::string message, std::string suggestion) {
    report_at(CheckCode::conflicting_attributes, op.offset, op.length, std::move(message), std::move(suggestion), Severity::Warning);
  };
  const auto is_true = [&](const AttributeOp* op) {
    const StaticValue v = op != nullptr ? static_value(op->value) : StaticValue{};
    return v.known && scalar_text(v.value) == "true";
  };
  static const Symbol purge = intern("purge"), validate_cmd = intern("validate_cmd"), replacement = intern("validate_replacement");
  if (const AttributeOp* op = attribute_of(body, purge);
      is_true(op) && attribute_of(body, sym::recurse) == nullptr && !defaulted(sym::file, sym::recurse))
    told(*op, "'purge' does nothing without 'recurse'", "Write recurse => true.");
  const AttributeOp *target = attribute_of(body, sym::target), *ensure = attribute_of(body, sym::ensure);
  if (const auto state = target != nullptr && ensure != nullptr ? literal_text(ensure->value) : std::nullopt;
      state && one_of("file|directory", *state) && (static_value(target->value).kinds & kinds::undef) == 0)
    told(*target, fmt::format("'target' does nothing where ensure is {}", *state), "Write ensure => link.");
  if (const AttributeOp* op = attribute_of(body, validate_cmd); op != nullptr && attribute_of(body, replacement) == nullptr)
    if (const auto command = literal_text(op->value); command && !command->empty() && command->find('%') == std::string_view::npos)
      told(*op, "The command of 'validate_cmd' does not name the file: % stands for it", {});
}

void Walker::check_file(const ResourceBody& body) {
  check_checksum_value(body);
  check_idle_file_attributes(body);
  const AttributeOp* path = attribute_of(body, sym::path);
  if (path == nullptr) {
    const bool splat = has_splat(body.operations);
    for (const Node* title : listed_elements(body.title))
      if (auto text = literal_text(title); text && !splat && !text->empty() && !is_absolute(*text))
        refuse(*title, "path", "file", fmt::format("must be an absolute path, not '{}'", *text));
  }
  const AttributeOp* first = nullptr;
  for (Symbol key : {sym::content, sym::source, sym::target}) {
    const AttributeOp* op = attribute_of(body, key);
    if (op == nullptr || is_undef(*op)) continue;
    const StaticValue v = static_value(op->value);
    if ((v.kinds & kinds::undef) != 0) continue; // undef means: not given
    if (first != nullptr)
      report_at(CheckCode::conflicting_attributes, op->offset, op->length,
                fmt::format("A file takes either '{}' or '{}'", first->name.str(), op->name.str()));
    else
      first = op;
  }
  // The kind of the other value is unknown: report the pair only if it calls a function that never returns undef.
  if (first == nullptr || attribute_of(body, sym::source) == nullptr || attribute_of(body, sym::content) == nullptr) {
  } else if (first->name == sym::content || first->name == sym::source) {
    const AttributeOp* other = attribute_of(body, first->name == sym::content ? sym::source : sym::content);
    if (!is_undef(*other) && static_value(other->value).kinds == kinds::any && other->value->kind != NodeKind::Variable &&
        (other->value->kind == NodeKind::Call || other->value->kind == NodeKind::MethodCall)) {
      const Node* callee = other->value->kind == NodeKind::Call ? other->value->as<Call>().functor : other->value->as<MethodCall>().name;
      if (callee->kind == NodeKind::Name && (callee->as<Name>().name.str() == "file" || callee->as<Name>().name.str() == "to_json"))
        report_at(CheckCode::conflicting_attributes, other->offset, other->length, "A file takes either 'content' or 'source'");
    }
  }
  if (const AttributeOp* source = attribute_of(body, sym::source)) {
    check_source(source->value);
    if (auto text = literal_text(source->value); text && !text->empty() && !is_absolute(*text) && text->find(':') == std::string::npos)
      refuse(*source->value, "source", "file", fmt::format("must be an absolute path or a URI, not '{}'", *text));
    else if (text && text->starts_with("puppet://modules/"))
      refuse(*source->value, "source", "file", "names a server 'modules'", "Write puppet:///modules/ with three slashes.");
    else if (text && *text == "puppet:///")
      refuse(*source->value, "source", "file", "names no mount", "Write puppet:///modules/MODULE/FILE.");
  }
  if (const AttributeOp* op = attribute_of(body, sym::source_permissions))
    if (auto text = literal_text(op->value); text && text->starts_with("use"))
      report(CheckCode::deprecated_attribute, *op->value, fmt::format("source_permissions => {} is deprecated", *text),
             "Set owner, group and mode.");
  const AttributeOp* ensure = attribute_of(body, sym::ensure);
  const auto state = ensure != nullptr ? literal_text(ensure->value) : std::nullopt;
  if (state && *state == "directory" && first != nullptr && first->name == sym::content)
    report_at(CheckCode::conflicting_attributes, first->offset, first->length, "A directory has no content", {}, Severity::Warning);
  if (state && *state == "link" && attribute_of(body, sym::target) == nullptr &&
      std::none_of(body.operations.begin(), body.operations.end(), [](const AttributeOp& op) { return op.kind == AttributeOpKind::Splat; }))
    report(CheckCode::conflicting_attributes, *ensure->value, "A link needs a target");
}

void Walker::check_exec(const ResourceBody& body) {
  bool guarded = false, splat = false;
  for (const AttributeOp& op : body.operations) {
    splat = splat || op.kind == AttributeOpKind::Splat;
    const std::string_view a = op.name.str();
    guarded = guarded || a == "creates" || a == "unless" || a == "onlyif" || a == "refreshonly" || a == "only_if" || a == "not_if";
  }
  if (splat) return;
  note_refresh_only(body);
  if (!guarded)
    report(CheckCode::unguarded_exec, *body.title, "This command runs at each run of the agent",
           "Give creates, unless, onlyif or refreshonly.");
  const AttributeOp* command = attribute_of(body, sym::command);
  const AttributeOp* provider = attribute_of(body, sym::provider);
  if (attribute_of(body, sym::path) == nullptr && provider == nullptr) {
    static const Symbol commands[] = {sym::command, intern("unless"), intern("onlyif")};
    for (Symbol key : commands) {
      const AttributeOp* op = attribute_of(body, key);
      const Node* value = op != nullptr ? op->value : key == sym::command && command == nullptr ? body.title : nullptr;
      if (value == nullptr) continue;
      if (key == sym::command && value->kind == NodeKind::ListLiteral && value->as<ListLiteral>().elements.size > 0)
        value = value->as<ListLiteral>().elements[0]; // the program, before its arguments
      auto text = text_pattern(value);
      if (!text || text->empty() || (*text)[0] == '\1') continue;
      if (text->front() == '\'' || text->front() == '"' || is_absolute(*text)) continue;
      relative_commands_.push_back({source_, value->offset, value->length, text->substr(0, text->find_first_of(" \1"))});
    }
  }
}

void Walker::check_exec_values(const ResourceBody& body) {
  for (const AttributeOp& op : body.operations) {
    const StaticValue v = static_value(op.value);
    if (op.kind == AttributeOpKind::Splat) continue;
    const std::string_view a = op.name.str();
    if (a == "command" && op.value->kind == NodeKind::ListLiteral && op.value->as<ListLiteral>().elements.size == 1)
      if (const auto text = literal_text(op.value->as<ListLiteral>().elements[0]);
          text && text->find(' ') != std::string_view::npos && text->find('\\') == std::string_view::npos && text->find(':') != 1)
        refuse(*op.value, a, "exec", fmt::format("is the program '{}' here, blanks and all", *text),
               "Each argument is an element of its own.");
    if (a == "environment" && v.kinds == kinds::hash) refuse(*op.value, a, "exec", "cannot be a Hash", "It is texts such as 'NAME=value'.");
    if (!v.known) continue;
    const std::string text = scalar_text(v.value).value_or("");
    if (a == "umask" && v.value.is_string() && (text.size() > 4 || text.find_first_not_of("01234567") != std::string::npos))
      refuse(*op.value, a, "exec", fmt::format("cannot be '{}'", text));
    else if (a == "umask" && v.value.is_int())
      refuse(*op.value, a, "exec", "must be a String, not a number", octal_advice(*source_, *op.value));
    else if (a == "returns" && v.value.is_string() && !digits(text))
      refuse(*op.value, a, "exec", fmt::format("must be a number, not '{}'", text));
  }
}

/// An hour without a minute, in a whole body: check_cron sees parts of bodies, too.
void Walker::check_cron_minute(const ResourceBody& body) {
  static const Symbol hour = intern("hour"), minute = intern("minute");
  const AttributeOp *each = attribute_of(body, hour), *state = attribute_of(body, sym::ensure);
  const auto at = each != nullptr ? scalar_text(static_value(each->value).value) : std::nullopt;
  if (at && static_value(each->value).known && *at != "*" && *at != "absent" && attribute_of(body, minute) == nullptr &&
      !has_splat(body.operations) && !defaulted(sym::cron, minute) && (state == nullptr || literal_text(state->value) != "absent"))
    report_at(CheckCode::attribute_value, each->offset, each->length, "Without 'minute' the job runs in each minute of the hour",
              "Write minute => 0.", Severity::Warning);
}

void Walker::check_cron(const ResourceBody& body) {
  for (const AttributeOp& op : body.operations) {
    const auto* field = std::find_if(std::begin(cron_fields), std::end(cron_fields),
                                     [&](const CronField& f) { return f.attribute == op.name.str(); });
    if (field == std::end(cron_fields)) continue;
    for (const Node* value : listed_elements(op.value)) {
      const StaticValue v = static_value(value);
      if (!v.known || (!v.value.is_string() && !v.value.is_int())) continue;
      if (const std::string text = *scalar_text(v.value); !cron_value(*field, text))
        refuse(*value, field->attribute, "cron", fmt::format("cannot be '{}'", text),
               fmt::format("It is {} to {}, *, or */N.", field->least, field->most));
    }
  }
  const AttributeOp* special = attribute_of(body, sym::special);
  if (special != nullptr && !is_undef(*special) && static_value(special->value).known)
    for (const CronField& field : cron_fields)
      if (const AttributeOp* op = attribute_of(body, find_symbol(field.attribute));
          op != nullptr && static_value(op->value).known && !is_undef(*op))
        report_at(CheckCode::conflicting_attributes, op->offset, op->length,
                  fmt::format("A cron job takes either 'special' or '{}'", field.attribute));
}

/// The age of a tidy, and what it matches.
void Walker::check_tidy(const ResourceBody& body) {
  static const Symbol age = intern("age");
  const AttributeOp *oldest = attribute_of(body, age), *matches = attribute_of(body, sym::matches),
                    *recurse = attribute_of(body, sym::recurse);
  const auto text = oldest == nullptr ? std::nullopt : literal_text(oldest->value);
  const size_t unit = text ? text->find_first_not_of("0123456789") : std::string::npos;
  if (unit != std::string::npos && unit > 0 &&
      ascii_lower(text->substr(unit, 2)) == "mo") // Puppet reads the first letter of the unit alone
    report(CheckCode::attribute_value, *oldest->value, fmt::format("age of tidy counts minutes in '{}'", *text),
           "Write the number of weeks: w.", Severity::Warning);
  if (matches == nullptr || has_splat(body.operations) || (static_value(matches->value).kinds & kinds::undef) != 0) return;
  const StaticValue deep = recurse == nullptr ? StaticValue{} : static_value(recurse->value);
  if (recurse == nullptr || (deep.known && (!deep.value.truthy() || scalar_text(deep.value) == "0" || scalar_text(deep.value) == "false")))
    report_at(CheckCode::conflicting_attributes, matches->offset, matches->length, "tidy takes 'matches' only with 'recurse'");
}

void Walker::check_package(const ResourceBody& body) {
  const AttributeOp* ensure = attribute_of(body, sym::ensure);
  if (ensure == nullptr) return;
  const StaticValue v = static_value(ensure->value);
  if (!v.known) return;
  if (v.value.is_bool())
    return refuse(*ensure->value, "ensure", "package", "cannot be a Boolean", "It is present, installed, latest, absent or a version.");
  if (!v.value.is_string()) return;
  const std::string_view text = v.value.str();
  if (text.empty())
    return refuse(*ensure->value, "ensure", "package", "cannot be ''", "It is present, installed, latest, absent or a version.");
  static const std::vector<std::string_view> words = {"present", "absent", "purged", "disabled", "installed", "latest", "held"};
  if (std::find(words.begin(), words.end(), text) != words.end() || text.find_first_of("0123456789.*<>=") != std::string_view::npos) return;
  std::string similar = did_you_mean(text, words);
  if (similar.empty() && one_of("running|stopped|enabled|mounted|file|directory|link|true|yes|on", text))
    similar = "It is present, installed, latest, absent or a version.";
  if (!similar.empty()) refuse(*ensure->value, "ensure", "package", fmt::format("'{}' would be a version", text), std::move(similar));
}

void Walker::check_account(const ResourceBody& body, std::string_view type) {
  for (const AttributeOp& op : body.operations) {
    const StaticValue v = static_value(op.value);
    if (!v.known || op.kind == AttributeOpKind::Splat || !v.value.is_string()) continue;
    const std::string_view a = op.name.str(), text = v.value.str();
    if (type == "user" && a == "groups" && text.find(',') != std::string_view::npos)
      refuse(*op.value, a, type, "takes several groups as an Array, not as a list with commas");
    else if (a == "gid" && type == "group" && !digits(text) && !text.starts_with('-') && text != "absent" && !text.empty())
      refuse(*op.value, a, type, fmt::format("must be a number, not '{}'", text));
    else if (type == "user" && a == "uid" && !digits(text) && text != "absent" && !text.starts_with('-') && !text.empty())
      refuse(*op.value, a, type, fmt::format("must be a number, not '{}'", text));
    else if (type == "user" && a == "expiry" && text != "absent" &&
             !(text.size() == 10 && text[4] == '-' && text[7] == '-' && digits(text.substr(0, 4)) && digits(text.substr(5, 2)) &&
               digits(text.substr(8))))
      refuse(*op.value, a, type, fmt::format("must be YYYY-MM-DD or absent, not '{}'", text));
    else if (type == "user" && a == "password" && text.find(':') != std::string_view::npos)
      refuse(*op.value, a, type, "cannot hold a colon");
  }
  if (type == "user")
    for (const AttributeOp& op : body.operations) {
      if (op.name != sym::password) continue;
      const StaticValue v = static_value(op.value);
      if (v.known && v.value.is_string() && !v.value.str().starts_with('$') && !v.value.str().starts_with('!') &&
          !v.value.str().starts_with('*') && !v.value.str().empty() && v.value.str() != "absent" && v.value.str() != "x")
        report(CheckCode::clear_text_secret, *op.value, "The password is in clear text",
               "It is the hash that /etc/shadow holds, and belongs into encrypted data.");
    }
}

/// Reports relative commands: errors where all that might set a path for every exec is here and does not, else hints.
void Walker::report_relative_commands() {
  if (exec_path_everywhere_) return;
  std::optional<Severity> severity = Severity::Hint;
  if (program_.whole() && !program_.in_broken("exec") && !exec_path_)
    severity = program_.missing().empty() ? std::nullopt : std::optional(Severity::Warning);
  for (const RelativeCommand& c : relative_commands_)
    if (!exec_paths_.contains(c.source))
      findings_.add(CheckCode::relative_command, *c.source, c.offset, c.length,
                    fmt::format("The command '{}' is neither an absolute path nor is a path given to look for it", c.word),
                    "Give path => ['/bin', '/usr/bin'].", severity);
}

} // namespace pupc::compiler
