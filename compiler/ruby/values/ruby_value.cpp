#include "compiler/ruby/values/ruby_value.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/unicode_case.h"
#include "compiler/ruby/values/big_integer.h"
#include "compiler/ruby/values/host_object.h"
#include "compiler/ruby/values/ruby_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pupc::compiler::ruby {

/// Texts of different encodings are equal where both are ASCII.
static bool equal_bytes(const RubyValue& a, const RubyValue& b) {
  auto text = [](const RubyValue& v) -> std::string_view { return v.is(RubyKind::Bytes) ? v.bytes->text : v.s->text; };
  return text(a) == text(b) && (a.kind == b.kind || is_ascii(text(a)));
}

/// Whether an address is that of another's network, whatever the masks are.
static bool same_address(const IpAddress& a, const IpAddress& b) {
  IpAddress network = b;
  for (size_t bit = static_cast<size_t>(b.prefix); bit < 128; ++bit) network.bytes[bit / 8] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
  return a.family == b.family && a.bytes == network.bytes;
}

/// IPAddr#==, which takes what it can make an address of.
static bool equals_address(const IpAddress& a, const RubyValue& b) {
  if (b.is(RubyKind::Address)) return same_address(a, b.address->value);
  if (b.is_string()) {
    const std::optional<IpAddress> other = parse_ip_address(b.s->text);
    return other && same_address(a, *other);
  }
  uint64_t low = 0;
  for (size_t i = 0; i < 4; ++i) low = low << 8 | a.bytes[i];
  return b.is_integer() && a.family == 4 && b.i == static_cast<int64_t>(low);
}

bool ruby_eql(const RubyValue& a, const RubyValue& b) {
  check_native_stack();
  if (a.kind != b.kind) return ((a.is(RubyKind::Bytes) && b.is_string()) || (b.is(RubyKind::Bytes) && a.is_string())) && equal_bytes(a, b);
  switch (a.kind) {
  case RubyKind::Nil:
  case RubyKind::True:
  case RubyKind::False:
  case RubyKind::Scope:
  case RubyKind::Instance: return true;
  case RubyKind::Integer: return a.i == b.i;
  case RubyKind::Float: return a.d == b.d;
  case RubyKind::Symbol:
  case RubyKind::String: return a.s->text == b.s->text;
  case RubyKind::Array:
    if (a.a == b.a) return true;
    if (a.a->items.size() != b.a->items.size()) return false;
    for (size_t i = 0; i < a.a->items.size(); ++i)
      if (!ruby_eql(a.a->items[i], b.a->items[i])) return false;
    return true;
  case RubyKind::Hash:
    if (a.h == b.h) return true;
    if (a.h->size() != b.h->size()) return false;
    for (auto& [key, value] : a.h->entries()) {
      RubyValue* other = b.h->find(key);
      if (other == nullptr || !ruby_eql(value, *other)) return false;
    }
    return true;
  case RubyKind::Range: return a.r->exclusive == b.r->exclusive && ruby_eql(a.r->first, b.r->first) && ruby_eql(a.r->last, b.r->last);
  case RubyKind::Regexp: return a.regex == b.regex;
  case RubyKind::Class: return a.class_ == b.class_;
  case RubyKind::Foreign: return eql(*a.foreign, *b.foreign);
  case RubyKind::Address: return a.address->value.prefix == b.address->value.prefix && same_address(a.address->value, b.address->value);
  case RubyKind::Object:
    return a.object == b.object || (a.object->class_->equality != nullptr && a.object->class_->equality->equal_objects(a, b, true));
  case RubyKind::Module: return a.module == b.module;
  case RubyKind::Host: return a.host->is(*b.host);
  case RubyKind::Bytes: return equal_bytes(a, b);
  case RubyKind::Big: return a.big->value == b.big->value;
  case RubyKind::Match:
  case RubyKind::Proc:
  case RubyKind::Exception:
  case RubyKind::Enumerator: return a.match == b.match;
  }
  return false;
}

static bool equals_float(const RubyBig& a, double b) { return std::isfinite(b) && std::trunc(b) == b && a.value == BigInteger(b); }

