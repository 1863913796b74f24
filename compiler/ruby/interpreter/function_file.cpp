#include "compiler/ruby/interpreter/function_file.h"

#include "catalog/base/text.h"
#include "catalog/base/utf8.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/ruby_children.h"
#include "compiler/ruby/syntax/ruby_parser.h"
#include "compiler/ruby/values/ruby_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

class FunctionReader {
public:
  FunctionReader(FunctionFile& file, std::string_view name) : file_(file), name_(name) {}

  /// Finds the only function declaration among the file's statements and makes the program from its content.
  void read() {
    const Call* declaration = nullptr;
    find(*file_.program.body, declaration);
    if (declaration == nullptr) fail(*file_.program.body, "a file without a function");
    if (file_.old_api) refuse_methods();
    file_.old_api ? read_newfunction(*declaration) : read_create_function(*declaration);
  }

private:
  [[noreturn]] static void fail(const Node& at, std::string what) { throw Unparsable{at.line, std::move(what)}; }

  /// Puppet loads no file of a 3.x function that defines a method anywhere: Ruby's side words that error.
  void refuse_methods() {
    const Node* first = nullptr;
    for (const Node* node = file_.program.newest; node != nullptr; node = node->made_before)
      if (node->type == NodeType::Def) first = node;
    if (first != nullptr) fail(*first, "a method in the file of a 3.x function");
  }

  void find(const Sequence& sequence, const Call*& declaration) {
    for (Node* node : sequence.statements) {
      if (const auto* inner = node->to<Sequence>()) { // module Puppet::Parser::Functions
        find(*inner, declaration);
        continue;
      }
      if (const auto* def = node->to<Def>(); def != nullptr && !file_.old_api) {
        // A method of Puppet's loader, which evaluates the file: no function has it. A call of it is unknown here, and Ruby words the
        // error.
        if (def->of != nullptr) fail(*node, "a method of its own around the function");
        continue;
      }
      if (node->type == NodeType::Def || node->type == NodeType::Class || assigns(*node, NodeType::TargetConstant) ||
          assigns(*node, NodeType::TargetLocal) || assigns(*node, NodeType::TargetClassVariable)) {
        around_.add(file_.program.arena, node);
        continue;
      }
      if (node->type != NodeType::Call) fail(*node, "a statement around the function");
      const auto& call = node->as<Call>();
      bool declares = call.name == (file_.old_api ? "newfunction" : "create_function");
      const std::string_view* name = first_literal(call);
      if (declares && file_.old_api && call.block != nullptr && name != nullptr && ascii_lower(*name) != name_) {
        file_.beside.push_back(ascii_lower(*name));
        continue;
      }
      if (declares && declaration == nullptr && block_of(call) != nullptr) {
        const auto* of = call.receiver != nullptr ? call.receiver->to<Constant>() : nullptr;
        std::string_view wanted = file_.old_api ? "Puppet::Parser::Functions" : "Puppet::Functions";
        if (call.receiver != nullptr ? of == nullptr || of->name != wanted : !file_.old_api) fail(*node, "a function of something else");
        declaration = &call;
      } else if (is_require(*node) && call.receiver == nullptr && call.arguments.size() == 1) {
        required_.add(file_.program.arena, node); // the checker decides whether the library matters
        const std::string_view* library = first_literal(call);
        file_.requires_files |= library == nullptr || call.name == "require_relative" || !is_harmless_library(*library);
      } else {
        fail(*node, declares ? "several functions in a file" : fmt::format("'{}' around the function", call.name));
      }
    }
  }

  static bool assigns(const Node& node, NodeType target) {
    return node.type == NodeType::Assign && node.as<Assign>().target->type == target;
  }
  static bool is_require(const Node& node) {
    const auto* call = node.to<Call>();
    return call != nullptr && (call->name == "require" || call->name == "require_relative");
  }
  /// The block of a call; null when it has none, or `&block`.
  static const Block* block_of(const Call& call) { return call.block != nullptr ? call.block->to<Block>() : nullptr; }

