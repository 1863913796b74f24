// Password hashes: stdlib's pw_hash and str2salted*, and those of the database modules.
#include "catalog/value/bytes_text.h"
#include "catalog/value/digest.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/families.h"
#include "compiler/function/legacy.h"
#include "compiler/types/ruby_text.h"

#include <crypt.h>
#include <cstring>
#include <memory>
#include <openssl/evp.h>

namespace pupc {
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

struct HashKind {
  std::string_view name, prefix;
  bool bcrypt;
};
constexpr HashKind hash_kinds[] = {{"md5", "1", false},      {"sha-256", "5", false},  {"sha-512", "6", false}, {"bcrypt", "2b", true},
                                   {"bcrypt-a", "2a", true}, {"bcrypt-x", "2x", true}, {"bcrypt-y", "2y", true}};

Value pw_hash(FunctionCall& c) {
  Value password = unwrapped(c.args[0]), kind = unwrapped(c.args[1]), salt = unwrapped(c.args[2]);
  if (!password.is_string() && !password.is_undef()) c.fail("pw_hash(): first argument must be a string");
  if (!kind.is_string()) c.fail("pw_hash(): second argument must be a string");
  std::string lower;
  for (char ch : kind.str()) lower += ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
  const HashKind* found = nullptr;
  for (const HashKind& k : hash_kinds)
    if (k.name == lower) found = &k;
  if (found == nullptr) c.fail(fmt::format("pw_hash(): {} is not a valid hash type", kind.str()));
  if (!salt.is_string()) c.fail("pw_hash(): third argument must be a string");
  if (salt.str().empty()) c.fail("pw_hash(): third argument must not be empty");
  constexpr std::string_view bcrypt_salt = R"(^[0-9]{2}\$[./A-Za-z0-9]{22})";
  if (!c.types().regexes.get(found->bcrypt ? bcrypt_salt : std::string_view(R"(\A[a-zA-Z0-9./]+\z)"))->matches(salt.str()))
    c.fail(fmt::format("pw_hash(): characters in salt must {}",
                       found->bcrypt ? "match (?-mix:^[0-9]{2}\\$[.\\/A-Za-z0-9]{22})" : "be in the set [a-zA-Z0-9./]"));
  if (password.is_undef() || password.str().empty()) return Value::undef();
  auto data = std::make_unique<crypt_data>();
  std::string setting = fmt::format("${}${}", found->prefix, salt.str()), phrase(password.str());
  const char* hash = crypt_r(phrase.c_str(), setting.c_str(), data.get());
  if (hash == nullptr || hash[0] == '*') c.fail("Invalid argument - crypt");
  return bytes_text(c.string(hash));
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

/// MySQL's PASSWORD(): two rounds of SHA-1; what is already such a hash stays.
std::string mysql_hash(FunctionCall& c, std::string_view password) {
  if (password.empty()) return {};
  if (c.types().regexes.get(R"(\*[A-F0-9]{40}$)")->matches(password)) return std::string(password);
  std::string hex = hex_digest(DigestAlgorithm::Sha1, bytes_of(hex_digest(DigestAlgorithm::Sha1, password))), out = "*";
  for (char ch : hex) out += ch >= 'a' && ch <= 'f' ? static_cast<char>(ch - 32) : ch;
  return out;
}
Value mysql_password(FunctionCall& c) {
  Value password = unwrapped(c.args[0]);
  Value hash = c.string(mysql_hash(c, password.str()));
  return c.arg(1).is_bool() && c.args[1].b ? Value::sensitive(c.arena(), hash) : hash;
}
Value mysql_password_old(FunctionCall& c) {
  if (c.size() != 1) c.fail(fmt::format("mysql_password(): Wrong number of arguments given ({} for 1)", c.size()));
  Value password = unwrapped(c.args[0]);
  if (!password.is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(password)));
  return c.string(mysql_hash(c, password.str()));
}

Value postgresql_password(FunctionCall& c) {
  std::string text = c.evaluator.to_string(unwrapped(c.args[1])) + c.evaluator.to_string(c.args[0]);
  Value hash = c.string("md5" + hexadecimal({reinterpret_cast<const char*>(md5_digest(text).data()), 16}));
  return c.arg(2).is_bool() && c.args[2].b ? Value::sensitive(c.arena(), hash) : hash;
}
Value postgresql_password_old(FunctionCall& c) {
  Value args[] = {Value::string("postgresql_password"),
                  Value::string("This method is deprecated, please use postgresql::postgresql_password instead.")};
  c.evaluator.call_function("deprecation", args, nullptr, c.frame, c.loc);
  return c.evaluator.call_function("postgresql::postgresql_password", c.args, nullptr, c.frame, c.loc);
}

const FunctionEntry table[] = {
    {"pw_hash",
     "Password hash of crypt(3): MD5, SHA-256, SHA-512 or bcrypt, with a salt. The empty password gives undef.",
     {{"3.x 3", pw_hash}}},
    {"str2saltedpbkdf2", "Hash with the salted SHA-512 PBKDF2 digest of a password, for macOS.", {{"3.x", str2saltedpbkdf2}}},
    {"mysql::password",
     "Password hash as MySQL's PASSWORD() makes it, Sensitive when asked.",
     {{"Variant[String, Sensitive[String]] $password, Boolean $sensitive?", mysql_password}},
     FunctionTrait::None,
     "mysql"},
    {"mysql_password", "Password hash as MySQL's PASSWORD() makes it.", {{"3.x", mysql_password_old}}, FunctionTrait::None, "mysql"},
    {"postgresql::postgresql_password",
     "MD5 password hash of PostgreSQL, of a user's name and password.",
     {{"Variant[String[1], Integer] $username, Variant[String[1], Sensitive[String[1]], Integer] $password, Boolean $sensitive?",
       postgresql_password}},
     FunctionTrait::None,
     "postgresql"},
    {"postgresql_password",
     "Deprecated: use postgresql::postgresql_password.",
     {{"Any $args*", postgresql_password_old}},
     FunctionTrait::None,
     "postgresql"},
};

} // namespace

FunctionTable stdlib_password_functions() { return table; }

} // namespace pupc
