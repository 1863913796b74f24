#pragma once
// Encrypted values of hiera-eyaml: ENC[PKCS7,…] with the key pair that hiera.yaml's options name.
#include "catalog/value/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Whether Puppet takes a text for one with encrypted parts.
bool is_encrypted(std::string_view text);

/// Replaces each `ENC[…]` in `text` by its decrypted value, without a final end of line. Blanks and ends of lines inside `ENC[…]` do not
/// count. Options: pkcs7_private_key and pkcs7_public_key name files; pkcs7_private_key_env_var and pkcs7_public_key_env_var name variables
/// that contain the keys. Throws std::runtime_error; its message names the key's file or variable, and never contains a decrypted value.
std::string decrypt_eyaml(std::string_view text, const Hash* options);

/// The files of the key pair that decrypt_eyaml reads; none where a variable has the key.
std::vector<std::string> key_files(const Hash* options);

} // namespace pupc::compiler
