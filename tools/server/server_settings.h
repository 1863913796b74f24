#pragma once
// What the server is told: by its command line, puppet.conf, and puppetserver's own files.
#include "tools/http/server.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/server/submissions.h"
#include "tools/server/visible_names.h"

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::server {

struct Settings {
  CompileOptions compile;
  http::ServerOptions listen;
  http::TlsFiles tls;
  std::string conf_dir;   // of puppetserver's files: webserver.conf, auth.conf; "" when there is none
  std::string auth_file;  // "" when there is none: the usual rules
  std::string oid_names;  // custom_trusted_oid_mapping.yaml; "" when there is none
  std::string fileserver; // fileserver.conf; "" when there is none
  std::string log, access_log;
  std::string facts_directory, report_directory, bucket_directory;
  std::vector<std::string> reports; // processors: store, http, log
  SubmissionOptions puppetdb;
  unsigned file_jobs = 2;                            // threads for what is not a compile
  size_t most_waiting = 300;                         // compiles that wait; beyond, agents are told to come again
  size_t most_waiting_files = 2000;                  // the same for all else
  size_t most_body = size_t(32) << 20;               // of a request
  std::chrono::milliseconds classifier_limit{30000}; // until the classifier has answered
  std::chrono::milliseconds classifier_kept{5000};   // how long its answers hold
  std::vector<std::string> notes;                    // what was read and has no meaning here, for the log
};

/// Reads words of the command line and the files that they name. `help`: usage was printed. Throws UsageError, CompileError and
/// std::runtime_error with what is wrong and where.
Settings read_settings(std::span<const std::string_view> words, bool& help);

} // namespace pupc::server
