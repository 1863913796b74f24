#include "tools/server/trusted.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"

#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace pupc::server {
namespace {

constexpr std::string_view arc = "1.3.6.1.4.1.34380.1.";

/// The text of a DER value that is one of ASN.1's kinds of texts.
std::optional<std::string> der_text(std::string_view der) {
  if (der.size() < 2) return std::nullopt;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(der[i]); };
  switch (byte(0)) {
  case 0x0c:
  case 0x12:
  case 0x13:
  case 0x14:
  case 0x16:
  case 0x1a: break; // UTF8, Numeric, Printable, Teletex, IA5, Visible
  default: return std::nullopt;
  }
  size_t size = byte(1), at = 2;
  if (size >= 0x80) {
    const size_t digits = size & 0x7f;
    if (digits == 0 || digits > 4 || der.size() < 2 + digits) return std::nullopt;
    size = 0;
    for (size_t i = 0; i < digits; ++i) size = size << 8 | byte(at++);
  }
  if (der.size() - at != size) return std::nullopt;
  return std::string(der.substr(at));
}

} // namespace

OidNames::OidNames() {
  const std::string registered = std::string(arc) + "1.", authorization = std::string(arc) + "3.";
  static constexpr const char* names[] = {
      "pp_uuid",           "pp_instance_id",   "pp_image_name",  "pp_preshared_key", "pp_cost_center", "pp_product", "pp_project",
      "pp_application",    "pp_service",       "pp_employee",    "pp_created_by",    "pp_environment", "pp_role",    "pp_software_version",
      "pp_department",     "pp_cluster",       "pp_provisioner", "pp_region",        "pp_datacenter",  "pp_zone",    "pp_network",
      "pp_securitypolicy", "pp_cloudplatform", "pp_apptier",     "pp_hostname",      "pp_owner"};
  int number = 0;
  for (const char* name : names) names_[registered + std::to_string(++number)] = name;
  names_[authorization + "1"] = "pp_authorization";
  names_[authorization + "2"] = "pp_auth_auto_renew";
  names_[authorization + "13"] = "pp_auth_role";
  names_[authorization + "39"] = "pp_cli_auth";
}

void OidNames::read(const std::string& file) {
  const auto text = read_whole_file(file);
  if (!text) throw std::runtime_error(fmt::format("Could not read {}: {}", file, file_problem(errno)));
  Arena arena;
  Value root;
  YamlOptions options;
  options.file = file;
  if (const auto error = read_yaml(*text, arena, root, options))
    throw std::runtime_error(fmt::format("{}: {} (line: {})", file, error->message, error->line));
  const Value* mapping = root.is_hash() ? root.hash->find("oid_mapping") : nullptr;
  if (mapping == nullptr || !mapping->is_hash()) throw std::runtime_error(file + " has no hash 'oid_mapping'");
  for (const HashEntry& e : mapping->hash->entries()) {
    const Value* name = e.value.is_hash() ? e.value.hash->find("shortname") : nullptr;
    if (!e.key.is_string() || name == nullptr || !name->is_string())
      throw std::runtime_error(file + ": each entry of oid_mapping is a number with a shortname");
    names_[std::string(e.key.str())] = name->str();
  }
}

std::string OidNames::name_of(const std::string& oid) const {
  const auto found = names_.find(oid);
  return found == names_.end() ? oid : found->second;
}

std::vector<std::pair<std::string, std::string>> trusted_extensions(const http::PeerCertificate& certificate, const OidNames& names) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& extension : certificate.extensions)
    if (extension.oid.starts_with(arc))
      if (auto text = der_text(extension.der)) out.emplace_back(names.name_of(extension.oid), std::move(*text));
  return out;
}

Caller caller_of(const http::PeerCertificate* certificate, const OidNames& names) {
  Caller out;
  if (certificate == nullptr) return out;
  out.name = certificate->common_name;
  out.extensions = trusted_extensions(*certificate, names);
  return out;
}

Value trusted_data(Arena& arena, const Caller& caller) {
  const std::string_view name = arena.copy(caller.name);
  HashBuilder extensions(arena);
  for (const auto& [key, value] : caller.extensions) extensions.set(arena.copy(key), Value::string(arena.copy(value)));
  const size_t dot = name.find('.');
  HashBuilder trusted(arena);
  trusted.set("authenticated", Value::string("remote"));
  trusted.set("certname", Value::string(name));
  trusted.set("extensions", extensions.finish());
  trusted.set("hostname", Value::string(name.substr(0, dot)));
  trusted.set("domain", dot == std::string_view::npos ? Value::undef() : Value::string(name.substr(dot + 1)));
  trusted.set("external", HashBuilder(arena).finish());
  return trusted.finish();
}

} // namespace pupc::server
