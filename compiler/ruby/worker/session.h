#pragma once
// The inside of the Ruby service: one compile's conversation with a worker. Other components do not include this file.
#include "compiler/ast/ast.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_dispatch.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/ruby/worker/libraries.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "compiler/ruby/worker/ruby_protocol.h"
#include "compiler/ruby/worker/wire.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace pupc::compiler {

struct RubyFunction {
  std::string file;      // the file that defines it
  bool legacy = false;   // a 3.x function: accepts any arguments
  bool own_call = false; // overrides `call`, and chooses a dispatch there
  std::vector<RubyDispatch> dispatches;
};

class CompileRubySession final : public RubyService, private RuntimeObjectHost {
public:
  CompileRubySession(RubyPool& pool, const Environment& environment) : pool_(pool), environment_(environment) { objects_.host = this; }
  ~CompileRubySession() override;

  Value call_function(Evaluator& evaluator, std::string_view name, const RubyFunctionFile& source, std::span<const Value> args,
                      const Closure* block, Frame& caller, Loc loc) override;
  std::optional<Value> call_backend(Evaluator& evaluator, const BackendRequest& request, std::string_view calling_class,
                                    Frame& frame) override;
  std::string render_erb(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc) override;
  RubyDataType load_data_type(Evaluator& evaluator, std::string_view name, const std::string& file) override;
  bool call_object(Evaluator& evaluator, const Value& object, std::string_view function, std::span<const Value> args, const Closure* block,
                   Frame& caller, Loc loc, Value& out) override;
  std::string defined_beside(std::string_view name) const override;
  bool gave_objects() const override { return !objects_.by_number.empty(); }
  bool always() const override { return pool_.options().mode == RubyMode::Always; }

private:
  using Build = std::function<void(MarshalWriter&)>;

  /// What the worker is doing for us. `what` is for errors: "function 'x' (/path/x.rb)".
  struct Task {
    std::string what;
    Loc loc;
    std::chrono::nanoseconds patience;
    Task* outer;
    bool template_ = false;                // errors name the place in the Ruby file
    std::span<const Value> arguments = {}; // for a 4.x function, which may change them in place
    Frame* caller = nullptr;
    std::span<const MadeCall> made = {}; // the calls with effects that this code has made without Ruby and that Ruby has not come to yet
    std::vector<std::pair<size_t, Value>> changed = {}; // the arguments that the function has changed
    std::vector<size_t> of_parameters = {};             // those of them that were values of the caller's parameters
    std::optional<size_t> returned = {};                // the argument that the function returns: the same object, not a copy
    Value argument(size_t index) const {
      for (const auto& [i, value] : changed)
        if (i == index) return value;
      return arguments[index];
    }
  };

  void start();
  /// Calls start() for `task`. If the worker cannot start, throws a CompileError with `code`.
  void start_for(const Task& task, ErrorCode code);
  /// Sends a request, answers Ruby's questions meanwhile, and returns the result. A failure in Ruby becomes the matching C++ exception.
  Value request(Task& task, RubyRequest question, const Build& build);
  [[noreturn]] void fail(const Value& failure, const Task& task);
  [[noreturn]] void fail_lost(const RubyWorkerLost& lost, const Task& task);
  const RubyFunction& function(std::string_view name, const std::string& file, Task& task);
  void change_argument(Task& task, size_t index, const Value& changed);
  int64_t pick_dispatch(std::string_view name, std::span<const Value> args);

  std::string text(const RuntimeObject& object) const override;
  bool same(const RuntimeObject& a, const RuntimeObject& b) const override;
  void write_block(MarshalWriter& w, const Closure* block, size_t number);
  Value describe_object(const Value& object);

  // -- answers to Ruby's questions: callbacks.cpp, type_callbacks.cpp, catalog_callbacks.cpp
  static std::string lower_text(std::string_view text);
  /// The members of a question. Members that Ruby left out are undef.
  struct Given {
    std::span<const Value> members;
    Value operator[](size_t i) const { return i < members.size() ? members[i] : Value::undef(); }
    std::string_view text(size_t i) const { return (*this)[i].is_string() ? members[i].str() : std::string_view(); }
    /// The member without a leading "::", which makes no difference here.
    std::string_view name(size_t i) const;
    std::string lower_name(size_t i) const { return CompileRubySession::lower_text(name(i)); }
    std::string lower_text(size_t i) const { return CompileRubySession::lower_text(text(i)); }
  };
  using Handler = Value (CompileRubySession::*)(const Given& arg, Task& task);
  static const Handler handlers[];
#define RUBY_REQUEST(name, ...)
#define RUBY_CALLBACK(name, ...) Value on_##name(const Given& arg, Task& task);
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
  void serve(const Value& message, Task& task);
  Value text_value(std::string_view text);
  Value list_of(std::initializer_list<Value> members);
  /// The value behind a number that Ruby holds; null for an unknown number.
  const Value* handle(const Value& number) const;
  Value describe_module(const Module& module);
  const Type* type_of(const Value& given);
  Value reference(ResourceId id);
  ResourceId find(const Given& arg);
  Frame& frame_of(const Value& number);

  /// Gives a frame or block a number for Ruby, for the duration of a call.
  template <class T> struct Numbered {
    Numbered(std::vector<T>& t, T item) : table(t), number(t.size()) { table.push_back(item); }
    ~Numbered() { table.resize(number); }
    Numbered(const Numbered&) = delete;
    Numbered& operator=(const Numbered&) = delete;
    std::vector<T>& table;
    size_t number;
  };

  /// The number by which Ruby knows a frame during a call. A call inside a call of the same frame shares its number, as an object of a
  /// module may keep the scope of the inner call while the outer one runs.
  struct NumberedFrame {
    NumberedFrame(std::vector<Frame*>& t, Frame& frame)
        : table(t), size(t.size()), number(static_cast<size_t>(std::ranges::find(t, &frame) - t.begin())) {
      if (number == size) table.push_back(&frame);
    }
    ~NumberedFrame() { table.resize(size); }
    NumberedFrame(const NumberedFrame&) = delete;
    NumberedFrame& operator=(const NumberedFrame&) = delete;
    std::vector<Frame*>& table;
    size_t size;
    size_t number;
  };

  RubyPool& pool_;
  const Environment& environment_;
  Evaluator* evaluator_ = nullptr;
  std::unique_ptr<RubyWorker> worker_;
  std::vector<Frame*> frames_;
  std::vector<const Closure*> blocks_;
  std::vector<Value> handles_;
  RuntimeObjects objects_;
  std::vector<std::exception_ptr> jumps_; // C++ exceptions on their way through Ruby
  std::unordered_map<std::string, RubyFunction> functions_;
  std::unordered_map<std::string, std::string> beside_; // 3.x functions -> the file of another function, which defined them as well
  size_t methods_told_ = 0;                             // how many of NativeRuby::template_methods this process knows
  Task* task_ = nullptr;
};

} // namespace pupc::compiler
