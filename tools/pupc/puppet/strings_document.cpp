#include "tools/pupc/puppet/strings_document.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "compiler/ast/plans.h"
#include "compiler/parse/parser.h"
#include "tools/pupc/puppet/doc_comments.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

/// The files with an extension below a folder, by name.
std::vector<std::string> files_below(const std::string& directory, std::string_view folder, std::string_view extension) {
  std::vector<std::string> out;
  std::error_code ignored;
  const fs::path top = fs::path(directory) / folder;
  for (auto it = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored))
    if (it->is_regular_file(ignored) && it->path().extension() == extension)
      out.push_back(fs::relative(it->path(), directory, ignored).string());
  std::sort(out.begin(), out.end());
  return out;
}

/// A documented definition: its part of the document, by name.
struct Entry {
  std::string name, json;
};

class Document {
public:
  explicit Document(std::string directory) : directory_(std::move(directory)) {}

  StringsDocument make() {
    for (const char* folder : {"manifests", "functions", "types", "plans"})
      for (const std::string& file : files_below(directory_, folder, ".pp")) manifest(file);
    for (const std::string& file : files_below(directory_, "tasks", ".json")) task(file);
    JsonWriter w(out_.json, true);
    w.begin_object();
    section(w, "puppet_classes", classes_);
    section(w, "data_types", none_);
    section(w, "data_type_aliases", aliases_);
    section(w, "defined_types", defines_);
    section(w, "resource_types", none_);
    section(w, "providers", none_);
    section(w, "puppet_functions", functions_);
    section(w, "puppet_tasks", tasks_);
    section(w, "puppet_plans", plans_);
    w.end_object();
    out_.json += '\n';
    out_.ruby_left_out = !files_below(directory_, "lib/puppet", ".rb").empty();
    return std::move(out_);
  }

private:
  using Entries = std::vector<Entry>;

