#pragma once
// What can be said of Ruby code without running it: the values of simple expressions (literals, constants, loops' variables,
// regular expressions built from parts), and where modules, methods and constants are defined. Everything else is Unknown: the
// reader of a type (type_scan.h) must then call the type dynamic. Never throws for code it does not understand.
#include "compiler/ruby_source/ruby_tokens.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// A Ruby file as read. Kept alive by the RubyProgram that loaded it.
struct RubyFile {
  std::string path;
  std::string text;
  RubyTokens tokens;
};

/// Tokens [begin, end) of a file.
struct RubyRange {
  const RubyFile* file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool empty() const { return begin >= end; }
  const RubyToken& operator[](uint32_t i) const { return file->tokens.tokens[i]; }
};

struct RubyValue {
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
    Identity, // a procedure that gives back its argument
    Block,    // a procedure: block_parameters, block
    Type,     // the type that is being defined
    Constant, // text: the path of a module or class
  };
  Kind kind = Kind::Unknown;
  uint8_t options = 0; // of a Regex, as TitlePatternSchema::Option
  std::string text;
  std::vector<RubyValue> items;
  RubyRange block_parameters;
  RubyRange block;

  bool is(Kind k) const { return kind == k; }
  bool known() const { return kind != Kind::Unknown; }
  bool is_name() const { return kind == Kind::String || kind == Kind::Symbol; }
  bool truthy() const { return kind != Kind::Nil && kind != Kind::False; }
  /// Value of a Hash's symbol or string key, or null.
  const RubyValue* find(std::string_view key) const;

  static RubyValue of(Kind k, std::string t = {}) {
    RubyValue v;
    v.kind = k;
    v.text = std::move(t);
    return v;
  }
};

/// Local variables (and, with a capital, constants assigned in a block) by name.
using RubyLocals = std::map<std::string, RubyValue, std::less<>>;

struct RubyMethod {
  RubyRange parameters;
  RubyRange body;
  std::string module; // where it is defined
};

/// A call as written: `name(arguments) { |block_parameters| block }`.
struct RubyCall {
  std::string_view name;
  RubyRange arguments;
  bool has_block = false;
  RubyRange block_parameters;
  RubyRange block;
  uint32_t end = 0; // token behind it
};

/// Finds the file of a `require`: gives its path and text, or nothing when it is none of the modules' (Ruby's own, a gem).
/// `from` is the requiring file; `name` is absolute for require_relative and computed paths, else as written.
struct RubyRequired {
  std::string path;
  std::string text;
};
using RubyFinder = std::function<std::optional<RubyRequired>(const std::string& from, const std::string& name)>;

/// The files of one type: what they define, and values of their expressions.
class RubyProgram {
public:
  explicit RubyProgram(RubyFinder finder) : finder_(std::move(finder)) {}

  /// Reads a file with what it requires. Null when it cannot be followed (`error` says why).
  const RubyFile* load(std::string path, std::string text, std::string& error);

  /// Files required that were found, in order of loading; the first is the loaded one itself.
  const std::vector<std::unique_ptr<RubyFile>>& files() const { return files_; }
  /// Notes a `require` found in a body that is not read when a file is loaded.
  void require(const RubyFile& from, const RubyCall& call, const RubyLocals& locals);

  /// Method of a module: `name` is "self.x" for the module's own, "x" for its instances'. `path` as written, seen from `nesting`.
  const RubyMethod* find_method(std::string_view path, std::string_view name, std::string_view nesting = {}) const;
  /// Full path of a known module, empty when it is not known.
  std::string resolve_module(std::string_view path, std::string_view nesting = {}) const;
  /// Names of the instance methods of a module.
  std::vector<std::string> instance_methods(const std::string& module) const;

  /// Value of one expression.
  RubyValue evaluate(RubyRange expression, RubyLocals& locals, std::string_view nesting = {});
  /// Value that a body gives: of its last statement, after assignments and conditions that are known. Unknown when it does anything else.
  RubyValue evaluate_body(RubyRange body, RubyLocals& locals, std::string_view nesting = {});
  /// Arguments of a call, the hash at their end as one value; a `&block` is not among them but left in `block`.
  std::vector<RubyValue> arguments(RubyRange range, RubyLocals& locals, std::string_view nesting, RubyValue* block = nullptr);
  /// Binds a method's or block's parameters.
  void bind(RubyRange parameters, std::span<const RubyValue> values, const RubyValue* block, RubyLocals& into, std::string_view nesting);

  /// False when more has been read than any type file needs: endless recursion, for instance.
  bool within_budget() const { return budget_ > 0; }
  void spend(size_t amount = 1) { budget_ -= static_cast<int64_t>(amount); }
  /// A copy, paid for by its size.
  RubyLocals copy(const RubyLocals& locals);

private:
  friend class RubyExpression;
  void collect(RubyRange range, const std::string& module, RubyLocals& locals);
  void define(const RubyRange& statement, const std::string& module, bool singleton);
  bool evaluate_statements(RubyRange body, RubyLocals& locals, std::string_view nesting, RubyValue& last);
  RubyValue call_method(const RubyMethod& method, std::span<const RubyValue> values);

  struct Module {
    std::map<std::string, RubyMethod, std::less<>> methods;
    std::map<std::string, RubyRange, std::less<>> constants;
  };
  RubyFinder finder_;
  std::vector<std::unique_ptr<RubyFile>> files_;
  std::map<std::string, Module, std::less<>> modules_; // by full path; "" is the top
  int64_t budget_ = 400000;
  int depth_ = 0;
};

// -- reading statements

/// Takes the next statement from a body (without its newline); false at the end.
bool next_statement(RubyRange& rest, RubyRange& statement);
/// Where an element that begins at `i` ends: behind its closer when it opens something.
uint32_t skip_element(const RubyRange& range, uint32_t i);
/// Index of an `if`, `unless`, `while`, `until` or `rescue` that belongs to the whole statement; 0 = none.
uint32_t find_modifier(const RubyRange& statement);
/// Reads a call whose name is token `at`. Without parentheses it has arguments only when a value begins behind the name.
RubyCall read_call(const RubyRange& range, uint32_t at);
/// Splits at commas outside of brackets and blocks; newlines at the ends are left out.
std::vector<RubyRange> split_commas(RubyRange range);
/// Body of a block whose opener (`do` or `{`) is token `at`, and its parameters.
void read_block(const RubyRange& range, uint32_t at, RubyRange& parameters, RubyRange& body);
/// Branches of an `if` or `unless` statement (token `at`): conditions with bodies, at the end perhaps an else (without condition).
struct RubyBranch {
  RubyRange condition; // empty: else
  RubyRange body;
};
std::vector<RubyBranch> read_if(const RubyRange& range, uint32_t at);
/// Name of a def ("x" or "self.x"), its parameters and body. False when it is defined on something else than self.
bool read_def(const RubyRange& range, uint32_t at, std::string& name, RubyMethod& method);

} // namespace pupc
