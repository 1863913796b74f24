// stdlib functions that read or write documents: TOML, HOCON, module metadata, XML and URL escapes.
#include "catalog/base/stack.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_reader.h"
#include "catalog/value/bytes_text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

// -- TOML

/// As the module's pattern says it: where any line of the key is bare.
bool bare_key(std::string_view key) {
  while (true) {
    const size_t end = std::min(key.find('\n'), key.size());
    if (std::all_of(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(end),
                    [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '-'; }))
      return true;
    if (end + 1 >= key.size()) return false; // there is no line after a last newline
    key.remove_prefix(end + 1);
  }
}
std::string toml_key(std::string_view key) {
  if (bare_key(key)) return std::string(key);
  std::string out = "\"";
  for (char ch : key) out += ch == '"' ? "\\\"" : std::string(1, ch);
  return out + '"';
}
std::string toml_value(FunctionCall& c, const Value& v) {
  std::string text = ruby_inspect(c.types(), v);
  if (v.is(Kind::Regex)) return ruby_inspect(c.types(), c.string(text));
  if (!v.is_string()) return text;
  std::string out; // Ruby escapes the # of an interpolation, TOML does not
  for (size_t i = 0; i < text.size(); ++i) {
    bool interpolation = text[i] == '\\' && i + 2 < text.size() && text[i + 1] == '#' &&
                         std::string_view("$@{").find(text[i + 2]) != std::string_view::npos;
    if (!interpolation) out += text[i];
  }
  return out;
}

struct TomlPairs {
  std::vector<const HashEntry*> simple, nested, tables;
};
TomlPairs sorted_pairs(FunctionCall& c, const Hash& hash) {
  std::vector<const HashEntry*> all;
  for (const auto& e : hash.entries()) {
    if (!e.key.is_string() && hash.size > 1 && !e.key.is_int()) c.fail(fmt::format("comparison of {} failed", ruby_class_name(e.key)));
    all.push_back(&e);
  }
  std::sort(all.begin(), all.end(), [](const HashEntry* a, const HashEntry* b) {
    if (a->key.is_int() && b->key.is_int()) return a->key.i < b->key.i;
    return a->key.is_string() && b->key.is_string() && a->key.str() < b->key.str();
  });
  TomlPairs out;
  for (const HashEntry* e : all) {
    bool table = e->value.is_list() && !e->value.items().empty() && e->value.items()[0].is_hash();
    (e->value.is_hash() ? out.nested : table ? out.tables : out.simple).push_back(e);
  }
  return out;
}

/// `prefix`: the name of the table that holds the pairs; null at the top. It may be empty: the key "" is bare.
void write_toml(FunctionCall& c, std::string& out, const Hash& hash, const std::string* prefix);
void write_pairs(FunctionCall& c, std::string& out, const TomlPairs& pairs, const std::string* prefix) {
  auto below = [&](const Value& key) { return (prefix == nullptr ? "" : *prefix + ".") + toml_key(ruby_to_s(c.types(), key)); };
  for (const auto* e : pairs.simple) out += fmt::format("{} = {}\n", toml_key(ruby_to_s(c.types(), e->key)), toml_value(c, e->value));
  for (const auto* e : pairs.nested) {
    const std::string own = below(e->key);
    write_toml(c, out, *e->value.hash, &own);
  }
  for (const auto* e : pairs.tables)
    for (const Value& child : e->value.items()) {
      const std::string own = below(e->key);
      out += fmt::format("[[{}]]\n", own);
      write_pairs(c, out, sorted_pairs(c, *child.hash), &own);
    }
}
void write_toml(FunctionCall& c, std::string& out, const Hash& hash, const std::string* prefix) {
  TomlPairs pairs = sorted_pairs(c, hash);
  if (prefix != nullptr && (!pairs.simple.empty() || hash.size == 0)) out += fmt::format("[{}]\n", *prefix);
  write_pairs(c, out, pairs, prefix);
}
/// Whether what begins as an array of tables is one, at any depth.
bool tables_only(const Hash& hash) {
  check_native_stack();
  return std::ranges::all_of(hash.entries(), [](const HashEntry& e) {
    if (e.value.is_hash()) return tables_only(*e.value.hash);
    if (!e.value.is_list() || e.value.items().empty() || !e.value.items()[0].is_hash()) return true;
    return std::ranges::all_of(e.value.items(), [](const Value& v) { return v.is_hash() && tables_only(*v.hash); });
  });
}

Value to_toml(FunctionCall& c) {
  if (!tables_only(*c.args[0].hash)) return c.run_file(); // Ruby's own errors
  std::string out;
  write_toml(c, out, *c.args[0].hash, nullptr);
  return c.string(out);
}

