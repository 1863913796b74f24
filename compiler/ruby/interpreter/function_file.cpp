#include "compiler/ruby/interpreter/function_file.h"

#include "catalog/base/text.h"
#include "catalog/base/utf8.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/ruby_parser.h"
#include "compiler/ruby/values/ruby_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

/// The text of a literal string or symbol; nullptr when it is something else.
const std::string_view* literal(const Node& node) {
  return (node.type == NodeType::String || node.type == NodeType::Symbol) && node.kids.empty() ? &node.text : nullptr;
}

class FunctionReader {
public:
  FunctionReader(FunctionFile& file, std::string_view name) : file_(file), name_(name) {}

  /// Finds the only function declaration among the file's statements and makes the program from its content.
  void read() {
    const Node* declaration = nullptr;
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

  void find(const Node& sequence, const Node*& declaration) {
    for (const Node* node : sequence.kids) {
      if (node->type == NodeType::Sequence) { // module Puppet::Parser::Functions
        find(*node, declaration);
        continue;
      }
      switch (node->type) {
      case NodeType::Def:
      case NodeType::Class:
      case NodeType::AssignConstant:
      case NodeType::AssignLocal:
      case NodeType::AssignClassVariable: around_.add(file_.program.arena, const_cast<Node*>(node)); continue;
      case NodeType::Call: break;
      default: fail(*node, "a statement around the function");
      }
      bool declares = node->text == (file_.old_api ? "newfunction" : "create_function");
      if (declares && file_.old_api && node->block != nullptr && node->kids.size() > 1 && literal(*node->kids[1]) != nullptr &&
          ascii_lower(*literal(*node->kids[1])) != name_)
        continue; // another function of the same file
      if (declares && declaration == nullptr && node->block != nullptr && node->block->type == NodeType::Block) {
        const Node* receiver = node->kids[0];
        std::string_view wanted = file_.old_api ? "Puppet::Parser::Functions" : "Puppet::Functions";
        if (receiver != nullptr ? receiver->type != NodeType::Constant || receiver->text != wanted : !file_.old_api)
          fail(*node, "a function of something else");
        declaration = node;
      } else if (node->kids[0] == nullptr && node->text == "require" && node->kids.size() == 2) {
        required_.add(file_.program.arena, const_cast<Node*>(node)); // the checker decides whether the library matters
        file_.requires_files |= literal(*node->kids[1]) == nullptr || !is_harmless_library(*literal(*node->kids[1]));
      } else {
        fail(*node, declares ? "several functions in a file" : fmt::format("'{}' around the function", node->text));
      }
    }
  }

  void check_name(const Node& call) {
    const std::string_view* name = call.kids.size() > 1 ? literal(*call.kids[1]) : nullptr;
    if (name == nullptr || ascii_lower(*name) != name_) fail(call, "a function of another name");
  }

  void read_newfunction(const Node& call) {
    check_name(call);
    if (call.kids.size() > 3 || call.block->a != 1 || call.block->kids[0]->type != NodeType::TargetLocal) fail(call, "newfunction");
    file_.returns_value = false;
    if (call.kids.size() == 3) {
      const Node& options = *call.kids[2];
      if (options.type != NodeType::Hash) fail(options, "options of newfunction");
      for (size_t i = 0; i + 1 < options.kids.size(); i += 2) {
        const std::string_view* option = literal(*options.kids[i]);
        const Node* value = options.kids[i + 1];
        if (option == nullptr || value == nullptr) fail(options, "options of newfunction");
        if (*option == "type") {
          const std::string_view* type = literal(*value);
          if (type == nullptr || (*type != "rvalue" && *type != "statement")) fail(*value, "the type of newfunction");
          file_.returns_value = *type == "rvalue";
        } else if (*option == "arity") {
          if (value->type != NodeType::Integer) fail(*value, "the arity of newfunction");
          file_.arity = value->integer;
        } else if (*option != "doc") {
          fail(*value, "options of newfunction");
        }
      }
    }
    Node* body = file_.program.make(NodeType::Sequence, 1);
    body->kids.add(file_.program.arena, const_cast<Node*>(&call));
    body->kids.add(file_.program.arena, required_);
    body->kids.add(file_.program.arena, around_);
    file_.program.body = body;
  }

  void read_create_function(const Node& call) {
    check_name(call);
    const bool internal = call.kids.size() == 3 && call.kids[2]->type == NodeType::Constant &&
                          (call.kids[2]->text == "Puppet::Functions::InternalFunction" || call.kids[2]->text == "InternalFunction");
    if ((call.kids.size() != 2 && !internal) || call.block->a != 0) fail(call, "a function with a class of its own");
    Node& body = *file_.program.make(NodeType::Sequence, 1);
    body.kids = required_;
    body.kids.add(file_.program.arena, around_);
    NodeList others; // that run when the methods are defined
    auto keep = [&](Node* node) { body.kids.add(file_.program.arena, node); };
    const Node* statements = call.block->kids.back();
    if (statements->type != NodeType::Sequence) fail(*statements, "the body of create_function");
    for (Node* node : statements->kids) {
      if (node->type == NodeType::Def) {
        if (node->text == "call" || node->text == "initialize" || node->text == "call_function" || node->text == "method_missing")
          fail(*node, fmt::format("a method '{}'", node->text));
        keep(node);
        continue;
      }
      if (node->type == NodeType::AssignConstant || node->type == NodeType::Class || node->type == NodeType::AssignClassVariable) {
        keep(node);
        continue;
      }
      if (node->type == NodeType::Call && node->kids[0] == nullptr && node->text == "private" &&
          (node->kids.size() == 1 || literal(*node->kids[1]) != nullptr))
        continue; // dispatches call with `send`, which ignores privacy
      if (runs_as_class_body(*node)) {
        others.add(file_.program.arena, node);
        continue;
      }
      if (node->type != NodeType::Call || node->kids[0] != nullptr) fail(*node, "a statement in create_function");
      if (node->text == "dispatch" || node->text == "argument_mismatch")
        read_dispatch(*node);
      else if (node->text == "local_types")
        read_types(*node);
      else if (node->text == "require")
        keep(node);
      else
        fail(*node, fmt::format("'{}' in create_function", node->text));
    }
    if (!others.empty()) keep(call_of_block(*call.block, others));
    file_.program.body = &body;
    if (file_.dispatches.empty()) add_default_dispatch();
    for (const DispatchText& d : file_.dispatches)
      if (others.empty() && !file_.program.methods.contains(d.method)) fail(*statements, fmt::format("no method '{}'", d.method));
    find_set_first();
  }

  /// Whether a statement in the block of create_function is code that defines methods or prepares for it, and declares nothing.
  static bool runs_as_class_body(const Node& node) {
    switch (node.type) {
    case NodeType::AssignLocal:
    case NodeType::AssignMany:
    case NodeType::If: return !declares(&node);
    case NodeType::Call: {
      static constexpr std::string_view of_class[] = {"define_method", "alias_method", "attr_reader", "attr_accessor", "attr_writer",
                                                      "include",       "protected",    "public",      "private",       "private_constant"};
      if (node.kids[0] == nullptr && std::ranges::find(of_class, node.text) == std::end(of_class)) return false;
      return !declares(&node);
    }
    default: return false;
    }
  }

  /// Whether it holds a part of a function's declaration.
  static bool declares(const Node* node) {
    if (node == nullptr) return false;
    if (node->type == NodeType::Call && node->kids[0] == nullptr &&
        (node->text == "dispatch" || node->text == "argument_mismatch" || node->text == "local_types"))
      return true;
    return declares(node->block) || std::ranges::any_of(node->kids, declares);
  }

  /// A call of the block with only some of its statements, which have its variables.
  Node* call_of_block(const Node& block, const NodeList& statements) {
    Node* sequence = file_.program.make(NodeType::Sequence, block.line);
    sequence->kids = statements;
    Node* own = file_.program.make(NodeType::Block, block.line);
    own->slots = block.slots;
    own->kids.add(file_.program.arena, sequence);
    Node* lambda = file_.program.make(NodeType::Lambda, block.line);
    lambda->block = own;
    Node* call = file_.program.make(NodeType::Call, block.line);
    call->text = "call";
    call->kids.add(file_.program.arena, lambda);
    return call;
  }

  /// Finds the instance variables that the method of every dispatch sets to a literal before it does anything else.
  void find_set_first() {
    file_.repeats = !file_.program.defines_classes &&
                    std::all_of(file_.program.body->kids.begin(), file_.program.body->kids.end(), [](const Node* node) {
                      if (node->type == NodeType::Def) return node->block == nullptr;
                      if (node->type == NodeType::AssignConstant) return literal_value(*node->kids[0]);
                      return node->type == NodeType::Call && node->text == "require";
                    });
    bool first = true;
    for (const DispatchText& d : file_.dispatches) {
      std::set<std::string, std::less<>> own;
      for (const Node* node : file_.program.body->kids) {
        if (node->type != NodeType::Def || node->text != d.method || node->kids.back() == nullptr) continue;
        own.clear(); // Ruby keeps the last definition of a name
        if (node->kids.back()->type != NodeType::Sequence) continue;
        for (const Node* statement : node->kids.back()->kids) {
          if (statement->type != NodeType::AssignInstance || !plain(*statement->kids[0])) break;
          own.emplace(statement->text);
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
    case NodeType::Symbol:
    case NodeType::Regex: return node.kids.empty();
    case NodeType::Array:
    case NodeType::Hash: return std::all_of(node.kids.begin(), node.kids.end(), [](const Node* kid) { return literal_value(*kid); });
    case NodeType::Call:
      return node.text == "freeze" && node.kids.size() == 1 && node.kids[0] != nullptr && node.block == nullptr &&
             literal_value(*node.kids[0]);
    default: return false;
    }
  }

  static bool plain(const Node& node) {
    return node.type == NodeType::Nil || node.type == NodeType::True || node.type == NodeType::False || node.type == NodeType::Integer ||
           ((node.type == NodeType::String || node.type == NodeType::Array || node.type == NodeType::Hash) && node.kids.empty());
  }

  /// Type, then name, of a parameter.
  static DispatchText::Parameter parameter(const Node& call) {
    if (call.kids.size() != 3 || call.block != nullptr) fail(call, "a parameter of a dispatch");
    const std::string_view *type = literal(*call.kids[1]), *name = literal(*call.kids[2]);
    if (type == nullptr || call.kids[1]->type != NodeType::String || name == nullptr || call.kids[2]->type != NodeType::Symbol)
      fail(call, "a parameter of a dispatch");
    return {std::string(*type), std::string(*name)};
  }

  void read_dispatch(const Node& call) {
    const std::string_view* method = call.kids.size() == 2 ? literal(*call.kids[1]) : nullptr;
    if (method == nullptr || call.block == nullptr || call.block->type != NodeType::Block || call.block->a != 0) fail(call, "a dispatch");
    DispatchText d;
    d.method = *method;
    d.mismatch = call.text == "argument_mismatch";
    bool optional = false, repeated = false;
    for (const Node* node : call.block->kids.back()->kids) {
      if (node->type != NodeType::Call || node->kids[0] != nullptr) fail(*node, "a statement in a dispatch");
      std::string_view what = node->text;
      if (what == "scope_param" && node->kids.size() == 1 && d.parameters.empty() && !d.with_scope) {
        d.with_scope = true;
        continue;
      }
      if (what == "return_type") {
        const std::string_view* type = node->kids.size() == 2 ? literal(*node->kids[1]) : nullptr;
        if (type == nullptr || node->kids[1]->type != NodeType::String) fail(*node, "a return type");
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

  static void read_block(const Node& call, DispatchText& d) {
    bool required = call.text == "block_param" || call.text == "required_block_param";
    if ((!required && call.text != "optional_block_param") || call.kids.size() > 3) fail(call, "a block of a dispatch");
    DispatchText::Block block{"Callable", "block", required};
    for (size_t i = 1; i < call.kids.size(); ++i) {
      const std::string_view* text = literal(*call.kids[i]);
      if (text == nullptr) fail(call, "a block of a dispatch");
      (call.kids[i]->type == NodeType::Symbol ? block.name : block.type) = *text;
    }
    d.block = std::move(block);
  }

  void read_types(const Node& call) {
    if (call.block == nullptr || call.block->type != NodeType::Block || !file_.types.empty()) fail(call, "local types");
    for (const Node* node : call.block->kids.back()->kids) {
      const std::string_view* text = node->type == NodeType::Call && node->kids[0] == nullptr && node->text == "type" &&
                                             node->kids.size() == 2
                                         ? literal(*node->kids[1])
                                         : nullptr;
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
    const Node* method = nullptr;
    for (const Node* node : file_.program.body->kids)
      if (node->type == NodeType::Def && node->text == d.method) method = node;
    if (method == nullptr) fail(*file_.program.body, fmt::format("no method '{}'", d.method));
    for (int32_t i = 0; i < method->a; ++i) {
      const Node& p = *method->kids[static_cast<size_t>(i)];
      switch (p.type) {
      case NodeType::TargetLocal: ++d.least; [[fallthrough]];
      case NodeType::TargetDefault: ++d.most; break;
      case NodeType::TargetSplat: d.most = -1; break;
      case NodeType::TargetBlock: continue;
      default: fail(p, "a parameter of a function");
      }
      if (d.most < 0 && p.type != NodeType::TargetSplat) fail(p, "a parameter of a function");
      d.parameters.push_back({"Any", "args"});
      const Node& target = p.type == NodeType::TargetLocal || p.kids.empty() ? p : *p.kids[0];
      if (!target.text.empty()) d.parameters.back().name = target.text;
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
    switch (node->type) {
    case NodeType::AssignIndex:
    case NodeType::TargetIndex:
    case NodeType::AssignAttribute:
    case NodeType::TargetAttribute: return true;
    case NodeType::OpAssign: // x <<= 1
    case NodeType::Call:
    case NodeType::Symbol:
      if (node->text.ends_with('!') || node->text.ends_with('=') ||
          std::find(std::begin(changing), std::end(changing), node->text) != std::end(changing))
        if (node->text != "==" && node->text != "!=" && node->text != "<=" && node->text != ">=" && node->text != "===" &&
            node->text != "!")
          return true;
      break;
    default: break;
    }
  }
  return false;
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
  const Node& body = *file.program.body;
  if (file.old_api) return comes_to(body.kids[0]->block->kids.back(), doubts);
  return std::all_of(file.dispatches.begin(), file.dispatches.end(), [&](const DispatchText& d) {
    return d.mismatch || std::any_of(body.kids.begin(), body.kids.end(), [&](const Node* node) {
             return node->type == NodeType::Def && node->text == d.method && comes_to(node->kids.back(), doubts);
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
    file->changes_objects = changes_objects(program);
    file->needs_ruby = !program.problems.empty() || always_comes_to(*file, doubts);
  } catch (const Unparsable& error) {
    program.problems.push_back(fmt::format("line {}: {}", error.line, error.what));
    file->needs_ruby = true;
  }
  return file;
}

} // namespace pupc::compiler::ruby
