#include "runtime/ruby/ruby_types.h"

#include "runtime/provider/handlers.h"
#include "runtime/ruby/ruby_type_handler.h"
#include "runtime/ruby/wire_value.h"

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

Value RubyTypes::describe(std::string_view type, RunContext& run) {
  return session_->call(run, "describe_type", [&](JsonWriter& w) { w.string(type); });
}

} // namespace pupc::runtime
