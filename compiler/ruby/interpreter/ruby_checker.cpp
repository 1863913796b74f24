// The static check: finds everything in a tree that the interpreter does not know, before it evaluates anything.
#include "compiler/ruby/interpreter/ruby_checker.h"

#include "compiler/ruby/interpreter/library.h"
#include "compiler/ruby/syntax/ruby_children.h"
#include "compiler/ruby/syntax/ruby_parser.h"
#include "compiler/ruby/values/method_names.h"
#include "compiler/ruby/values/ruby_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
bool is_harmless_library(std::string_view name) {
  static constexpr std::string_view harmless =
      " English base64 benchmark bigdecimal bigdecimal/util cgi csv date delegate digest digest/md5 digest/sha1 digest/sha2 "
      "erb etc facter fileutils forwardable ipaddr json json/ext logger monitor net/http net/https observer open-uri open3 "
      "openssl openssl/digest ostruct pathname pp psych puppet puppet/error puppet/functions puppet/loaders "
      "puppet/parser/functions puppet/parser/scope puppet/pops puppet/util puppet/util/errors puppet/util/json "
      "puppet/util/network_device puppet/util/package puppet_x resolv rexml/document rubygems securerandom set shellwords "
      "singleton socket stringio strscan tempfile time timeout tmpdir tsort uri weakref yaml yaml/store zlib ";
  return harmless.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

namespace {

class Checker {
public:
  Checker(RubyScript& program, const CallableFunctions& functions) : program_(program), functions_(functions) {}

  void check(const Node* node) {
    if (node == nullptr) return;
    if (native_stack_low()) return problem(*node, "nesting that is too deep");
    switch (node->type) {
    case NodeType::Instance:
    case NodeType::TargetInstance:
      if (classes_ == 0 && program_.self != Self::Template && !program_.set_first.contains(node->as<NamedVariable>().name)) {
        if (program_.self == Self::Scope)
          problem(*node, "an instance variable");
        else
          program_.keeps_state = true;
      }
      return;
    case NodeType::Class: constants_.emplace(node->as<Class>().name); [[fallthrough]];
    case NodeType::SingletonClass:
      ++classes_;
      check_children(*node);
      --classes_;
      return;
    case NodeType::TargetConstant: constants_.emplace(node->as<NamedVariable>().name); return;
    case NodeType::Assign:
      program_.changes_texts = program_.changes_texts || node->as<Assign>().target->type == NodeType::TargetIndex;
      break;
    case NodeType::Call:
      program_.changes_texts = program_.changes_texts || changes_text(node->as<Call>().name);
      check_call(node->as<Call>());
      break;
    case NodeType::Constant: {
      const std::string_view name = node->as<Constant>().name;
      RubyClass c = RubyClass::Object;
      if (!knows_constant(name) && !find_class(name, c) && !functions_.has_constant(name)) doubt(*node, fmt::format("constant {}", name));
      break;
    }
    case NodeType::Defined: {
      const auto* call = only_statement(node->as<Unary>().operand)->to<Call>();
      if (call != nullptr && call->receiver != nullptr && call->method == MethodId::Index) check(call);
      return;
    }
    case NodeType::BlockPass: {
      const Node& of = *node->as<Unary>().operand;
      if (of.type != NodeType::Symbol) return check(&of);
      const std::string_view* name = literal_text(of);
      if (name == nullptr) return;
      program_.changes_texts = program_.changes_texts || changes_text(*name);
      if (!knows_method(*name)) doubt(*node, fmt::format("method '{}'", *name));
      return;
    }
    case NodeType::OpAssign: {
      const auto& assign = node->as<OpAssign>();
      if (assign.op != "||" && assign.op != "&&" && assign.method == MethodId::unknown)
        problem(*node, fmt::format("operator {}=", assign.op));
      break;
    }
    case NodeType::If: check_condition(node->as<If>().condition); break;
    case NodeType::While: check_condition(node->as<While>().condition); break;
    case NodeType::Not: check_condition(node->as<Unary>().operand); break;
    default: break;
    }
    check_children(*node);
  }

  std::set<const Node*> doubts() { return std::move(doubts_); }

private:
  void check_children(const Node& node) {
    for_each_child(node, [&](const Node* child) { check(child); });
  }

  /// Notes what the code may never reach: it needs Ruby only if it does. Until then the interpreter has printed, logged and changed
  /// nothing.
  void doubt(const Node& at, std::string what) {
    program_.doubts.push_back(fmt::format("line {}: {}", at.line, what));
    doubts_.insert(&at);
  }
  void problem(const Node& at, std::string what) { program_.problems.push_back(fmt::format("line {}: {}", at.line, what)); }

  /// Reports a range or a regular expression that is itself a condition. There Ruby gives them another meaning: a flip-flop, or a match
  /// against the last line read.
  void check_condition(const Node* node) {
    if (node == nullptr) return;
    switch (node->type) {
    case NodeType::Range:
    case NodeType::Regex: problem(*node, "a range or regular expression as a condition"); break;
    case NodeType::Sequence:
      if (const NodeList& all = node->as<Sequence>().statements; !all.empty()) check_condition(all.back());
      break;
    case NodeType::And:
    case NodeType::Or:
      check_condition(node->as<Binary>().left);
      check_condition(node->as<Binary>().right);
      break;
    default: break;
    }
  }

  /// Whether a method of this name may change a text in place.
  static bool changes_text(std::string_view name) {
    static constexpr std::string_view known[] = {"<<",     "[]=",     "clear",   "concat", "force_encoding",
                                                 "insert", "prepend", "replace", "setbyte"};
    return (name.size() > 1 && name.ends_with('!')) || std::ranges::find(known, name) != std::end(known);
  }

  static bool is_scope(const Node* node) {
    const auto* call = node->to<Call>();
    return call != nullptr && call->receiver == nullptr && (call->name == "closure_scope" || call->name == "scope");
  }

  void check_call(const Call& call) {
    program_.changes_compile = program_.changes_compile || functions_.changes(call.name);
    program_.effects = program_.effects || program_.changes_compile;
    if (call.receiver == nullptr || call.receiver->type == NodeType::Self) return check_function(call);
    if (is_scope(call.receiver)) return check_scope_call(call);
    if (const auto* of = call.receiver->to<Constant>()) return check_constant_call(call, *of);
    // Such a call often stands in a branch for a kind of value that never occurs.
    if (!knows_method(call.name) && !(program_.self == Self::Function && is_context_method(call.name)) && !functions_.has_method(call.name))
      doubt(call, fmt::format("method '{}'", call.name));
  }

  /// Whether a call of a class's method changes files: then nobody may make it twice.
  static bool changes_files(const Call& call, std::string_view of) {
    static constexpr std::string_view changing[] = {"write", "binwrite", "chown", "chmod", "delete", "unlink", "rename", "mkdir"};
    if (of == "FileUtils") return true;
    if (of != "File" && of != "IO" && of != "Dir") return false;
    if (call.name != "open" && call.name != "new") return std::ranges::find(changing, call.name) != std::end(changing);
    const std::string_view* mode = call.arguments.size() > 1 ? literal_text(*call.arguments[1]) : nullptr;
    return call.arguments.size() > 1 && (mode == nullptr || !mode->starts_with('r') || mode->find('+') != std::string_view::npos);
  }

  void check_constant_call(const Call& call, const Constant& of) {
    program_.effects = program_.effects || changes_files(call, of.name);
    if (knows_library_call(of.name, call.name) || constants_.contains(of.name)) return;
    if (requires_ && find_class_of(of.name) == RubyClass::Other) return; // a file may bring it
    if (of.name == "File") {
      static constexpr std::string_view known[] = {"join",  "basename",   "dirname",   "extname", "exist?",
                                                   "file?", "directory?", "readable?", "symlink?"};
      if (std::ranges::find(known, call.name) == std::end(known)) doubt(call, fmt::format("File.{}", call.name));
      return;
    }
    if ((call.name == "hexdigest" || call.name == "base64digest") && of.name.starts_with("Digest::")) return check(&of);
    if (of.name == "Puppet" && (find_log_level(call.name) || call.name == "version" || call.name == "deprecation_warning")) return;
    if (check_library_call(call, of.name)) return;
    const size_t given = call.arguments.size();
    if (of.name == "JSON" && (call.name == "generate" || (call.name == "pretty_generate" && given == 2) ||
                              ((call.name == "pretty_generate" || call.name == "parse") && given == 1 && call.block == nullptr)))
      return;
    if (of.name == "Shellwords" && (call.name == "escape" || call.name == "shellescape")) return;
    if (functions_.has_constant(of.name)) return;
    static constexpr std::string_view known[] = {"new", "escape", "quote", "[]", "name", "==", "!=", "===", "to_s", "inspect"};
    if (std::ranges::find(known, call.name) == std::end(known)) doubt(call, fmt::format("{}.{}", of.name, call.name));
  }

  bool knows_method(std::string_view name) const {
    return program_.defines_classes || find_method(name) != MethodId::unknown || library_knows(name);
  }

  bool knows_constant(std::string_view name) const {
    const std::string_view first = name.substr(0, name.find("::"));
    return requires_ || constants_.contains(first) || library_file_of(first).has_value() || library_file_of(name).has_value();
  }

  static bool knows_library_call(std::string_view of, std::string_view method) {
    return (library_file_of(of.substr(0, of.find("::"))).has_value() && find_class_of(of) == RubyClass::Other) ||
           library_method(of, method, true).has_value() || (of.find("::") != std::string_view::npos && library_file_of(of).has_value());
  }

  static RubyClass find_class_of(std::string_view name) {
    RubyClass c = RubyClass::Other;
    return find_class(name, c) ? c : RubyClass::Other;
  }

  /// Methods of the lookup context that Hiera's functions get.
  static bool is_context_method(std::string_view name) {
    static constexpr std::string_view known[] = {"not_found",        "interpolate",      "explain",      "cache",
                                                 "cache_all",        "cache_has_key",    "cached_value", "cached_entries",
                                                 "cached_file_data", "environment_name", "module_name"};
    return std::ranges::find(known, name) != std::end(known);
  }

  /// True for calls of library functions that the interpreter knows.
  bool check_library_call(const Call& call, std::string_view library) {
    const bool one = call.arguments.size() == 1 && call.block == nullptr;
    if (library == "Base64" && one && call.name.find("code64") != std::string::npos) return true;
    if (library.starts_with("Digest::") && call.name == "digest") return true;
    if (library == "PSON" && call.name == "load") { // Puppet 8 has no PSON, so nothing reaches this call
      doubt(call, "PSON");
      return true;
    }
    if (library == "Puppet::Parser::Functions" && call.name == "function") return true;
    if (library == "YAML" || library == "Psych" || library == "Puppet::Pops::Lookup::HieraConfig") return true;
    return (library == "CGI" && one && call.name == "escape") || (library == "Puppet::Util::Package" && call.name == "versioncmp");
  }

  static bool is_function_only(MethodId id) {
    switch (id) {
    case MethodId::k_Array:
    case MethodId::k_String:
    case MethodId::k_Integer:
    case MethodId::k_Float:
    case MethodId::k_Hash:
    case MethodId::m_raise:
    case MethodId::m_fail:
    case MethodId::m_gettext:
    case MethodId::m_lambda:
    case MethodId::m_proc:
    case MethodId::m_block_given_p:
    case MethodId::m_instance_variables:
    case MethodId::m_require:
    case MethodId::m_format:
    case MethodId::m_sprintf:
    case MethodId::m_loop:
    case MethodId::m_catch:
    case MethodId::m_throw:
    case MethodId::m_method:
    case MethodId::m_send:
    case MethodId::m_public_send:
    case MethodId::m_private_send:
    case MethodId::m_freeze:
    case MethodId::m_respond_to_p:
    case MethodId::m_rand:
    case MethodId::m_scope:
    case MethodId::m_file:
    case MethodId::m_has_variable_p: return true;
    default: return false;
    }
  }

  void check_function(const Call& call) {
    if (classes_ == 0 && program_.self == Self::Function && (call.name == "attr_accessor" || call.name == "attr_writer"))
      program_.keeps_state = true;
    if (program_.methods.contains(call.name)) return;
    if (call.name == "`") return doubt(call, "a command");
    if (program_.self == Self::Function) {
      if (call.method == MethodId::m_closure_scope) return;
      if (call.name == "call_function") return check_scope_call(call);
    }
    if (program_.self == Self::Scope && (call.name == "lookupvar" || call.name == "call_function" || call.name == "setvar" ||
                                         call.name == "[]" || call.name.starts_with("function_")))
      return check_scope_call(call);
    if (program_.self == Self::Template && call.name == "__FILE__") return; // a text has none, which is seen when it runs
    if (program_.self == Self::Template && call.method == MethodId::m_gettext) return problem(call, "function '_'");
    if (classes_ > 0 && call.method == MethodId::m_instance_variables) return;
    if (program_.self != Self::Template && (call.method == MethodId::m_scope || call.method == MethodId::m_file ||
                                            call.method == MethodId::m_has_variable_p || call.method == MethodId::m_instance_variables))
      return problem(call, fmt::format("name '{}'", call.name));
    if (!is_function_only(call.method) && (library_method("Kernel", call.name, false) || program_.defines_classes)) return;
    if (!is_function_only(call.method)) {
      if (program_.self == Self::Scope && functions_.has_method(call.name)) return;
      return doubt(call, fmt::format("{} '{}'", call.parenthesised ? "function" : "name", call.name)); // a template may have defined it
    }
    if (call.method == MethodId::m_require) {
      // These libraries only add what the interpreter has anyway, or methods that it does not know: loading them makes no difference.
      const std::string_view* library = first_literal(call);
      if (library != nullptr && is_harmless_library(*library)) return;
      program_.changes_texts = true; // what the file defines may
      requires_ = true;
      program_.doubts.push_back(fmt::format("line {}: require", call.line)); // no more than that: the file may be one that runs here
    }
  }

  void check_scope_call(const Call& call) {
    static constexpr std::string_view known[] = {"[]", "lookupvar", "include?", "nil?", "!", "==", "!=", "setvar", "to_hash", "[]="};
    if (call.block != nullptr && call.name != "call_function") return problem(call, fmt::format("scope.{} with a block", call.name));
    if (std::find(std::begin(known), std::end(known), call.name) != std::end(known)) return;
    if (call.name == "call_function") {
      const std::string_view* name = first_literal(call);
      if (name != nullptr) return check_use(*name, false);
      program_.effects = true; // who knows
      return;
    }
    if (call.name.starts_with("function_")) { return check_use(call.name.substr(9), true); }
    if (functions_.has_method(call.name)) return;
    problem(call, fmt::format("scope.{}", call.name));
  }

  void check_use(std::string_view name, bool old_api) {
    const FunctionUse use = functions_.use_of(name, old_api);
    program_.effects |= use == FunctionUse::Effects || (program_.self != Self::Template && name.ends_with("template"));
  }

  RubyScript& program_;
  const CallableFunctions& functions_;
  int classes_ = 0;       // around the node
  bool requires_ = false; // the code so far requires a file of its own
  std::set<const Node*> doubts_;
  std::set<std::string, std::less<>> constants_; // constants that the code defines
};

} // namespace

/// Notes the calls whose result is that of the whole body, and marks each `return` that ends the body anyway: it need not be thrown.
static void find_last_calls(Node* node, std::set<const Node*>& out) {
  if (node == nullptr) return;
  switch (node->type) {
  case NodeType::Sequence:
    if (const NodeList& all = node->as<Sequence>().statements; !all.empty()) find_last_calls(all.back(), out);
    break;
  case NodeType::Return:
    node->as<Leave>().last = true;
    find_last_calls(node->as<Leave>().value, out);
    break;
  case NodeType::If:
    find_last_calls(node->as<If>().then, out);
    find_last_calls(node->as<If>().otherwise, out);
    break;
  case NodeType::Case:
    for (Node* when : node->as<Case>().branches) find_last_calls(when->as<When>().body, out);
    find_last_calls(node->as<Case>().otherwise, out);
    break;
  case NodeType::Call: out.insert(node); break;
  default: break;
  }
}

/// Marks each node of the kind (Next, Return) that has nothing but statements between it and the body that it ends.
static void mark_ends(Node* node, NodeType kind) {
  if (node == nullptr) return;
  if (node->type == kind) {
    node->as<Leave>().ends = true;
    if (kind == NodeType::Return) mark_ends(node->as<Leave>().value, kind);
  }
  switch (node->type) {
  case NodeType::Call: node->as<Call>().ends = node->as<Call>().ends || kind == NodeType::Return; break;
  case NodeType::Sequence:
    for (Node* statement : node->as<Sequence>().statements) mark_ends(statement, kind);
    break;
  case NodeType::Begin: {
    const auto& begin = node->as<Begin>();
    if (begin.otherwise != nullptr || begin.ensure != nullptr) break;
    mark_ends(begin.body, kind);
    for (Node* clause : begin.rescues) mark_ends(clause->as<Rescue>().body, kind);
    break;
  }
  case NodeType::If:
    mark_ends(node->as<If>().then, kind);
    mark_ends(node->as<If>().otherwise, kind);
    break;
  case NodeType::And:
  case NodeType::Or: mark_ends(node->as<Binary>().right, kind); break;
  case NodeType::Case:
    for (Node* when : node->as<Case>().branches) mark_ends(when->as<When>().body, kind);
    mark_ends(node->as<Case>().otherwise, kind);
    break;
  default: break;
  }
}

static bool holds_return(const Node& node) {
  bool found = node.type == NodeType::Return;
  for_each_child(node, [&](const Node* child) { found = found || holds_return(*child); });
  return found;
}

namespace {

enum class Reach : uint8_t { Doubt, Leaves, GoesOn };

/// What comes first in the code that is sure to run.
Reach reach(const Node* node, const std::set<const Node*>& doubts) {
  if (node == nullptr) return Reach::GoesOn;
  auto then = [&](Reach first) { return first == Reach::GoesOn && holds_return(*node) ? Reach::Leaves : first; };
  switch (node->type) {
  case NodeType::Sequence:
  case NodeType::Array:
  case NodeType::Hash:
  case NodeType::String:
  case NodeType::Not: {
    Reach first = Reach::GoesOn;
    for_each_child(*node, [&](const Node* child) {
      if (first == Reach::GoesOn) first = reach(child, doubts);
    });
    return first;
  }
  case NodeType::Assign: {
    const auto& assign = node->as<Assign>();
    const NodeType target = assign.target->type;
    return target == NodeType::TargetLocal || target == NodeType::TargetInstance ? reach(assign.value, doubts) : then(Reach::GoesOn);
  }
  case NodeType::Return: return reach(node->as<Leave>().value, doubts) == Reach::Doubt ? Reach::Doubt : Reach::Leaves;
  case NodeType::And:
  case NodeType::Or: return then(reach(node->as<Binary>().left, doubts));
  case NodeType::If: return then(reach(node->as<If>().condition, doubts));
  case NodeType::Case: return then(reach(node->as<Case>().subject, doubts));
  case NodeType::Begin: return then(reach(node->as<Begin>().body, doubts));
  case NodeType::Call: {
    const auto& call = node->as<Call>();
    if (const Reach receiver = reach(call.receiver, doubts); receiver != Reach::GoesOn) return receiver;
    if (call.safe) return then(Reach::GoesOn);
    for (const Node* argument : call.arguments)
      if (const Reach given = reach(argument, doubts); given != Reach::GoesOn) return given;
    if (doubts.contains(node)) return Reach::Doubt;
    return call.receiver == nullptr && (call.name == "raise" || call.name == "fail") ? Reach::Leaves : then(Reach::GoesOn);
  }
  default: return then(Reach::GoesOn);
  }
}

} // namespace

bool comes_to(const Node* body, const std::set<const Node*>& doubts) { return reach(body, doubts) == Reach::Doubt; }

/// Marks a call of Puppet.debug and the like whose message is composed of what stands there, of local variables and of nothing else.
static void mark_log(Call& call) {
  if (call.arguments.size() != 1 || call.block != nullptr || call.receiver == nullptr || call.arguments[0]->type != NodeType::String)
    return;
  const auto* of = call.receiver->to<Constant>();
  if (of == nullptr || of->in != nullptr || of->name != "Puppet") return;
  const std::optional<LogLevel> level = find_log_level(call.name);
  NodeList& parts = call.arguments[0]->as<TextLiteral>().parts;
  const bool plain = std::ranges::all_of(parts, [](const Node* part) {
    part = only_statement(part);
    return part->type == NodeType::Local || literal_string(*part) != nullptr;
  });
  if (!level || !plain) return;
  call.log = static_cast<uint8_t>(1 + static_cast<int>(*level));
  for (Node*& part : parts) part = const_cast<Node*>(only_statement(part)); // what each call has to look at
}

/// Marks a call that needs nothing but its receiver and arguments.
static void mark_plain(Call& call) {
  call.plain = call.arguments.size() <= Call::most_plain && !call.have_keywords() && call.block == nullptr && call.log == 0 && !call.safe &&
               call.name != "not_found" && (call.receiver == nullptr || call.receiver->type != NodeType::Self) &&
               std::ranges::none_of(call.arguments, [](const Node* argument) { return argument->type == NodeType::Splat; });
}

/// The version in `'2.4.0'` or `Gem::Version.new('2.4.0')`; empty for anything else. `name`: of the constant in its place, if there is one.
static std::string_view version_text(const Node& node, std::string_view& name) {
  if (const auto* constant = node.to<Constant>()) name = constant->name;
  if (const std::string_view* text = literal_string(node)) return *text;
  const auto* call = node.to<Call>();
  const auto* of = call == nullptr || call->receiver == nullptr ? nullptr : call->receiver->to<Constant>();
  const bool version = of != nullptr && of->name == "Gem::Version" && call->name == "new" && call->arguments.size() == 1;
  return version ? version_text(*call->arguments[0], name) : std::string_view();
}

/// Makes a literal of a comparison that has the same result in every Ruby that may run the code: RUBY_VERSION with a version that is too
/// old for Puppet, RUBY_PLATFORM and RUBY_ENGINE with those of Java.
static void mark_certain(Call& call) {
  if (call.name.size() > 2 || call.receiver == nullptr || call.arguments.size() != 1 || call.block != nullptr) return;
  const bool equal = call.name == "==", unequal = call.name == "!=", less = call.name == "<" || call.name == "<=";
  if (!equal && !unequal && !less && call.name != ">" && call.name != ">=") return;
  std::string_view name, other;
  version_text(*call.receiver, name);
  const std::string_view text = version_text(*call.arguments[0], other);
  const bool old = name == "RUBY_VERSION" && text.size() > 2 && text < "2.6" && text >= "1." && text[1] == '.';
  const bool java = (name == "RUBY_PLATFORM" && text == "java") || (name == "RUBY_ENGINE" && text == "jruby");
  if (!other.empty() || !(old || (java && (equal || unequal)))) return;
  call.type = equal || less ? NodeType::False : NodeType::True;
}

/// Whether something in the code keeps its variables.
static bool keeps_variables(const Node& node) {
  bool found = node.type == NodeType::Block || node.type == NodeType::Lambda || node.type == NodeType::Binding;
  for_each_child(node, [&](const Node* child) { found = found || keeps_variables(*child); });
  return found;
}

static void mark_block(Block& block) {
  mark_ends(block.body, NodeType::Next);
  block.plain = std::ranges::all_of(block.parameters, [](const Node* p) { return p->type == NodeType::TargetLocal; });
  block.outlived = !block.plain || (block.body != nullptr && keeps_variables(*block.body));
}

void number_methods(RubyScript& program) {
  for (Node* node = program.newest; node != nullptr; node = node->made_before) {
    switch (node->type) {
    case NodeType::Call: {
      auto& call = node->as<Call>();
      call.method = call.name.starts_with("function_") ? MethodId::m_function : find_method(call.name);
      mark_log(call);
      mark_plain(call);
      mark_certain(call);
      break;
    }
    case NodeType::OpAssign: node->as<OpAssign>().method = find_method(node->as<OpAssign>().op); break;
    case NodeType::Class:
    case NodeType::SingletonClass: program.defines_classes = true; break;
    case NodeType::Def:
      program.defines_classes |= node->as<Def>().of != nullptr;
      mark_ends(node->as<Def>().body, NodeType::Return);
      break;
    case NodeType::Block: mark_block(node->as<Block>()); break;
    case NodeType::While: mark_ends(node->as<While>().body, NodeType::Next); break;
    case NodeType::For: mark_ends(node->as<For>().body, NodeType::Next); break;
    default: break;
    }
  }
}

std::set<const Node*> check_program(RubyScript& program, const CallableFunctions& functions) {
  number_methods(program);
  if (program.self == Self::Function)
    for (Node* statement : program.body->statements)
      if (statement->type == NodeType::Def) find_last_calls(statement->as<Def>().body, program.last_calls);
  if (program.self == Self::Scope) {
    find_last_calls(program.function->body, program.last_calls);
    mark_ends(program.function->body, NodeType::Return);
  }
  Checker checker(program, functions);
  checker.check(program.function); // null but of the 3.x API
  checker.check(program.body);
  return checker.doubts();
}

void parse_program(RubyScript& program, RegexCache& regexes, const CallableFunctions& functions) {
  try {
    Parser(program.code, program, regexes).parse();
    check_program(program, functions);
  } catch (const Unparsable& error) { program.problems.push_back(fmt::format("line {}: {}", error.line, error.what)); }
}

std::optional<LogLevel> find_log_level(std::string_view name) {
  static constexpr LogLevel levels[] = {LogLevel::Debug, LogLevel::Info,  LogLevel::Notice, LogLevel::Warning,
                                        LogLevel::Err,   LogLevel::Alert, LogLevel::Emerg,  LogLevel::Crit};
  for (LogLevel level : levels)
    if (name_of(level) == name) return level;
  return std::nullopt;
}

} // namespace pupc::compiler::ruby