  void check_name(const Call& call) {
    const std::string_view* name = first_literal(call);
    if (name == nullptr || ascii_lower(*name) != name_) fail(call, "a function of another name");
  }

  void read_newfunction(const Call& call) {
    check_name(call);
    const Block& block = *block_of(call);
    if (call.arguments.size() > 2 || block.parameters.size() != 1 ||
        (block.parameters[0]->type != NodeType::TargetLocal && block.parameters[0]->type != NodeType::TargetSplat))
      fail(call, "newfunction");
    file_.returns_value = false;
    if (call.arguments.size() == 2) {
      const Node& options = *call.arguments[1];
      if (options.type != NodeType::Hash) fail(options, "options of newfunction");
      for (const auto& [key, value] : options.as<HashLiteral>().pairs) {
        const std::string_view* option = literal_text(*key);
        if (option == nullptr || value == nullptr) fail(options, "options of newfunction");
        if (*option == "type") {
          const std::string_view* type = literal_text(*value);
          if (type == nullptr || (*type != "rvalue" && *type != "statement")) fail(*value, "the type of newfunction");
          file_.returns_value = *type == "rvalue";
        } else if (*option == "arity") {
          if (value->type != NodeType::Integer) fail(*value, "the arity of newfunction");
          file_.arity = value->as<Number>().integer;
        } else if (*option != "doc") {
          fail(*value, "options of newfunction");
        }
      }
    }
    file_.program.function = &block;
    file_.program.body = make_body();
  }

  /// A body with what stands around the function.
  Sequence* make_body() {
    auto* body = file_.program.make<Sequence>(NodeType::Sequence, 1, required_);
    body->statements.add(file_.program.arena, around_);
    return body;
  }

  void read_create_function(const Call& call) {
    check_name(call);
    const auto* of = call.arguments.size() == 2 ? call.arguments[1]->to<Constant>() : nullptr;
    const bool internal = of != nullptr && (of->name == "Puppet::Functions::InternalFunction" || of->name == "InternalFunction");
    const Block& block = *block_of(call);
    if ((call.arguments.size() != 1 && !internal) || !block.parameters.empty()) fail(call, "a function with a class of its own");
    file_.program.body = make_body();
    NodeList& kept = file_.program.body->statements;
    NodeList others; // that run when the methods are defined
    if (block.body->type != NodeType::Sequence) fail(*block.body, "the body of create_function");
    bool scope_first = false;
    for (Node* node : block.body->as<Sequence>().statements) {
      if (const auto* def = node->to<Def>(); def != nullptr && puts_scope_first(*def)) {
        scope_first = true;
        continue;
      }
      if (const auto* def = node->to<Def>(); def != nullptr && (def->name == "call" || def->name == "initialize" ||
                                                                def->name == "call_function" || def->name == "method_missing"))
        fail(*node, fmt::format("a method '{}'", def->name));
      if (node->type == NodeType::Def || node->type == NodeType::Class || assigns(*node, NodeType::TargetConstant) ||
          assigns(*node, NodeType::TargetClassVariable) || (is_require(*node) && node->as<Call>().receiver == nullptr)) {
        kept.add(file_.program.arena, node);
        continue;
      }
      const auto* statement = node->to<Call>();
      if (statement != nullptr && statement->receiver == nullptr && statement->name == "private" &&
          (statement->arguments.empty() || first_literal(*statement) != nullptr))
        continue; // dispatches call with `send`, which ignores privacy
      if (runs_as_class_body(*node)) {
        others.add(file_.program.arena, node);
        continue;
      }
      if (statement == nullptr || statement->receiver != nullptr) fail(*node, "a statement in create_function");
      if (statement->name == "dispatch" || statement->name == "argument_mismatch")
        read_dispatch(*statement);
      else if (statement->name == "local_types")
        read_types(*statement);
      else
        fail(*node, fmt::format("'{}' in create_function", statement->name));
    }
    if (!others.empty()) kept.add(file_.program.arena, call_of_block(block, others));
    if (scope_first) take_scopes(block);
    if (file_.dispatches.empty()) add_default_dispatch();
    for (const DispatchText& d : file_.dispatches)
      if (others.empty() && !file_.program.methods.contains(d.method)) fail(*block.body, fmt::format("no method '{}'", d.method));
    find_set_first();
  }

