#pragma once
// Values on their way to the Ruby worker and back. We send Ruby's Marshal format, because Ruby reads it in C. Ruby sends the same format
// for plain values (marshal_reader.h) and tagged bytes (wire.rb) for others.
#include "catalog/value/value.h"
#include "compiler/types/runtime_object.h"
#include "compiler/types/type.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pupc::compiler {

enum class RubyRequest : uint8_t; // ruby_protocol.h

/// Writes one value of Marshal format 4.8.
class MarshalWriter {
public:
  /// `handles`: collects the values that stay on our side; Ruby gets their index as a number.
  MarshalWriter(std::string& out, std::vector<Value>& handles);

  void nil() { out_ += '0'; }
  void boolean(bool b) { out_ += b ? 'T' : 'F'; }
  void integer(int64_t i);
  void floating(double d);
  void string(std::string_view s);
  void symbol(std::string_view name);
  void array(size_t size);
  void hash(size_t size);
  void value(const Value& v);

private:
  void length(int64_t n);
  void bytes(std::string_view s);
  bool link(const void* object);
  void key(Value k);
  void frozen(Value v);
  void user(std::string_view class_name, size_t members);
  void encoding();
  void handle(const Value& v, std::string_view kind);
  void type(const Type& type);
  std::string& out_;
  std::vector<Value>& handles_;
  std::vector<std::string> symbols_;
  bool all_frozen_ = false;                         // the reader freezes the whole document
  size_t objects_ = 0;                              // how many objects Ruby has numbered so far
  std::unordered_map<const void*, size_t> numbers_; // of lists and hashes: the same one again is a link, as it is one object
};

/// Begins a request to the worker. The caller writes its members next.
void begin_question(MarshalWriter& w, RubyRequest question);

/// Ruby objects that the Puppet language has no kind of value for (their type is Runtime['ruby', CLASS]), by the number that Ruby gave
/// them.
struct RuntimeObjects {
  const RuntimeObjectHost* host = nullptr;
  std::vector<RuntimeObject*> by_number;
  bool symbols = false; // set when a Symbol arrives; the owner resets it
};

/// Reads one value that the worker wrote, and copies its texts into the arena. Throws NeedsTaggedBytes where Marshal format is not enough
/// (send the request "again" then), and CompileError for invalid types, patterns and bytes.
class WireReader {
public:
  /// `objects`: the Ruby objects that arrived earlier, by number. Null where Ruby objects may not arrive and a Symbol becomes a text.
  WireReader(std::string_view bytes, Arena& arena, TypeContext& types, const std::vector<Value>& handles, RuntimeObjects* objects = nullptr)
      : bytes_(bytes), arena_(arena), types_(types), handles_(handles), objects_(objects) {}
  Value value();

private:
  std::string_view text_value();
  Value runtime_object();
  char take();
  std::string_view take(size_t n);
  uint32_t size();
  template <class T> T number();
  std::string_view text() { return take(size()); }
  std::string_view bytes_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  Arena& arena_;
  TypeContext& types_;
  const std::vector<Value>& handles_;
  RuntimeObjects* objects_;
};

} // namespace pupc::compiler
