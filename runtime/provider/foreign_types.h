#pragma once
// Types that are implemented elsewhere: by modules, in Ruby. The run's tool wires them in.
#include <memory>
#include <string_view>

namespace pupc {

class TypeHandler;

class ForeignTypes {
public:
  virtual ~ForeignTypes() = default;
  /// Handler of a lower-case type for one run; null when nobody has the type.
  virtual std::unique_ptr<TypeHandler> handler(std::string_view type) = 0;
  /// Whether there is a provider of that name for a type.
  virtual bool has_provider(std::string_view type, std::string_view provider) = 0;
};

} // namespace pupc