  /// Whether a method is the `call` by which functions got the scope before Puppet had scope_param: as Puppet's own, with the scope in
  /// front of the arguments.
  bool puts_scope_first(const Def& def) const {
    std::string code;
    for (const char ch : std::string_view(file_.program.code).substr(def.code_begin, def.code_end - def.code_begin))
      if (ch != ' ' && ch != '\n') code += ch;
    return code == "call(scope,*args)manipulated_args=[scope]+argsself.class.dispatcher.dispatch(self,scope,manipulated_args)end";
  }

  /// The first parameter of each dispatch is the scope, which no caller gives.
  void take_scopes(const Block& block) {
    file_.scope_first = true;
    for (DispatchText& d : file_.dispatches) {
      if (d.parameters.empty() || d.parameters[0].type != "Any" || d.least == 0 || d.with_scope) fail(*block.body, "a method 'call'");
      d.with_scope = true;
    }
  }

  /// Whether a statement in the block of create_function is code that defines methods or prepares for it, and declares nothing.
  static bool runs_as_class_body(const Node& node) {
    if (assigns(node, NodeType::TargetLocal)) return !declares(&node);
    switch (node.type) {
    case NodeType::AssignMany:
    case NodeType::If: return !declares(&node);
    case NodeType::Call: {
      static constexpr std::string_view of_class[] = {"define_method", "alias_method", "attr_reader", "attr_accessor", "attr_writer",
                                                      "include",       "protected",    "public",      "private",       "private_constant"};
      const auto& call = node.as<Call>();
      if (call.receiver == nullptr && std::ranges::find(of_class, call.name) == std::end(of_class)) return false;
      return !declares(&node);
    }
    default: return false;
    }
  }

  /// Whether it holds a part of a function's declaration.
  static bool declares(const Node* node) {
    if (node == nullptr) return false;
    if (const auto* call = node->to<Call>(); call != nullptr && call->receiver == nullptr &&
                                             (call->name == "dispatch" || call->name == "argument_mismatch" || call->name == "local_types"))
      return true;
    bool found = false;
    for_each_child(*node, [&](const Node* child) { found = found || declares(child); });
    return found;
  }

  /// A call of the block with only some of its statements, which have its variables.
  Call* call_of_block(const Block& block, const NodeList& statements) {
    auto* own = file_.program.make<Block>(NodeType::Block, block.line);
    own->body = file_.program.make<Sequence>(NodeType::Sequence, block.line, statements);
    own->slots = block.slots;
    auto* call = file_.program.make<Call>(NodeType::Call, block.line);
    call->receiver = file_.program.make<Lambda>(NodeType::Lambda, block.line, own);
    call->name = "call";
    return call;
  }

  /// Finds the instance variables that the method of every dispatch sets to a literal or a parameter before it does anything else.
  void find_set_first() {
    const NodeList& statements = file_.program.body->statements;
    file_.repeats = !file_.program.defines_classes && std::ranges::all_of(statements, [](const Node* node) {
      if (const auto* def = node->to<Def>()) return def->of == nullptr;
      return assigns(*node, NodeType::TargetConstant) ? literal_value(*node->as<Assign>().value) : is_require(*node);
    });
    bool first = true;
    for (const DispatchText& d : file_.dispatches) {
      std::set<std::string, std::less<>> own;
      for (const Node* node : statements) {
        const auto* def = node->to<Def>();
        if (def == nullptr || def->name != d.method) continue;
        own.clear(); // Ruby keeps the last definition of a name
        if (def->body->type != NodeType::Sequence) continue;
        for (const Node* statement : def->body->as<Sequence>().statements) {
          if (!assigns(*statement, NodeType::TargetInstance) || !plain(*statement->as<Assign>().value)) break;
          own.emplace(statement->as<Assign>().target->as<NamedVariable>().name);
        }
      }
      if (first) file_.program.set_first = own;
      std::erase_if(file_.program.set_first, [&](const std::string& name) { return !own.contains(name); });
      first = false;
    }
  }

