#include "compiler/build/compile.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/source_text.h"
#include "compiler/build/builtin_functions.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/hiera/lookup.h"
#include "compiler/ruby/host/native_functions.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "compiler/types/runtime_object.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/random.h>

namespace pupc::compiler {
namespace {

std::string random_uuid() {
  uint32_t words[4];
  if (::getrandom(words, sizeof words, 0) != sizeof words) throw_error(ErrorCode::internal_error, {}, "the system gives no random numbers");
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x00004000u; // version 4
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFF, words[2] >> 16,
                     words[2] & 0xFFFF, words[3]);
}

/// Replaces Ruby's own objects in a resource's parameters by their texts, as Puppet does when it writes a catalog. Logs a warning for each,
/// or fails in strict mode.
class ObjectsAsTexts {
public:
  ObjectsAsTexts(Catalog& catalog, const Resource& resource, std::string reference, LogSink& log, Strict strict)
      : catalog_(catalog), resource_(resource), reference_(std::move(reference)), log_(log), strict_(strict) {}

  Value replaced(const Value& v, const std::string& path) {
    check_native_stack();
    if (const auto* object = as_runtime_object(v)) {
      std::string_view text = catalog_.arena().copy(object->to_string());
      if (object->is_symbol()) return Value::string(text); // without a warning, as in Puppet
      complain(*object, text, path);
      return Value::string(text);
    }
    if (!holds(v)) return v;
    if (v.is_list()) {
      ListBuilder out(catalog_.arena(), v.list->size);
      for (size_t i = 0; i < v.list->size; ++i) out.add(replaced(v.items()[i], fmt::format("{}[{}]", path, i)));
      return out.finish();
    }
    if (v.is(Kind::Sensitive)) return Value::sensitive(catalog_.arena(), replaced(v.unwrap(), path));
    HashBuilder out(catalog_.arena(), v.hash->size);
    for (const HashEntry& e : v.hash->entries()) {
      std::string inner = path + "[" + to_puppet_quoted(ruby_to_s(e.key)) + "]";
      const auto* key = as_runtime_object(e.key); // a Symbol stays: the hash is written as one whose keys are not Strings
      out.set(key != nullptr && !key->is_symbol() ? key->to_rich_data(catalog_.arena()) : e.key, replaced(e.value, inner));
    }
    return out.finish();
  }

private:
  static bool holds(const Value& v) {
    if (v.is_list()) return std::ranges::any_of(v.items(), holds);
    if (v.is_hash()) return std::ranges::any_of(v.hash->entries(), [](const HashEntry& e) { return holds(e.key) || holds(e.value); });
    return v.is(Kind::Sensitive) ? holds(v.unwrap()) : as_runtime_object(v) != nullptr;
  }

  void complain(const RuntimeObject& object, std::string_view shown, const std::string& path) {
    std::string_view name = object.class_name();
    const bool vowel = !name.empty() && std::string_view("AEIOUaeiou").find(name[0]) != std::string_view::npos;
    std::string text = fmt::format("{}{} contains {} {} value. It will be converted to the String '{}'", reference_, path,
                                   vowel ? "an" : "a", name, shown);
    std::string file(resource_.file == 0 ? std::string_view() : catalog_.file_name(resource_.file));
    if (strict_ == Strict::Error) {
      Diagnostic d;
      d.code = ErrorCode::evaluation_error;
      d.message = "Evaluation Error: " + text;
      d.file = std::move(file);
      d.line = resource_.line;
      throw CompileError(std::move(d));
    }
    if (strict_ == Strict::Off) return;
    if (resource_.line != 0)
      text += file.empty() ? fmt::format(" (line: {})", resource_.line) : fmt::format(" (file: {}, line: {})", file, resource_.line);
    log_.log({LogLevel::Warning, "", std::move(text)});
  }

  Catalog& catalog_;
  const Resource& resource_;
  std::string reference_;
  LogSink& log_;
  Strict strict_;
};

void objects_as_texts(Catalog& catalog, LogSink& log, Strict strict) {
  for (ResourceId id = 0; id < catalog.size(); ++id) {
    Resource& resource = catalog[id];
    if (resource.has(Resource::is_virtual)) continue;
    ObjectsAsTexts texts(catalog, resource, catalog.reference(id), log, strict);
    for (Param& p : resource.parameters()) p.value = texts.replaced(p.value, fmt::format("['{}']", p.name.str()));
  }
}

} // namespace

