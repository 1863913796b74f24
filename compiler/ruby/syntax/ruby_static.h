#pragma once
// Analyses Ruby code without running it: finds the values of simple expressions (literals, constants, variables of loops, regular
// expressions built from parts), and where modules, methods and constants are defined. Everything else is Unknown; the reader of a type
// (type_scan.h) must then mark the type as dynamic. Never throws for code that it does not understand.
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

/// A Ruby file with its tokens, which are parts of its text. The programs that loaded it keep it alive.
struct RubyFile {
  std::string path;
  std::string text;
  RubyTokens tokens;
};
std::shared_ptr<const RubyFile> read_ruby_file(std::string path, std::string text);

/// Files that several ask for, each read once. For the checks of a whole environment: what a type's file says is asked three times there.
class RubyFiles {
public:
  /// Null when the file cannot be read.
  std::shared_ptr<const RubyFile> read(const std::string& path);
  /// The same for who asks last: the file is not kept.
  std::shared_ptr<const RubyFile> take(const std::string& path);

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const RubyFile>> files_;
};

/// Tokens [begin, end) of a file.
struct RubyRange {
  const RubyFile* file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin >= end; }
  const RubyToken& operator[](uint32_t i) const { return file->tokens.tokens[i]; }
};

struct StaticRubyValue {
  enum class Kind : uint8_t {
    Unknown,
    Nil,
    True,
    False,
    Integer, // text: digits
    String,
    Symbol,
    Regex,    // text: source
    Array,    // items
    Hash,     // items: key, value, key, value …
    Identity, // a procedure that returns its argument
    Block,    // a procedure: block_parameters, block
    Type,     // the resource type that the code defines
    Constant, // text: the path of a module or class
  };
  Kind kind = Kind::Unknown;
  uint8_t options = 0; // for a Regex: TitlePatternSchema::Option
  std::string text;
  std::vector<StaticRubyValue> items;
  RubyRange block_parameters;
  RubyRange block;

  bool is(Kind k) const { return kind == k; }
  bool known() const { return kind != Kind::Unknown; }
  bool is_name() const { return kind == Kind::String || kind == Kind::Symbol; }
  bool truthy() const { return kind != Kind::Nil && kind != Kind::False; }
  /// The value of a Hash's symbol or string key; null when it does not have the key.
  const StaticRubyValue* find(std::string_view key) const;

  static StaticRubyValue of(Kind k, std::string t = {}) {
    StaticRubyValue v;
    v.kind = k;
    v.text = std::move(t);
    return v;
  }
};

/// Local variables (and, with a capital, constants assigned in a block) by name.
using RubyLocals = std::map<std::string, StaticRubyValue, std::less<>>;

struct RubyMethod {
  RubyRange parameters;
  RubyRange body;
  std::string module; // the module that defines it
};

/// A call as written: `name(arguments) { |block_parameters| block }`.
struct RubyCall {
  std::string_view name;
  RubyRange arguments;
  bool has_block = false;
  RubyRange block_parameters;
  RubyRange block;
  uint32_t end = 0; // index of the token after the call
};

/// Finds the file of a `require`; null when it does not belong to a module (Ruby's own libraries, gems). `from` is the file with the
/// `require`. `name` is an absolute path for require_relative and computed paths, and otherwise as written.
using RubyFinder = std::function<std::shared_ptr<const RubyFile>(const std::string& from, const std::string& name)>;

/// The files that define one type. Knows their modules, methods and constants, and evaluates their expressions.
class RubyFileSet {
public:
  explicit RubyFileSet(RubyFinder finder) : finder_(std::move(finder)) {}

  /// Reads a file and the files that it requires. Null when the tokenizer cannot follow it; `error` says why.
  const RubyFile* load(std::shared_ptr<const RubyFile> file, std::string& error);

  /// All files read, in order of loading: first the loaded file itself, then the required files that were found.
  const std::vector<std::shared_ptr<const RubyFile>>& files() const { return files_; }
  /// Handles a `require` inside a body that load() does not read, such as the block of a type.
  void require(const RubyFile& from, const RubyCall& call, const RubyLocals& locals);

