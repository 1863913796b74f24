#include "compiler/load/parsed_files.h"
#include "compiler/check/plan_check.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/parse/parser.h"
#include "compiler/types/type.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pupc::compiler {
namespace {

LogEntry message_of(const Diagnostic& d) {
  return {d.severity == Severity::Error ? LogLevel::Err : LogLevel::Warning, {}, d.puppet_text()};
}

/// Keeps the warnings and deprecations that Puppet logs; returns how many there were.
size_t keep_warnings(LoadedFile& out, const std::vector<Diagnostic>& diagnostics, const MessageLimits& limits) {
  int64_t warnings = 0, deprecations = 0;
  for (const auto& d : diagnostics) {
    if (d.severity == Severity::Warning && warnings++ < limits.warnings) out.messages.push_back(message_of(d));
    if (d.severity == Severity::Deprecation && deprecations++ < limits.deprecations) out.messages.push_back(message_of(d));
  }
  return static_cast<size_t>(warnings + deprecations);
}

/// The files loaded so far, as Puppet's loaders and its type collection see them.
class DuplicateFinder {
public:
  /// Functions, types and defines enter the loaders' tables first; then classes, nodes and defines enter the collection.
  std::optional<Diagnostic> add(std::span<const ParsedFile* const> files) {
    for (const ParsedFile* file : files)
      for (const Node* node : file->definitions)
        if (auto d = add_entity(*node, *file)) return d;
    for (const ParsedFile* file : files)
      for (const Node* node : file->definitions)
        if (auto d = add_to_collection(*node, *file)) return d;
    return std::nullopt;
  }

private:
  struct Known {
    const Node* node;
    const ParsedFile* file;
  };
  using Table = std::unordered_map<std::string, Known>;

  std::optional<Diagnostic> add_entity(const Node& node, const ParsedFile& file) {
    std::string_view kind;
    std::string name;
    if (node.kind == NodeKind::FunctionDef || node.kind == NodeKind::DefineDef) {
      kind = node.kind == NodeKind::FunctionDef ? "function" : "type";
      name = ascii_lower(static_cast<const Definition&>(node).name.str());
    } else if (node.kind == NodeKind::TypeAlias) {
      kind = "type";
      name = ascii_lower(node.as<TypeAlias>().name.str());
      if (builtin_type(node.as<TypeAlias>().name.str()))
        return redefined(kind, name, "Originally set by Puppet-Type-System/Static-Loader.");
      static constexpr std::string_view resource_types[] = {"component", "exec",   "file",    "filebucket", "group",
                                                            "node",      "notify", "package", "resources",  "schedule",
                                                            "service",   "stage",  "tidy",    "user",       "whit"};
      if (std::ranges::find(resource_types, name) != std::end(resource_types)) return redefined(kind, name, "Set at unknown location");
    } else {
      return std::nullopt;
    }
    auto [it, fresh] = entities_.try_emplace(fmt::format("{}/{}", kind, name), Known{&node, &file});
    if (fresh) return std::nullopt;
    const Known& first = it->second;
    const SourceFile& source = *first.file->source;
    uint32_t offset = first.node->offset;
    LineColumn p = source.position(offset);
    return redefined(kind, name,
                     fmt::format("Originally set at {}?line={}&pos={}.", source.path().empty() ? "string:" : "file://" + source.path(),
                                 p.line, p.column));
  }

  static Diagnostic redefined(std::string_view kind, std::string_view name, std::string_view origin) {
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.style = PositionStyle::None;
    d.message = fmt::format("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{}/{}'. {}", kind, name, origin);
    return d;
  }

