// Functions of stdlib that use the compiling machine: programs that check a text, certificates.
#include "catalog/base/text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/ruby_arguments.h"
#include "compiler/function/run_command.h"
#include "compiler/load/dependencies.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <sys/wait.h>
#include <unistd.h>

namespace pupc::compiler {
namespace {

/// Keeps a text in a temporary file for the lifetime of the object.
class TextFile {
public:
  explicit TextFile(std::string_view text) {
    int file = mkstemp(path_.data());
    if (file < 0) {
      path_.clear();
      return;
    }
    while (!text.empty()) {
      ssize_t n = write(file, text.data(), text.size());
      if (n <= 0) break;
      text.remove_prefix(static_cast<size_t>(n));
    }
    complete_ = text.empty();
    close(file);
  }
  ~TextFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }
  bool complete() const { return complete_; }

private:
  std::string path_ = "/tmp/validate_cmdXXXXXX";
  bool complete_ = false;
};

/// validate_cmd(content, command, message?): raises an error when the command fails. The command gets a file with the content: in place of
/// `%`, else as the last argument.
Value validate_cmd(FunctionCall& c) {
  if (c.size() < 2 || c.size() > 3) c.fail(fmt::format("validate_cmd(): wrong number of arguments ({}; must be 2 or 3)", c.size()));
  Value content = legacy_argument(c, 0), check = legacy_argument(c, 1);
  if (!check.is_string()) c.fail(fmt::format("no implicit conversion of {} into String", conversion_name(check)));
  bool told = c.size() == 3 && legacy_argument(c, 2).truthy();
  std::string message = told ? ruby_to_s(c.types(), legacy_argument(c, 2))
                             : fmt::format("validate_cmd(): failed to validate content with command {}", ruby_inspect(c.types(), check));
  TextFile file(ruby_to_s(c.types(), content));
  if (!file.complete()) c.fail(fmt::format("{}\nno temporary file can be written", message));
  std::string command;
  if (c.types().regexes.get("\\s%(\\s|$)")->matches(check.str())) {
    for (char ch : check.str())
      if (ch == '%')
        command += file.path();
      else
        command += ch;
  } else {
    command = fmt::format("{} {}", check.str(), file.path());
  }
  std::string output;
  int status = 0;
  if (DependencyRecorder* notes = c.evaluator.environment().recorder()) notes->doubt("validate_cmd() ran a program");
  bool started = run_command({"/bin/sh", "-c", command}, output, status, "/");
  int code = !started ? 1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127 && output.find("not found") != std::string::npos) { // Puppet starts simple commands without a shell
    code = 1;
    output.clear();
  }
  if (code != 0) c.fail(fmt::format("{}\nExecution of '{}' returned {}: {}", message, command, code, trimmed(output, ruby_blanks)));
  return Value::undef();
}

template <class T, void (*Free)(T*)> struct Freed {
  void operator()(T* p) const { Free(p); }
};
void free_bio(BIO* b) { BIO_free(b); }
using Bio = std::unique_ptr<BIO, Freed<BIO, free_bio>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;

Bio memory(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

Value validate_x509_rsa_key_pair(FunctionCall& c) {
  if (c.size() != 2) c.fail(fmt::format("validate_x509_rsa_key_pair(): wrong number of arguments ({}; must be 2)", c.size()));
  for (size_t i = 0; i < 2; ++i)
    if (Value v = legacy_argument(c, i); !v.is_string()) c.fail(fmt::format("{} is not a string.", ruby_inspect(c.types(), v)));
  std::string_view certificate_text = legacy_argument(c, 0).str(), key_text = legacy_argument(c, 1).str();
  ERR_clear_error();
  Bio from = memory(certificate_text);
  Certificate certificate(PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr));
  if (!certificate) { // try the binary format as well
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    std::string why = reason != nullptr ? reason : "unknown";
    const auto* bytes = reinterpret_cast<const unsigned char*>(certificate_text.data());
    certificate.reset(d2i_X509(nullptr, &bytes, static_cast<long>(certificate_text.size())));
    ERR_clear_error();
    if (!certificate) c.fail(fmt::format("Not a valid x509 certificate: PEM_read_bio_X509: {}", why));
  }
  Bio key_from = memory(key_text);
  // Refuse a key with a password: there is nobody to ask for it.
  auto no_password = [](char*, int, int, void*) { return 0; };
  Key key(PEM_read_bio_PrivateKey(key_from.get(), nullptr, no_password, nullptr));
  if (!key) {
    key_from = memory(key_text);
    key.reset(PEM_read_bio_PUBKEY(key_from.get(), nullptr, no_password, nullptr));
  }
  ERR_clear_error();
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) c.fail("Not a valid RSA key: Neither PUB key nor PRIV key: unsupported");
  bool matches = X509_verify(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!matches) c.fail("Certificate signature does not match supplied key");
  return Value::undef();
}

Value pry(FunctionCall& c) { c.fail("pry(): Requires the 'pry' rubygem to use, but it was not found"); }

const FunctionEntry stdlib_machine_table[] = {
    {"validate_cmd",
     "Fails when a command run on the compiling machine refuses a text, which it gets in a file (in place of `%`, else as the last "
     "argument).",
     {{"3.x", validate_cmd}},
     FunctionTrait::Statement | FunctionTrait::Effects},
    {"validate_x509_rsa_key_pair",
     "Fails unless an RSA key is the one that a certificate is signed with.",
     {{"3.x", validate_x509_rsa_key_pair}},
     FunctionTrait::Statement},
    {"pry", "Always an error: Puppet stops here in a debugger of Ruby.", {{"3.x", pry}}, FunctionTrait::Statement | FunctionTrait::Effects},
};

} // namespace

FunctionTable stdlib_machine_functions() { return stdlib_machine_table; }

} // namespace pupc::compiler
