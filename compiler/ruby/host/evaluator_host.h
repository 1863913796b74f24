#pragma once
// Connects the Ruby interpreter to the evaluator: it gives Ruby code the variables and functions that the scope of its template or function
// sees.
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/core/file_changes.h"
#include "compiler/ruby/core/ruby_host.h"
#include "compiler/ruby/host/puppet_objects.h"
#include "compiler/ruby/syntax/ruby_tree.h"
#include "compiler/ruby/values/stable_list.h"

#include <utility>

namespace pupc::compiler {

/// Tells which functions of a registry Ruby code may call, with scope.function_x([…]) or call_function('x', […]).
class KnownFunctions final : public ruby::CallableFunctions {
public:
  explicit KnownFunctions(const FunctionRegistry& registry) : registry_(registry) {}
  ruby::FunctionUse use_of(std::string_view name, bool old_api) const override;
  bool has_method(std::string_view name) const override { return PuppetObjects::has_method(name); }
  bool has_constant(std::string_view name) const override { return PuppetObjects::has_constant(name); }
  bool changes(std::string_view method) const override { return PuppetObjects::changes(method); }

private:
  const FunctionRegistry& registry_;
};

class EvaluatorHost : public ruby::RubyHost {
public:
  /// `block`: the block of Puppet code in the call of the function; null when there is none. `loc`: the place of that call, which is the
  /// place of what the code does.
  EvaluatorHost(Evaluator& evaluator, Frame& frame, const Closure* block = nullptr, Loc loc = {})
      : evaluator_(evaluator), frame_(frame), block_(block), loc_(loc), functions_(evaluator.functions()),
        caller_logs_(change_waiting_logs(nullptr)) {
    change_waiting_logs(caller_logs_);
  }

  Arena& arena() override { return evaluator_.arena(); }
  TypeContext& types() override { return evaluator_.types(); }
  RegexCache& regexes() override { return *evaluator_.regexes(); }
  bool lookup_variable(std::string_view name, Value& out) override { return evaluator_.lookup_variable(name, frame_, out); }
  Unknown unknown_variable(std::string_view name) override;
  bool instance_variable(const std::string& name, Value& out) override;
  void change_variable(std::string_view name, Value value) override { evaluator_.change_variable(name, value, frame_); }
  bool can_set_variable(std::string_view name) override;
  void set_variable(std::string_view name, Value value) override { evaluator_.assign(name, value, frame_); }
  Value all_variables() override;
  std::string scope_text() override;
  bool has_ruby() override { return evaluator_.ruby_service() != nullptr; }
  const ruby::CallableFunctions& functions() override { return functions_; }
  ruby::HostObject* find_constant(std::string_view name) override { return objects().constant(name); }
  ruby::HostObject* resource_of(const Value& reference) override { return objects().resource_of(reference); }
  ruby::HostObject* scope_object() override { return objects().scope(); }
  /// Whether the code has changed the compile by an object of Puppet's: then Ruby cannot run it again.
  bool changed_compile() const { return objects_ != nullptr && objects_->changed(); }
  bool in_old_api(std::string_view name) override;
  bool function_exists(std::string_view name) override { return evaluator_.function_exists(name, frame_); }
  bool harmless(std::string_view name, std::span<const Value> args) override;
  Value call_function(std::string_view name, std::span<const Value> args, bool old_api, bool own_block,
                      const Block* block = nullptr) override;
  bool calls_for_itself(bool on) override { return std::exchange(for_itself_, on); }
  Value call_with_effects(std::string_view name, std::span<const Value> args, bool old_api, bool own_block) override;
  ruby::FileChanges* file_changes() override { return &files_; }
  /// Ruby runs the code from its start: what it has changed among the files is undone. Gives the calls that Ruby does not make again.
  std::vector<MadeCall> give_up() {
    files_.undo();
    return std::move(made_calls_);
  }
  TemplateFile find_template(std::string_view name) override;
  void looked_at(std::string_view file) override;
  RubyFile find_ruby_file(std::string_view name) override;
  std::string_view keep(std::string text) override { return texts_.emplace_back(std::move(text)); }
  const ruby::RubyScript* parse_template(std::string_view) override { return nullptr; }
  Value call_block(std::span<const Value> args) override;
  /// Whether a block has no effects, so that it may be called twice.
  bool harmless(const Closure& block);
  std::string document(std::string_view format, const Value& value, const Value& options) override;
  Read parse_json(std::string_view text, Value& out) override;
  Read parse_yaml(std::string_view text, Yaml form, int permitted, Value& out) override;
  std::string text_of(const Value& value) override { return evaluator_.to_string(value); }
  bool setting(std::string_view name, Value& out) override;
  bool logs(LogLevel level) override { return evaluator_.logs(level); }
  void log(Log message) override;
  void logs_wait_in(std::vector<Log>& logs) override { own_logs_ = &logs; }
  Value puppet_stack() override;

private:
  /// Makes a call. `logs`: where the messages of code wait that it runs; null where they need not wait.
  Value call(std::string_view name, std::span<const Value> args, bool old_api, bool own_block, const Block* block, std::vector<Log>* logs);
  /// Sets where messages of called code wait; gives what was before.
  std::vector<Log>* change_waiting_logs(std::vector<Log>* logs);
  PuppetObjects& objects();
  bool harmless(const Node& node, int depth);
  bool harmless_function(std::string_view name, int depth);

protected:
  Evaluator& evaluator_;
  Frame& frame_;
  const Closure* block_;
  Loc loc_;
  KnownFunctions functions_;
  ruby::StableList<std::string> texts_;
  std::vector<MadeCall> made_calls_;
  ruby::FileChanges files_;
  bool for_itself_ = false;
  std::vector<Log>* own_logs_ = nullptr;
  std::vector<Log>* caller_logs_; // of the interpreted code that calls this one; null where none does
  std::unique_ptr<PuppetObjects> objects_;
  std::vector<std::shared_ptr<const ruby::RubyScript>> programs_;
};

/// Thrown through a function that has got a block of interpreted code: the code around the block is to be run by Ruby, from its start.
struct LeavesCaller {
  std::string reason;
};

/// Finds the path of a template by "module/file" or by absolute path; "" when there is none.
std::string find_erb_template(Evaluator& evaluator, std::string_view name);

} // namespace pupc::compiler
