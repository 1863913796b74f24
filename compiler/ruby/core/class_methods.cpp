// Methods of classes and modules that Ruby has: File, JSON, Digest, addresses and the like.
#include "catalog/base/text.h"
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/base/stack.h"
#include "catalog/base/version.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "catalog/value/symbol_text.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace pupc::compiler::ruby {

/// Replaces the symbols in a value with the form that the writer knows: for JSON that of a text. False if two keys of a hash would become
/// equal.
static bool symbols_in_document(Arena& arena, Value& v, bool json) {
  check_native_stack();
  if (const auto* object = as_runtime_object(v); object != nullptr && object->is_symbol()) {
    v = json ? Value::string(object->symbol) : symbol_text(object->symbol);
  } else if (v.is_list() && holds_runtime_object(v)) {
    ListBuilder out(arena, v.list->size);
    for (Value item : v.items()) {
      if (!symbols_in_document(arena, item, json)) return false;
      out.add(item);
    }
    v = out.finish();
  } else if (v.is_hash() && holds_runtime_object(v)) {
    HashBuilder out(arena, v.hash->size);
    const uint32_t size = v.hash->size;
    for (const HashEntry& entry : v.hash->entries()) {
      Value key = entry.key, value = entry.value;
      if (!symbols_in_document(arena, key, json) || !symbols_in_document(arena, value, json)) return false;
      out.set(key, value);
    }
    v = out.finish();
    return v.hash->size == size;
  }
  return true;
}

/// Whether a value holds one that Ruby writes to YAML as the object that it is there, with all its parts.
static bool holds_object(const Value& v) {
  if (v.is_list()) return std::any_of(v.items().begin(), v.items().end(), holds_object);
  if (v.is_hash())
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return holds_object(e.key) || holds_object(e.value); });
  return v.kind > Kind::String && v.kind != Kind::List;
}

/// The options of a JSON text, by name, of which there may be none; leaves to Ruby what the writer does not know.
static Value json_options(Core& core, const MethodCall& c, const RubyValue& given) {
  static constexpr std::string_view known[] = {"indent", "space", "space_before", "object_nl", "array_nl"};
  if (given.is_nil()) return {};
  if (!given.is_hash()) core.unknown(c);
  HashBuilder options(core.host.arena(), given.h->entries().size());
  for (const auto& [key, value] : given.h->entries()) {
    if (!key.is_symbol() || !value.is_string() || std::ranges::find(known, key.text()) == std::end(known)) core.unknown(c);
    options.set(Value::string(core.host.arena().copy(key.text())), core.to_puppet(value, c.line));
  }
  return options.finish();
}

/// The options of a YAML text, by name; leaves to Ruby what the writer does not know. Psych's options are symbols, and it passes over
/// others.
Value yaml_options(Core& core, const MethodCall& c, const RubyValue& given) {
  if (!given.is_hash()) core.unknown(c);
  HashBuilder options(core.host.arena(), given.h->entries().size());
  for (const auto& [key, value] : given.h->entries()) {
    if (!key.is_symbol()) continue;
    const std::string_view name = key.text();
    const bool number = name == "indentation" || name == "line_width", flag = name == "canonical" || name == "header";
    if (!(number && value.is_integer()) && !(flag && (value.kind == RubyKind::True || value.kind == RubyKind::False))) core.unknown(c);
    options.set(Value::string(core.host.arena().copy(name)), core.to_puppet(value, c.line));
  }
  return options.finish();
}