bool ruby_equals(const RubyValue& a, const RubyValue& b) {
  check_native_stack();
  if (a.is(RubyKind::Address)) return equals_address(a.address->value, b);
  if (a.is(RubyKind::Object) && a.object->class_->equality != nullptr) return a.object->class_->equality->equal_objects(a, b, false);
  if (a.kind != b.kind) {
    if (a.is(RubyKind::Big) && b.is(RubyKind::Float)) return equals_float(*a.big, b.d);
    if (b.is(RubyKind::Big) && a.is(RubyKind::Float)) return equals_float(*b.big, a.d);
    return a.is_number() && b.is_number() ? a.number() == b.number() : ruby_eql(a, b);
  }
  if (a.is_array()) {
    if (a.a == b.a) return true;
    if (a.a->items.size() != b.a->items.size()) return false;
    for (size_t i = 0; i < a.a->items.size(); ++i)
      if (!ruby_equals(a.a->items[i], b.a->items[i])) return false;
    return true;
  }
  if (a.is_hash()) {
    if (a.h == b.h) return true;
    if (a.h->size() != b.h->size()) return false;
    for (auto& [key, value] : a.h->entries()) {
      RubyValue* other = b.h->find(key);
      if (other == nullptr || !ruby_equals(value, *other)) return false;
    }
    return true;
  }
  return ruby_eql(a, b);
}

size_t RubyValueHash::operator()(const RubyValue& v) const {
  auto mix = [](size_t seed, size_t h) { return seed * 0x9E3779B97F4A7C15ull + h + 1; };
  size_t kind = static_cast<size_t>(v.kind);
  switch (v.kind) {
  case RubyKind::Bytes: return mix(static_cast<size_t>(RubyKind::String), hash_of_text(v.bytes->text));
  case RubyKind::Big: return mix(kind, std::hash<std::string>()(v.big->value.str()));
  case RubyKind::Integer: return mix(kind, std::hash<int64_t>()(v.i));
  case RubyKind::Float: return mix(kind, std::hash<double>()(v.d));
  case RubyKind::Symbol:
  case RubyKind::String: return mix(kind, hash_of_text(v.s->text));
  case RubyKind::Array: {
    size_t h = kind;
    for (const RubyValue& item : v.a->items) h = mix(h, (*this)(item));
    return h;
  }
  case RubyKind::Hash: return mix(kind, v.h->size());
  case RubyKind::Module: return mix(kind, std::hash<const void*>()(v.module));
  case RubyKind::Object:
    return mix(kind,
               v.object->class_->equality == nullptr ? std::hash<const void*>()(v.object) : v.object->class_->equality->hash_object(v));
  default: return kind;
  }
}

bool RubyValueEql::operator()(const RubyValue& a, const RubyValue& b) const { return ruby_eql(a, b); }

/// What the hash that this one stands for says. False: all its entries are taken over, as it was asked often.
bool RubyHash::ask_source(std::string_view key, RubyValue*& out) {
  const Value* found = source_->find(key);
  out = nullptr;
  if (found == nullptr) return true;
  for (auto& [value, ruby] : touched_)
    if (value == found) {
      out = &ruby;
      return true;
    }
  if (touched_.size() == 16) {
    fill();
    return false;
  }
  const RubyValue made = maker_->ruby_of(*found); // which may look at this hash
  out = &touched_.emplace_back(found, made).second;
  return true;
}

RubyValue* RubyHash::find_text(std::string_view key) {
  if (RubyValue* out = nullptr; source_ != nullptr && ask_source(key, out)) return out;
  if (entries_.size() <= 8) {
    for (auto& [known, value] : entries_)
      if (known.is_string() ? known.s->text == key : known.is(RubyKind::Bytes) && known.bytes->text == key && is_ascii(key)) return &value;
    return nullptr;
  }
  RubyString text{std::string(key)};
  return find(RubyValue::of(&text));
}

