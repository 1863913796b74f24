#include "runtime/ruby/ruby_types.h"

#include "runtime/provider/handlers.h"
#include "runtime/ruby/ruby_type_handler.h"
#include "runtime/ruby/wire_value.h"
#include "runtime/sys/process_environment.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace pupc::runtime {

namespace {

/// Native types that are Puppet's own, for which modules may have additional providers.
bool takes_providers(std::string_view type) { return type == "package" || type == "service" || type == "user" || type == "group"; }

/// Whether a file of providers has a native one, which a module brings with the type.
bool holds_native_provider(std::string_view type, const std::string& file) {
  return !native_provider(type).empty() && is_native_provider(type, std::filesystem::path(file).stem().native());
}

bool names_native_provider(std::string_view type, std::string_view text, size_t begin) {
  const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
  return end != std::string::npos && end > begin && is_native_provider(type, text.substr(begin, end - begin));
}

/// Whether the text of a provider's file may make it the default: it says so, or the provider descends from a native one, and so is more
/// specific where no provider says so. For packages some native provider always does.
bool may_be_default(std::string_view type, const std::string& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find("defaultfor") != std::string::npos) return true;
  if (type == "package") return false;
  for (size_t at = 0; (at = text.find("parent", at)) != std::string::npos; ++at) {
    const size_t value = text.find_first_not_of(" \t=>:", at + 6);
    if (value == std::string::npos || (text[value - 1] != ':' && text[value] != '\'' && text[value] != '"')) continue;
    if (names_native_provider(type, text, value + (text[value] == '\'' || text[value] == '"'))) return true;
  }
  for (size_t at = 0; (at = text.find(".provider(:", at)) != std::string::npos; ++at)
    if (names_native_provider(type, text, at + 11)) return true;
  return false;
}

/// A variable that the text of a provider sets outside its methods, when the file is loaded.
struct LoadedVariable {
  std::string name;
  std::optional<std::string> value; // nothing: only running the code tells
};

/// The text in quotes at the beginning of `text` that nothing is replaced in; nothing when there is no such text.
std::optional<std::string> plain_quoted(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) return std::nullopt;
  const size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  return inside.find_first_of("\\#") == std::string_view::npos ? std::optional(std::string(inside)) : std::nullopt;
}

std::vector<LoadedVariable> loaded_variables(const std::string& file) {
  std::vector<LoadedVariable> out;
  std::ifstream in(file);
  size_t method = std::string::npos; // the indentation of the method that the line is in
  for (std::string line; std::getline(in, line);) {
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string_view code = std::string_view(line).substr(begin);
    if (method != std::string::npos) {
      if (begin == method && code.starts_with("end")) method = std::string::npos;
    } else if (code.starts_with("def ")) {
      if (code.find("; end") == std::string_view::npos) method = begin;
    } else if (code.starts_with("ENV[")) {
      const auto name = plain_quoted(code.substr(4));
      size_t value = code.find("] = ");
      if (!name || value == std::string_view::npos) continue;
      value += 4;
      const auto text = plain_quoted(code.substr(value));
      const std::string_view after = text ? code.substr(value + text->size() + 2) : std::string_view();
      const bool alone = text && (after.find_first_not_of(" \t\r") == std::string_view::npos || after.starts_with(" #"));
      out.push_back({*name, alone ? text : std::nullopt});
    }
  }
  return out;
}

void write_names(JsonWriter& w, const std::vector<std::string>& names) {
  w.begin_array();
  for (const std::string& name : names) w.string(name);
  w.end_array();
}

} // namespace

RubyTypes::RubyTypes(RubyTypesOptions options, std::vector<std::string> libraries)
    : session_(std::make_shared<ProviderRubySession>(std::move(options), std::move(libraries))) {}

RubyTypes::~RubyTypes() = default;

std::unique_ptr<TypeHandler> RubyTypes::handler(std::string_view type) {
  const bool ours = !session_->library_file(fmt::format("puppet/type/{}.rb", type)).empty();
  return ours || takes_providers(type) ? make_ruby_type_handler(session_, std::string(type)) : nullptr;
}

bool RubyTypes::is_default(std::string_view type, RunContext& run) {
  if (!takes_providers(type) && native_provider(type).empty()) return false;
  if (const auto known = defaults_.find(type); known != defaults_.end()) return known->second;
  bool& answer = defaults_[std::string(type)];
  if (!takes_providers(type) && session_->library_file(fmt::format("puppet/type/{}.rb", type)).empty()) return false;
  auto files = session_->library_files(fmt::format("puppet/provider/{}", type));
  std::erase_if(files, [&](const std::string& file) { return holds_native_provider(type, file); });
  if (std::none_of(files.begin(), files.end(), [&](const std::string& file) { return may_be_default(type, file); })) return false;
  try {
    const Value told = session_->call(run, "default_provider", [&](JsonWriter& w) { w.string(type); });
    answer = told.is_string() && has_provider(type, told.str()) && !is_native_provider(type, told.str());
  } catch (const ResourceError& e) {
    run.log(LogLevel::Warning,
            fmt::format("The default provider of {} is pupc's, as those of modules cannot be asked: {}", type, e.what()));
  }
  return answer;
}

void RubyTypes::leave_environment(std::string_view type, RunContext& run) {
  if (!takes_providers(type) && native_provider(type).empty()) return;
  bool ask = false;
  for (const std::string& file : session_->library_files(fmt::format("puppet/provider/{}", type))) {
    if (holds_native_provider(type, file)) continue;
    for (const auto& [name, value] : loaded_variables(file))
      if (value)
        set_process_environment(name, value);
      else
        ask = true;
  }
  if (ask && takes_providers(type)) try {
      session_->call(run, "load_providers", [&](JsonWriter& w) { w.string(type); });
    } catch (const ResourceError& e) {
      run.log(LogLevel::Warning, fmt::format("What the providers of {} leave in the environment is unknown: {}", type, e.what()));
    }
}

bool RubyTypes::has_provider(std::string_view type, std::string_view provider) {
  return !session_->library_file(fmt::format("puppet/provider/{}/{}.rb", type, provider)).empty();
}

Value RubyTypes::list(std::string_view type, std::string_view title, const std::vector<std::string>& more, RunContext& run) {
  const Value told = session_->call(run, "list_resources", [&](JsonWriter& w) {
    w.string(type);
    w.string(title);
    write_names(w, more);
  });
  bool ignored = false;
  return read_ruby_value(run.arena, told, ignored);
}

Value RubyTypes::show(const ManagedResource& resource, const std::vector<std::string>& more, RunContext& run) {
  const Value told = session_->call(
      run, "show_resource",
      [&](JsonWriter& w) {
        w.string(resource.type);
        w.string(resource.title);
        write_names(w, more);
      },
      &resource);
  bool ignored = false;
  return read_ruby_value(run.arena, told, ignored);
}

} // namespace pupc::runtime