  /// Whether the node's value is the same whenever it is evaluated.
  static bool literal_value(const Node& node) {
    switch (node.type) {
    case NodeType::Nil:
    case NodeType::True:
    case NodeType::False:
    case NodeType::Integer:
    case NodeType::Float: return true;
    case NodeType::String:
    case NodeType::Symbol: return node.as<TextLiteral>().parts.empty();
    case NodeType::Regex: return node.as<RegexLiteral>().parts.empty();
    case NodeType::Array: return std::ranges::all_of(node.as<ListLiteral>().items, [](const Node* item) { return literal_value(*item); });
    case NodeType::Hash:
      return std::ranges::all_of(node.as<HashLiteral>().pairs, [](const HashLiteral::Pair& pair) {
        return pair.value != nullptr && literal_value(*pair.key) && literal_value(*pair.value);
      });
    case NodeType::Call: {
      const auto& call = node.as<Call>();
      return call.name == "freeze" && call.arguments.empty() && call.receiver != nullptr && call.block == nullptr &&
             literal_value(*call.receiver);
    }
    default: return false;
    }
  }

  static bool plain(const Node& node) {
    switch (node.type) {
    case NodeType::Local: // a parameter
    case NodeType::Nil:
    case NodeType::True:
    case NodeType::False:
    case NodeType::Integer: return true;
    case NodeType::String: return node.as<TextLiteral>().parts.empty();
    case NodeType::Array: return node.as<ListLiteral>().items.empty();
    case NodeType::Hash: return node.as<HashLiteral>().pairs.empty();
    default: return false;
    }
  }

  /// Type, then name, of a parameter.
  static DispatchText::Parameter parameter(const Call& call) {
    if (call.arguments.size() != 2 || call.block != nullptr) fail(call, "a parameter of a dispatch");
    const std::string_view *type = literal_string(*call.arguments[0]), *name = literal_text(*call.arguments[1]);
    if (type == nullptr || name == nullptr || call.arguments[1]->type != NodeType::Symbol) fail(call, "a parameter of a dispatch");
    return {std::string(*type), std::string(*name)};
  }

  /// The statements in the block of a dispatch and the like, which has no parameters.
  static const NodeList& statements_in(const Block& block) {
    static constexpr NodeList none;
    const auto* body = block.body->to<Sequence>();
    return body != nullptr ? body->statements : none;
  }

  void read_dispatch(const Call& call) {
    const std::string_view* method = call.arguments.size() == 1 ? first_literal(call) : nullptr;
    const Block* block = block_of(call);
    if (method == nullptr || block == nullptr || !block->parameters.empty()) fail(call, "a dispatch");
    DispatchText d;
    d.method = *method;
    d.mismatch = call.name == "argument_mismatch";
    bool optional = false, repeated = false;
    for (const Node* statement : statements_in(*block)) {
      const auto* node = statement->to<Call>();
      if (node == nullptr || node->receiver != nullptr) fail(*statement, "a statement in a dispatch");
      std::string_view what = node->name;
      if (what == "scope_param" && node->arguments.empty() && d.parameters.empty() && !d.with_scope) {
        d.with_scope = true;
        continue;
      }
      if (what == "return_type") {
        const std::string_view* type = node->arguments.size() == 1 ? literal_string(*node->arguments[0]) : nullptr;
        if (type == nullptr) fail(*node, "a return type");
        d.returns = *type;
        continue;
      }
      if (what.ends_with("block_param")) {
        read_block(*node, d);
        continue;
      }
      bool required = what == "param" || what == "required_param" || what == "required_repeated_param";
      bool repeats = what.ends_with("repeated_param");
      if (!required && !repeats && what != "optional_param") fail(*node, fmt::format("'{}' in a dispatch", what));
      // Ruby rejects this order: leave the error to Ruby, so that the user reads Ruby's own message.
      if (repeated || (required && optional)) fail(*node, "the order of a dispatch's parameters");
      d.parameters.push_back(parameter(*node));
      optional |= !required;
      repeated |= repeats;
      d.least += required;
      d.most = repeats ? -1 : d.most + 1;
    }
    file_.dispatches.push_back(std::move(d));
  }

