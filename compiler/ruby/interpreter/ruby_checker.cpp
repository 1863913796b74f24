// The static check: finds everything in a tree that the interpreter does not know, before it evaluates anything.
#include "compiler/ruby/interpreter/ruby_checker.h"

#include "compiler/ruby/interpreter/library.h"
#include "compiler/ruby/syntax/ruby_parser.h"
#include "compiler/ruby/values/method_names.h"
#include "compiler/ruby/values/ruby_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
bool is_harmless_library(std::string_view name) {
  static constexpr std::string_view harmless[] = {"set",
                                                  "erb",
                                                  "json",
                                                  "yaml",
                                                  "ipaddr",
                                                  "uri",
                                                  "time",
                                                  "date",
                                                  "shellwords",
                                                  "digest",
                                                  "base64",
                                                  "rubygems",
                                                  "puppet",
                                                  "digest/md5",
                                                  "digest/sha1",
                                                  "openssl",
                                                  "securerandom",
                                                  "tempfile",
                                                  "fileutils",
                                                  "pathname",
                                                  "bigdecimal",
                                                  "strscan",
                                                  "net/http",
                                                  "open3",
                                                  "cgi",
                                                  "zlib",
                                                  "English",
                                                  "socket",
                                                  "etc",
                                                  "open-uri",
                                                  "tmpdir",
                                                  "ostruct",
                                                  "puppet/parser/functions",
                                                  "benchmark",
                                                  "timeout",
                                                  "psych",
                                                  "json/ext",
                                                  "net/https",
                                                  "openssl/digest",
                                                  "digest/sha2",
                                                  "puppet/util/package",
                                                  "puppet/util",
                                                  "puppet/util/network_device",
                                                  "puppet/error",
                                                  "yaml/store",
                                                  "puppet/util/errors",
                                                  "forwardable",
                                                  "tsort",
                                                  "singleton",
                                                  "observer",
                                                  "delegate",
                                                  "logger",
                                                  "stringio",
                                                  "bigdecimal/util",
                                                  "pp",
                                                  "securerandom",
                                                  "ipaddr",
                                                  "resolv",
                                                  "rexml/document",
                                                  "csv",
                                                  "facter",
                                                  "English",
                                                  "weakref",
                                                  "monitor",
                                                  "puppet/parser/scope",
                                                  "puppet/pops",
                                                  "puppet/functions",
                                                  "puppet/loaders"};
  return std::ranges::find(harmless, name) != std::end(harmless);
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
    case NodeType::AssignInstance:
    case NodeType::TargetInstance:
      if (classes_ == 0 && program_.self == Self::Scope && !program_.set_first.contains(node->text))
        return problem(*node, "an instance variable");
      program_.keeps_state |= classes_ == 0 && program_.self == Self::Function && !program_.set_first.contains(node->text);
      break;
    case NodeType::Class:
    case NodeType::SingletonClass:
      constants_.emplace(node->text);
      ++classes_;
      for (const Node* kid : node->kids) check(kid);
      --classes_;
      return;
    case NodeType::AssignConstant: constants_.emplace(node->text); break;
    case NodeType::AssignIndex: program_.changes_texts = true; break;
    case NodeType::Call:
      program_.changes_texts = program_.changes_texts || changes_text(node->text);
      check_call(*node);
      break;
    case NodeType::Constant: {
      RubyClass c = RubyClass::Object;
      if (!knows_constant(node->text) && !find_class(node->text, c) && !functions_.has_constant(node->text))
        doubt(*node, fmt::format("constant {}", node->text));
      break;
    }
    case NodeType::Defined: {
      const Node* of = only_statement(node->kids[0]);
      bool element = of->type == NodeType::Call && of->kids[0] != nullptr && of->method == MethodId::Index;
      if (element) check(of);
      return;
    }
    case NodeType::BlockPass: {
      const Node& name = *node->kids[0];
      program_.changes_texts = program_.changes_texts || changes_text(name.text);
      if (name.type == NodeType::Symbol && name.kids.empty() && !knows_method(name.text))
        doubt(*node, fmt::format("method '{}'", name.text));
      if (name.type != NodeType::Symbol) check(&name);
      return;
    }
    case NodeType::PatternHash:
      if (node->kids[0] != nullptr) check(node->kids[0]);
      for (size_t i = 2; i < node->kids.size(); ++i) check(node->kids[i]);
      return;
    case NodeType::OpAssign:
      if (node->text != "||" && node->text != "&&" && node->method == MethodId::unknown)
        problem(*node, fmt::format("operator {}=", node->text));
      break;
    case NodeType::If:
    case NodeType::While:
    case NodeType::Not: check_condition(node->kids[0]); break;
    default: break;
    }
    for (const Node* kid : node->kids) check(kid);
    check(node->block);
  }

  std::set<const Node*> doubts() { return std::move(doubts_); }

