// Methods of classes and modules that Ruby has: File, JSON, Digest, addresses and the like.
#include "catalog/base/text.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/known_methods.h"

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

namespace pupc::compiler::ruby {

/// Replaces the symbols in a value with the form that the writer of YAML and JSON knows. False if two keys of a hash would become equal.
static bool symbols_in_document(Arena& arena, Value& v) {
  check_native_stack();
  if (const auto* object = as_runtime_object(v); object != nullptr && object->is_symbol()) {
    v = symbol_text(object->symbol);
  } else if (v.is_list() && holds_runtime_object(v)) {
    ListBuilder out(arena, v.list->size);
    for (Value item : v.items()) {
      if (!symbols_in_document(arena, item)) return false;
      out.add(item);
    }
    v = out.finish();
  } else if (v.is_hash() && holds_runtime_object(v)) {
    HashBuilder out(arena, v.hash->size);
    const uint32_t size = v.hash->size;
    for (const HashEntry& entry : v.hash->entries()) {
      Value key = entry.key, value = entry.value;
      if (!symbols_in_document(arena, key) || !symbols_in_document(arena, value)) return false;
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

/// Puppet.warning, JSON.generate, Shellwords.escape.
RubyValue Interpreter::module_method(const MethodCall& c) {
  if (c.self.class_ == RubyClass::Puppet) {
    if (c.method == MethodId::m_version) {
      need(c, 0);
      return str(std::string(puppet_version));
    }
    std::optional<LogLevel> level = find_log_level(c.name);
    if (!level) unknown(c);
    need(c, 1);
    if (!host_.logs(*level)) return {};
    logs_.push_back({*level, to_s(c.args[0], c.line), true});
    return {};
  }
  if (c.self.class_ == RubyClass::Json && (c.method == MethodId::m_generate || c.method == MethodId::m_pretty_generate)) {
    need(c, 1);
    return document(c, c.args[0]);
  }
  if (c.self.class_ == RubyClass::Json && c.method == MethodId::m_parse) {
    need(c, 1);
    Value parsed;
    if (!host_.parse_json(string_argument(c, 0), parsed)) not_rendered(c.line, "JSON.parse of this text");
    return from_puppet(parsed);
  }
  if (c.self.class_ == RubyClass::Shellwords && (c.method == MethodId::m_escape || c.method == MethodId::m_shellescape)) {
    need(c, 1);
    std::string out;
    const std::string text = to_s(c.args[0], c.line);
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
    return str(out.empty() ? "''" : out);
  }
  unknown(c);
}

/// A value as YAML or JSON.
RubyValue Interpreter::document(const MethodCall& c, const RubyValue& v) {
  std::string_view format = c.method == MethodId::m_to_yaml           ? "to_yaml"
                            : c.method == MethodId::m_pretty_generate ? "to_json_pretty"
                                                                      : "to_json";
  if (format == "to_json_pretty" && !v.is_array() && !v.is_hash()) unknown(c);
  Value value = to_puppet(v, c.line);
  if (c.method == MethodId::m_to_yaml && !symbols_in_document(host_.arena(), value))
    not_rendered(c.line, "a hash with a name and its symbol");
  if (holds_runtime_object(value)) not_rendered(c.line, "a document with symbols");
  if (format == "to_yaml" && holds_object(value)) not_rendered(c.line, "an object in a document");
  std::string text = host_.document(format, value);
  if (format == "to_json_pretty" && text.ends_with('\n')) text.pop_back(); // stdlib ends the text with one, JSON does not
  return str(std::move(text));
}

RubyValue Interpreter::class_method(const MethodCall& c) {
  if (c.self.class_ == RubyClass::File) return file_method(c);
  if (c.self.class_ == RubyClass::Yaml) return yaml_method(c);
  if (c.self.class_ == RubyClass::ParserFunctions) { // loads a function, and returns its method's name
    if (c.name != "function" || c.args.size() != 1 || !(c.args[0].is_symbol() || c.args[0].is_string())) unknown(c);
    return host_.in_old_api(c.args[0].text()) ? str(fmt::format("function_{}", c.args[0].text())) : RubyValue::boolean(false);
  }
  if (c.self.class_ == RubyClass::HieraConfig) { // symbols as keys become texts, at any depth
    if (c.name != "symkeys_to_string" || c.args.size() != 1) unknown(c);
    const auto known = c.args[0].is_hash() ? sources_.find(c.args[0].h) : sources_.end();
    if (known == sources_.end() || !c.args[0].h->untouched() || holds_runtime_object(known->second)) unknown(c);
    return c.args[0];
  }
  if (c.self.class_ == RubyClass::Puppet || c.self.class_ == RubyClass::Json || c.self.class_ == RubyClass::Shellwords)
    return module_method(c);
  if (c.self.class_ == RubyClass::IpAddr && c.method == MethodId::m_new) return make_address(c);
  if (c.self.class_ >= RubyClass::Md5 && c.self.class_ <= RubyClass::PuppetPackage) return library_method(c);
  if (c.self.class_ == RubyClass::Sensitive && c.method == MethodId::m_new) {
    need(c, 1);
    return from_puppet(Value::sensitive(host_.arena(), to_puppet(c.args[0], c.line)));
  }
  if (is_exception(c.self.class_) && c.method == MethodId::m_new) {
    need(c, 0, 1);
    return heap_.exception(c.self.class_, c.args.empty() ? std::string(class_name(c.self.class_)) : std::string(string_argument(c, 0)));
  }
  switch (c.method) {
  case MethodId::m_name: need(c, 0); return str(std::string(class_name(c.self.class_)));
  case MethodId::m_new:
    if (c.self.class_ == RubyClass::Hash) {
      need(c, 0, 1);
      RubyValue hash = heap_.hash();
      if (c.block != nullptr) {
        if (!c.args.empty()) unknown(c);
        hash.h->fallback_proc = const_cast<RubyProc*>(c.block);
      } else if (!c.args.empty()) {
        hash.h->fallback = c.args[0];
      }
      return hash;
    }
    if (c.self.class_ == RubyClass::Array) {
      need(c, 0, 2);
      if (c.args.empty()) return list({});
      int64_t n = integer_argument(c, 0);
      if (n < 0 || n > 1'000'000) unknown(c);
      std::vector<RubyValue> items(static_cast<size_t>(n), c.args.size() > 1 ? c.args[1] : RubyValue());
      if (c.block != nullptr)
        for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = yield(c, RubyValue::integer(i));
      return list(std::move(items));
    }
    if (c.self.class_ == RubyClass::String) {
      need(c, 0, 1);
      return str(c.args.empty() ? std::string() : std::string(string_argument(c, 0)));
    }
    if (c.self.class_ == RubyClass::Regexp) {
      need(c, 1);
      if (!c.args[0].is_string() && !c.args[0].is(RubyKind::Regexp)) wrong_type(c, c.args[0], "no implicit conversion of {} into String");
      return RubyValue::of(c.args[0].is(RubyKind::Regexp) ? c.args[0].regex : [&] {
        try {
          return host_.regexes().get(string_argument(c, 0));
        } catch (const RegexError& error) { not_rendered(c.line, fmt::format("a regular expression: {}", error.message)); }
      }());
    }
    unknown(c);
  case MethodId::m_last_match: {
    if (c.self.class_ != RubyClass::Regexp) unknown(c);
    need(c, 0, 1);
    if (c.args.empty() || last_match_.is_nil()) return last_match_;
    return match_method({last_match_, MethodId::Index, "[]", c.args, nullptr, c.line});
  }
  case MethodId::m_escape:
  case MethodId::m_quote: {
    if (c.self.class_ != RubyClass::Regexp) unknown(c);
    need(c, 1);
    return str(escape_regex(string_argument(c, 0)));
  }
  case MethodId::Index: // Hash[…]
    if (c.self.class_ == RubyClass::Hash) {
      RubyValue hash = heap_.hash();
      auto set = [&](const RubyValue& key, const RubyValue& value) { send(hash, MethodId::IndexSet, {key, value}, c.line); };
      if (c.args.size() == 1 && c.args[0].is_hash()) {
        for (const auto& [key, value] : c.args[0].h->entries()) hash.h->set(key, value);
      } else if (c.args.size() == 1 && c.args[0].is_array()) {
        for (const RubyValue& pair : c.args[0].a->items) {
          if (!pair.is_array() || pair.a->items.empty() || pair.a->items.size() > 2) unknown(c);
          set(pair.a->items[0], pair.a->items.size() > 1 ? pair.a->items[1] : RubyValue());
        }
      } else if (c.args.size() % 2 == 0) {
        for (size_t i = 0; i < c.args.size(); i += 2) set(c.args[i], c.args[i + 1]);
      } else {
        unknown(c);
      }
      return hash;
    }
    unknown(c);
  default: unknown(c);
  }
}

RubyValue Interpreter::file_method(const MethodCall& c) {
  if (RubyValue out; file_question(c, out)) return out;
  switch (c.method) {
  case MethodId::m_join: {
    std::string out;
    bool first = true;
    auto add = [&](auto&& self, const RubyValue& v) -> void {
      if (v.is_array()) {
        for (const RubyValue& item : v.a->items) self(self, item);
        return;
      }
      if (!v.is_string()) unknown(c);
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
    return str(std::move(out));
  }
  case MethodId::m_basename: {
    need(c, 1, 2);
    std::string s(string_argument(c, 0));
    if (s.empty()) return str("");
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    if (s != "/") s = s.substr(s.rfind('/') + 1);
    if (c.args.size() == 2) {
      std::string_view suffix = string_argument(c, 1);
      if (suffix == ".*") {
        size_t dot = s.rfind('.');
        if (dot != std::string::npos && dot != 0) s.resize(dot);
      } else if (s.size() > suffix.size() && s.ends_with(suffix)) {
        s.resize(s.size() - suffix.size());
      }
    }
    return str(std::move(s));
  }
  case MethodId::m_dirname: {
    need(c, 1);
    std::string s(string_argument(c, 0));
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    size_t slash = s.rfind('/');
    if (slash == std::string::npos) return str(".");
    s.resize(slash);
    while (s.size() > 1 && s.ends_with('/')) s.pop_back();
    return str(s.empty() ? "/" : s);
  }
  case MethodId::m_extname: {
    need(c, 1);
    std::string s(string_argument(c, 0));
    s = s.substr(s.rfind('/') + 1);
    size_t begin = s.find_first_not_of('.');
    size_t dot = s.rfind('.');
    if (begin == std::string::npos || dot == std::string::npos || dot < begin || dot + 1 == s.size()) {
      if (dot != std::string::npos && dot + 1 == s.size()) unknown(c);
      return str("");
    }
    return str(s.substr(dot));
  }
  default: unknown(c);
  }
}

} // namespace pupc::compiler::ruby
