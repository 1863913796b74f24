#include "tools/server/submissions.h"

#include <chrono>
#include <utility>

namespace pupc::server {

Submissions::Submissions(SubmissionOptions options, ServerLog& log)
    : log_(log), options_(std::move(options)), spool_(std::make_shared<puppetdb::Spool>(options_.directory, puppetdb::Spool::Limits())) {
  start();
}

void Submissions::start() {
  puppetdb::DeliveryOptions how;
  how.config = options_.config;
  how.tls = options_.tls;
  how.tell = [&log = log_](bool problem, const std::string& line) { log.log(problem ? LogLevel::Err : LogLevel::Notice, "", line); };
  delivery_ = std::make_unique<puppetdb::Delivery>(spool_, std::move(how));
}

void Submissions::use(SubmissionOptions options) {
  std::unique_ptr<puppetdb::Delivery> before;
  {
    std::lock_guard lock(mutex_);
    options_ = std::move(options);
    before = std::move(delivery_);
    start();
  }
  before.reset(); // waits for what it sends
}

bool Submissions::stop(std::chrono::milliseconds patience) {
  std::lock_guard lock(mutex_);
  spool_->sync();
  return delivery_->stop(patience);
}

puppetdb::Producer Submissions::producer(const std::string& environment) const {
  return {options_.producer, puppetdb::wire_time(std::chrono::system_clock::now()), environment};
}

void Submissions::put(const puppetdb::Command& command) {
  try {
    spool_->put(command);
  } catch (const puppetdb::SpoolError& e) {
    if (!options_.config.soft_write_failure) throw;
    log_.log(LogLevel::Err, command.certname, e.what());
  }
  delivery_->wake();
}

void Submissions::facts(const std::string& node, const Value& facts, const Value& trusted, const std::string& environment) {
  std::lock_guard lock(mutex_);
  if (options_.facts && facts.is_hash()) put(puppetdb::replace_facts(node, facts, trusted, producer(environment)));
}

void Submissions::catalog(Catalog& catalog, const std::string& environment, std::string_view transaction_uuid, std::string_view job_id) {
  puppetdb::Producer from;
  {
    std::lock_guard lock(mutex_);
    if (!options_.catalogs) return;
    from = producer(environment);
  }
  const puppetdb::Command command = puppetdb::replace_catalog(catalog, from, transaction_uuid, job_id);
  std::lock_guard lock(mutex_);
  put(command);
}

void Submissions::report(const std::string& node, const Value& report) {
  std::lock_guard lock(mutex_);
  if (!options_.reports) return;
  puppetdb::Command command = puppetdb::store_report(report, producer({}), options_.config.include_unchanged_resources);
  command.certname = node;
  put(command);
}

} // namespace pupc::server
