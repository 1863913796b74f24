#pragma once
// Queries in PuppetDB's query language, as JSON texts.
#include "catalog/graph/exports.h"

#include <string>
#include <string_view>

namespace pupc::puppetdb {

/// The query for the resources of a type that nodes other than `asking` exported and that the collector's query (null: all) matches.
std::string resources_query(std::string_view type, const catalog::ExportQuery* query, std::string_view asking, catalog::Arena& scratch);

/// The text for use in the query part of a URL.
std::string percent_encoded(std::string_view text);

/// The text in one line, cut where it is long: a server's words in an error.
std::string one_line(std::string_view text);

} // namespace pupc::puppetdb
