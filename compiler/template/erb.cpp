// render_erb_natively(): from an ERB text to its result.
#include "compiler/template/erb.h"

#include "catalog/base/utf8.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/ruby/host/native_functions.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/ruby_checker.h"
#include "compiler/ruby/syntax/erb_source.h"

#include <fmt/format.h>

#include <mutex>

namespace pupc::compiler {
namespace {

/// The templates parsed so far, by content. The environment keeps them, so many compiles share them.
class ScriptCache : public EnvironmentAttachment {
public:
  std::shared_ptr<const ruby::RubyScript> get(std::string_view text, RegexCache& regexes, const ruby::CallableFunctions& functions) {
    {
      std::lock_guard lock(mutex_);
      auto it = programs_.find(std::string(text));
      if (it != programs_.end()) return it->second;
    }
    auto parsed = std::make_shared<Parsed>(regexes);
    parsed->program = parse_erb(text, parsed->regexes, functions);
    const ruby::RubyScript* program = parsed->program.get();
    std::lock_guard lock(mutex_);
    if (bytes_ > 64'000'000) { // a compile can make thousands of inline templates
      programs_.clear();
      bytes_ = 0;
    }
    bytes_ += text.size() * 10 + 1000;
    return programs_.emplace(std::string(text), std::shared_ptr<const ruby::RubyScript>(std::move(parsed), program)).first->second;
  }

private:
  struct Parsed {
    explicit Parsed(RegexCache& shared) : regexes(shared) {}
    RegexCache regexes; // goes with the program
    std::shared_ptr<const ruby::RubyScript> program;
  };
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::unordered_map<std::string, std::shared_ptr<const ruby::RubyScript>> programs_;
};

} // namespace

namespace {

/// The host of a template that renders others.
class TemplateHost final : public EvaluatorHost {
public:
  TemplateHost(Evaluator& evaluator, Frame& frame, Loc loc, std::shared_ptr<const ruby::RubyScript> outermost)
      : EvaluatorHost(evaluator, frame, nullptr, loc),
        of_compile_(dynamic_cast<NativeRubyOfCompile*>(evaluator.native_ruby())), programs_{std::move(outermost)} {}
  const ruby::RubyScript* parse_template(std::string_view text) override {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    return programs_.emplace_back(parsed_erb(evaluator_, text)).get();
  }
  const ruby::TemplateMethods* template_methods() override {
    return of_compile_ == nullptr || of_compile_->known_methods().empty() ? nullptr : &of_compile_->known_methods();
  }
  void define_template_method(std::string_view name, const ruby::RubyScript& program, const ruby::Def& def,
                              std::string_view path) override {
    for (const auto& own : programs_)
      if (of_compile_ != nullptr && own.get() == &program) return of_compile_->define_method(name, own, def, path);
  }

private:
  NativeRubyOfCompile* of_compile_;
  std::vector<std::shared_ptr<const ruby::RubyScript>> programs_;
};

} // namespace

std::shared_ptr<const ruby::RubyScript> parse_erb(std::string_view text, RegexCache& regexes, const ruby::CallableFunctions& functions) {
  auto program = std::make_shared<ruby::RubyScript>();
  if (!valid_utf8(text)) {
    program->problems.push_back("line 1: text that isn't UTF-8");
    return program;
  }
  text = program->arena.copy(text); // the program's texts are parts of it
  ErbSource source = compile_erb(text, program->arena);
  if (!source.problem.empty()) {
    program->problems.push_back(source.problem);
    return program;
  }
  program->texts = std::move(source.texts);
  program->code = std::move(source.code);
  ruby::parse_program(*program, regexes, functions);
  return program;
}

std::shared_ptr<const ruby::RubyScript> parsed_erb(Evaluator& evaluator, std::string_view text) {
  const Environment& environment = evaluator.environment();
  auto cache = environment.attached<ScriptCache>();
  return cache->get(text, environment.regexes(), KnownFunctions(evaluator.functions()));
}

ErbResult render_erb_natively(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc) {
  ErbResult result;
  std::shared_ptr<const ruby::RubyScript> program = parsed_erb(evaluator, text);
  if (!program->problems.empty()) {
    result.reason = program->problems[0];
    return result;
  }
  TemplateHost host(evaluator, frame, loc, program);
  try {
    result.text = ruby::Interpreter(*program, host, path, 0).run();
    result.rendered = true;
  } catch (const ruby::NeedsRuby& beyond) {
    result.reason = fmt::format("line {}: {}", beyond.line, beyond.reason);
    std::vector<MadeCall> made = host.give_up();
    if (evaluator.native_ruby() != nullptr) evaluator.native_ruby()->set_made_calls(std::move(made));
  } catch (const ruby::RubyError& error) {
    Diagnostic d;
    d.code = ErrorCode::evaluation_error;
    d.message = error.message;
    d.line = error.line;
    throw CompileError(std::move(d));
  }
  return result;
}

} // namespace pupc::compiler
