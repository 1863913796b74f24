#include "compiler/ruby/types/type_scan.h"

#include "compiler/ruby/types/type_reader.h"

#include "catalog/value/regex.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pupc::compiler {
namespace {

using VK = StaticRubyValue::Kind;

constexpr size_t max_file_size = 4 << 20;
constexpr int max_scan_depth = 48;

// Finds the types that a file defines.
class FileReader {
public:
  FileReader(const RubyFinder& finder, TypeScan& out) : program_(finder), out_(out) {}

  void read(std::shared_ptr<const RubyFile> read) {
    if (read->text.size() > max_file_size) {
      out_.doubt = "the file is too large";
      return;
    }
    std::string error;
    const RubyFile* file = program_.load(std::move(read), error);
    if (!file) {
      out_.doubt = error;
      return;
    }
    RubyLocals locals;
    scan({file, 0, static_cast<uint32_t>(file->tokens.tokens.size())}, "", locals);
    if (out_.types.empty() && out_.doubt.empty() && !file->tokens.tokens.empty()) out_.doubt = "no newtype is seen in the file";
    if (!changed_.empty())
      for (auto& t : out_.types)
        if (t.dynamic.empty()) t.dynamic = changed_;
    for (size_t i = 1; i < program_.files().size() && out_.doubt.empty(); ++i) { // a type may be defined by a file that this one requires
      const RubyFile& other = *program_.files()[i];
      for (const auto& t : other.tokens.tokens)
        if (t.kind == RubyTokenKind::Identifier && (t.text == "newtype" || t.text == "register_type"))
          out_.doubt = fmt::format("requires {}, which defines types", other.path);
    }
  }

private:
  // Scans everything but bodies of methods: the top level, modules and conditions.
  void scan(RubyRange range, const std::string& nesting, RubyLocals& locals) {
    if (++depth_ > max_scan_depth || !program_.within_budget()) {
      out_.doubt = "nested too deeply";
      --depth_;
      return;
    }
    RubyRange s;
    while (next_statement(range, s)) {
      program_.spend();
      statement(s, nesting, locals);
    }
    --depth_;
  }

  void statement(RubyRange s, const std::string& nesting, RubyLocals& locals) {
    const RubyToken& first = s[s.begin];
    if (first.kind == RubyTokenKind::Keyword && first.match != RubyToken::no_match) {
      RubyRange body = s;
      body.begin = s.begin + 1;
      body.end = first.match;
      std::string name = nesting;
      if (first.text == "module" || first.text == "class") {
        while (body.begin < body.end && (body[body.begin].kind == RubyTokenKind::Constant || is_op(body[body.begin], "::"))) {
          if (body[body.begin].kind == RubyTokenKind::Constant) name += (name.empty() ? "" : "::") + std::string(body[body.begin].text);
          ++body.begin;
        }
        scan(body, name, locals);
      } else if (first.text != "def") {
        scan(body, nesting, locals);
      }
      return;
    }
    if (first.kind == RubyTokenKind::Identifier && s.begin + 2 < s.end && is_op(s[s.begin + 1], "=")) {
      RubyRange right = s;
      right.begin += 2;
      locals[std::string(first.text)] = program_.evaluate(right, locals, nesting);
    }
    for (uint32_t i = s.begin; i < s.end; i = skip_element(s, i)) {
      if (s[i].kind != RubyTokenKind::Identifier) continue;
      if (s[i].text == "newtype" && type_receiver(s, i)) return new_type(s, i, nesting, locals);
      if (s[i].text == "register_type") return register_type(s, i, nesting, locals);
      if (i > s.begin && is_op(s[i - 1], ".") && (s[i].text == "newparam" || s[i].text == "newproperty" || s[i].text == "ensurable"))
        changed_ = fmt::format("attributes are added from outside (line {})", s[i].line);
      if (s[i].text == "class_eval" || s[i].text == "instance_eval" || s[i].text == "eval" || s[i].text == "module_eval")
        changed_ = fmt::format("{} (line {})", s[i].text, s[i].line);
    }
    // A newtype may stand in the block of a loop or another call.
    for (uint32_t i = s.begin; i < s.end; ++i)
      if (s[i].kind == RubyTokenKind::Identifier && (s[i].text == "newtype" || s[i].text == "register_type")) {
        nested(s, nesting, locals);
        return;
      }
  }