Value local_trusted_data(Arena& arena, std::optional<std::string_view> certname) {
  HashBuilder empty(arena);
  Value none = empty.finish();
  std::string_view name = arena.copy(certname.value_or(""));
  size_t dot = name.find('.');
  HashBuilder trusted(arena);
  trusted.set("authenticated", Value::string("local"));
  trusted.set("certname", certname ? Value::string(name) : Value::undef());
  trusted.set("extensions", none);
  trusted.set("hostname", certname ? Value::string(name.substr(0, dot)) : Value::undef());
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
    result.error_text = fmt::format("{} on node {}", d.puppet_text(), node.input.name);
    log.log({LogLevel::Err, "", d.log_text.empty() ? result.error_text : d.log_text});
    result.error = std::move(d);
  };
  std::optional<Evaluator> evaluator_slot; // outlives the try block, because errors point into texts that it keeps
  auto keep_texts = [&] {
    if (evaluator_slot)
      for (auto& file : evaluator_slot->take_kept_files()) result.texts.push_back(std::move(file));
  };
  try {
    Evaluator& evaluator = evaluator_slot.emplace(catalog->arena(), *environment, builtin_functions(), log, settings);
    catalog->keep_alive(evaluator.regexes());
    std::unique_ptr<LookupService> lookup = make_lookup_service(*environment);
    evaluator.set_lookup_service(lookup.get());
    std::unique_ptr<RubyService> ruby_service;
    if (ruby != nullptr) run_types_in_ruby(*ruby, *environment);
    if (ruby != nullptr && ruby->options().mode != RubyMode::Never) ruby_service = make_ruby_service(*ruby, *environment);
    evaluator.set_ruby_service(ruby_service.get());
    std::unique_ptr<NativeRuby> native_ruby = make_native_ruby();
    evaluator.set_native_ruby(native_ruby.get());
    struct Refusals { // also of a compile that fails, as it does by one
      RubyPool* pool;
      const NativeRuby& compile;
      ~Refusals() {
        for (const NativeRuby::Refusal& r : compile.refusals())
          if (pool != nullptr) pool->add_refusal(r.kind, r.name, r.file, r.reason);
      }
    } refusals{ruby, *native_ruby};
    CatalogCompiler compiler(*catalog, evaluator, *environment, log);
    compiler.set_exports(node.exports);
    compiler.set_origin_observer(node.origins);
    try {
      compiler.compile(node.input);
      if (afterwards) afterwards(evaluator, *compiler.top_scope().frame);
    } catch (const BreakSignal& jump) { // code in an unexpected place raises these: the type of a parameter
      fail_illegal_jump("break", jump.loc);
    } catch (const NextSignal& jump) { fail_illegal_jump("next", jump.loc); } catch (const ReturnSignal& jump) {
      fail_illegal_jump("return", jump.loc);
    }
    if (ruby_service != nullptr && ruby_service->gave_objects()) objects_as_texts(*catalog, log, settings.strict);
    for (auto& file : evaluator.take_kept_files()) catalog->keep_alive(std::move(file));
    result.catalog = std::move(catalog);
  } catch (CompileError& error) {
    keep_texts();
    failed(std::move(error.diagnostic));
  } catch (const LimitReached& limit) {
    keep_texts();
    failed(limit.diagnostic());
  } catch (const std::exception& error) {
    // A text or list longer than the maximum counts as out of memory.
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
  State(std::shared_ptr<const Environment> where, const NodeData& node, const CompileSettings& settings, LogSink& log, RubyPool* ruby)
      : environment(std::move(where)), evaluator(catalog.arena(), *environment, builtin_functions(), log, settings),
        compiler(catalog, evaluator, *environment, log) {
    lookup = make_lookup_service(*environment);
    evaluator.set_lookup_service(lookup.get());
    if (ruby != nullptr && ruby->options().mode != RubyMode::Never) ruby_service = make_ruby_service(*ruby, *environment);
    evaluator.set_ruby_service(ruby_service.get());
    evaluator.set_native_ruby(native_ruby.get());
    compiler.prepare_calls(node.input);
  }
  std::shared_ptr<const Environment> environment;
  Catalog catalog;
  Evaluator evaluator;
  std::unique_ptr<LookupService> lookup;
  std::unique_ptr<RubyService> ruby_service; // null when no Ruby may run
  std::unique_ptr<NativeRuby> native_ruby = make_native_ruby();
  CatalogCompiler compiler;
};

DeferredCalls::DeferredCalls(std::shared_ptr<const Environment> environment, const NodeData& node, const CompileSettings& settings,
                             LogSink& log, RubyPool* ruby)
    : state_(std::make_unique<State>(std::move(environment), node, settings, log, ruby)) {}
DeferredCalls::~DeferredCalls() = default;

Value DeferredCalls::call(const DeferredData& deferred) { return state_->compiler.resolve(deferred); }

} // namespace pupc::compiler
