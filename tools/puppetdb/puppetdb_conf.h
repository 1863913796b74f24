#pragma once
// puppetdb.conf: which PuppetDB servers there are, and how to use them.
#include "tools/http/client.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::puppetdb {

struct Config {
  std::vector<http::ServerAddress> server_urls;
  std::vector<http::ServerAddress> submit_only_server_urls;
  std::chrono::seconds server_url_timeout{30}; // of one exchange; 0: no limit
  int min_successful_submissions = 1;
  bool command_broadcast = false;
  bool include_unchanged_resources = false;
  bool soft_write_failure = false;
  bool sticky_read_failover = false;     // queries begin with the server that answered last
  bool verify_client_certificate = true; // false: show the server no certificate
};

/// Reads the text of puppetdb.conf; `file` is its name for errors. Throws CompileError (load_error) with the line.
Config read_config(std::string_view text, const std::string& file);

/// The same from the file; the defaults when there is none. Throws CompileError (load_error).
Config load_config(const std::string& file);

} // namespace pupc::puppetdb