  // Follows a loop over a known list whose block defines types.
  void nested(const RubyRange& s, const std::string& nesting, RubyLocals& locals) {
    for (uint32_t i = s.begin; i < s.end; i = skip_element(s, i)) {
      if (s[i].kind != RubyTokenKind::Identifier || s[i].text != "each" || i == s.begin || !is_op(s[i - 1], ".")) continue;
      RubyRange receiver = s;
      receiver.end = i - 1;
      RubyCall c = read_call(s, i);
      StaticRubyValue over = program_.evaluate(receiver, locals, nesting);
      if (!c.has_block || !over.is(VK::Array)) break;
      for (const auto& item : over.items) {
        RubyLocals inner = program_.copy(locals);
        program_.bind(c.block_parameters, item.is(VK::Array) ? std::span(item.items) : std::span(&item, 1), nullptr, inner, nesting);
        scan(c.block, nesting, inner);
      }
      return;
    }
    if (out_.doubt.empty()) out_.doubt = fmt::format("types are defined by code that is not followed (line {})", s[s.begin].line);
  }

  // Puppet::Type.newtype, Type.newtype (in module Puppet), newtype (in class Type)
  static bool type_receiver(const RubyRange& s, uint32_t at) {
    if (at == s.begin) return true;
    if (!is_op(s[at - 1], ".") && !is_op(s[at - 1], "::")) return true;
    return at >= s.begin + 2 && s[at - 2].kind == RubyTokenKind::Constant && (s[at - 2].text == "Type" || s[at - 2].text == "Puppet");
  }

  ScannedType start(const RubyRange& s, std::string name) {
    ScannedType type;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    type.name = std::move(name);
    type.file = s.file->path;
    return type;
  }

  void new_type(const RubyRange& s, uint32_t at, const std::string& nesting, RubyLocals& locals) {
    RubyCall c = read_call(s, at);
    StaticRubyValue given_block;
    auto values = program_.arguments(c.arguments, locals, nesting, &given_block);
    if (values.empty() || !values[0].is_name()) {
      if (out_.doubt.empty()) out_.doubt = fmt::format("newtype of a computed name (line {})", s[at].line);
      return;
    }
    ScannedType type = start(s, values[0].text);
    if (c.has_block) {
      RubyLocals inner = program_.copy(locals);
      StaticRubyValue self = StaticRubyValue::of(VK::Type);
      program_.bind(c.block_parameters, std::span(&self, 1), nullptr, inner, nesting);
      read_type_body(program_, type, nesting, c.block, inner);
    } else if (given_block.is(VK::Block)) {
      read_type_body(program_, type, nesting, given_block.block, locals);
    } else if (given_block.known() || c.arguments.end - c.arguments.begin > 1) {
      for (const auto& item : split_commas(c.arguments))
        if (is_op(item[item.begin], "&")) type.dynamic = fmt::format("newtype with a computed block (line {})", s[at].line);
    }
    add(std::move(type));
  }

  // Puppet::ResourceApi.register_type(name: …, attributes: {…}, title_patterns: […])
  void register_type(const RubyRange& s, uint32_t at, const std::string& nesting, RubyLocals& locals) {
    RubyCall c = read_call(s, at);
    auto values = program_.arguments(c.arguments, locals, nesting);
    const StaticRubyValue* definition = values.size() == 1 && values[0].is(VK::Hash) ? &values[0] : nullptr;
    const StaticRubyValue* name = definition ? definition->find("name") : nullptr;
    if (!name || !name->is_name()) {
      if (out_.doubt.empty()) out_.doubt = fmt::format("register_type with a computed definition (line {})", s[at].line);
      return;
    }
    ScannedType type = start(s, name->text);
    type.resource_api = true;
    const StaticRubyValue* attributes = definition->find("attributes");
    if (!attributes || !attributes->is(VK::Hash)) {
      type.dynamic = fmt::format("the attributes are computed (line {})", s[at].line);
      return add(std::move(type));
    }
    std::string first_namevar;
    for (size_t i = 0; i + 1 < attributes->items.size(); i += 2) {
      const StaticRubyValue& attribute = attributes->items[i];
      const StaticRubyValue& options = attributes->items[i + 1];
      const StaticRubyValue* behaviour = options.is(VK::Hash) ? options.find("behaviour") : nullptr;
      if (options.is(VK::Hash) && !behaviour) behaviour = options.find("behavior");
      if (!attribute.is_name() || !options.is(VK::Hash) || (behaviour && !behaviour->known())) {
        type.dynamic = fmt::format("the attributes are computed (line {})", s[at].line);
        return add(std::move(type));
      }
      std::string_view b = behaviour ? std::string_view(behaviour->text) : std::string_view();
      bool namevar = b == "namevar";
      bool parameter = namevar || b == "parameter" || b == "read_only";
      if (namevar && first_namevar.empty()) first_namevar = attribute.text;
      ScannedType::Attribute a{attribute.text, parameter ? AttributeKind::Parameter : AttributeKind::Property,
                               namevar || (parameter && attribute.text == "name")};
      type.attributes.insert(a.name == "ensure" ? type.attributes.begin() : type.attributes.end(), std::move(a));
    }
    api_titles(*definition, first_namevar, type);
    add(std::move(type));
  }

