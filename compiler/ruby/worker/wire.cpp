#include "compiler/ruby/worker/wire.h"

#include "compiler/conversion/new_instance.h"
#include "compiler/ruby/worker/marshal_reader.h"
#include "compiler/ruby/worker/ruby_protocol.h"
#include "compiler/ruby/worker/type_members.h"

#include "catalog/base/diagnostic.h"
#include "catalog/base/stack.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/frozen.h"
#include "catalog/value/semver.h"
#include "catalog/value/symbol_text.h"
#include "catalog/value/time_format.h"
#include "catalog/value/unicode_case.h"
#include "compiler/types/core_types.h"
#include "compiler/types/iterator.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/ruby_class.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace pupc::compiler {

MarshalWriter::MarshalWriter(std::string& out, std::vector<Value>& handles) : out_(out), handles_(handles) { out_ += "\x04\x08"; }

void begin_question(MarshalWriter& w, RubyRequest question) {
  const auto number = static_cast<size_t>(question);
  w.array(ruby_requests[number].size() + 1);
  w.integer(ruby_first_question + static_cast<int64_t>(number));
}

void MarshalWriter::length(int64_t n) {
  if (n == 0) {
    out_ += '\0';
  } else if (n > 0 && n < 123) {
    out_ += static_cast<char>(n + 5);
  } else if (n < 0 && n > -124) {
    out_ += static_cast<char>(n - 5);
  } else {
    char buffer[4];
    int count = 0;
    int64_t end = n > 0 ? 0 : -1;
    for (int64_t rest = n; rest != end && count < 4; rest >>= 8) buffer[count++] = static_cast<char>(rest & 0xFF);
    out_ += static_cast<char>(n > 0 ? count : -count);
    out_.append(buffer, static_cast<size_t>(count));
  }
}

void MarshalWriter::bytes(std::string_view s) {
  length(static_cast<int64_t>(s.size()));
  out_ += s;
}

void MarshalWriter::integer(int64_t i) {
  if (i >= -(int64_t(1) << 30) && i < (int64_t(1) << 30)) {
    out_ += 'i';
    length(i);
    return;
  }
  ++objects_;
  out_ += 'l';
  out_ += i < 0 ? '-' : '+';
  uint64_t magnitude = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  length(magnitude >> 48 ? 4 : magnitude >> 32 ? 3 : 2);
  for (int k = 0; k < (magnitude >> 48 ? 8 : magnitude >> 32 ? 6 : 4); ++k) out_ += static_cast<char>(magnitude >> (8 * k));
}

void MarshalWriter::floating(double d) {
  ++objects_;
  out_ += 'f';
  bytes(std::isnan(d) ? "nan" : std::isinf(d) ? (d < 0 ? "-inf" : "inf") : fmt::format("{:.17g}", d));
}

void MarshalWriter::encoding() {
  length(1);
  symbol("E");
  out_ += 'T';
}

void MarshalWriter::string(std::string_view s) {
  ++objects_;
  out_ += "I\"";
  bytes(s);
  encoding();
}

void MarshalWriter::symbol(std::string_view name) {
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i] == name) {
      out_ += ';';
      length(static_cast<int64_t>(i));
      return;
    }
  symbols_.emplace_back(name);
  out_ += ':';
  bytes(name);
}

void MarshalWriter::array(size_t size) {
  ++objects_;
  out_ += '[';
  length(static_cast<int64_t>(size));
}

void MarshalWriter::hash(size_t size) {
  ++objects_;
  out_ += '{';
  length(static_cast<int64_t>(size));
}

void MarshalWriter::user(std::string_view class_name, size_t members) {
  ++objects_;
  out_ += 'U';
  symbol(class_name);
  array(members);
}

void MarshalWriter::handle(const Value& v, std::string_view kind) {
  const RuntimeObject* object = as_runtime_object(v);
  if (object != nullptr && object->in_ruby) {
    if (object->is_symbol()) return symbol(object->symbol);
    out_ += 'u';
    symbol(object->is_date() ? "PupcWorker::DateLoader" : "PupcWorker::ForeignLoader");
    bytes(object->is_date() ? std::string(object->date) : std::to_string(object->number));
    ++objects_;
    return;
  }
  if (v.is(Kind::Object) && object == nullptr &&
      as_native_object(v) == nullptr) { // Ruby decides what it becomes: PupcWorker::ObjectLoader._load
    out_ += 'u';
    symbol("PupcWorker::ObjectLoader");
    bytes(fmt::format("{} {}", handles_.size(), v.opaque->to_string()));
    handles_.push_back(v);
    ++objects_;
    return;
  }
  const NativeObject* context = as_native_object(v);
  user(context != nullptr ? "Puppet::Pops::Lookup::Context" : "PupcWorker::Handle", context != nullptr ? 5 : 3);
  integer(static_cast<int64_t>(handles_.size()));
  string(v.opaque->to_string());
  string(kind);
  if (context != nullptr) {
    integer(static_cast<int64_t>(context->kept_place()));
    boolean(context->keeps());
  }
  handles_.push_back(v);
}

