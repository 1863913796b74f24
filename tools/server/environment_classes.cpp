#include "tools/server/environment_classes.h"

#include "catalog/base/paths.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/digest.h"
#include "compiler/parse/parser.h"
#include "tools/pupc/settings/value_types.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/responses.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace pupc::server {
namespace {

constexpr size_t most_manifests = 100000;

/// A value that stands in the code as it is: Puppet's strict literals. False for all else.
bool write_literal(JsonWriter& w, const Node& node) {
  switch (node.kind) {
  case NodeKind::Literal: {
    const Value& v = node.as<Literal>().value;
    if (v.is_string())
      w.string(v.str());
    else if (v.is_int())
      w.integer(v.i);
    else if (v.kind == Kind::Float)
      w.floating(v.d);
    else if (v.is_bool())
      w.boolean(v.b);
    else if (v.is_undef())
      w.null();
    else
      return false;
    return (node.flags & literal_overflow) == 0;
  }
  case NodeKind::Name: w.string(node.as<Name>().name.str()); return true;
  case NodeKind::ListLiteral:
    w.begin_array();
    for (const Node* element : node.as<ListLiteral>().elements)
      if (!write_literal(w, *element)) return false;
    w.end_array();
    return true;
  case NodeKind::HashLiteral:
    w.begin_object();
    for (const KeyedEntry& entry : node.as<HashLiteral>().entries) {
      if (entry.key->kind == NodeKind::Name)
        w.key(entry.key->as<Name>().name.str());
      else if (entry.key->kind == NodeKind::Literal && entry.key->as<Literal>().value.is_string())
        w.key(entry.key->as<Literal>().value.str());
      else
        return false;
      if (!write_literal(w, *entry.value)) return false;
    }
    w.end_object();
    return true;
  default: return false;
  }
}

/// The members in the order of their names, as puppetserver sorts them.
void write_parameter(JsonWriter& w, const Parameter& p, std::string_view text, RegexCache& regexes) {
  const auto source_of = [&](const Node& node) { return text.substr(std::min<size_t>(node.offset, text.size()), node.length); };
  w.begin_object();
  if (p.default_value != nullptr) {
    std::string literal;
    JsonWriter value(literal);
    if (write_literal(value, *p.default_value) && literal != "null") {
      w.key("default_literal");
      w.raw([&](std::string& out) { out += literal; });
    }
    w.member("default_source", source_of(*p.default_value));
  }
  w.member("name", p.name.str());
  if (p.type != nullptr) w.member("type", data_type_text(source_of(*p.type), regexes));
  w.end_object();
}

void write_classes(JsonWriter& w, const ParsedFile& file, RegexCache& regexes) {
  const std::string_view text = file.source->text();
  w.begin_array();
  for (const Node* node : file.definitions) {
    if (node->kind != NodeKind::ClassDef) continue;
    const Definition& definition = node->as<Definition>();
    w.begin_object();
    w.member("name", definition.name.str());
    w.key("params");
    w.begin_array();
    for (const Parameter& p : definition.parameters) write_parameter(w, p, text, regexes);
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

/// {"classes": …, "path": …}, or {"error": …, "path": …} for a manifest that does not parse.
void write_manifest(JsonWriter& w, const std::string& path, ParserMemory& memory) {
  std::string classes, problem;
  if (auto text = read_whole_file(path); !text) {
    problem = fmt::format("Could not read {}: {}", path, file_problem(errno));
  } else {
    RegexCache regexes;
    ParseOptions how;
    how.memory = &memory;
    const ParseResult parsed = parse(path, std::move(*text), regexes, how);
    try {
      JsonWriter inner(classes);
      if (parsed.file)
        write_classes(inner, *parsed.file, regexes);
      else
        problem = parsed.diagnostics.front().puppet_text();
    } catch (const CompileError& e) { problem = e.diagnostic.puppet_text(); }
  }
  w.begin_object();
  if (problem.empty()) {
    w.key("classes");
    w.raw([&](std::string& out) { out += classes; });
  } else {
    w.member("error", problem);
  }
  w.member("path", path);
  w.end_object();
}

void add_manifests(const std::string& directory, std::set<std::string>& into) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(directory, ignored), end; it != end && into.size() < most_manifests; it.increment(ignored)) {
    const fs::path& path = it->path();
    const bool hidden = path.filename().string().starts_with('.'); // as Ruby's Dir.glob leaves them out
    if (hidden && it->is_directory(ignored)) it.disable_recursion_pending();
    if (!hidden && path.extension() == ".pp" && it->is_regular_file(ignored)) into.insert(path.string());
  }
}

} // namespace

http::Response answer_environment_classes(Call& call) {
  const std::string name = requested_environment(call, false);
  if (!call.core->has_environment(name)) return text_response(404, fmt::format("Could not find environment '{}'", name), "text/plain");
  std::shared_ptr<const Environment> environment;
  try {
    environment = call.core->environments.open(name, nullptr);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
  std::set<std::string> manifests;
  if (const std::string& main = environment->options().manifest; is_directory(main))
    add_manifests(main, manifests);
  else if (!main.empty())
    manifests.insert(main);
  for (const Module& module : environment->modules()) add_manifests(module.path + "/manifests", manifests);
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("files");
  w.begin_array();
  ParserMemory memory;
  for (const std::string& path : manifests) write_manifest(w, path, memory);
  w.end_array();
  w.member("name", name);
  w.end_object();
  const std::string tag = hex_digest(DigestAlgorithm::Sha256, out);
  std::string known(call.request.headers.get("If-None-Match"));
  if (known.ends_with("--gzip")) known.resize(known.size() - 6); // a web server of Java added it
  http::Response response = known == tag ? text_response(304, "", "application/json")
                                         : body_response(call.request, std::move(out), "application/json;charset=utf-8");
  response.headers.add("Etag", tag);
  return response;
}

} // namespace pupc::server
