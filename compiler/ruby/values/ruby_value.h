#pragma once
// Ruby values as templates see them: strings, arrays and hashes are mutable and shared by reference, as in Ruby.
#include "catalog/base/text_hash.h"
#include "catalog/value/ip_address.h"
#include "catalog/value/regex.h"
#include "catalog/value/value.h"
#include "compiler/ruby/values/stable_list.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc::compiler::ruby {

enum class RubyKind : uint8_t {
  Nil,
  True,
  False,
  Integer,
  Float,
  Symbol,
  String,
  Array,
  Hash,
  Range,
  Regexp,
  Match,
  Proc,
  Class,
  Scope,
  Enumerator,
  Foreign,
  Exception,
  Address,  // an IPAddr
  Instance, // self of a function of the 4.x API
  Object,   // of a class that code defines
  Module,   // such a class or module
  Host,     // an object of the program around: host_object.h
  Bytes,    // a String whose encoding is binary
  Big,      // an Integer of more than 64 bits
};

/// Classes and modules that templates name.
enum class RubyClass : uint8_t {
  Object,
  BasicObject,
  Kernel,
  Comparable,
  Enumerable,
  NilClass,
  TrueClass,
  FalseClass,
  Numeric,
  Integer,
  Float,
  Symbol,
  String,
  Array,
  Hash,
  Range,
  Regexp,
  MatchData,
  Proc,
  File,
  Enumerator,
  Class,
  Module,
  Method,
  Math,
  Primitives, // PupcCore, which only the library's Ruby text names
  // Modules whose functions are known
  Puppet,
  Json,
  Shellwords,
  IpAddr,
  Md5,
  Sha1,
  Sha256,
  Base64,
  Cgi,
  PuppetPackage,
  Pson,
  Yaml,
  HieraConfig,
  ParserFunctions,
  Sensitive,
  // Exceptions
  Exception,
  StandardError,
  ArgumentError,
  TypeError,
  RuntimeError,
  NameError,
  NoMethodError,
  IndexError,
  KeyError,
  RangeError,
  ZeroDivisionError,
  FrozenError,
  IpAddrError,
  StopIteration,
  FloatDomainError,
  NotImplementedError,
  RegexpError,
  IOError,
  Errno,
  JsonError,
  JsonParserError,
  YamlException,
  YamlError,
  YamlDisallowed,
  NoMatchingPattern,
  NoMatchingPatternKey,
  UncaughtThrow,
  EncodingError,
  LocalJumpError,
  ScriptError,
  LoadError,
  SecurityError,
  DateError,
  InvalidAddressError,
  InvalidPrefixError,
  AddressFamilyError,
  PuppetError,
  ParseError,
  PreformattedError,
  LookupError,
  DuplicateResourceError,
  Other,
};

struct RubyString;
struct RubyArray;
struct RubyHash;
struct RubyRange;
struct RubyMatch;
struct RubyProc;
struct RubyEnumerator;
struct RubyException;
struct RubyAddress;
struct RubyBytes;
struct RubyBig;    // big_integer.h
struct RubyObject; // ruby_module.h
struct RubyModule;
class HostObject;

struct RubyValue {
  RubyKind kind = RubyKind::Nil;
  RubyClass class_ = RubyClass::Object; // Class
  union {
    int64_t i = 0;
    double d;
    RubyString* s; // String, Symbol
    RubyArray* a;
    RubyHash* h;
    RubyRange* r;
    const Regex* regex;
    RubyMatch* match;
    RubyProc* proc;
    RubyEnumerator* e;
    const Value* foreign;
    RubyException* exception;
    const RubyAddress* address;
    RubyObject* object;
    RubyModule* module;
    HostObject* host;
    RubyBytes* bytes;
    const RubyBig* big;
    const void* pointer;
  };