  static void read_block(const Call& call, DispatchText& d) {
    bool required = call.name == "block_param" || call.name == "required_block_param";
    if ((!required && call.name != "optional_block_param") || call.arguments.size() > 2) fail(call, "a block of a dispatch");
    DispatchText::Block block{"Callable", "block", required};
    for (const Node* argument : call.arguments) {
      const std::string_view* text = literal_text(*argument);
      if (text == nullptr) fail(call, "a block of a dispatch");
      (argument->type == NodeType::Symbol ? block.name : block.type) = *text;
    }
    d.block = std::move(block);
  }

  void read_types(const Call& call) {
    const Block* block = block_of(call);
    if (block == nullptr || !file_.types.empty()) fail(call, "local types");
    for (const Node* node : statements_in(*block)) {
      const auto* type = node->to<Call>();
      const bool plain_call = type != nullptr && type->receiver == nullptr && type->name == "type" && type->arguments.size() == 1;
      const std::string_view* text = plain_call ? first_literal(*type) : nullptr;
      size_t sign = text != nullptr ? text->find('=') : std::string_view::npos;
      if (sign == std::string_view::npos) fail(*node, "a local type");
      auto trim = [](std::string_view part) {
        std::string s(part);
        s.erase(0, s.find_first_not_of(" \t\n"));
        s.erase(s.find_last_not_of(" \t\n") + 1);
        return s;
      };
      file_.types.emplace_back(trim(text->substr(0, sign)), trim(text->substr(sign + 1)));
    }
  }

  /// As in Puppet, a function without a dispatch calls its method with the function's simple name. The method's parameters have the type
  /// Any.
  void add_default_dispatch() {
    DispatchText d;
    size_t colons = name_.rfind("::");
    d.method = std::string(colons == std::string_view::npos ? name_ : name_.substr(colons + 2));
    const Def* method = nullptr;
    for (const Node* node : file_.program.body->statements)
      if (const auto* def = node->to<Def>(); def != nullptr && def->name == d.method) method = def;
    if (method == nullptr) fail(*file_.program.body, fmt::format("no method '{}'", d.method));
    for (const Node* p : method->parameters) {
      const Node* target = p;
      switch (p->type) {
      case NodeType::TargetLocal:
        ++d.least;
        ++d.most;
        break;
      case NodeType::TargetDefault:
        ++d.most;
        target = p->as<OptionalParameter>().target;
        break;
      case NodeType::TargetSplat:
        d.most = -1;
        target = p->as<RestTarget>().target;
        break;
      case NodeType::TargetBlock: continue;
      default: fail(*p, "a parameter of a function");
      }
      if (d.most < 0 && p->type != NodeType::TargetSplat) fail(*p, "a parameter of a function");
      d.parameters.push_back({"Any", target != nullptr ? std::string(target->as<LocalVariable>().name) : "args"});
    }
    file_.dispatches.push_back(std::move(d));
  }

  FunctionFile& file_;
  std::string_view name_;
  NodeList required_, around_;
};