  static void api_titles(const StaticRubyValue& definition, const std::string& first_namevar, ScannedType& type) {
    const StaticRubyValue* patterns = definition.find("title_patterns");
    if (!patterns) {
      if (!first_namevar.empty()) type.title_patterns = {{"(.*)", TitlePatternSchema::multi_line, {first_namevar}}};
      return;
    }
    if (!patterns->is(VK::Array)) return void(type.dynamic_titles = "title_patterns is computed");
    std::vector<ScannedType::Pattern> out;
    for (const auto& p : patterns->items) {
      const StaticRubyValue* pattern = p.is(VK::Hash) ? p.find("pattern") : nullptr;
      if (!pattern || !pattern->is(VK::Regex)) return void(type.dynamic_titles = "title_patterns is computed");
      ScannedType::Pattern found{pattern->text, pattern->options, {}};
      try { // the groups' names are the attributes
        Regex regex(pattern->text, (pattern->options & 1) != 0, (pattern->options & 2) != 0, (pattern->options & 4) != 0);
        for (const auto& [group, number] : regex.names()) found.attributes.push_back(group);
      } catch (const RegexError& e) {
        return void(type.dynamic_titles = fmt::format("invalid title pattern /{}/: {}", pattern->text, e.message));
      }
      out.push_back(std::move(found));
    }
    type.title_patterns = std::move(out);
  }

  void add(ScannedType type) {
    for (auto& t : out_.types)
      if (t.name == type.name) { // defined twice, perhaps under different conditions
        t.dynamic = "defined more than once";
        return;
      }
    out_.types.push_back(std::move(type));
  }

  RubyFileSet program_;
  TypeScan& out_;
  std::string changed_;
  int depth_ = 0;
};

} // namespace

bool ScannedType::declares_provider() const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [](const Attribute& a) { return a.name == "provider" && a.kind == AttributeKind::Parameter; });
}

void ScannedType::add_provider() {
  if (!declares_provider()) attributes.push_back({"provider", AttributeKind::Parameter, false});
}

std::unique_ptr<const ResourceTypeInfo> ScannedType::info(std::unique_ptr<const TitleCode> code, std::function<bool()> has_provider) const {
  std::vector<AttributeSchema> attribute_schemas;
  attribute_schemas.reserve(attributes.size());
  for (const auto& a : attributes) attribute_schemas.push_back({a.name, a.kind, a.namevar});
  std::vector<std::vector<std::string_view>> names;
  std::vector<TitlePatternSchema> patterns;
  if (title_patterns) {
    names.reserve(title_patterns->size()); // its elements stay in place
    for (const auto& p : *title_patterns) {
      names.emplace_back(p.attributes.begin(), p.attributes.end());
      patterns.push_back({p.regex, p.options, names.back()});
    }
  }
  TypeSchema schema;
  schema.name = name;
  schema.origin = origin;
  schema.attributes = attribute_schemas;
  schema.title_patterns = patterns;
  schema.isomorphic = isomorphic && dynamic.empty() && dynamic_titles.empty(); // rather miss a duplicate than report a false one
  schema.own_title_patterns = title_patterns.has_value();
  schema.dynamic = dynamic;
  schema.dynamic_titles = dynamic_titles;
  if (schema.dynamic_titles.empty()) schema.dynamic_titles = dynamic;
  schema.file = file;
  return std::make_unique<const ResourceTypeInfo>(schema, std::move(code), std::move(has_provider));
}

std::optional<ScannedType> TypeScan::find(std::string_view name) && {
  for (auto& t : types)
    if (t.name == name) return std::move(t);
  if (doubt.empty()) return std::nullopt;
  ScannedType unseen;
  unseen.name = name;
  unseen.dynamic = doubt;
  return unseen;
}

TypeScan scan_type_file(std::shared_ptr<const RubyFile> file, const RubyFinder& finder) {
  TypeScan out;
  FileReader(finder, out).read(std::move(file));
  return out;
}

} // namespace pupc::compiler