  static RubyValue nil() { return {}; }
  static RubyValue boolean(bool b) { return tagged(b ? RubyKind::True : RubyKind::False); }
  static RubyValue integer(int64_t v) { return {.kind = RubyKind::Integer, .i = v}; }
  static RubyValue floating(double v) { return {.kind = RubyKind::Float, .d = v}; }
  static RubyValue of(RubyString* v) { return {.kind = RubyKind::String, .s = v}; }
  static RubyValue symbol(RubyString* v) { return {.kind = RubyKind::Symbol, .s = v}; }
  static RubyValue of(RubyArray* v) { return {.kind = RubyKind::Array, .a = v}; }
  static RubyValue of(RubyHash* v) { return {.kind = RubyKind::Hash, .h = v}; }
  static RubyValue of(RubyRange* v) { return {.kind = RubyKind::Range, .r = v}; }
  static RubyValue of(const Regex* v) { return {.kind = RubyKind::Regexp, .regex = v}; }
  static RubyValue of(RubyMatch* v) { return {.kind = RubyKind::Match, .match = v}; }
  static RubyValue of(RubyProc* v) { return {.kind = RubyKind::Proc, .proc = v}; }
  static RubyValue of(RubyEnumerator* v) { return {.kind = RubyKind::Enumerator, .e = v}; }
  static RubyValue of(RubyClass c) { return {.kind = RubyKind::Class, .class_ = c, .i = 0}; }
  static RubyValue of(RubyException* v) { return {.kind = RubyKind::Exception, .exception = v}; }
  static RubyValue of(const RubyAddress* v) { return {.kind = RubyKind::Address, .address = v}; }
  static RubyValue of(RubyObject* v) { return {.kind = RubyKind::Object, .object = v}; }
  static RubyValue of(RubyModule* v) { return {.kind = RubyKind::Module, .module = v}; }
  static RubyValue of(HostObject* v) { return {.kind = RubyKind::Host, .host = v}; }
  static RubyValue of(RubyBytes* v) { return {.kind = RubyKind::Bytes, .bytes = v}; }
  static RubyValue of(const RubyBig* v) { return {.kind = RubyKind::Big, .big = v}; }
  static RubyValue instance() { return tagged(RubyKind::Instance); }
  static RubyValue scope() { return tagged(RubyKind::Scope); }
  static RubyValue foreign_value(const Value* v) { return {.kind = RubyKind::Foreign, .foreign = v}; }

  bool is(RubyKind k) const { return kind == k; }
  bool is_nil() const { return kind == RubyKind::Nil; }
  bool is_integer() const { return kind == RubyKind::Integer; }
  bool is_number() const { return kind == RubyKind::Integer || kind == RubyKind::Float; }
  bool is_string() const { return kind == RubyKind::String; }
  bool is_symbol() const { return kind == RubyKind::Symbol; }
  bool is_array() const { return kind == RubyKind::Array; }
  bool is_hash() const { return kind == RubyKind::Hash; }
  bool truthy() const { return kind != RubyKind::Nil && kind != RubyKind::False; }
  double number() const { return kind == RubyKind::Integer ? static_cast<double>(i) : d; }
  std::string_view text() const; // of String and Symbol

private:
  static RubyValue tagged(RubyKind k) {
    RubyValue r;
    r.kind = k;
    return r;
  }
};

struct RubyString {
  std::string text; // UTF-8
  bool frozen = false;
  bool outside = false; // Puppet's code sees it, too
  bool kept = false;    // a part of a constant, which later calls see
};

/// A String in the encoding ASCII-8BIT. It is a kind of its own, so that no method takes its bytes for characters: one that does not know
/// of it leaves the call to Ruby.
struct RubyBytes {
  std::string text;
  bool frozen = false;
  bool renamed = false;           // force_encoding has made it a text: this object is no longer what code holds
  std::string_view encoding = {}; // of a text that encode has made (UTF-16LE); empty: binary
};

/// A list or hash of Puppet's that one of Ruby's was made from. A copy of Ruby's list or hash stands for no other.
struct Origin {
  Value value;          // undef: there is none
  bool outside = false; // Puppet's code sees the list or hash, too
  bool kept = false;    // it is a part of a constant, which later calls see

  Origin() = default;
  Origin(const Origin&) {}
  Origin& operator=(const Origin&) { return *this; }
  void set(const Value& v) {
    value = v;
    outside = true;
  }
};

struct RubyArray {
  std::vector<RubyValue> items;
  bool frozen = false;
  Origin origin;
};