  // The parts are written again as they are read, so that they get the indentation of their place.
  static void section(JsonWriter& w, std::string_view name, Entries& entries) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    w.key(name);
    w.begin_array();
    for (const Entry& entry : entries)
      w.raw([&](std::string& out) {
        for (const char c : entry.json) {
          out += c;
          if (c == '\n') out += "    ";
        }
      });
    w.end_array();
  }

  void manifest(const std::string& file) {
    auto text = read_whole_file(directory_ + "/" + file);
    if (!text) return;
    RegexCache regexes;
    ParseOptions how;
    how.tasks = is_plan_path(file);
    const ParseResult parsed = parse(file, std::move(*text), regexes, how);
    if (!parsed.file) {
      if (out_.problem.empty()) out_.problem = parsed.diagnostics.front().puppet_text();
      return;
    }
    source_ = parsed.file->source.get();
    for (const Node* node : parsed.file->definitions) switch (node->kind) {
      case NodeKind::ClassDef: body(classes_, node->as<Definition>(), node->as<ClassDef>().parent.str()); break;
      case NodeKind::DefineDef: body(defines_, node->as<Definition>(), {}); break;
      case NodeKind::FunctionDef:
        if (is_plan(*node))
          body(plans_, node->as<Definition>(), {});
        else
          function(node->as<FunctionDef>());
        break;
      case NodeKind::TypeAlias: alias(node->as<TypeAlias>()); break;
      default: break;
      }
  }

  std::string_view text_of(uint32_t offset, uint32_t length) const { return source_->text().substr(offset, length); }
  /// The text of a type or a default value; where the tree has no exact end, up to what follows.
  std::string text_of(const Node& node) const { return std::string(text_of(node.offset, node.length)); }

  /// The comment of a definition, with the types of its parameters.
  DocComment comment_of(const Node& node, const Seq<Parameter>& parameters) const {
    DocComment comment = doc_comment_above(source_->text(), source_->line(node.offset));
    for (const Parameter& p : parameters) {
      DocTag* tag = comment.find("param", p.name.str());
      if (tag == nullptr) {
        comment.tags.push_back({"param", "", std::string(p.name.str()), {}});
        tag = &comment.tags.back();
      }
      if (p.type != nullptr)
        tag->types = {text_of(*p.type)};
      else if (tag->types.empty())
        tag->types = {"Any"};
    }
    return comment;
  }

  void place(JsonWriter& w, std::string_view name, const Node& node) const {
    w.member("name", name);
    w.member("file", source_->path());
    w.key("line");
    w.integer(source_->line(node.offset));
  }

  void defaults(JsonWriter& w, const Seq<Parameter>& parameters) const {
    if (std::none_of(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.default_value != nullptr; })) return;
    w.key("defaults");
    w.begin_object();
    for (const Parameter& p : parameters)
      if (p.default_value != nullptr) w.member(p.name.str(), text_of(*p.default_value));
    w.end_object();
  }

  void body(Entries& to, const Definition& d, std::string_view parent) {
    Entry entry{std::string(d.name.str()), {}};
    JsonWriter w(entry.json, true);
    w.begin_object();
    place(w, d.name.str(), d);
    if (!parent.empty()) w.member("inherits", parent);
    w.key("docstring");
    write_doc_comment(w, comment_of(d, d.parameters));
    defaults(w, d.parameters);
    w.member("source", text_of(d.offset, d.length));
    w.end_object();
    to.push_back(std::move(entry));
  }

  void function(const FunctionDef& f) {
    DocComment comment = comment_of(f, f.parameters);
    DocTag* result = comment.find("return");
    if (result == nullptr) {
      comment.tags.push_back({"return", "", std::nullopt, {}});
      result = &comment.tags.back();
    }
    if (f.return_type != nullptr)
      result->types = {text_of(*f.return_type)};
    else if (result->types.empty())
      result->types = {"Any"};
    std::string signature;
    for (const Parameter& p : f.parameters) {
      const DocTag* tag = comment.find("param", p.name.str());
      signature += fmt::format("{}{} {}${}", signature.empty() ? "" : ", ", tag->types.front(), p.captures_rest ? "*" : "", p.name.str());
      if (p.default_value != nullptr) signature += " = " + text_of(*p.default_value);
    }
    static constexpr std::string_view shown[] = {"param", "option", "enum", "return", "example"};
    Entry entry{std::string(f.name.str()), {}};
    JsonWriter w(entry.json, true);
    w.begin_object();
    place(w, f.name.str(), f);
    w.member("type", "puppet");
    w.key("signatures");
    w.begin_array();
    w.begin_object();
    w.member("signature", fmt::format("{}({})", f.name.str(), signature));
    w.key("docstring");
    write_doc_comment(w, comment, shown);
    w.end_object();
    w.end_array();
    w.key("docstring");
    write_doc_comment(w, comment);
    defaults(w, f.parameters);
    w.member("source", text_of(f.offset, f.length));
    w.end_object();
    functions_.push_back(std::move(entry));
  }

  void alias(const TypeAlias& a) {
    std::string_view type = text_of(a.type->offset, std::max(a.type->length, a.offset + a.length - a.type->offset));
    if (const size_t equals = type.find('='); a.type->length == 0 && equals != std::string_view::npos) type = type.substr(equals + 1);
    while (!type.empty() && (type.front() == ' ' || type.front() == '\n')) type.remove_prefix(1);
    Entry entry{std::string(a.name.str()), {}};
    JsonWriter w(entry.json, true);
    w.begin_object();
    place(w, a.name.str(), a);
    w.key("docstring");
    write_doc_comment(w, doc_comment_above(source_->text(), source_->line(a.offset)));
    w.member("alias_of", type);
    w.end_object();
    aliases_.push_back(std::move(entry));
  }

  void task(const std::string& file) {
    const auto text = read_whole_file(directory_ + "/" + file);
    Arena arena;
    Value read;
    if (!text || read_json(*text, arena, read) || !read.is_hash()) {
      if (out_.problem.empty()) out_.problem = fmt::format("'{}' holds no JSON object", file);
      return;
    }
    auto member = [](const Value& of, std::string_view name) {
      const Value* found = of.is_hash() ? of.hash->find(name) : nullptr;
      return found != nullptr && found->is_string() ? std::string(found->str()) : std::string();
    };
    DocComment comment;
    comment.text = member(read, "description");
    if (const Value* parameters = read.hash->find("parameters"); parameters != nullptr && parameters->is_hash())
      for (const HashEntry& e : parameters->hash->entries()) {
        const std::string type = member(e.value, "type");
        comment.tags.push_back({"param", member(e.value, "description"), std::string(e.key.str()), {type.empty() ? "Any" : type}});
      }
    const Value* noop = read.hash->find("supports_noop");
    Entry entry{fs::path(file).stem().string(), {}};
    JsonWriter w(entry.json, true);
    w.begin_object();
    w.member("name", entry.name);
    w.member("file", file);
    w.key("line");
    w.integer(1);
    w.key("docstring");
    write_doc_comment(w, comment);
    w.member("source", *text);
    w.key("supports_noop");
    w.boolean(noop != nullptr && noop->is(Kind::Bool) && noop->b);
    if (const std::string method = member(read, "input_method"); !method.empty()) w.member("input_method", method);
    w.end_object();
    tasks_.push_back(std::move(entry));
  }

  std::string directory_;
  StringsDocument out_;
  const SourceFile* source_ = nullptr;
  Entries classes_, defines_, aliases_, functions_, plans_, tasks_, none_;
};

} // namespace

StringsDocument strings_document(const std::string& directory) { return Document(directory).make(); }

} // namespace pupc::cli