private:
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
      if (!node->kids.empty()) check_condition(node->kids.back());
      break;
    case NodeType::And:
    case NodeType::Or:
      for (const Node* kid : node->kids) check_condition(kid);
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
    if (node != nullptr && node->type == NodeType::Call && node->kids[0] == nullptr && node->text == "closure_scope") return true;
    return node != nullptr && node->type == NodeType::Call && node->kids[0] == nullptr && node->text == "scope";
  }

  /// The text of a literal argument; null when it is something else.
  static const std::string_view* literal(const Node& call, size_t i) {
    if (i >= call.kids.size()) return nullptr;
    const Node& node = *call.kids[i];
    return (node.type == NodeType::String || node.type == NodeType::Symbol) && node.kids.empty() ? &node.text : nullptr;
  }

  void check_call(const Node& call) {
    const Node* receiver = call.kids[0];
    program_.changes_compile = program_.changes_compile || functions_.changes(call.text);
    program_.effects = program_.effects || program_.changes_compile;
    if (receiver == nullptr || receiver->type == NodeType::Self) return check_function(call);
    if (is_scope(receiver)) return check_scope_call(call);
    if (receiver->type == NodeType::Constant && (knows_library_call(receiver->text, call.text) || constants_.contains(receiver->text)))
      return;
    if (receiver->type == NodeType::Constant && receiver->text == "File") {
      static constexpr std::string_view known[] = {"join",  "basename",   "dirname",   "extname", "exist?",
                                                   "file?", "directory?", "readable?", "symlink?"};
      if (std::find(std::begin(known), std::end(known), call.text) == std::end(known)) doubt(call, fmt::format("File.{}", call.text));
      return;
    }
    if (receiver->type == NodeType::Constant && (call.text == "hexdigest" || call.text == "base64digest") &&
        receiver->text.starts_with("Digest::"))
      return check(receiver);
    if (receiver->type == NodeType::Constant && receiver->text == "Puppet" && (find_log_level(call.text) || call.text == "version")) return;
    if (receiver->type == NodeType::Constant && check_library_call(call, receiver->text)) return;
    if (receiver->type == NodeType::Constant && receiver->text == "JSON" &&
        (call.text == "generate" || (call.text == "pretty_generate" && call.kids.size() == 3) ||
         ((call.text == "pretty_generate" || call.text == "parse") && call.kids.size() == 2 && call.block == nullptr)))
      return;
    if (receiver->type == NodeType::Constant && receiver->text == "Shellwords" && (call.text == "escape" || call.text == "shellescape"))
      return;
    if (receiver->type == NodeType::Constant && functions_.has_constant(receiver->text)) return;
    if (receiver->type == NodeType::Constant) {
      static constexpr std::string_view known[] = {"new", "escape", "quote", "[]", "name", "==", "!=", "===", "to_s", "inspect"};
      if (std::find(std::begin(known), std::end(known), call.text) == std::end(known))
        doubt(call, fmt::format("{}.{}", receiver->text, call.text));
      return;
    }
    // Such a call often stands in a branch for a kind of value that never occurs.
    if (!knows_method(call.text) && !(program_.self == Self::Function && is_context_method(call.text)) && !functions_.has_method(call.text))
      doubt(call, fmt::format("method '{}'", call.text));
  }

  bool knows_method(std::string_view name) const {
    return program_.defines_classes || find_method(name) != MethodId::unknown || library_knows(name);
  }

  bool knows_constant(std::string_view name) const {
    const std::string_view first = name.substr(0, name.find("::"));
    return constants_.contains(first) || library_file_of(first).has_value() || library_file_of(name).has_value();
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
  bool check_library_call(const Node& call, std::string_view library) {
    const bool one = call.kids.size() == 2 && call.block == nullptr;
    if (library == "Base64" && one && call.text.find("code64") != std::string::npos) return true;
    if (library.starts_with("Digest::") && call.text == "digest") return true;
    if (library == "PSON" && call.text == "load") { // Puppet 8 has no PSON, so nothing reaches this call
      doubt(call, "PSON");
      return true;
    }
    if (library == "Puppet::Parser::Functions" && call.text == "function") return true;
    if (library == "YAML" || library == "Psych" || library == "Puppet::Pops::Lookup::HieraConfig") return true;
    return (library == "CGI" && one && call.text == "escape") || (library == "Puppet::Util::Package" && call.text == "versioncmp");
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

  void check_function(const Node& call) {
    if (program_.methods.contains(call.text)) return;
    if (program_.self == Self::Function) {
      if (call.method == MethodId::m_closure_scope) return;
      if (call.text == "call_function") return check_scope_call(call);
    }
    if (program_.self == Self::Scope && (call.text == "lookupvar" || call.text == "call_function" || call.text == "setvar" ||
                                         call.text == "[]" || call.text.starts_with("function_")))
      return check_scope_call(call);
    if (program_.self == Self::Template && call.text == "__FILE__") return; // a text has none, which is seen when it runs
    if (program_.self == Self::Template && call.method == MethodId::m_gettext) return problem(call, "function '_'");
    if (classes_ > 0 && call.method == MethodId::m_instance_variables) return;
    if (program_.self != Self::Template && (call.method == MethodId::m_scope || call.method == MethodId::m_file ||
                                            call.method == MethodId::m_has_variable_p || call.method == MethodId::m_instance_variables))
      return problem(call, fmt::format("name '{}'", call.text));
    if (!is_function_only(call.method) && (library_method("Kernel", call.text, false) || program_.defines_classes)) return;
    if (!is_function_only(call.method)) {
      if (program_.self == Self::Scope && functions_.has_method(call.text)) return;
      return doubt(call, fmt::format("{} '{}'", call.parenthesised ? "function" : "name", call.text)); // a template may have defined it
    }
    if (call.method == MethodId::m_require) {
      // These libraries only add what the interpreter has anyway, or methods that it does not know: loading them makes no difference.
      const std::string_view* library = literal(call, 1);
      if (library != nullptr && is_harmless_library(*library)) return;
      program_.changes_texts = true; // what the file defines may
      doubt(call, "require");
    }
  }

  void check_scope_call(const Node& call) {
    static constexpr std::string_view known[] = {"[]", "lookupvar", "include?", "nil?", "!", "==", "!=", "setvar", "to_hash", "[]="};
    const bool passes_block = call.block != nullptr && call.block->type == NodeType::BlockPass && program_.self == Self::Function;
    if (call.block != nullptr && !passes_block) return problem(call, fmt::format("scope.{} with a block", call.text));
    if (std::find(std::begin(known), std::end(known), call.text) != std::end(known)) return;
    if (call.text == "call_function") {
      const std::string_view* name = literal(call, 1);
      if (name != nullptr) return check_use(call, *name, false);
      program_.effects = true; // who knows
      return;
    }
    if (call.text.starts_with("function_")) { return check_use(call, call.text.substr(9), true); }
    if (functions_.has_method(call.text)) return;
    problem(call, fmt::format("scope.{}", call.text));
  }

  void check_use(const Node& call, std::string_view name, bool old_api) {
    const FunctionUse use = functions_.use_of(name, old_api);
    if (use == FunctionUse::No) problem(call, fmt::format("the function {}", name));
    program_.effects |= use == FunctionUse::Effects || (program_.self != Self::Template && name.ends_with("template"));
  }

  RubyScript& program_;
  const CallableFunctions& functions_;
  int classes_ = 0; // around the node
  std::set<const Node*> doubts_;
  std::set<std::string, std::less<>> constants_; // constants that the code defines
};

} // namespace

