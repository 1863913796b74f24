#include "tools/pupc/node/enc.h"

#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_reader.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/node/http_classifier.h"
#include "tools/pupc/node/program_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

/// Runs the classifier for a node and returns its output. Like Puppet, it drops the program's stderr.
std::string output_of(const std::string& classifier, const std::string& name, std::chrono::milliseconds limit) {
  std::vector<std::string> words;
  for (size_t i = 0; (i = classifier.find_first_not_of(" \t", i)) != std::string::npos;) {
    size_t end = std::min(classifier.find_first_of(" \t", i), classifier.size());
    words.push_back(classifier.substr(i, end - i));
    i = end;
  }
  if (words.empty() || !words[0].starts_with('/')) throw_load_error("You must set the exec parameter to a fully qualified command");
  words.push_back(name);
  if (access(words[0].c_str(), X_OK) != 0)
    throw_load_error(
        fmt::format("Failed to find {} via exec: Could not execute posix command: {} - {}", name, std::strerror(errno), words[0]));
  std::string shown;
  for (const auto& w : words) shown += (shown.empty() ? "" : " ") + w;
  ProgramOutput out = program_output(words, limit);
  // Puppet's child says so by its exit code, as it finds out after the fork.
  if (out.error == ENOENT || out.error == ENOEXEC || out.error == EACCES || out.error == ELOOP)
    throw_load_error(fmt::format("Failed to find {} via exec: Execution of '{}' returned 1: ", name, shown));
  if (out.error != 0) throw_load_error(fmt::format("Failed to find {} via exec: {}", name, std::strerror(out.error)));
  if (out.problem != nullptr) throw_load_error(fmt::format("Failed to find {} via exec: Execution of '{}' {}", name, shown, out.problem));
  if (out.code != 0)
    throw_load_error(
        fmt::format("Failed to find {} via exec: Execution of '{}' returned {}: {}", name, shown, out.code, trimmed(out.text, " \t\r\n")));
  return std::move(out.text);
}

bool is_yaml_file(const std::string& classifier) { return classifier.ends_with(".yaml") || classifier.ends_with(".yml"); }

std::string classifier_text(const std::string& classifier, const std::string& name, std::chrono::milliseconds limit) {
  if (is_http_classifier(classifier))
    throw_load_error(fmt::format("The server cannot ask '{}' yet: it knows commands and YAML files", classifier));
  if (!is_yaml_file(classifier)) return output_of(classifier, name, limit);
  auto content = read_whole_file(classifier, FileKinds::Pipes);
  if (!content) throw_load_error(fmt::format("Could not read the classification: {}", file_problem(errno)), classifier);
  return std::move(*content);
}

std::string classification(const std::string& classifier, const std::string& text, NodeData& data) {
  const std::string& name = data.input.name;
  Arena& arena = *data.arena;
  const bool is_file = is_yaml_file(classifier);
  const std::string file = is_file ? classifier : std::string();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw_load_error(fmt::format("Could not find node '{}'; cannot compile", name), file);
  Value root;
  YamlOptions options;
  options.file = file.empty() ? "<unknown>" : std::string_view(file);
  JsonError no_json;
  const bool json = is_http_classifier(classifier) && parse_json(arena.copy(text), arena, root, no_json);
  if (auto error = json ? std::nullopt : read_yaml(arena.copy(text), arena, root, options))
    throw_load_error(fmt::format("Could not load external node results for {}: {}", name, error->message), file, is_file ? error->line : 0,
                     is_file ? error->column : 0);
  // Match Puppet's error for a list: its Ruby code takes index 0 of an element as a key, which for an integer is its first bit.
  if (root.is_list() && root.list->size > 0 && root.list->items()[0].is_int())
    throw_load_error(fmt::format("Could not load external node results for {}: key is a Integer, not a string or symbol", name), file);
  if (!root.is_hash()) throw_load_error(fmt::format("Could not load external node results for {}: it is not a hash", name), file);

  // In Puppet a key may be a symbol or a string; the YAML reader makes both strings.
  const Value *classes = root.hash->find("classes"), *parameters = root.hash->find("parameters");
  if (parameters && !parameters->is_undef() && !parameters->is_hash())
    throw_load_error(fmt::format("Could not load external node results for {}: 'parameters' is not a hash", name), file);
  HashBuilder variables(arena, parameters && parameters->is_hash() ? *parameters->hash : Hash{});
  if (classes && !classes->is_undef()) {
    auto add = [&](const Value& title, const Value& given) {
      if (!title.is_string())
        throw_load_error(fmt::format("Could not load external node results for {}: a class's name is not a string", name), file);
      data.input.classes.emplace_back(std::string(title.str()), given);
    };
    if (classes->is_hash())
      for (const auto& e : classes->hash->entries()) add(e.key, e.value);
    else if (classes->is_list())
      for (const Value& title : classes->items()) {
        // The console's documentation has the classes as a list, and their parameters among the variables, by class.
        const Value* found = classifier.starts_with("console:") ? variables.find(title) : nullptr;
        const Value own = found != nullptr && found->is_hash() ? *found : Value::undef();
        if (own.is_hash()) variables.erase(title);
        add(title, own);
      }
    else
      add(*classes, Value::undef());
  }
  if (parameters && parameters->is_hash()) data.input.parameters = variables.finish();
  const Value* environment = root.hash->find("environment");
  // The console says so where it leaves the environment to the node.
  const bool named = environment && environment->is_string() &&
                     !(is_http_classifier(classifier) && environment->str() == "agent-specified");
  return named ? std::string(environment->str()) : std::string();
}

/// Adds to errors what they are about, as Puppet does.
template <class Work> std::string searching_for(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (CompileError& e) {
    if (!e.diagnostic.message.starts_with("Could not find node"))
      e.diagnostic.message = fmt::format("Failed when searching for node {}: {}", name, e.diagnostic.message);
    throw;
  }
}

} // namespace

std::string ask_classifier(const std::string& classifier, const std::string& name, std::chrono::milliseconds limit) {
  return searching_for(name, [&] { return classifier_text(classifier, name, limit); });
}

std::string take_classification(const std::string& classifier, const std::string& text, NodeData& data) {
  return searching_for(std::string(data.input.name), [&] { return classification(classifier, text, data); });
}

std::string classify_node(const std::string& classifier, NodeData& data) {
  return take_classification(classifier, ask_classifier(classifier, std::string(data.input.name), {}), data);
}

} // namespace pupc::cli
