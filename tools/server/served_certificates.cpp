#include "tools/server/served_certificates.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>

namespace pupc::server {
namespace {

constexpr std::time_t day = 24 * 60 * 60;

struct Words {
  const char *metric, *name, *consequence;
};
Words words_of(http::TlsValidity::Of of) {
  switch (of) {
  case http::TlsValidity::Of::Certificate: return {"certificate", "certificate", "agents refuse this server"};
  case http::TlsValidity::Of::Ca: return {"ca", "CA's certificate", "no certificate of it holds any more"};
  case http::TlsValidity::Of::Crl: return {"crl", "revocation list", "all agents are refused"};
  }
  return {};
}

std::string stamp_of(const http::TlsFiles& files) {
  std::string out;
  for (const std::string& file : {files.certificate, files.key, files.ca, files.crl}) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) info = {};
    out += fmt::format("{} {} {} {}.{};", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  return out;
}

} // namespace

std::string ending_text(const http::TlsValidity& validity, std::time_t now) {
  const Words words = words_of(validity.of);
  if (now >= validity.ends) return fmt::format("The {} '{}' has ended: {}", words.name, validity.file, words.consequence);
  const std::time_t left = validity.ends - now;
  if (left >= std::min(30 * day, (validity.ends - validity.begins) / 5)) return {};
  const std::string time = left >= 2 * day ? fmt::format("{} days", left / day) : fmt::format("{} hours", left / 3600);
  return fmt::format("The {} '{}' ends in {}: after that, {}", words.name, validity.file, time, words.consequence);
}

ServedCertificates::ServedCertificates(const http::TlsFiles& files, ServerLog& log) : log_(log) { read(files); }

std::shared_ptr<const http::TlsContext> ServedCertificates::context() const {
  std::lock_guard lock(mutex_);
  return context_;
}

void ServedCertificates::read(const http::TlsFiles& files) {
  std::string were = stamp_of(files);
  auto context = std::make_shared<const http::TlsContext>(files, http::TlsSide::Server);
  files_ = files;
  read_ = seen_ = std::move(were);
  next_telling_ = {};
  std::lock_guard lock(mutex_);
  context_ = std::move(context);
}

bool ServedCertificates::renewed() {
  std::string is = stamp_of(files_);
  const bool settled = is == seen_;
  seen_ = std::move(is);
  if (!settled || seen_ == read_) return false;
  read_ = seen_; // those that cannot be read are told once
  return true;
}

void ServedCertificates::tell_ends() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_telling_) return;
  next_telling_ = now + std::chrono::hours(24);
  for (const http::TlsValidity& validity : context()->validities())
    if (const std::string text = ending_text(validity, std::time(nullptr)); !text.empty()) log_.log(LogLevel::Warning, "", text);
}

std::string ServedCertificates::metrics() const {
  std::string out = "# HELP pupc_certificate_ends_seconds When what TLS needs ends, in seconds since 1970.\n"
                    "# TYPE pupc_certificate_ends_seconds gauge\n";
  for (const http::TlsValidity& validity : context()->validities())
    out += fmt::format("pupc_certificate_ends_seconds{{of=\"{}\"}} {}\n", words_of(validity.of).metric, validity.ends);
  return out;
}

} // namespace pupc::server
