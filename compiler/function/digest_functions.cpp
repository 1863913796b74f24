// md5, sha1, sha256, digest.
#include "catalog/value/digest.h"
#include "compiler/function/function_tables.h"
#include "compiler/types/ruby_class.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

template <DigestAlgorithm Algorithm> Value digest(FunctionCall& c) {
  const Value& v = c.args[0];
  if (v.is_undef()) return c.string(hex_digest(Algorithm, ""));
  if (!v.is_string())
    c.fail(fmt::format("no implicit conversion of {} into String", v.is_bool() ? (v.b ? "true" : "false") : ruby_class_name(v)));
  return c.string(hex_digest(Algorithm, v.str()));
}

const FunctionEntry digest_table[] = {
    {"md5", "MD5 digest of a text, in hexadecimal.", {{"3.x 1", digest<DigestAlgorithm::Md5>}}, FunctionTrait::OldApi},
    {"sha1", "SHA-1 digest of a text, in hexadecimal.", {{"3.x 1", digest<DigestAlgorithm::Sha1>}}, FunctionTrait::OldApi},
    {"sha256", "SHA-256 digest of a text, in hexadecimal.", {{"3.x 1", digest<DigestAlgorithm::Sha256>}}, FunctionTrait::OldApi},
    {"digest",
     "Digest of a text by the configured algorithm (SHA-256), in hexadecimal.",
     {{"3.x 1", digest<DigestAlgorithm::Sha256>}},
     FunctionTrait::OldApi},
};

} // namespace

FunctionTable digest_functions() { return digest_table; }

} // namespace pupc::compiler
