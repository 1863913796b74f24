#include "runtime/ruby/ruby_types.h"

#include "runtime/ruby/ruby_type_handler.h"

namespace pupc {

RubyTypes::RubyTypes(RubyTypesOptions options, std::vector<std::string> libraries)
    : session_(std::make_shared<RubySession>(std::move(options), std::move(libraries))) {}

RubyTypes::~RubyTypes() = default;

std::unique_ptr<TypeHandler> RubyTypes::handler(std::string_view type) {
  const bool ours = !session_->library_file(fmt::format("puppet/type/{}.rb", type)).empty();
  // Providers of a type that pupc manages otherwise.
  const bool known = type == "package" || type == "service" || type == "user" || type == "group";
  return ours || known ? make_ruby_type_handler(session_, std::string(type)) : nullptr;
}

bool RubyTypes::has_provider(std::string_view type, std::string_view provider) {
  return !session_->library_file(fmt::format("puppet/provider/{}/{}.rb", type, provider)).empty();
}

Value RubyTypes::describe(std::string_view type, RunContext& run) {
  return session_->call(run, "describe_type", [&](JsonWriter& w) { w.string(type); });
}

} // namespace pupc