/// Puppet.warning, JSON.generate, Shellwords.escape.
static RubyValue module_method(Core& core, const MethodCall& c) {
  if (c.self.class_ == RubyClass::Puppet) {
    if (c.method == MethodId::m_version) {
      core.need(c, 0);
      return core.str(std::string(puppet_version));
    }
    if (c.method == MethodId::Index && c.args.size() == 1 && (c.args[0].is_symbol() || c.args[0].is_string())) {
      Value value;
      if (!core.host.setting(c.args[0].text(), value)) core.not_rendered(c.line, fmt::format("the setting {}", c.args[0].text()));
      return core.from_puppet(value);
    }
    if (c.name == "deprecation_warning" && c.args.size() == 2) {
      core.logs.push_back({LogLevel::Warning,
                           fmt::format("{}\n   (location: {})", core.to_s(c.args[0], c.line), core.place_of(c.line)),
                           {},
                           fmt::format("deprecation-{}", core.string_argument(c, 1))});
      return {};
    }
    std::optional<LogLevel> level = find_log_level(c.name);
    if (!level) core.unknown(c);
    core.need(c, c.block == nullptr ? 1 : 0);
    if (!core.host.logs(*level)) return {};
    core.logs.push_back({*level, core.to_s(c.block == nullptr ? c.args[0] : core.yield(c, std::span<const RubyValue>()), c.line)});
    return {};
  }
  if (c.self.class_ == RubyClass::Json && (c.method == MethodId::m_generate || c.method == MethodId::m_pretty_generate)) {
    core.need(c, 1, c.method == MethodId::m_pretty_generate ? 2 : 1);
    return document(core, c, c.args[0], c.args.size() == 2 ? json_options(core, c, c.args[1]) : Value());
  }
  if (c.self.class_ == RubyClass::Json && c.method == MethodId::m_parse) {
    core.need(c, 1);
    Value parsed;
    const RubyHost::Read read = core.host.parse_json(core.string_argument(c, 0), parsed);
    if (read == RubyHost::Read::Malformed) core.unworded(c.line, RubyClass::JsonParserError, "the error of a JSON text");
    if (read != RubyHost::Read::Good) core.not_rendered(c.line, "JSON.parse of this text");
    return core.from_puppet(parsed);
  }
  if (c.self.class_ == RubyClass::Shellwords && (c.method == MethodId::m_escape || c.method == MethodId::m_shellescape)) {
    core.need(c, 1);
    std::string out;
    const std::string text = core.to_s(c.args[0], c.line);
    for (std::string_view ch : characters_of(text)) {
      bool plain = ch.size() == 1 && ((ch[0] >= 'a' && ch[0] <= 'z') || (ch[0] >= 'A' && ch[0] <= 'Z') || (ch[0] >= '0' && ch[0] <= '9') ||
                                      std::string_view("_-.,:+/@").find(ch[0]) != std::string_view::npos);
      if (ch == "\n") {
        out += "'\n'";
        continue;
      }
      if (!plain) out += '\\';
      out += ch;
    }
    return core.str(out.empty() ? "''" : out);
  }
  core.unknown(c);
}

/// While it lives, values become a document. What cannot become one ends it by an exception.
class WritesDocument {
public:
  explicit WritesDocument(Core& core) : core_(core), before_(std::exchange(core.writes_document, true)) {}
  WritesDocument(const WritesDocument&) = delete;
  WritesDocument& operator=(const WritesDocument&) = delete;
  ~WritesDocument() { core_.writes_document = before_; }

private:
  Core& core_;
  const bool before_;
};

/// A value as YAML or JSON.
RubyValue document(Core& core, const MethodCall& c, const RubyValue& v, const Value& options) {
  std::string_view format = c.method == MethodId::m_to_yaml           ? "to_yaml"
                            : c.method == MethodId::m_pretty_generate ? "to_json_pretty"
                                                                      : "to_json";
  if (format == "to_json_pretty" && !v.is_array() && !v.is_hash()) core.unknown(c);
  const WritesDocument writes(core);
  Value value = core.to_puppet(v, c.line);
  if (!symbols_in_document(core.host.arena(), value, c.method != MethodId::m_to_yaml))
    core.not_rendered(c.line, "a hash with a name and its symbol");
  if (holds_runtime_object(value)) core.not_rendered(c.line, "a document with such an object");
  if (format == "to_yaml" && holds_object(value)) core.not_rendered(c.line, "an object in a document");
  return core.str(core.host.document(format, value, options));
}

/// Range.new
static RubyValue make_range(Core& core, const MethodCall& c) {
  core.need(c, 2, 3);
  int order = 0;
  const RubyValue &first = c.args[0], &last = c.args[1];
  if (first.is(RubyKind::Object) || last.is(RubyKind::Object) || !(first.is_nil() || last.is_nil() || core.comparable(first, last, order)))
    core.unknown(c); // an error, or one that its own methods tell
  return core.heap.range(first, last, c.args.size() > 2 && c.args[2].truthy());
}

