#pragma once
// What PuppetDB gets to know of the nodes: facts, catalogs and reports, by way of a spool on disk.
#include "catalog/graph/catalog.h"
#include "tools/pupc/node/puppetdb_commands.h"
#include "tools/puppetdb/delivery.h"
#include "tools/server/logs.h"
#include "tools/server/visible_names.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace pupc::server {

using SubmissionOptions = cli::PuppetDbCommands;

class Submissions {
public:
  /// Throws puppetdb::SpoolError.
  Submissions(SubmissionOptions options, ServerLog& log);

  /// Goes on with other options; the spool stays.
  void use(SubmissionOptions options);

  /// These do nothing where the options do not ask for it. When the spool cannot take more, they throw, or with soft_write_failure log it.
  void facts(const std::string& node, const Value& facts, const Value& trusted, const std::string& environment);
  void catalog(Catalog& catalog, const std::string& environment, std::string_view transaction_uuid, std::string_view job_id);
  void report(const std::string& node, const Value& report);

  /// Sends nothing any more; false when an exchange hangs longer than `patience`.
  bool stop(std::chrono::milliseconds patience);

  size_t waiting() const { return spool_->waiting(); }
  uint64_t bytes() const { return spool_->bytes(); }

private:
  puppetdb::Producer producer(const std::string& environment) const;
  void put(const puppetdb::Command& command);
  void start();

  ServerLog& log_;
  mutable std::mutex mutex_; // of the options
  SubmissionOptions options_;
  std::shared_ptr<puppetdb::Spool> spool_;
  std::unique_ptr<puppetdb::Delivery> delivery_;
};

} // namespace pupc::server
