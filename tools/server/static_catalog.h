#pragma once
// Static catalogs: the metadata of files from modules, as they are at the commit that a catalog was compiled of.
#include "catalog/json/catalog_writer.h"
#include "tools/server/shared_state.h"
#include "tools/server/visible_names.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc::server {

/// Whether puppet.conf and environment.conf let an environment have static catalogs.
bool may_be_static(const Core& core, const EnvironmentOptions& environment);

/// The first of the agent's checksum types ("sha256.sha384.md5") that the server knows. Throws ApiError when there is none.
std::string common_checksum_type(std::string_view types);

/// The members `metadata` and `recursive_metadata` of a static catalog: of those file resources whose sources are files of the
/// environment's modules whose content on disk is that of the commit. All others are left out, and the agent asks for them as it applies.
std::function<void(JsonWriter&)> static_members(Core& core, const Environment& environment, Catalog& catalog, const std::string& commit,
                                                const std::string& checksum_type);

/// Answers /puppet/v3/static_file_content/PATH. Throws ApiError.
http::Response answer_static_file_content(Call& call);

} // namespace pupc::server