  std::optional<Diagnostic> add_to_collection(const Node& node, const ParsedFile& file) {
    if (node.kind == NodeKind::ClassDef) {
      std::string name = ascii_lower(node.as<ClassDef>().name.str());
      if (auto* k = find(classes_, name)) return duplicate(node, file, "Class '{}' is already defined{}; cannot redefine", name, *k);
      if (auto* k = find(nodes_, name))
        return duplicate(node, file, "Node '{}' is already defined{}; cannot be redefined as a class", name, *k);
      if (auto* k = find(defines_, name))
        return duplicate(node, file, "Definition '{}' is already defined{}; cannot be redefined as a class", name, *k);
      classes_.emplace(std::move(name), Known{&node, &file});
    } else if (node.kind == NodeKind::DefineDef) {
      std::string name = ascii_lower(node.as<DefineDef>().name.str());
      if (auto* k = find(classes_, name))
        return duplicate(node, file, "'{}' is already defined{} as a class; cannot redefine as a definition", name, *k);
      if (auto* k = find(defines_, name))
        return duplicate(node, file, "Definition '{}' is already defined{}; cannot be redefined", name, *k);
      defines_.emplace(std::move(name), Known{&node, &file});
    } else if (node.kind == NodeKind::NodeDef) {
      for (const Node* match : node.as<NodeDef>().matches) {
        std::string name = node_match_name(*match);
        if (name.empty()) continue;
        // Two regexes are the same only when their patterns are equal. Their names leave out characters.
        std::string key = match->kind == NodeKind::RegexLiteral ? "/" + std::string(match->as<Literal>().value.regex->source()) : name;
        if (auto* k = find(nodes_, key)) return duplicate(node, file, "Node '{}' is already defined{}; cannot redefine", name, *k);
        if (auto* k = find(classes_, name))
          return duplicate(node, file, "Class '{}' is already defined{}; cannot be redefined as a node", name, *k);
        nodes_.emplace(std::move(key), Known{&node, &file});
      }
    }
    return std::nullopt;
  }

  static const Known* find(const Table& table, const std::string& name) {
    auto it = table.find(name);
    return it == table.end() ? nullptr : &it->second;
  }

  static Diagnostic duplicate(const Node& node, const ParsedFile& file, const char* format, const std::string& name, const Known& first) {
    const SourceFile& source = *first.file->source;
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.style = PositionStyle::Line;
    d.loc = {file.source.get(), node.offset, node.length};
    d.message = fmt::format(fmt::runtime(format), name, position_suffix(source.path(), source.line(first.node->offset), 0));
    return d;
  }

  Table entities_, classes_, defines_, nodes_;
};

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && ascii_lower(a) == ascii_lower(b); }

/// The name that a node definition gives, but for a pattern.
std::string_view written_name(const Node& match) {
  if (match.kind == NodeKind::Name) return match.as<Name>().name.str();
  if (match.kind != NodeKind::Literal) return {};
  const Value& v = match.as<Literal>().value;
  return v.is(Kind::Default) ? std::string_view("default") : v.is_string() ? v.str() : std::string_view();
}

} // namespace

void LoadedFile::report(LogSink* log) const {
  if (log && !messages.empty() && log->first_time(this))
    for (const auto& m : messages) log->log(m);
  if (error) throw CompileError(*error);
}

void set_place(CheckOptions& options, const std::string& path, const std::vector<std::string>& modulepath, const std::string& manifest) {
  options.place = CheckOptions::Place::Free;
  if (!path.ends_with(".pp") || (!manifest.empty() && path.starts_with(manifest))) return;
  for (const auto& directory : modulepath) {
    if (!is_below(path, directory)) continue;
    std::string relative = ascii_lower(std::string_view(path).substr(directory.size() + 1));
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= relative.size();) {
      size_t end = std::min(relative.find('/', begin), relative.size());
      parts.push_back(std::string_view(relative).substr(begin, end - begin));
      begin = end + 1;
    }
    std::string_view folder = parts.size() > 1 ? parts[1] : std::string_view();
    if (parts.size() < 3 || (folder != "manifests" && folder != "functions" && folder != "types" && folder != "plans")) {
      options.place = CheckOptions::Place::Misplaced;
      return;
    }
    options.place = CheckOptions::Place::Module;
    options.name_space = parts[0];
    for (size_t i = 2; i + 1 < parts.size(); ++i) options.name_space.append("::").append(parts[i]);
    if (!(parts.size() == 3 && parts.back() == "init.pp"))
      options.name_space.append("::").append(parts.back().substr(0, parts.back().size() - 3));
    return;
  }
}

EmbeddedCodeCheck embedded_code_check(RegexCache& regexes, const CheckOptions& outer, std::function<void(const LogEntry&)> tell) {
  return [&regexes, strict = outer.strict, limits = outer.limits, tell = std::move(tell)](std::string_view text, bool epp) -> std::string {
    CheckOptions options;
    options.strict = strict;
    options.limits = limits;
    options.embedded_code = embedded_code_check(regexes, options, tell);
    LoadedFile file;
    load_text(file, {}, std::string(text), epp, regexes, options, {});
    for (const LogEntry& message : file.messages) tell(message);
    return file.error ? file.error->puppet_text() : std::string();
  };
}