/// Regexp.new: a text with flags, or a Regexp.
static RubyValue make_regexp(Core& core, const MethodCall& c) {
  core.need(c, 1, 2);
  const RubyValue flags = c.args.size() > 1 ? c.args[1] : RubyValue();
  if (c.args[0].is(RubyKind::Regexp) && c.args.size() == 1) return c.args[0];
  if (!c.args[0].is_string()) {
    if (c.args[0].is(RubyKind::Regexp)) core.unknown(c);
    core.wrong_type(c, c.args[0], "no implicit conversion of {} into String");
  }
  const int64_t bits = flags.is_integer() ? flags.i : flags.truthy();
  if ((bits & ~int64_t{7}) != 0) core.unknown(c);
  const std::string_view source = core.string_argument(c, 0);
  try {
    return RubyValue::of(core.host.regexes().get(source, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
  } catch (const RegexError& error) {
    static constexpr std::string_view same[] = {"premature end of char-class", "end pattern with unmatched parenthesis",
                                                "unmatched close parenthesis", "target of repeat operator is not specified",
                                                "empty char-class"}; // what both libraries refuse in these words
    const bool plain = std::all_of(source.begin(), source.end(), [](char ch) { return ch >= ' ' && ch < 127 && ch != '/'; });
    if (!plain || std::ranges::find(same, error.message) == std::end(same))
      core.not_rendered(c.line, fmt::format("a regular expression: {}", error.message));
    throw RubyError{c.line, fmt::format("{}: /{}/", error.message, source), RubyClass::RegexpError};
  }
}

/// Puppet::Parser::Functions: loads a function, and returns its method's name.
static RubyValue loader_method(Core& core, const MethodCall& c) {
  if (c.args.size() != 1 || !(c.args[0].is_symbol() || c.args[0].is_string())) core.unknown(c);
  const std::string name(c.args[0].text());
  if (c.name == "__loaded?") return RubyValue::boolean(core.loaded_functions.contains(name));
  if (c.name != "function") core.unknown(c);
  if (find_log_level(name) || !core.host.in_old_api(name)) return RubyValue::boolean(false);
  core.loaded_functions.insert(name);
  return core.str(fmt::format("function_{}", name));
}

RubyValue class_method(Core& core, const MethodCall& c) {
  if (c.self.class_ == RubyClass::File) return file_method(core, c);
  if (c.self.class_ == RubyClass::Yaml) return yaml_method(core, c);
  if (c.self.class_ == RubyClass::ParserFunctions) return loader_method(core, c);
  if (c.self.class_ == RubyClass::HieraConfig) { // symbols as keys become texts, at any depth
    if (c.name != "symkeys_to_string" || c.args.size() != 1) core.unknown(c);
    const Value* known = c.args[0].is_hash() ? core.untouched_source(*c.args[0].h) : nullptr;
    if (known == nullptr || holds_runtime_object(*known)) core.unknown(c);
    return c.args[0];
  }
  if (c.self.class_ == RubyClass::Puppet || c.self.class_ == RubyClass::Json || c.self.class_ == RubyClass::Shellwords)
    return module_method(core, c);
  if (c.self.class_ == RubyClass::IpAddr && c.method == MethodId::m_new) return make_address(core, c);
  if (c.self.class_ >= RubyClass::Md5 && c.self.class_ <= RubyClass::PuppetPackage) return library_method(core, c);
  if (c.self.class_ == RubyClass::Sensitive && c.method == MethodId::m_new) {
    core.need(c, 1);
    return core.from_puppet(Value::sensitive(core.host.arena(), core.to_puppet(c.args[0], c.line)));
  }
  if (is_exception(c.self.class_) && c.method == MethodId::m_new) {
    core.need(c, 0, 1);
    return core.heap.exception(c.self.class_,
                               c.args.empty() ? std::string(class_name(c.self.class_)) : std::string(core.string_argument(c, 0)));
  }
  switch (c.method) {
  case MethodId::m_name: core.need(c, 0); return core.str(std::string(class_name(c.self.class_)));
  case MethodId::m_new:
    if (c.self.class_ == RubyClass::Hash) {
      core.need(c, 0, 1);
      RubyValue hash = core.heap.hash();
      if (c.block != nullptr) {
        if (!c.args.empty()) core.unknown(c);
        hash.h->fallback_proc = const_cast<RubyProc*>(c.block);
      } else if (!c.args.empty()) {
        hash.h->fallback = c.args[0];
      }
      return hash;
    }
    if (c.self.class_ == RubyClass::Range) return make_range(core, c);
    if (c.self.class_ == RubyClass::Array) {
      core.need(c, 0, 2);
      if (c.args.empty()) return core.list({});
      int64_t n = core.integer_argument(c, 0);
      if (n < 0 || n > 1'000'000) core.unknown(c);
      std::vector<RubyValue> items(static_cast<size_t>(n), c.args.size() > 1 ? c.args[1] : RubyValue());
      if (c.block != nullptr)
        for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = core.yield(c, RubyValue::integer(i));
      return core.list(std::move(items));
    }
    if (c.self.class_ == RubyClass::String) {
      core.need(c, 0, 1);
      return core.str(c.args.empty() ? std::string() : std::string(core.string_argument(c, 0)));
    }
    if (c.self.class_ == RubyClass::Regexp) return make_regexp(core, c);
    core.unknown(c);
  case MethodId::m_last_match: {
    if (c.self.class_ != RubyClass::Regexp) core.unknown(c);
    core.need(c, 0, 1);
    if (c.args.empty() || core.last_match.is_nil()) return core.last_match;
    return match_method(core, {core.last_match, MethodId::Index, "[]", c.args, nullptr, c.line});
  }
  case MethodId::m_escape:
  case MethodId::m_quote: {
    if (c.self.class_ != RubyClass::Regexp) core.unknown(c);
    core.need(c, 1);
    return core.str(escape_regex(core.string_argument(c, 0)));
  }
  case MethodId::Index: // Hash[…]
    if (c.self.class_ == RubyClass::Hash) {
      RubyValue hash = core.heap.hash();
      auto set = [&](const RubyValue& key, const RubyValue& value) { core.send(hash, MethodId::IndexSet, {key, value}, c.line); };
      if (c.args.size() == 1 && c.args[0].is_hash()) {
        for (const auto& [key, value] : c.args[0].h->entries()) hash.h->set(key, value);
      } else if (c.args.size() == 1 && c.args[0].is_array()) {
        for (size_t i = 0; i < c.args[0].a->items.size(); ++i) {
          const RubyValue& pair = c.args[0].a->items[i];
          if (!pair.is_array()) {
            const bool shown = pair.kind <= RubyKind::False;
            const std::string name = shown ? core.inspect(pair, c.line) : std::string(class_name(class_of(pair)));
            if (name.empty()) core.unknown(c);
            throw RubyError{c.line, fmt::format("wrong element type {} at {} (expected array)", name, i), RubyClass::ArgumentError};
          }
          if (pair.a->items.empty() || pair.a->items.size() > 2)
            throw RubyError{c.line, fmt::format("invalid number of elements ({} for 1..2)", pair.a->items.size()),
                            RubyClass::ArgumentError};
          set(pair.a->items[0], pair.a->items.size() > 1 ? pair.a->items[1] : RubyValue());
        }
      } else if (c.args.size() % 2 == 0) {
        for (size_t i = 0; i < c.args.size(); i += 2) set(c.args[i], c.args[i + 1]);
      } else {
        throw RubyError{c.line, "odd number of arguments for Hash", RubyClass::ArgumentError};
      }
      return hash;
    }
    core.unknown(c);
  default: core.unknown(c);
  }
}

RubyValue file_method(Core& core, const MethodCall& c) {
  if (RubyValue out; file_question(core, c, out)) return out;
  switch (c.method) {
  case MethodId::m_join: {
    std::string out;
    bool first = true;
    auto add = [&](auto&& self, const RubyValue& v) -> void {
      if (v.is_array()) {
        for (const RubyValue& item : v.a->items) self(self, item);
        return;
      }
      if (!v.is_string()) core.unknown(c);
      std::string_view part = v.s->text;
      if (!first) {
        if (part.starts_with('/')) {
          while (out.ends_with('/')) out.pop_back();
        } else if (!out.ends_with('/')) {
          out += '/';
        }
      }
      out += part;
      first = false;
    };
    for (const RubyValue& arg : c.args) add(add, arg);
    return core.str(std::move(out));
  }
  case MethodId::m_basename: {
    core.need(c, 1, 2);
    std::string s(core.string_argument(c, 0));
    if (s.empty()) return core.str("");
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    if (s != "/") s = s.substr(s.rfind('/') + 1);
    if (c.args.size() == 2) {
      std::string_view suffix = core.string_argument(c, 1);
      if (suffix == ".*") {
        size_t dot = s.rfind('.');
        if (dot != std::string::npos && dot != 0) s.resize(dot);
      } else if (s.size() > suffix.size() && s.ends_with(suffix)) {
        s.resize(s.size() - suffix.size());
      }
    }
    return core.str(std::move(s));
  }
  case MethodId::m_dirname: {
    core.need(c, 1);
    std::string s(core.string_argument(c, 0));
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    size_t slash = s.rfind('/');
    if (slash == std::string::npos) return core.str(".");
    s.resize(slash);
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    return core.str(s.empty() ? "/" : s);
  }
  case MethodId::m_extname: {
    core.need(c, 1);
    const std::string_view path = core.string_argument(c, 0);
    std::string_view s = path.substr(0, path.find_last_not_of('/') + 1);
    s.remove_prefix(s.rfind('/') + 1);
    const size_t begin = s.find_first_not_of('.'), dot = s.rfind('.');
    if (begin == std::string_view::npos || dot == std::string_view::npos || dot < begin) return core.heap.bytes("");
    return core.str(std::string(s.substr(dot)));
  }
  default: core.unknown(c);
  }
}

} // namespace pupc::compiler::ruby