RubyValue* RubyHash::find(const RubyValue& key) {
  if (RubyValue* out = nullptr; source_ != nullptr && key.is_string() && ask_source(key.s->text, out)) return out;
  if (entries().size() <= 8) {
    for (auto& entry : entries_)
      if (ruby_eql(entry.first, key)) return &entry.second;
    return nullptr;
  }
  if (index_.size() != entries_.size()) reindex();
  auto it = index_.find(key);
  return it == index_.end() ? nullptr : &entries_[it->second].second;
}

void RubyHash::set(const RubyValue& key, const RubyValue& value) {
  entries();
  if (RubyValue* found = find(key)) {
    *found = value;
    return;
  }
  entries_.emplace_back(key, value);
  if (entries_.size() > 8) {
    if (index_.size() + 1 == entries_.size())
      index_.emplace(key, entries_.size() - 1);
    else
      reindex();
  }
}

bool RubyHash::erase(const RubyValue& key, RubyValue& removed) {
  entries();
  for (size_t i = 0; i < entries_.size(); ++i)
    if (ruby_eql(entries_[i].first, key)) {
      removed = entries_[i].second;
      entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
      reindex();
      return true;
    }
  return false;
}

void RubyHash::clear() {
  source_ = nullptr;
  entries_.clear();
  index_.clear();
}

void RubyHash::reindex() {
  index_.clear();
  if (entries().size() <= 8) return;
  for (size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].first, i);
}

void RubyHash::wrap(const Hash& source, RubyMaker& maker) {
  source_ = &source;
  maker_ = &maker;
}

void RubyHash::fill() {
  const Hash& source = *std::exchange(source_, nullptr);
  entries_.reserve(source.size);
  for (const HashEntry& entry : source.entries()) {
    RubyValue key = maker_->ruby_of(entry.key);
    if (key.is_string()) key.s->frozen = true;
    const auto known = std::find_if(touched_.begin(), touched_.end(), [&](const auto& one) { return one.first == &entry.value; });
    const RubyValue value = known != touched_.end() ? known->second : maker_->ruby_of(entry.value);
    entries_.emplace_back(key, value);
  }
  touched_.clear();
}

void RubyHeap::mark_kept() {
  strings_.for_each([](RubyString& s) { s.kept = true; });
  arrays_.for_each([](RubyArray& a) { a.origin.kept = true; });
  hashes_.for_each([](RubyHash& h) { h.origin.kept = true; });
}

RubyValue RubyHeap::symbol(std::string_view name) {
  const auto known = symbols_.find(name);
  if (known != symbols_.end()) return RubyValue::symbol(known->second);
  RubyString* made = &strings_.emplace_back(RubyString{std::string(name), true});
  symbols_.emplace(made->text, made);
  return RubyValue::symbol(made);
}

// ---------------------------------------------------------------------------------------------------------------------
// text forms

std::string inspect_symbol(std::string_view name) {
  auto start = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0; };
  auto part = [&](char c) { return start(c) || (c >= '0' && c <= '9'); };
  static constexpr std::string_view operators[] = {"==", "!=", "!",  "===", "=~", "!~", "<=>", "<", ">", "<=", ">=", "+",  "-",  "*",
                                                   "/",  "%",  "**", "<<",  ">>", "&",  "|",   "^", "~", "-@", "+@", "[]", "[]="};
  for (std::string_view op : operators)
    if (name == op) return ":" + std::string(name);
  std::string_view body = name;
  if (body.starts_with("@@"))
    body.remove_prefix(2);
  else if (body.starts_with("@") || body.starts_with("$"))
    body.remove_prefix(1);
  bool simple = !body.empty() && start(body[0]);
  for (size_t i = 1; simple && i < body.size(); ++i)
    simple = part(body[i]) || (i + 1 == body.size() && body.size() == name.size() && (body[i] == '?' || body[i] == '!' || body[i] == '='));
  return simple ? ":" + std::string(name) : ":" + inspected(name);
}

/// The source as Ruby shows it: between slashes, so what is one in it is escaped.
static std::string shown_source(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\' && i + 1 < s.size()) {
      out += s[i++];
      out += s[i];
    } else if (s[i] == '/') {
      out += "\\/";
    } else if ((s[i] >= 0 && s[i] < '\t') || (s[i] > '\r' && s[i] < ' ') || s[i] == 127) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(s[i]));
    } else {
      out += s[i];
    }
  }
  return out;
}