// -- metadata, HOCON

Value parsehocon(FunctionCall& c) {
  Value out;
  auto error = read_hocon(c.args[0].str(), c.arena(), out);
  if (!error) return out;
  if (c.given(1)) return c.args[1];
  c.fail(error->message);
}

Value load_module_metadata(FunctionCall& c) {
  if (c.size() != 1 && c.size() != 2) c.fail("load_module_metadata(): Wrong number of arguments, expects one or two");
  std::string name = ruby_to_s(c.types(), c.args[0]);
  const Module* m = c.evaluator.environment().find_module(name);
  if (m == nullptr) c.fail(fmt::format("Could not find module {} in environment {}", name, c.evaluator.environment().options().name));
  auto text = c.evaluator.environment().read_file(m->path + "/metadata.json");
  if (!text) {
    if (c.arg(1).truthy()) return HashBuilder(c.arena()).finish();
    c.fail(fmt::format("load_module_metadata(): No metadata.json file for module {}", name));
  }
  Value out;
  JsonError error;
  if (!parse_json(c.arena().copy(*text), c.arena(), out, error)) c.fail(fmt::format("metadata.json of module {}: {}", name, error.message));
  return out;
}

// -- escapes

Value uri_escaped(FunctionCall& c, const Value& v) {
  if (!v.is_string()) return v;
  std::string out;
  for (char ch : v.str()) {
    if (std::isalnum(static_cast<unsigned char>(ch)) ||
        (ch != 0 && std::string_view("-_.!~*'();/?:@&=+$,[]").find(ch) != std::string_view::npos))
      out += ch;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(ch));
  }
  return c.string(out);
}
Value uriescape(FunctionCall& c) {
  if (c.size() == 0) c.fail("uriescape(): Wrong number of arguments given (0 for 1)");
  const Value& v = c.args[0];
  if (!v.is_string() && !v.is_list()) c.fail("uriescape(): Requires either array or string to work with");
  if (v.is_string()) return uri_escaped(c, v);
  std::vector<Value> out;
  for (const Value& item : v.items()) out.push_back(uri_escaped(c, item));
  return make_list(c.arena(), out);
}

/// Splits a text into words as a Bourne shell does: it reads both kinds of quotes and backslashes, but expands nothing.
Value shell_split(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("shell_split(): Wrong number of arguments given ({} for 1)", c.size()));
  std::string text = ruby_to_s(c.types(), c.args[0]);
  std::vector<Value> words;
  std::string word;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char ch = text[i];
    if (std::isspace(static_cast<unsigned char>(ch))) {
      if (in_word) words.push_back(bytes_text(c.string(word)));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (ch == '\'' || ch == '"') {
      size_t end = i + 1;
      for (; end < text.size() && text[end] != ch; ++end) {
        if (ch == '"' && text[end] == '\\' && end + 1 < text.size()) {
          if (std::string_view("$`\"\\\n").find(text[end + 1]) == std::string_view::npos) word += '\\';
          ++end;
        }
        word += text[end];
      }
      if (end >= text.size()) c.fail(fmt::format("Unmatched quote: {}", ruby_inspect(c.types(), c.string(text))));
      i = end;
    } else if (ch == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else {
      word += ch;
    }
  }
  if (in_word) words.push_back(bytes_text(c.string(word)));
  return make_list(c.arena(), words);
}

const FunctionEntry stdlib_document_table[] = {
    {"to_toml", "TOML text of a hash, its keys sorted.", {{"Hash $data", to_toml}}},
    {"stdlib::to_toml", "TOML text of a hash, its keys sorted.", {{"Hash $data", to_toml}}},
    {"stdlib::to_toml",
     "TOML text of a hash, Sensitive where a part of it is.",
     {{"Hash $data", rewrapped<to_toml>}},
     FunctionTrait::None,
     "stdlib",
     "9.8"},
    {"parsehocon", "Value of a HOCON text, or the default when it is malformed.", {{"String $hocon_string, Any $default?", parsehocon}}},
    {"stdlib::parsehocon",
     "Value of a HOCON text, or the default when it is malformed.",
     {{"String $hocon_string, Any $default?", parsehocon}}},
    {"load_module_metadata",
     "Content of a module's metadata.json; an empty hash without that file when the second argument is true.",
     {{"3.x", load_module_metadata}}},
    {"uriescape", "Text (or texts of an array) with the characters escaped that a URI may not hold.", {{"3.x", uriescape}}},
    {"shell_split", "Words of a text as a Bourne shell splits them.", {{"3.x", shell_split}}},
};

} // namespace

FunctionTable stdlib_document_functions() { return stdlib_document_table; }

} // namespace pupc::compiler
