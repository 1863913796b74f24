#include "runtime/ruby/ruby_types.h"

#include "runtime/ruby/ruby_type_handler.h"
#include "runtime/ruby/ruby_value.h"

#include <fmt/format.h>

namespace pupc {

RubyTypes::RubyTypes(RubyTypesOptions options, std::vector<std::string> libraries)
    : session_(std::make_shared<RubySession>(std::move(options), std::move(libraries))) {}

RubyTypes::~RubyTypes() = default;

std::unique_ptr<TypeHandler> RubyTypes::handler(std::string_view type) {
  const bool ours = !session_->library_file(fmt::format("puppet/type/{}.rb", type)).empty();
  // Native types for which modules may have additional providers.
  const bool known = type == "package" || type == "service" || type == "user" || type == "group";
  return ours || known ? make_ruby_type_handler(session_, std::string(type)) : nullptr;
}

bool RubyTypes::has_provider(std::string_view type, std::string_view provider) {
  return !session_->library_file(fmt::format("puppet/provider/{}/{}.rb", type, provider)).empty();
}

namespace {

void write_names(JsonWriter& w, const std::vector<std::string>& names) {
  w.begin_array();
  for (const std::string& name : names) w.string(name);
  w.end_array();
}

} // namespace

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

} // namespace pupc