/// Whether code may change a list or hash in place, or ask whether two are the same object.
bool changes_objects(const RubyScript& program) {
  constexpr std::string_view changing[] = {"<<",
                                           "push",
                                           "append",
                                           "prepend",
                                           "unshift",
                                           "insert",
                                           "delete",
                                           "delete_at",
                                           "delete_if",
                                           "pop",
                                           "shift",
                                           "concat",
                                           "clear",
                                           "replace",
                                           "store",
                                           "update",
                                           "keep_if",
                                           "fill",
                                           "equal?",
                                           "default",
                                           "extend",
                                           "object_id",
                                           "freeze",
                                           "frozen?",
                                           "send",
                                           "public_send",
                                           "method",
                                           "rehash",
                                           "each_with_object",
                                           "inject",
                                           "reduce",
                                           "tap",
                                           "instance_variable_set",
                                           "eval"};
  for (const Node* node = program.newest; node != nullptr; node = node->made_before) {
    std::string_view name;
    switch (node->type) {
    case NodeType::TargetIndex:
    case NodeType::TargetAttribute: return true;
    case NodeType::OpAssign: name = node->as<OpAssign>().op; break; // x <<= 1
    case NodeType::Call: name = node->as<Call>().name; break;
    case NodeType::Symbol: name = node->as<TextLiteral>().text; break;
    default: continue;
    }
    if (name.ends_with('!') || name.ends_with('=') || std::ranges::find(changing, name) != std::end(changing))
      if (name != "==" && name != "!=" && name != "<=" && name != ">=" && name != "===" && name != "!") return true;
  }
  return false;
}

/// The call with which a function's code calls the function itself; null where none does.
const Node* call_of_itself(const RubyScript& program, std::string_view name) {
  for (const Node* node = program.newest; node != nullptr; node = node->made_before)
    if (const auto* call = node->to<Call>(); call != nullptr && call->name == "call_function")
      if (const std::string_view* called = first_literal(*call); called != nullptr && ascii_lower(*called) == name) return node;
  return nullptr;
}

/// Whether the comments at the top of the file have Ruby's `frozen_string_literal: true`.
bool frozen_literals(std::string_view text) {
  while (text.starts_with('#')) {
    std::string_view line = text.substr(0, text.find('\n'));
    if (size_t at = line.find("frozen_string_literal:"); at != std::string_view::npos) {
      line.remove_prefix(at + sizeof("frozen_string_literal:") - 1);
      while (line.starts_with(' ')) line.remove_prefix(1);
      return line.starts_with("true");
    }
    size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

/// Whether each method that a dispatch calls comes to a doubt; of the 3.x API, whether the block does.
bool always_comes_to(const FunctionFile& file, const std::set<const Node*>& doubts) {
  if (doubts.empty()) return false;
  if (file.old_api) return comes_to(file.program.function->body, doubts);
  return std::ranges::all_of(file.dispatches, [&](const DispatchText& d) {
    return d.mismatch || std::ranges::any_of(file.program.body->statements, [&](const Node* node) {
             const auto* def = node->to<Def>();
             return def != nullptr && def->name == d.method && comes_to(def->body, doubts);
           });
  });
}

} // namespace

std::shared_ptr<const FunctionFile> read_function_file(std::string_view text, std::string_view name, bool old_api, RegexCache& regexes,
                                                       const CallableFunctions& functions) {
  auto file = std::make_shared<FunctionFile>();
  file->old_api = old_api;
  RubyScript& program = file->program;
  program.self = old_api ? Self::Scope : Self::Function;
  program.frozen_literals = frozen_literals(text);
  if (!valid_utf8(text)) {
    program.problems.push_back("line 1: text that isn't UTF-8");
    return file;
  }
  if (text.find("\n=begin") != std::string_view::npos || text.find("\n__END__") != std::string_view::npos) {
    program.problems.push_back("line 1: =begin or __END__");
    return file;
  }
  program.code = text;
  if (!text.ends_with('\n')) program.code += '\n';
  try {
    Parser(program.code, program, regexes).parse();
    FunctionReader(*file, name).read();
    const std::set<const Node*> doubts = check_program(program, functions);
    if (const Node* call = program.keeps_state ? call_of_itself(program, name) : nullptr)
      program.problems.push_back(fmt::format("line {}: a function with instance variables that calls itself", call->line));
    file->changes_objects = changes_objects(program);
    file->needs_ruby = !program.problems.empty() || always_comes_to(*file, doubts);
  } catch (const Unparsable& error) {
    program.problems.push_back(fmt::format("line {}: {}", error.line, error.what));
    file->needs_ruby = true;
  }
  return file;
}

} // namespace pupc::compiler::ruby
