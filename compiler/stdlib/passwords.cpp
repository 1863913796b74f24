// Password hashes by OpenSSL, which the interpreter has not: stdlib's str2saltedpbkdf2, and that of PostgreSQL's module.
#include "catalog/value/digest.h"
#include "compiler/eval/evaluator.h"
#include "compiler/stdlib/module_function_tables.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace pupc::compiler {
namespace {

Value unwrapped(const Value& v) { return v.is(Kind::Sensitive) ? v.unwrap() : v; }

std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (char b : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(b));
  return out;
}
std::string bytes_of(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

Value str2saltedpbkdf2(FunctionCall& c) {
  if (c.size() != 3) c.fail(fmt::format("str2saltedpbkdf2(): wrong number of arguments ({} for 3)", c.size()));
  Value password = unwrapped(c.args[0]), salt = unwrapped(c.args[1]), iterations = unwrapped(c.args[2]);
  if (!password.is_string()) c.fail("str2saltedpbkdf2(): first argument must be a string");
  if (!salt.is_string()) c.fail("str2saltedpbkdf2(): second argument must be a string");
  if (salt.str().size() < 8) c.fail("str2saltedpbkdf2(): second argument must be at least 8 bytes long");
  if (!iterations.is_int()) c.fail("str2saltedpbkdf2(): third argument must be an integer");
  if (iterations.i <= 40000 || iterations.i >= 70000) c.fail("str2saltedpbkdf2(): third argument must be between 40,000 and 70,000");
  unsigned char key[128];
  PKCS5_PBKDF2_HMAC(password.str().data(), static_cast<int>(password.str().size()),
                    reinterpret_cast<const unsigned char*>(salt.str().data()), static_cast<int>(salt.str().size()),
                    static_cast<int>(iterations.i), EVP_sha512(), sizeof key, key);
  HashBuilder out(c.arena());
  out.set("password_hex", c.string(hexadecimal({reinterpret_cast<const char*>(key), sizeof key})));
  out.set("salt_hex", c.string(hexadecimal(salt.str())));
  out.set("iterations", iterations);
  return out.finish();
}

Value sensitive_if(FunctionCall& c, const Value& v, bool sensitive) { return sensitive ? Value::sensitive(c.arena(), v) : v; }
std::string base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                          static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(n));
  return out;
}
std::string hmac_sha256(std::string_view key, std::string_view data) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()), data.size(), out,
       &size);
  return {reinterpret_cast<const char*>(out), size};
}
/// PostgreSQL's SCRAM-SHA-256 verifier with 4,096 rounds.
std::string scram_sha256(std::string_view password, std::string_view salt) {
  unsigned char digest[32];
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), reinterpret_cast<const unsigned char*>(salt.data()),
                    static_cast<int>(salt.size()), 4096, EVP_sha256(), sizeof digest, digest);
  const std::string_view key(reinterpret_cast<const char*>(digest), sizeof digest);
  const std::string client = bytes_of(hex_digest(DigestAlgorithm::Sha256, hmac_sha256(key, "Client Key")));
  return fmt::format("SCRAM-SHA-256$4096:{}${}:{}", base64(salt), base64(client), base64(hmac_sha256(key, "Server Key")));
}

/// The rules in which releases differ: which texts count as a hash already, and the kind of hash when the call names none.
struct PostgresqlRules {
  enum class Hashed : uint8_t { Never, Prefix, Whole } hashed;
  enum class Missing : uint8_t { Md5, OnlyLeftOut, Setting } missing; // OnlyLeftOut: md5 for a missing argument, SCRAM for undef
};
template <PostgresqlRules::Hashed Known, PostgresqlRules::Missing Unnamed> Value postgresql_password(FunctionCall& c) {
  using enum PostgresqlRules::Hashed;
  using enum PostgresqlRules::Missing;
  Value hash = c.arg(3);
  if (Unnamed == Setting && hash.is_undef()) hash = c.call("postgresql::default", {Value::string("password_encryption")});
  const bool sensitive = c.arg(2).is_bool() && c.args[2].b;
  const Value password = unwrapped(c.args[1]);
  if (Known == Prefix && c.args[1].is_string() && c.types().regexes.get("^(md5|SCRAM-SHA-256).+")->matches(c.args[1].str()))
    return c.args[1];
  if (Known == Whole && password.is_string() && c.types().regexes.get(R"(^(md5[0-9a-f]{32}$|SCRAM-SHA-256\$))")->matches(password.str()))
    return sensitive_if(c, password, sensitive);
  const bool md5 = hash.is_undef() ? Unnamed != OnlyLeftOut || !c.given(3) : hash.is_string() && hash.str() == "md5";
  if (md5) {
    std::string text = c.evaluator.to_string(password) + c.evaluator.to_string(c.args[0]);
    return sensitive_if(c, c.string("md5" + hexadecimal({reinterpret_cast<const char*>(md5_digest(text).data()), 16})), sensitive);
  }
  const Value salt = c.arg(4).is_undef() ? c.args[0] : c.args[4];
  const bool scram = hash.is_undef() || (hash.is_string() && hash.str() == "scram-sha-256");
  if (!scram || !password.is_string() || !salt.is_string()) return c.run_file();
  return sensitive_if(c, c.string(scram_sha256(password.str(), salt.str())), sensitive);
}
#define POSTGRESQL_PASSWORD(hashed, missing, variant)                                                                                      \
  {                                                                                                                                        \
    "postgresql::postgresql_password", "Password hash of PostgreSQL, of a user's name and password: MD5 or SCRAM-SHA-256.",                \
        {{"Variant[String[1], Integer] $username, Variant[String[1], Sensitive[String[1]], Integer] $password, Boolean $sensitive?, "      \
          "Optional[Enum['md5', 'scram-sha-256']] $hash?, Optional[Variant[String[1], Integer]] $salt?",                                   \
          postgresql_password<PostgresqlRules::Hashed::hashed, PostgresqlRules::Missing::missing>}},                                       \
        FunctionTrait::None, "postgresql", variant                                                                                         \
  }
const FunctionEntry stdlib_password_table[] = {
    {"str2saltedpbkdf2", "Hash with the salted SHA-512 PBKDF2 digest of a password, for macOS.", {{"3.x", str2saltedpbkdf2}}},
    POSTGRESQL_PASSWORD(Whole, Setting, ""),
    POSTGRESQL_PASSWORD(Prefix, OnlyLeftOut, "8.1"),
    POSTGRESQL_PASSWORD(Never, OnlyLeftOut, "8.0"),
    {"postgresql::postgresql_password",
     "MD5 password hash of PostgreSQL, of a user's name and password.",
     {{"Variant[String[1], Integer] $username, Variant[String[1], Sensitive[String[1]], Integer] $password, Boolean $sensitive?",
       postgresql_password<PostgresqlRules::Hashed::Never, PostgresqlRules::Missing::Md5>}},
     FunctionTrait::None,
     "postgresql",
     "7.5"},
};

} // namespace

FunctionTable stdlib_password_functions() { return stdlib_password_table; }

} // namespace pupc::compiler