void load_text(LoadedFile& out, std::string path, std::string text, bool epp, RegexCache& regexes, const CheckOptions& check_options,
               std::string_view message_prefix, bool tasks, ParserMemory* memory) {
  auto fail = [&](Diagnostic d) {
    d.message.insert(0, message_prefix);
    out.error = std::make_shared<Diagnostic>(std::move(d));
  };
  ParseOptions parse_options;
  parse_options.epp = epp;
  parse_options.tasks = tasks;
  parse_options.memory = memory;
  ParseResult parsed = parse(std::move(path), std::move(text), regexes, parse_options);
  keep_warnings(out, parsed.diagnostics, check_options.limits);
  if (!parsed.file) {
    out.broken = parsed.source;
    // Puppet's parser stops at the first error. Later errors may follow from it and would be noise in a log (`pupc validate` shows them).
    for (const auto& d : parsed.diagnostics) {
      if (d.severity != Severity::Error) continue;
      fail(d);
      break;
    }
    return;
  }
  CheckOptions options = check_options;
  if (!options.embedded_code)
    options.embedded_code = embedded_code_check(regexes, options, [&](const LogEntry& message) { out.messages.push_back(message); });
  std::vector<Diagnostic> found = tasks ? check_plan(*parsed.file, options) : check(*parsed.file, options);
  size_t warnings = keep_warnings(out, found, options.limits);
  std::vector<const Diagnostic*> errors;
  for (const auto& d : found)
    if (d.severity == Severity::Error) errors.push_back(&d);
  if (errors.empty()) {
    out.file = std::move(parsed.file);
    return;
  }
  if (errors.size() == 1 || options.limits.errors <= 1) {
    fail(*errors.front());
  } else {
    for (size_t i = 0; i < errors.size() && std::cmp_less(i, options.limits.errors); ++i) out.messages.push_back(message_of(*errors[i]));
    Diagnostic d;
    d.code = ErrorCode::validation_error;
    d.loc = errors.front()->loc;
    d.style = PositionStyle::File;
    d.message = fmt::format("Language validation logged {} errors{}. Giving up", errors.size(),
                            warnings ? fmt::format(", and {} warnings", warnings) : std::string());
    d.log_text = d.message;
    fail(std::move(d));
  }
  out.broken = std::shared_ptr<SourceFile>(parsed.file, parsed.file->source.get());
}

std::optional<Diagnostic> find_duplicate(std::span<const ParsedFile* const> added, std::span<const ParsedFile* const> before) {
  // Most files have one definition, which can clash only with one of its name. (A node can with others, by its names, and a type with a
  // type of Puppet.)
  if (added.size() == 1 && added.front()->definitions.size <= 1) {
    const auto plain = [](const Node* n) {
      return n->kind == NodeKind::ClassDef || n->kind == NodeKind::DefineDef || n->kind == NodeKind::FunctionDef;
    };
    const auto& own = added.front()->definitions;
    const auto own_name = [&] { return static_cast<const Definition*>(own[0])->name.str(); };
    const auto harmless = [&](const Node* n) {
      if (n->kind == NodeKind::NodeDef) // site manifests have many; the names of patterns begin with `_`, as that of no class does
        return own.empty() || std::ranges::all_of(n->as<NodeDef>().matches, [&](const Node* match) {
                 return match->kind == NodeKind::RegexLiteral || !same_name(written_name(*match), own_name());
               });
      return plain(n) && (own.empty() || !same_name(static_cast<const Definition*>(n)->name.str(), own_name()));
    };
    if ((own.empty() || plain(own[0])) &&
        std::ranges::all_of(before, [&](const ParsedFile* file) { return std::ranges::all_of(file->definitions, harmless); }))
      return std::nullopt;
  }
  DuplicateFinder finder;
  for (const ParsedFile* const& file : before) (void)finder.add({&file, 1});
  return finder.add(added);
}

std::string node_match_name(const Node& match) {
  if (match.kind == NodeKind::RegexLiteral) {
    std::string name;
    for (char c : ascii_lower(match.as<Literal>().value.regex->source()))
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':' || c == '.') name += c;
    size_t dots = name.find_first_not_of('.');
    return "__node_regexp__" + (dots == std::string::npos ? std::string() : name.substr(dots));
  }
  return ascii_lower(written_name(match));
}

} // namespace pupc::compiler
