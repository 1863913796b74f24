#include "compiler/build/compile.h"

#include "catalog/base/limits.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/hiera/lookup.h"
#include "compiler/ruby/ruby_pool.h"
#include "compiler/ruby_native/native_functions.h"

#include <chrono>
#include <random>
#include <stdexcept>

namespace pupc {
namespace {

std::string random_uuid() {
  std::random_device device;
  uint32_t words[4];
  for (auto& w : words) w = device();
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u; // version 4
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFF, words[2] >> 16,
                     words[2] & 0xFFFF, words[3]);
}

} // namespace

Value local_trusted_data(Arena& arena, std::string_view certname) {
  HashBuilder empty(arena);
  Value none = empty.finish();
  std::string_view name = arena.copy(certname);
  size_t dot = name.find('.');
  HashBuilder trusted(arena);
  trusted.set("authenticated", Value::string("local"));
  trusted.set("certname", Value::string(name));
  trusted.set("extensions", none);
  trusted.set("hostname", Value::string(name.substr(0, dot)));
  trusted.set("domain", dot == std::string_view::npos ? Value::undef() : Value::string(name.substr(dot + 1)));
  trusted.set("external", none);
  return trusted.finish();
}

CompileResult compile(const std::shared_ptr<const Environment>& environment, const NodeData& node, const CompileSettings& settings,
                      LogSink& log, RubyPool* ruby, const std::function<void(Evaluator&, Frame&)>& afterwards) {
  CompileResult result;
  auto catalog = std::make_unique<Catalog>();
  catalog->keep_alive(environment);
  catalog->keep_alive(node.arena);
  catalog->version = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  catalog->uuid = random_uuid();
  auto failed = [&](Diagnostic d) {
    result.error_text = fmt::format("{} on node {}", d.reference_text(), node.input.name);
    log.log({LogLevel::Err, "", d.log_text.empty() ? result.error_text : d.log_text});
    result.error = std::move(d);
  };
  std::optional<Evaluator> evaluator_slot; // outlives the try block: errors point into texts that it keeps
  auto keep_texts = [&] {
    if (evaluator_slot)
      for (auto& file : evaluator_slot->take_kept_files()) result.texts.push_back(std::move(file));
  };
  try {
    Evaluator& evaluator = evaluator_slot.emplace(catalog->arena(), *environment, builtin_functions(), log, settings);
    std::unique_ptr<LookupService> lookup = make_lookup_service(*environment);
    evaluator.set_lookup_service(lookup.get());
    std::unique_ptr<RubyService> ruby_service;
    if (ruby != nullptr) run_types_in_ruby(*ruby, *environment);
    if (ruby != nullptr && ruby->options().mode != RubyMode::Never) ruby_service = make_ruby_service(*ruby, *environment);
    evaluator.set_ruby_service(ruby_service.get());
    std::unique_ptr<NativeRuby> native_ruby = make_native_ruby();
    evaluator.set_native_ruby(native_ruby.get());
    CatalogCompiler compiler(*catalog, evaluator, *environment, log);
    compiler.set_exports(node.exports);
    try {
      compiler.compile(node.input);
      if (afterwards) afterwards(evaluator, *compiler.top_scope().frame);
    } catch (const BreakSignal& jump) { // these come from where no code is expected: the type of a parameter
      fail_illegal_jump("break", jump.loc);
    } catch (const NextSignal& jump) { fail_illegal_jump("next", jump.loc); } catch (const ReturnSignal& jump) {
      fail_illegal_jump("return", jump.loc);
    }
    for (auto& file : evaluator.take_kept_files()) catalog->keep_alive(std::move(file));
    result.catalog = std::move(catalog);
  } catch (CompileError& error) {
    keep_texts();
    failed(std::move(error.diagnostic));
  } catch (const LimitReached& limit) {
    keep_texts();
    failed(limit.diagnostic());
  } catch (const std::exception& error) {
    // A text or list longer than any may be counts as more memory than there is.
    const bool too_much = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                          dynamic_cast<const std::length_error*>(&error) != nullptr;
    Diagnostic d;
    d.code = ErrorCode::internal_error;
    d.message = too_much ? "out of memory" : fmt::format("internal error: {}", error.what());
    failed(std::move(d));
  }
  return result;
}

struct DeferredCalls::State {
  State(std::shared_ptr<const Environment> where, const NodeData& node, const CompileSettings& settings, LogSink& log)
      : environment(std::move(where)), evaluator(catalog.arena(), *environment, builtin_functions(), log, settings),
        compiler(catalog, evaluator, *environment, log) {
    lookup = make_lookup_service(*environment);
    evaluator.set_lookup_service(lookup.get());
    evaluator.set_native_ruby(native_ruby.get());
    compiler.prepare_calls(node.input);
  }
  std::shared_ptr<const Environment> environment;
  Catalog catalog;
  Evaluator evaluator;
  std::unique_ptr<LookupService> lookup;
  std::unique_ptr<NativeRuby> native_ruby = make_native_ruby();
  CatalogCompiler compiler;
};

DeferredCalls::DeferredCalls(std::shared_ptr<const Environment> environment, const NodeData& node, const CompileSettings& settings,
                             LogSink& log)
    : state_(std::make_unique<State>(std::move(environment), node, settings, log)) {}
DeferredCalls::~DeferredCalls() = default;

Value DeferredCalls::call(const DeferredData& deferred) { return state_->compiler.resolve(deferred); }

} // namespace pupc