/// Values by their names, in the order in which they came: few, as variables and constants are.
class NamedValues {
public:
  using Entries = std::vector<std::pair<std::string, RubyValue>>;
  Entries::iterator begin() { return entries_.begin(); }
  Entries::iterator end() { return entries_.end(); }
  Entries::const_iterator begin() const { return entries_.begin(); }
  Entries::const_iterator end() const { return entries_.end(); }
  Entries::iterator find(std::string_view name) {
    auto at = entries_.begin();
    while (at != entries_.end() && !same(at->first, name)) ++at;
    return at;
  }
  Entries::const_iterator find(std::string_view name) const { return const_cast<NamedValues&>(*this).find(name); }
  bool contains(std::string_view name) const { return find(name) != end(); }
  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  void erase(Entries::iterator at) { entries_.erase(at); }
  RubyValue& operator[](std::string_view name) {
    const auto known = find(name);
    return known != end() ? known->second : entries_.emplace_back(name, RubyValue()).second;
  }
  /// False where the name has a value already.
  bool emplace(std::string_view name, const RubyValue& value) {
    if (contains(name)) return false;
    entries_.emplace_back(name, value);
    return true;
  }
  void insert_or_assign(std::string_view name, const RubyValue& value) { (*this)[name] = value; }

private:
  /// Most names differ in their length or first letter; only what does not takes a call.
  static bool same(const std::string& a, std::string_view b) {
    return a.size() == b.size() && (b.empty() || (a[0] == b[0] && std::memcmp(a.data(), b.data(), b.size()) == 0));
  }
  Entries entries_;
};

struct RubyValueHash {
  size_t operator()(const RubyValue& v) const;
};
struct RubyValueEql {
  bool operator()(const RubyValue& a, const RubyValue& b) const;
};

/// Makes Ruby's value of one of Puppet's.
class RubyMaker {
public:
  virtual RubyValue ruby_of(const Value& v) = 0;

protected:
  ~RubyMaker() = default;
};

/// A hash in order of insertion. Above 8 entries it keeps an index for fast lookup. One of Puppet's is taken over entry by entry as the
/// code asks for them, because functions get large hashes of which they read one value.
struct RubyHash {
  RubyValue fallback; // default value
  RubyProc* fallback_proc = nullptr;
  bool frozen = false;
  Origin origin;

  /// The value of a key; null where there is none. Valid until the next call.
  RubyValue* find(const RubyValue& key);
  RubyValue* find_text(std::string_view key); // the same for a String
  void set(const RubyValue& key, const RubyValue& value);
  bool erase(const RubyValue& key, RubyValue& removed);
  void clear();
  /// Rebuilds the index. Call it after a direct change of `entries`.
  void reindex();
  std::vector<std::pair<RubyValue, RubyValue>>& entries() {
    if (source_ != nullptr) fill();
    return entries_;
  }
  size_t size() const { return source_ != nullptr ? source_->size : entries_.size(); }
  /// Stands for a hash of Puppet's.
  void wrap(const Hash& source, RubyMaker& maker);
  /// Whether it still stands for a hash of Puppet's. What code has changed in place is a part that it has seen, never the hash itself.
  bool stands_for_another() const { return source_ != nullptr; }
  /// Whether the code has seen nothing of the hash that this one stands for.
  bool untouched() const { return source_ != nullptr && touched_.empty(); }
  /// Whether all that the code has seen of that hash is as `same` says, which gets each value of Ruby's with Puppet's.
  template <class Same> bool all_touched(const Same& same) const {
    return std::all_of(touched_.begin(), touched_.end(), [&](const auto& one) { return same(one.second, *one.first); });
  }

private:
  void fill();
  bool ask_source(std::string_view key, RubyValue*& out);
  const Hash* source_ = nullptr; // as long as not all entries are taken over
  RubyMaker* maker_ = nullptr;
  std::vector<std::pair<const Value*, RubyValue>> touched_; // the values that are
  std::vector<std::pair<RubyValue, RubyValue>> entries_;
  std::unordered_map<RubyValue, size_t, RubyValueHash, RubyValueEql> index_;
};

struct RubyRange {
  RubyValue first, last;
  bool exclusive = false;
};

