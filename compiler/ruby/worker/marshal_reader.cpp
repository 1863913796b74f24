#include "compiler/ruby/worker/marshal_reader.h"

#include "catalog/base/stack.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/unicode_case.h"
#include "compiler/types/core_types.h"
#include "compiler/types/runtime_object.h"

#include <cstdlib>

namespace pupc::compiler {

unsigned char MarshalReader::take() {
  if (at_ >= bytes_.size()) throw NeedsTaggedBytes{};
  return static_cast<unsigned char>(bytes_[at_++]);
}

int64_t MarshalReader::length() {
  auto c = static_cast<signed char>(take());
  if (c == 0) return 0;
  if (c > 4) return c - 5;
  if (c < -4) return c + 5;
  const int count = c > 0 ? c : -c;
  int64_t n = c > 0 ? 0 : -1;
  for (int i = 0; i < count; ++i) {
    n &= ~(int64_t(0xFF) << (8 * i));
    n |= static_cast<int64_t>(take()) << (8 * i);
  }
  return n;
}

std::string_view MarshalReader::raw() {
  int64_t n = length();
  if (n < 0 || static_cast<size_t>(n) > bytes_.size() - at_) throw NeedsTaggedBytes{};
  auto out = bytes_.substr(at_, static_cast<size_t>(n));
  at_ += static_cast<size_t>(n);
  return out;
}

std::string_view MarshalReader::symbol() {
  unsigned char kind = take();
  if (kind == ':') {
    symbols_.push_back(raw());
    return symbols_.back();
  }
  if (kind != ';') throw NeedsTaggedBytes{};
  auto n = static_cast<size_t>(length());
  if (n >= symbols_.size()) throw NeedsTaggedBytes{};
  return symbols_[n];
}

size_t MarshalReader::reserve() {
  objects_.emplace_back();
  return objects_.size() - 1;
}

Value MarshalReader::finish(size_t index, Value value) {
  objects_[index] = {value, true};
  return value;
}

Value MarshalReader::read() {
  at_ = 2;
  return object();
}

Value MarshalReader::object() {
  if (++depth_ > 10000 || native_stack_low()) throw NeedsTaggedBytes{};
  struct Leave {
    unsigned& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  unsigned char kind = take();
  switch (kind) {
  case '0': return Value::undef();
  case 'T': return Value::boolean(true);
  case 'F': return Value::boolean(false);
  case 'i': return Value::integer(length());
  case ':':
  case ';': {
    --at_;
    std::string_view name = symbol();
    if (name == "undef") return Value::undef();
    if (name == "default") return Value::default_value();
    seen_symbol_ = true;
    return ruby_symbol(arena_, name);
  }
  case '@': {
    auto n = static_cast<size_t>(length());
    if (n >= objects_.size() || !objects_[n].complete) throw NeedsTaggedBytes{};
    return objects_[n].value;
  }
  case 'I': return encoded();
  case 'U': return facade();
  default: return plain(kind);
  }
}

Value MarshalReader::plain(unsigned char kind) {
  size_t index = reserve();
  switch (kind) {
  case '"': return finish(index, bytes_text(Value::string(arena_.copy(raw())))); // ASCII-8BIT
  case 'f': {
    std::string text(raw());
    if (text.empty() || (text.find_first_not_of("0123456789+-.e") != std::string::npos)) throw NeedsTaggedBytes{}; // inf, nan
    return finish(index, Value::floating(std::strtod(text.c_str(), nullptr)));
  }
  case 'l': {
    const bool negative = take() == '-';
    int64_t shorts = length();
    if (shorts < 0 || shorts > 4) throw NeedsTaggedBytes{};
    uint64_t magnitude = 0;
    for (int64_t i = 0; i < 2 * shorts; ++i) magnitude |= static_cast<uint64_t>(take()) << (8 * i);
    if (magnitude > (uint64_t(1) << 63) - (negative ? 0 : 1)) throw NeedsTaggedBytes{};
    return finish(index, Value::integer(negative ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude)));
  }
  case '[': {
    int64_t n = length();
    ListBuilder list(arena_, static_cast<size_t>(std::clamp<int64_t>(n, 0, 4096)));
    for (int64_t i = 0; i < n; ++i) list.add(object());
    return finish(index, list.finish());
  }
  case '{': {
    int64_t n = length();
    HashBuilder hash(arena_, static_cast<size_t>(std::clamp<int64_t>(n, 0, 4096)));
    for (int64_t i = 0; i < n; ++i) {
      Value key = object();
      hash.set(key, object());
    }
    return finish(index, hash.finish());
  }
  default: throw NeedsTaggedBytes{};
  }
}

// Reads a text with its encoding. Only UTF-8 and ASCII texts are plain data.
Value MarshalReader::encoded() {
  unsigned char kind = take();
  if (kind != '"' && kind != ':') throw NeedsTaggedBytes{};
  Value value;
  if (kind == ':') {
    symbols_.push_back(raw());
    value = ruby_symbol(arena_, symbols_.back());
    seen_symbol_ = true;
  } else {
    value = finish(reserve(), Value::string(arena_.copy(raw())));
  }
  if (length() != 1 || symbol() != "E") throw NeedsTaggedBytes{};
  unsigned char flag = take();
  if (flag != 'T' && flag != 'F') throw NeedsTaggedBytes{};
  return value;
}

// Reads an object that Ruby wrote with marshal_dump, from the list that this method returned.
Value MarshalReader::facade() {
  std::string_view name = symbol();
  size_t index = reserve();
  Value data = object();
  auto members = data.is_list() ? data.items() : std::span<const Value>();
  if (members.empty()) throw NeedsTaggedBytes{};
  if (name == "Puppet::Pops::Types::PSensitiveType::Sensitive") return finish(index, Value::sensitive(arena_, members[0]));
  if (name == "Puppet::Resource" || name == "Puppet::Parser::Resource") {
    if (members.size() != 2 || !members[0].is_string() || !members[1].is_string()) throw NeedsTaggedBytes{};
    std::string_view type = members[0].str(), title = members[1].str();
    if (type == "Class") return finish(index, Value::type(class_type(arena_, arena_.copy(downcase(title)))));
    return finish(index, Value::type(resource_type(arena_, type, title)));
  }
  if (members[0].is_int() && (name == "PupcWorker::Handle" || name == "Puppet::Pops::Lookup::Context")) {
    auto n = static_cast<size_t>(members[0].i);
    if (n >= handles_.size()) throw NeedsTaggedBytes{};
    return finish(index, handles_[n]);
  }
  if (members[0].is_string() && name.starts_with("Puppet::Pops::Types::P") && name.ends_with("Type")) {
    if (members.size() > 1 && members[1].is_int() && static_cast<size_t>(members[1].i) < handles_.size())
      return finish(index, handles_[static_cast<size_t>(members[1].i)]);
    return finish(index, Value::type(parse_type(types_, arena_.copy(members[0].str()))));
  }
  throw NeedsTaggedBytes{};
}

} // namespace pupc::compiler