/// Notes the calls whose result is that of the whole body, and marks each `return` that ends the body anyway: it need not be thrown.
static void find_last_calls(Node* node, std::set<const Node*>& out) {
  if (node == nullptr) return;
  switch (node->type) {
  case NodeType::Sequence:
    if (!node->kids.empty()) find_last_calls(node->kids.back(), out);
    break;
  case NodeType::Return:
    node->flag = true;
    find_last_calls(node->kids[0], out);
    break;
  case NodeType::If:
    find_last_calls(node->kids[1], out);
    find_last_calls(node->kids[2], out);
    break;
  case NodeType::Case:
    for (size_t i = 1; i < node->kids.size(); ++i) find_last_calls(node->kids[i], out);
    break;
  case NodeType::When: find_last_calls(node->kids.back(), out); break;
  case NodeType::Call: out.insert(node); break;
  default: break;
  }
}

/// Marks each node of the kind (Next, Return) that has nothing but statements between it and the body that it ends.
static void mark_ends(Node* node, NodeType kind) {
  if (node == nullptr) return;
  const bool plain = node->type == NodeType::Sequence ||
                     (node->type == NodeType::Begin && node->kids[1] == nullptr && node->kids[2] == nullptr);
  if (node->type == kind) {
    node->a = 1;
    if (kind == NodeType::Return) mark_ends(node->kids[0], kind);
  }
  if (node->type == NodeType::Call && kind == NodeType::Return) node->a = 1;
  if (plain)
    for (Node* kid : node->kids) mark_ends(kid, kind);
  switch (node->type) {
  case NodeType::If:
    mark_ends(node->kids[1], kind);
    mark_ends(node->kids[2], kind);
    break;
  case NodeType::And:
  case NodeType::Or: mark_ends(node->kids[1], kind); break;
  case NodeType::Case:
    for (size_t i = 1; i < node->kids.size(); ++i) mark_ends(node->kids[i], kind);
    break;
  case NodeType::When:
  case NodeType::Rescue: mark_ends(node->kids.back(), kind); break;
  default: break;
  }
}

