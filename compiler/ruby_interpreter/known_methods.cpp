// Which methods Ruby's own classes have.
#include "compiler/ruby_interpreter/known_methods.h"

#include <string>

namespace pupc::ruby {
namespace {

struct Responses {
  RubyClass class_;
  std::string_view methods; // the names, each between two blanks
};

constexpr Responses responses[] = {
#include "compiler/ruby_interpreter/known_methods.inc"
};

} // namespace

bool known_response(RubyClass c, std::string_view method, bool& answer) {
  // Libraries that Puppet loads add methods like to_json to every class.
  if (method.starts_with("to_json") || method.starts_with("to_yaml") || method.starts_with("to_pson") || method == "to_set" ||
      method == "to_d")
    return false;
  for (const Responses& r : responses)
    if (r.class_ == c) {
      for (char ch : method)
        if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '?' || ch == '!' ||
              ch == '='))
          return false;
      answer = r.methods.find(" " + std::string(method) + " ") != std::string_view::npos;
      return true;
    }
  return false;
}

} // namespace pupc::ruby