  /// Finds a method of a module: "self.x" names a method of the module itself, "x" an instance method. `path` is the module as written in
  /// code of `nesting`. Null when there is none.
  const RubyMethod* find_method(std::string_view path, std::string_view name, std::string_view nesting = {}) const;
  /// The full path of a module; empty when the files do not define it.
  std::string resolve_module(std::string_view path, std::string_view nesting = {}) const;
  /// Names of the instance methods of a module.
  std::vector<std::string> instance_methods(const std::string& module) const;

  /// Value of one expression.
  StaticRubyValue evaluate(RubyRange expression, RubyLocals& locals, std::string_view nesting = {});
  /// The value of a body: that of its last statement. Follows assignments and conditions with known values. Unknown when the body does
  /// anything else.
  StaticRubyValue evaluate_body(RubyRange body, RubyLocals& locals, std::string_view nesting = {});
  /// The values of a call's arguments. Hash entries at the end become one Hash. A `&block` is stored in `block` instead.
  std::vector<StaticRubyValue> arguments(RubyRange range, RubyLocals& locals, std::string_view nesting, StaticRubyValue* block = nullptr);
  /// Assigns the values to the parameters of a method or block, as variables in `into`.
  void bind(RubyRange parameters, std::span<const StaticRubyValue> values, const StaticRubyValue* block, RubyLocals& into,
            std::string_view nesting);

  /// False after more work than any real type file needs, as with endless recursion.
  bool within_budget() const { return budget_ > 0; }
  void spend(size_t amount = 1) { budget_ -= static_cast<int64_t>(amount); }
  /// Copies variables and charges their number to the budget.
  RubyLocals copy(const RubyLocals& locals);

private:
  friend class RubyExpression;
  void collect(RubyRange range, const std::string& module, RubyLocals& locals);
  void define(const RubyRange& statement, const std::string& module, bool singleton);
  bool evaluate_statements(RubyRange body, RubyLocals& locals, std::string_view nesting, StaticRubyValue& last);
  StaticRubyValue call_method(const RubyMethod& method, std::span<const StaticRubyValue> values);

  struct Module {
    std::map<std::string, RubyMethod, std::less<>> methods;
    std::map<std::string, RubyRange, std::less<>> constants;
  };
  RubyFinder finder_;
  std::vector<std::shared_ptr<const RubyFile>> files_;
  std::map<std::string, Module, std::less<>> modules_; // by full path; "" is the top level
  int64_t budget_ = 400000;
  int depth_ = 0;
};

// -- reading statements

/// Moves the next statement, without its newline, from `rest` to `statement`; false at the end.
bool next_statement(RubyRange& rest, RubyRange& statement);
/// The index after the element that begins at token `i`. If the token opens something, the element includes its closer.
uint32_t skip_element(const RubyRange& range, uint32_t i);
/// The index of a modifier (`if`, `unless`, `while`, `until`, `rescue`) that applies to the whole statement; 0 when there is none.
uint32_t find_modifier(const RubyRange& statement);
/// Reads the call whose name is token `at`. A call without parentheses only has arguments if a value begins after the name.
RubyCall read_call(const RubyRange& range, uint32_t at);
/// Splits at commas outside of brackets and blocks, and trims newlines at the ends of each part.
std::vector<RubyRange> split_commas(RubyRange range);
/// Finds the parameters and the body of a block whose opener (`do` or `{`) is token `at`.
void read_block(const RubyRange& range, uint32_t at, RubyRange& parameters, RubyRange& body);
/// One branch of an `if` or `unless` statement. read_if returns all branches of the statement at token `at`; an else comes last.
struct RubyBranch {
  RubyRange condition; // empty: else
  RubyRange body;
};
std::vector<RubyBranch> read_if(const RubyRange& range, uint32_t at);
/// Reads a method definition: its name ("x" or "self.x"), parameters and body. False when it defines a method on an object other than self.
bool read_def(const RubyRange& range, uint32_t at, std::string& name, RubyMethod& method);

} // namespace pupc::compiler