static bool holds_return(const Node* node) {
  if (node == nullptr) return false;
  if (node->type == NodeType::Return || holds_return(node->block)) return true;
  return std::any_of(node->kids.begin(), node->kids.end(), holds_return);
}

namespace {

enum class Reach : uint8_t { Doubt, Leaves, GoesOn };

/// What comes first in the code that is sure to run.
Reach reach(const Node* node, const std::set<const Node*>& doubts) {
  if (node == nullptr) return Reach::GoesOn;
  auto all = [&](size_t first = 0) {
    for (size_t i = first; i < node->kids.size(); ++i)
      if (Reach of_kid = reach(node->kids[i], doubts); of_kid != Reach::GoesOn) return of_kid;
    return Reach::GoesOn;
  };
  auto then = [&](Reach first) { return first == Reach::GoesOn && holds_return(node) ? Reach::Leaves : first; };
  switch (node->type) {
  case NodeType::Sequence:
  case NodeType::Array:
  case NodeType::Hash:
  case NodeType::String:
  case NodeType::Not:
  case NodeType::AssignLocal:
  case NodeType::AssignInstance: return all();
  case NodeType::Return: return reach(node->kids[0], doubts) == Reach::Doubt ? Reach::Doubt : Reach::Leaves;
  case NodeType::And:
  case NodeType::Or:
  case NodeType::If:
  case NodeType::Case:
  case NodeType::Begin: return then(reach(node->kids[0], doubts));
  case NodeType::Call: {
    const Reach arguments = node->flag ? reach(node->kids[0], doubts) : all();
    if (arguments != Reach::GoesOn) return arguments;
    if (!node->flag && doubts.contains(node)) return Reach::Doubt;
    return node->kids[0] == nullptr && (node->text == "raise" || node->text == "fail") ? Reach::Leaves : then(Reach::GoesOn);
  }
  default: return then(Reach::GoesOn);
  }
}

} // namespace

bool comes_to(const Node* body, const std::set<const Node*>& doubts) { return reach(body, doubts) == Reach::Doubt; }

/// Marks a call of Puppet.debug and the like whose message is composed of what stands there, of local variables and of nothing else.
static void mark_log(Node& call) {
  if (call.kids.size() != 2 || call.block != nullptr || call.kids[0] == nullptr || call.kids[1]->type != NodeType::String) return;
  const Node& of = *call.kids[0];
  if (of.type != NodeType::Constant || !of.kids.empty() || of.text != "Puppet") return;
  const std::optional<LogLevel> level = find_log_level(call.text);
  const bool plain = std::all_of(call.kids[1]->kids.begin(), call.kids[1]->kids.end(), [](const Node* part) {
    part = only_statement(part);
    return part->type == NodeType::Local || (part->type == NodeType::String && part->kids.empty());
  });
  if (level && plain) call.slots = 1 + static_cast<int32_t>(*level);
}

void number_methods(RubyScript& program) {
  for (Node* node = program.newest; node != nullptr; node = node->made_before) {
    bool named = node->type == NodeType::Call || node->type == NodeType::OpAssign;
    bool puppet_function = node->type == NodeType::Call && node->text.starts_with("function_");
    node->method = !named ? MethodId::unknown : puppet_function ? MethodId::m_function : find_method(node->text);
    if (node->type == NodeType::Call) mark_log(*node);
    program.defines_classes |= node->type == NodeType::Class || node->type == NodeType::SingletonClass ||
                               (node->type == NodeType::Def && node->block != nullptr);
    if (node->type == NodeType::Block && !node->kids.empty()) mark_ends(node->kids.back(), NodeType::Next);
    if (node->type == NodeType::Def) mark_ends(node->kids.back(), NodeType::Return);
    if (node->type == NodeType::While) mark_ends(node->kids[1], NodeType::Next);
    if (node->type == NodeType::For) mark_ends(node->kids[2], NodeType::Next);
  }
}

std::set<const Node*> check_program(RubyScript& program, const CallableFunctions& functions) {
  number_methods(program);
  if (program.self == Self::Function)
    for (Node* kid : program.body->kids)
      if (kid->type == NodeType::Def) find_last_calls(kid->kids.back(), program.last_calls);
  if (program.self == Self::Scope) find_last_calls(program.body->kids[0]->block->kids.back(), program.last_calls);
  Checker checker(program, functions);
  if (program.self != Self::Scope) {
    checker.check(program.body);
    return checker.doubts();
  }
  const Node& declaration = *program.body->kids[0];
  mark_ends(declaration.block->kids.back(), NodeType::Return);
  for (const Node* kid : declaration.block->kids) checker.check(kid);
  for (size_t i = 1; i < program.body->kids.size(); ++i) checker.check(program.body->kids[i]); // what the file requires
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