void MarshalWriter::type(const Type& type) {
  user(fmt::format("Puppet::Pops::Types::{}", ruby_type_class(type.kind)), 2);
  string(type.to_string());
  integer(static_cast<int64_t>(handles_.size()));
  handles_.push_back(Value::type(&type));
}

/// Writes a link to a list or hash that this document has already. Otherwise it is the next object, and the caller writes it.
bool MarshalWriter::link(const void* object) {
  auto [known, fresh] = numbers_.try_emplace(object, objects_);
  if (fresh) return false;
  out_ += '@';
  length(static_cast<int64_t>(known->second));
  return true;
}

/// Ruby freezes a key by itself.
void MarshalWriter::key(Value k) {
  k.flags &= static_cast<uint8_t>(~frozen_flag);
  value(k);
}

/// A text that Ruby freezes, or a document of its own that Ruby freezes at every depth.
void MarshalWriter::frozen(Value v) {
  v.flags &= static_cast<uint8_t>(~frozen_flag);
  ++objects_;
  out_ += 'u';
  if (v.is_string()) {
    symbol("PupcWorker::FrozenText");
    return bytes(v.str());
  }
  symbol("PupcWorker::FrozenData");
  std::string document;
  MarshalWriter inner(document, handles_);
  inner.all_frozen_ = true;
  inner.value(v);
  bytes(document);
}

void MarshalWriter::value(const Value& v) {
  if (native_stack_low()) throw_error(ErrorCode::stack_overflow, {}, "a value is nested too deeply for Ruby");
  if (is_frozen(v) && !all_frozen_) return frozen(v);
  switch (v.kind) {
  case Kind::Undef: return nil();
  case Kind::Default: return symbol("default");
  case Kind::Bool: return boolean(v.b);
  case Kind::Int: return integer(v.i);
  case Kind::Float: return floating(v.d);
  case Kind::String:
    if (is_symbol(v)) return symbol(v.str());
    if (is_bytes_text(v)) { // no encoding after the bytes: Ruby reads ASCII-8BIT
      ++objects_;
      out_ += '"';
      return bytes(v.str());
    }
    return string(v.str());
  case Kind::Regex:
    ++objects_;
    out_ += "I/";
    bytes(v.regex->source());
    out_ += static_cast<char>((v.regex->ignore_case() ? 1 : 0) | (v.regex->extended() ? 2 : 0) | (v.regex->multi_line() ? 4 : 0));
    return encoding();
  case Kind::List:
    if (v.list->size > 0 && link(v.list)) return;
    array(v.items().size());
    for (const Value& item : v.items()) value(item);
    return;
  case Kind::Hash:
    if (v.hash->size > 0 && link(v.hash)) return;
    hash(v.hash->size);
    for (const HashEntry& entry : v.hash->entries()) {
      key(entry.key);
      value(entry.value);
    }
    return;
  case Kind::Type: return type(*as_type(v));
  case Kind::Ref:
    user("Puppet::Resource", 2);
    string(v.ref->type);
    return string(v.ref->title);
  case Kind::Sensitive: user("Puppet::Pops::Types::PSensitiveType::Sensitive", 1); return value(v.unwrap());
  case Kind::Deferred:
    user("Puppet::Pops::Types::PDeferredType::Deferred", 2);
    string(v.deferred->name);
    array(v.deferred->arguments ? v.deferred->arguments->size : 0);
    if (v.deferred->arguments)
      for (const Value& item : v.deferred->arguments->items()) value(item);
    return;
  case Kind::Timestamp:
  case Kind::Timespan:
    user(v.is(Kind::Timestamp) ? "Puppet::Pops::Time::Timestamp" : "Puppet::Pops::Time::Timespan", 2);
    integer(v.i);
    return string(v.is(Kind::Timestamp) ? format_timestamp(v.i) : format_timespan(v.i));
  case Kind::SemVer: user("SemanticPuppet::Version", 1); return string(to_string(*v.semver));
  case Kind::SemVerRange: user("SemanticPuppet::VersionRange", 1); return string(v.semver_range->text);
  case Kind::Binary: user("Puppet::Pops::Types::PBinaryType::Binary", 1); return string(v.str());
  case Kind::Uri: // Ruby loads it as its own URI class
    out_ += 'u';
    symbol("PuppetURI");
    ++objects_;
    return bytes(v.str());
  case Kind::Iterator:
    if (const auto* iterator = as_iterator(v); iterator != nullptr && iterator->elements != nullptr)
      return value(Value::of(iterator->elements));
    return handle(v, "iterator");
  case Kind::Object: return handle(v, "object");
  case Kind::Callable: return handle(v, "callable");
  }
}

// ---------------------------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void fail_malformed() { throw_error(ErrorCode::internal_error, {}, "the Ruby worker sent something that is no value"); }

} // namespace

char WireReader::take() {
  if (at_ >= bytes_.size()) fail_malformed();
  return bytes_[at_++];
}

std::string_view WireReader::take(size_t n) {
  if (n > bytes_.size() - at_) fail_malformed();
  std::string_view found = bytes_.substr(at_, n);
  at_ += n;
  return found;
}