std::string regexp_to_s(const Regex& regex) {
  std::string on, off;
  (regex.multi_line() ? on : off) += 'm';
  (regex.ignore_case() ? on : off) += 'i';
  (regex.extended() ? on : off) += 'x';
  return fmt::format("(?{}{}{}:{})", on, off.empty() ? "" : "-", off, shown_source(regex.source()));
}

std::string inspect_regexp(const Regex& regex) {
  std::string out = "/" + shown_source(regex.source());
  out += '/';
  if (regex.multi_line()) out += 'm';
  if (regex.ignore_case()) out += 'i';
  if (regex.extended()) out += 'x';
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// classes

namespace {

struct ClassInfo {
  std::string_view name;
  RubyClass class_;
  bool constant; // Ruby code may name it
};

constexpr ClassInfo classes[] = {
    {"Object", RubyClass::Object, true},
    {"BasicObject", RubyClass::BasicObject, true},
    {"Kernel", RubyClass::Kernel, true},
    {"Comparable", RubyClass::Comparable, true},
    {"Enumerable", RubyClass::Enumerable, true},
    {"NilClass", RubyClass::NilClass, true},
    {"TrueClass", RubyClass::TrueClass, true},
    {"FalseClass", RubyClass::FalseClass, true},
    {"Numeric", RubyClass::Numeric, true},
    {"Integer", RubyClass::Integer, true},
    {"Float", RubyClass::Float, true},
    {"Symbol", RubyClass::Symbol, true},
    {"String", RubyClass::String, true},
    {"Array", RubyClass::Array, true},
    {"Hash", RubyClass::Hash, true},
    {"Range", RubyClass::Range, true},
    {"Regexp", RubyClass::Regexp, true},
    {"MatchData", RubyClass::MatchData, true},
    {"Proc", RubyClass::Proc, true},
    {"File", RubyClass::File, true},
    {"Class", RubyClass::Class, true},
    {"Module", RubyClass::Module, true},
    {"Math", RubyClass::Math, true},
    {"PupcCore", RubyClass::Primitives, true},
    {"Method", RubyClass::Method, true},
    {"Enumerator", RubyClass::Enumerator, true},
    {"Puppet", RubyClass::Puppet, true},
    {"JSON", RubyClass::Json, true},
    {"Shellwords", RubyClass::Shellwords, true},
    {"IPAddr", RubyClass::IpAddr, true},
    {"Digest::MD5", RubyClass::Md5, true},
    {"Digest::SHA1", RubyClass::Sha1, true},
    {"Digest::SHA256", RubyClass::Sha256, true},
    {"Base64", RubyClass::Base64, true},
    {"CGI", RubyClass::Cgi, true},
    {"Puppet::Util::Package", RubyClass::PuppetPackage, true},
    {"PSON", RubyClass::Pson, true},
    {"YAML", RubyClass::Yaml, true},
    {"Psych", RubyClass::Yaml, true},
    {"Puppet::Pops::Lookup::HieraConfig", RubyClass::HieraConfig, true},
    {"Puppet::Parser::Functions", RubyClass::ParserFunctions, true},
    {"Puppet::Pops::Types::PSensitiveType::Sensitive", RubyClass::Sensitive, true},
    {"Exception", RubyClass::Exception, true},
    {"StandardError", RubyClass::StandardError, true},
    {"ArgumentError", RubyClass::ArgumentError, true},
    {"TypeError", RubyClass::TypeError, true},
    {"RuntimeError", RubyClass::RuntimeError, true},
    {"NameError", RubyClass::NameError, true},
    {"NoMethodError", RubyClass::NoMethodError, true},
    {"IndexError", RubyClass::IndexError, true},
    {"KeyError", RubyClass::KeyError, true},
    {"RangeError", RubyClass::RangeError, true},
    {"ZeroDivisionError", RubyClass::ZeroDivisionError, true},
    {"FrozenError", RubyClass::FrozenError, true},
    {"IPAddr::Error", RubyClass::IpAddrError, true},
    {"IPAddr::InvalidAddressError", RubyClass::InvalidAddressError, true},
    {"IPAddr::InvalidPrefixError", RubyClass::InvalidPrefixError, true},
    {"IPAddr::AddressFamilyError", RubyClass::AddressFamilyError, true},
    {"StopIteration", RubyClass::StopIteration, true},
    {"FloatDomainError", RubyClass::FloatDomainError, true},
    {"NotImplementedError", RubyClass::NotImplementedError, true},
    {"RegexpError", RubyClass::RegexpError, true},
    {"IOError", RubyClass::IOError, true},
    {"SystemCallError", RubyClass::Errno, true},
    {"JSON::JSONError", RubyClass::JsonError, true},
    {"JSON::ParserError", RubyClass::JsonParserError, true},
    {"Psych::Exception", RubyClass::YamlException, true},
    {"Psych::SyntaxError", RubyClass::YamlError, true},
    {"Psych::DisallowedClass", RubyClass::YamlDisallowed, true},
    {"YAML::SyntaxError", RubyClass::YamlError, true},
    {"YAML::DisallowedClass", RubyClass::YamlDisallowed, true},
    {"NoMatchingPatternError", RubyClass::NoMatchingPattern, true},
    {"NoMatchingPatternKeyError", RubyClass::NoMatchingPatternKey, true},
    {"UncaughtThrowError", RubyClass::UncaughtThrow, true},
    {"EncodingError", RubyClass::EncodingError, true},
    {"LocalJumpError", RubyClass::LocalJumpError, true},
    {"ScriptError", RubyClass::ScriptError, true},
    {"LoadError", RubyClass::LoadError, true},
    {"SecurityError", RubyClass::SecurityError, true},
    {"Date::Error", RubyClass::DateError, true},
    {"Puppet::Error", RubyClass::PuppetError, true},
    {"Puppet::ParseError", RubyClass::ParseError, true},
    {"Puppet::PreformattedError", RubyClass::PreformattedError, true},
    {"Puppet::DataBinding::LookupError", RubyClass::LookupError, true},
    {"Puppet::Resource::Catalog::DuplicateResourceError", RubyClass::DuplicateResourceError, true},
    {"", RubyClass::Other, false},
};

} // namespace

std::string_view class_name(RubyClass c) {
  static const auto names = [] {
    std::array<std::string_view, static_cast<size_t>(RubyClass::Other) + 1> out{};
    for (const ClassInfo& info : classes)
      if (std::string_view& name = out[static_cast<size_t>(info.class_)]; name.empty()) name = info.name;
    return out;
  }();
  return names[static_cast<size_t>(c)];
}

bool find_class(std::string_view name, RubyClass& out) {
  static const auto known = [] {
    std::unordered_map<std::string_view, RubyClass, TransparentHash> by_name;
    for (const ClassInfo& info : classes)
      if (info.constant) by_name.emplace(info.name, info.class_);
    return by_name;
  }();
  const auto found = known.find(name);
  if (found != known.end()) out = found->second;
  return found != known.end();
}

RubyClass class_of(const RubyValue& v) {
  switch (v.kind) {
  case RubyKind::Nil: return RubyClass::NilClass;
  case RubyKind::True: return RubyClass::TrueClass;
  case RubyKind::False: return RubyClass::FalseClass;
  case RubyKind::Integer: return RubyClass::Integer;
  case RubyKind::Float: return RubyClass::Float;
  case RubyKind::Symbol: return RubyClass::Symbol;
  case RubyKind::Big: return RubyClass::Integer;
  case RubyKind::Bytes:
  case RubyKind::String: return RubyClass::String;
  case RubyKind::Array: return RubyClass::Array;
  case RubyKind::Hash: return RubyClass::Hash;
  case RubyKind::Range: return RubyClass::Range;
  case RubyKind::Regexp: return RubyClass::Regexp;
  case RubyKind::Exception: return v.exception->class_;
  case RubyKind::Address: return RubyClass::IpAddr;
  case RubyKind::Host:
  case RubyKind::Instance: return RubyClass::Other;
  case RubyKind::Match: return RubyClass::MatchData;
  case RubyKind::Proc: return RubyClass::Proc;
  case RubyKind::Enumerator: return RubyClass::Enumerator;
  case RubyKind::Object:
  case RubyKind::Module: return RubyClass::Other;
  case RubyKind::Foreign: return v.foreign->is(Kind::Sensitive) ? RubyClass::Sensitive : RubyClass::Other;
  case RubyKind::Class:
  case RubyKind::Scope: break;
  }
  return RubyClass::Other;
}

bool is_exception(RubyClass c) { return c >= RubyClass::Exception && c < RubyClass::Other; }

namespace {

RubyClass parent_of(RubyClass exception) {
  switch (exception) {
  case RubyClass::Exception: return RubyClass::Object;
  case RubyClass::StandardError: return RubyClass::Exception;
  case RubyClass::NoMethodError: return RubyClass::NameError;
  case RubyClass::KeyError:
  case RubyClass::StopIteration: return RubyClass::IndexError;
  case RubyClass::FloatDomainError: return RubyClass::RangeError;
  case RubyClass::ScriptError:
  case RubyClass::SecurityError: return RubyClass::Exception;
  case RubyClass::LoadError:
  case RubyClass::NotImplementedError: return RubyClass::ScriptError;
  case RubyClass::JsonParserError: return RubyClass::JsonError;
  case RubyClass::YamlException: return RubyClass::RuntimeError;
  case RubyClass::YamlError:
  case RubyClass::YamlDisallowed: return RubyClass::YamlException;
  case RubyClass::NoMatchingPatternKey: return RubyClass::NoMatchingPattern;
  case RubyClass::DateError:
  case RubyClass::UncaughtThrow: return RubyClass::ArgumentError;
  case RubyClass::IpAddrError: return RubyClass::ArgumentError;
  case RubyClass::AddressFamilyError:
  case RubyClass::InvalidAddressError: return RubyClass::IpAddrError;
  case RubyClass::InvalidPrefixError: return RubyClass::InvalidAddressError;
  case RubyClass::FrozenError:
  case RubyClass::PuppetError: return RubyClass::RuntimeError;
  case RubyClass::DuplicateResourceError:
  case RubyClass::ParseError: return RubyClass::PuppetError;
  case RubyClass::PreformattedError: return RubyClass::ParseError; // of Puppet's there is one between them
  case RubyClass::LookupError: return RubyClass::PreformattedError;
  default: return RubyClass::StandardError;
  }
}

} // namespace

bool descends(RubyClass c, RubyClass wanted) {
  if (c == wanted) return true;
  for (RubyClass up = c; is_exception(up); up = parent_of(up))
    if (up == wanted) return true;
  switch (wanted) {
  case RubyClass::Object:
  case RubyClass::BasicObject:
  case RubyClass::Kernel: return true;
  case RubyClass::Numeric: return c == RubyClass::Integer || c == RubyClass::Float;
  case RubyClass::Comparable:
    return c == RubyClass::Integer || c == RubyClass::Float || c == RubyClass::Numeric || c == RubyClass::String || c == RubyClass::Symbol;
  case RubyClass::Enumerable: return c == RubyClass::Array || c == RubyClass::Hash || c == RubyClass::Range || c == RubyClass::Enumerator;
  default: return false;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// characters

size_t character_count(std::string_view s) {
  size_t n = 0;
  for (char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

bool is_ascii(std::string_view s) {
  for (char c : s)
    if ((c & 0x80) != 0) return false;
  return true;
}

size_t byte_offset(std::string_view s, size_t n) {
  size_t i = 0;
  for (; i < s.size() && n > 0; --n) {
    ++i;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
  }
  return i;
}

std::vector<std::string_view> characters_of(std::string_view s) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < s.size();) {
    size_t begin = i++;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    out.push_back(s.substr(begin, i - begin));
  }
  return out;
}

} // namespace pupc::compiler::ruby