struct RubyException {
  RubyClass class_ = RubyClass::RuntimeError; // Ruby's own that it is or comes from
  std::string message;
  RubyModule* module = nullptr; // the class of the code's own
  NamedValues instance_variables;
  bool unworded = false; // only Ruby knows the text
};

struct RubyAddress {
  IpAddress value; // with a prefix length it is the network's address, as in IPAddr
};

struct RubyMatch {
  std::string text;
  MatchResult result;
  const Regex* regex = nullptr;
};

inline std::string_view RubyValue::text() const { return s->text; }

/// Ruby's two kinds of equality: eql? compares hash keys (1 and 1.0 differ), == compares values (1 and 1.0 are equal).
bool ruby_eql(const RubyValue& a, const RubyValue& b);
bool ruby_equals(const RubyValue& a, const RubyValue& b);

/// What two objects of classes that code defines have to be asked: whether they are equal.
class RubyEquality {
public:
  virtual bool equal_objects(const RubyValue& a, const RubyValue& b, bool as_key) = 0;
  /// The number of an object as a key: the same for all that are equal as keys.
  virtual size_t hash_object(const RubyValue& v) = 0;

protected:
  ~RubyEquality() = default;
};

/// Owns all objects of one rendering and frees them together.
class RubyHeap {
public:
  RubyValue string(std::string text) { return RubyValue::of(&strings_.emplace_back(RubyString{std::move(text)})); }
  RubyValue symbol(std::string_view name);
  RubyValue array(std::vector<RubyValue> items) { return RubyValue::of(&arrays_.emplace_back(RubyArray{std::move(items), false, {}})); }
  RubyValue hash() { return RubyValue::of(&hashes_.emplace_back()); }
  RubyValue range(RubyValue first, RubyValue last, bool exclusive) {
    return RubyValue::of(&ranges_.emplace_back(RubyRange{first, last, exclusive}));
  }
  RubyValue exception(RubyClass c, std::string message) {
    return RubyValue::of(&exceptions_.emplace_back(RubyException{c, std::move(message), nullptr, {}, false}));
  }
  RubyValue address(IpAddress a) { return RubyValue::of(&addresses_.emplace_back(RubyAddress{a})); }
  RubyValue bytes(std::string text) { return RubyValue::of(&bytes_.emplace_back(RubyBytes{std::move(text), false, false, {}})); }
  RubyValue big(std::shared_ptr<const RubyBig> v) { return RubyValue::of(big_.emplace_back(std::move(v)).get()); }
  RubyValue match(RubyMatch m) { return RubyValue::of(&matches_.emplace_back(std::move(m))); }

  /// Marks all texts, lists and hashes that there are as seen by later calls.
  void mark_kept();

private:
  StableList<RubyString> strings_;
  StableList<RubyArray> arrays_;
  StableList<RubyHash> hashes_;
  StableList<RubyRange> ranges_;
  StableList<RubyMatch> matches_;
  StableList<RubyException> exceptions_;
  StableList<RubyAddress> addresses_;
  StableList<RubyBytes> bytes_;
  StableList<std::shared_ptr<const RubyBig>> big_;
  std::unordered_map<std::string_view, RubyString*, TransparentHash> symbols_; // by the texts that they have
};

std::string inspect_symbol(std::string_view name);
std::string regexp_to_s(const Regex& regex);
std::string inspect_regexp(const Regex& regex);

/// "String", "Integer", "NilClass"; "" when it is not known.
std::string_view class_name(RubyClass c);
RubyClass class_of(const RubyValue& v);
/// Whether instances of `c` are also of class or module `wanted`.
bool descends(RubyClass c, RubyClass wanted);
bool is_exception(RubyClass c);
/// Finds the class that a constant names; false when the interpreter does not know the constant.
bool find_class(std::string_view name, RubyClass& out);

// -- characters of UTF-8 text
size_t character_count(std::string_view s);
bool is_ascii(std::string_view s);
/// Byte offset of character n (at most the text's end).
size_t byte_offset(std::string_view s, size_t n);
std::vector<std::string_view> characters_of(std::string_view s);

} // namespace pupc::compiler::ruby