template <class T> T WireReader::number() {
  T n;
  std::memcpy(&n, take(sizeof n).data(), sizeof n);
  return n;
}

uint32_t WireReader::size() { return number<uint32_t>(); }

Value WireReader::value() {
  if (at_ == 0 && MarshalReader::is_marshal(bytes_)) {
    MarshalReader reader(bytes_, arena_, types_, handles_);
    Value read = reader.read();
    if (objects_ == nullptr) return symbols_as_texts(arena_, read);
    objects_->symbols = objects_->symbols || reader.seen_symbol();
    return read;
  }
  if (++depth_ > 10000 || native_stack_low()) throw_error(ErrorCode::stack_overflow, {}, "a value from Ruby is nested too deeply");
  struct Leave {
    unsigned& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  auto new_of = [&](std::string_view type, std::string_view text_of) {
    Value argument = Value::string(arena_.copy(text_of));
    return new_instance(types_, builtin_type(type), {&argument, 1});
  };
  switch (take()) {
  case 'N': return Value::undef();
  case 'D': return Value::default_value();
  case 'T': return Value::boolean(true);
  case 'F': return Value::boolean(false);
  case 'i': return Value::integer(number<int64_t>());
  case 'f': return Value::floating(number<double>());
  case 's': return Value::string(arena_.copy(text()));
  case 'k':
    if (objects_ == nullptr) return Value::string(arena_.copy(text()));
    objects_->symbols = true;
    return ruby_symbol(arena_, text());
  case 'B': return bytes_text(Value::string(arena_.copy(text())));
  case 'b': return Value::binary(arena_.copy(text()));
  case 'U': return Value::uri(arena_.copy(text()));
  case 't': return Value::timestamp(number<int64_t>());
  case 'u': return Value::timespan(number<int64_t>());
  case 'v': return new_of("SemVer", text());
  case 'w': return new_of("SemVerRange", text());
  case 'y': return Value::type(parse_type(types_, arena_.copy(text())));
  case 'S': return Value::sensitive(arena_, value());
  case 'a': {
    uint32_t n = size();
    ListBuilder list(arena_, std::min<uint32_t>(n, 4096));
    for (uint32_t i = 0; i < n; ++i) list.add(value());
    return list.finish();
  }
  case 'h': {
    uint32_t n = size();
    HashBuilder hash(arena_, std::min<uint32_t>(n, 4096));
    for (uint32_t i = 0; i < n; ++i) {
      Value key = value();
      hash.set(key, value());
    }
    return hash.finish();
  }
  case 'r': {
    std::string_view source = text_value();
    int options = take();
    try {
      return Value::of(types_.regexes.get(source, (options & 1) != 0, (options & 2) != 0, (options & 4) != 0));
    } catch (const RegexError& error) {
      throw_error(ErrorCode::evaluation_error, {}, fmt::format("Invalid regular expression from Ruby: {}", error.message));
    }
  }
  case 'R': {
    std::string_view type = text_value(), title = text_value();
    if (type == "Class") return Value::type(class_type(arena_, arena_.copy(downcase(title))));
    return Value::type(resource_type(arena_, type, title));
  }
  case 'd': {
    std::string_view name = text_value();
    Value arguments = value();
    return Value::of(arena_.make<DeferredData>(DeferredData{name, arguments.is_list() ? arguments.list : nullptr}));
  }
  case 'J': { // a new object of a data type that Ruby implements
    std::string_view type = text_value();
    Value attributes = value();
    return new_instance(types_, parse_type(types_, type), {&attributes, 1});
  }
  case 'O': {
    uint32_t n = size();
    if (n >= handles_.size()) fail_malformed();
    return handles_[n];
  }
  case 'X': return runtime_object();
  default: fail_malformed();
  }
}

/// A value that must be a text.
std::string_view WireReader::text_value() {
  const Value v = value();
  if (!v.is_string()) fail_malformed();
  return v.str();
}

/// An object of Ruby's own: number, whether a module, hash and, the first time, the names of its classes.
Value WireReader::runtime_object() {
  const uint32_t index = size();
  const bool module = take() != 0;
  const auto hash = number<int64_t>();
  Value classes = value();
  if (objects_ == nullptr || index > objects_->by_number.size()) fail_malformed();
  const bool known = index < objects_->by_number.size() && objects_->by_number[index] != nullptr;
  if (!known && (!classes.is_list() || !std::ranges::all_of(classes.items(), &Value::is_string))) fail_malformed();
  if (index == objects_->by_number.size()) objects_->by_number.push_back(nullptr);
  RuntimeObject*& object = objects_->by_number[index];
  if (object == nullptr) {
    object = arena_.make<RuntimeObject>();
    object->number = index;
    object->module = module;
    object->host = objects_->host;
    auto* names = arena_.make_array<std::string_view>(classes.list->size);
    for (size_t i = 0; i < classes.list->size; ++i) names[i] = classes.items()[i].str();
    object->classes = {names, classes.list->size};
  }
  object->ruby_hash = hash;
  return Value::opaque_of(Kind::Object, object);
}

} // namespace pupc::compiler
