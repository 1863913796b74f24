#pragma once
// Who may ask for what: the rules of auth.conf (HOCON), as puppetserver reads them.
#include "catalog/value/regex.h"
#include "tools/http/tls.h"
#include "tools/server/request_text.h"
#include "tools/server/visible_names.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::server {

/// auth.conf cannot be used; the message says why, and which rule.
struct AuthError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Who asks.
struct Caller {
  std::string name;                                            // of the certificate; "" without one
  std::vector<std::pair<std::string, std::string>> extensions; // of the certificate, by short name or number
  bool authenticated() const { return !name.empty(); }
};

class AuthRules {
public:
  /// Reads the text of auth.conf. Throws AuthError for what is wrong in it, and for what is not known.
  AuthRules(const std::string& text, const std::string& file);
  ~AuthRules();
  AuthRules(const AuthRules&) = delete;
  AuthRules& operator=(const AuthRules&) = delete;

  struct Verdict {
    bool allowed = false;
    std::string rule; // that decided; "" when none matched
  };
  /// Whether the caller may. The first rule that matches the request, by sort order and name, decides; without any nobody may.
  Verdict verdict(std::string_view method, const Target& target, const Caller& caller) const;

private:
  struct Entry;
  struct Rule;
  std::vector<Rule> rules_;
};

/// The rules of the package, used when there is no auth.conf: each node its own catalog, node, report and facts; files for all with a
/// certificate; the CA's endpoints and the status for everybody.
const char* usual_auth_rules();

} // namespace pupc::server
