#pragma once
// Encrypted values of hiera-eyaml: ENC[PKCS7,…] with the key pair that hiera.yaml's options name.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc {

/// Whether a text has something encrypted in it, as Puppet sees it.
bool is_encrypted(std::string_view text);

/// `text` with each `ENC[…]` (blanks and ends of lines in it are left out) replaced by what it hides, without an end of line at the end.
/// Options: pkcs7_private_key and pkcs7_public_key name files, pkcs7_private_key_env_var and pkcs7_public_key_env_var variables that hold
/// the keys. Throws std::runtime_error with a message that names the key's file or variable, never what was hidden.
std::string decrypt_eyaml(std::string_view text, const Hash* options);

} // namespace pupc
