#include "tools/server/stores.h"

#include "catalog/base/paths.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/plain_json.h"
#include "catalog/value/digest.h"
#include "compiler/load/directory_environment.h"
#include "tools/http/client.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/responses.h"
#include "tools/server/storage.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::server {
namespace {

/// Writes a value as a document of YAML whose texts are in double quotes, which any reader takes.
void write_yaml_value(std::string& out, const Value& v, size_t indent) {
  const auto scalar = [&](const Value& s) {
    JsonWriter w(out);
    switch (s.kind) {
    case Kind::String: w.string(s.str()); break;
    case Kind::Int: w.integer(s.i); break;
    case Kind::Float: w.floating(s.d); break;
    case Kind::Bool: w.boolean(s.b); break;
    default: w.null();
    }
  };
  if (v.is_hash() && v.hash->size > 0) {
    for (const HashEntry& e : v.hash->entries()) {
      (out += '\n').append(indent, ' ');
      scalar(e.key);
      out += ": ";
      write_yaml_value(out, e.value, indent + 2);
    }
  } else if (v.is_list() && v.items().size() > 0) {
    for (const Value& item : v.items()) {
      (out += '\n').append(indent, ' ') += "- ";
      write_yaml_value(out, item, indent + 2);
    }
  } else if (v.is_hash()) {
    out += "{}";
  } else if (v.is_list()) {
    out += "[]";
  } else {
    scalar(v);
  }
}

/// `size`: of the report as JSON.
std::string report_yaml(const Value& report, size_t size) {
  std::string out;
  out.reserve(size + size / 2);
  out += "--- !ruby/object:Puppet::Transaction::Report";
  write_yaml_value(out, report, 0);
  return out += '\n';
}

void keep_report(const Core& core, const std::string& node, const std::string& yaml) {
  const std::time_t now = std::time(nullptr);
  std::tm t{};
  ::gmtime_r(&now, &t);
  store_file(fmt::format("{}/{}/{:04}{:02}{:02}{:02}{:02}.yaml", core.settings.report_directory, node, t.tm_year + 1900, t.tm_mon + 1,
                         t.tm_mday, t.tm_hour, t.tm_min),
             yaml);
}

void post_report(const Core& core, const std::string& yaml) {
  http::ClientOptions options;
  options.tls = core.settings.tls;
  options.total = std::chrono::seconds(30);
  http::ClientRequest request;
  request.method = "POST";
  const http::ServerAddress server = http::read_url(core.settings.compile.configuration.value("reporturl"), &request.target);
  if (request.target.empty()) request.target = "/";
  request.headers = {{"Content-Type", "application/x-yaml"}};
  request.body = yaml;
  const http::ClientResponse answer = http::Client(options).send(server, request);
  if (answer.status >= 300) throw std::runtime_error(fmt::format("{} answers {}", server.url(), answer.status));
}

void log_report(const Core& core, const std::string& node, const Value& report) {
  const Value* logs = report.hash->find("logs");
  if (logs == nullptr || !logs->is_list()) return;
  for (const Value& line : logs->items()) {
    if (!line.is_hash()) continue;
    const Value* source = line.hash->find("source");
    const Value* message = line.hash->find("message");
    core.log.log(LogLevel::Notice, node,
                 fmt::format("{}: {}", source != nullptr && source->is_string() ? source->str() : "",
                             message != nullptr && message->is_string() ? message->str() : ""));
  }
}

/// The body as JSON, in a hash. Throws ApiError.
Value json_body(const Call& call, Arena& arena) {
  const std::string type(call.request.headers.get("Content-Type"));
  const std::string_view name = std::string_view(type).substr(0, type.find(';'));
  if (name != "application/json" && name != "text/pson")
    throw ApiError{415,
                   fmt::format("Unsupported Media Type: Client sent a mime-type ({}) that doesn't correspond to a format we support", type),
                   "UNSUPPORTED_MEDIA_TYPE"};
  Value out;
  JsonError error;
  if (!parse_json(call.request.body, arena, out, error))
    bad_request(fmt::format("The request body is invalid: Could not intern from json: {}", error.message));
  if (!out.is_hash()) bad_request("The request body is invalid: it is not a JSON object");
  return out;
}

/// The place of a file in the bucket: the first eight digits are directories.
std::string bucket_path(const Core& core, const std::string& sum) {
  std::string out = core.settings.bucket_directory;
  for (size_t i = 0; i < 8; ++i) (out += '/') += sum[i];
  return out + "/" + sum;
}

bool has_line(const std::string& text, std::string_view line) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (rest.substr(0, end) == line) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

void write_settings(JsonWriter& w, const EnvironmentOptions& options, const Core& core) {
  w.key("settings");
  w.begin_object();
  w.key("modulepath");
  w.begin_array();
  for (const std::string& directory : options.modulepath) w.string(directory);
  w.end_array();
  w.member("manifest", options.manifest);
  w.key("environment_timeout");
  const std::string timeout = core.settings.compile.configuration.value("environment_timeout");
  if (timeout == "unlimited")
    w.string(timeout);
  else
    w.integer(std::atoll(timeout.c_str()));
  w.member("config_version", options.config_version);
  w.end_object();
}

} // namespace

http::Response answer_report(Call& call) {
  Core& core = *call.core;
  const std::string& node = call.parts[3];
  requested_environment(call, true);
  Arena arena;
  const Value report = json_body(call, arena);
  for (const char* needed : {"host", "logs", "metrics", "status"})
    if (report.hash->find(needed) == nullptr) bad_request(fmt::format("The request body is invalid: the report has no '{}'", needed));
  if (!valid_node_name(node)) bad_request(fmt::format("'{}' is not a node's name", node));
  std::string done = "[";
  const std::string yaml = report_yaml(report, call.request.body.size());
  for (const std::string& processor : core.settings.reports) {
    try {
      if (processor == "store") keep_report(core, node, yaml);
      if (processor == "http") post_report(core, yaml);
      if (processor == "log") log_report(core, node, report);
      if (processor == "puppetdb" && core.puppetdb) core.puppetdb->report(node, report);
    } catch (const std::exception& e) { core.log.log(LogLevel::Err, node, fmt::format("Report {} failed: {}", processor, e.what())); }
    done += fmt::format("{}\"{}\"", done.size() > 1 ? "," : "", processor);
  }
  return text_response(200, done + "]", "application/json;charset=utf-8");
}

http::Response answer_facts(Call& call) {
  const std::string& node = call.parts[3];
  requested_environment(call, true);
  if (!valid_node_name(node)) bad_request(fmt::format("'{}' is not a node's name", node));
  Arena arena;
  const Value document = json_body(call, arena);
  const Value* name = document.hash->find("name");
  const Value* values = document.hash->find("values");
  if (name == nullptr || !name->is_string() || values == nullptr || !values->is_hash())
    bad_request("The request body is invalid: facts have a name and values");
  if (name->str() != node) bad_request(fmt::format("The facts are those of '{}', not of '{}'", name->str(), node));
  if (call.core->puppetdb)
    call.core->puppetdb->facts(node, *values, trusted_data(arena, call.caller), std::string(call.target.query.get("environment")));
  store_facts(*call.core, node, call.request.body);
  return text_response(200, "0", "application/json;charset=utf-8");
}

http::Response answer_file_bucket(Call& call) {
  const Core& core = *call.core;
  requested_environment(call, true);
  const std::string& type = call.parts[3];
  if (type != "sha256") server_error(fmt::format("Unsupported checksum type \"{}\"", type));
  const std::string sum = call.parts.size() > 4 ? call.parts[4] : "";
  if (sum.size() != 64 || sum.find_first_not_of("0123456789abcdef") != std::string::npos)
    server_error(fmt::format("Invalid checksum \"{}\"", sum));
  // The original path begins with a slash of its own: behind that of the sum there are two. As puppetserver's bucket, this one knows the
  // path without it, so that each finds what the other has kept.
  const std::string before = fmt::format("/puppet/v3/file_bucket_file/{}/{}/", type, sum);
  std::string original = call.target.path.starts_with(before) ? call.target.path.substr(before.size()) : "";
  original.erase(0, original.find_first_not_of('/'));
  if (call.request.method == "PUT" || call.request.method == "POST") {
    const std::string directory = bucket_path(core, hex_digest(DigestAlgorithm::Sha256, call.request.body));
    struct stat info {};
    if (::stat((directory + "/contents").c_str(), &info) != 0) store_file(directory + "/contents", call.request.body);
    const std::string known = read_whole_file(directory + "/paths").value_or("");
    if (!original.empty() && !has_line(known, original)) store_file(directory + "/paths", known + original + "\n");
    return text_response(200, "", "application/octet-stream");
  }
  const std::string directory = bucket_path(core, sum);
  const auto missing = [&] {
    not_found(
        fmt::format("Could not find file_bucket_file {}", call.target.path.substr(std::string_view("/puppet/v3/file_bucket_file/").size())),
        "RESOURCE_NOT_FOUND");
  };
  Descriptor file(::open((directory + "/contents").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) missing();
  if (!original.empty() && !has_line(read_whole_file(directory + "/paths").value_or(""), original)) missing();
  if (call.target.query.find("diff_with") != nullptr || call.target.query.find("list_all") != nullptr)
    bad_request("diff_with and list_all of the file bucket are not supported");
  http::Response response = text_response(200, "", "application/octet-stream");
  response.file = std::move(file);
  response.file_size = static_cast<uint64_t>(info.st_size);
  return response;
}

http::Response answer_node(Call& call) {
  Core& core = *call.core;
  const std::string name = call.parts[3];
  std::string environment = requested_environment(call, true);
  NodeData node;
  node.input.name = name;
  const Value facts = stored_facts(core, *node.arena, name);
  std::string out;
  try {
    const Value trusted = core.classifier.wants_facts() ? trusted_of(call, *node.arena) : Value::undef();
    if (std::string named = core.classifier.classify(node, facts, trusted); !named.empty()) environment = std::move(named);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
  JsonWriter w(out);
  w.begin_object();
  w.member("name", name);
  w.member("environment", environment);
  if (!node.input.classes.empty()) {
    w.key("classes");
    w.begin_object();
    for (const auto& [title, parameters] : node.input.classes) {
      w.key(title);
      write_plain_json(w, parameters.is_undef() ? HashBuilder(*node.arena).finish() : parameters);
    }
    w.end_object();
  }
  HashBuilder parameters(*node.arena);
  for (const Value& from : {facts, node.input.parameters})
    if (from.is_hash())
      for (const HashEntry& e : from.hash->entries()) parameters.set(e.key, e.value);
  if (const Value all = parameters.finish(); all.hash->size > 0) {
    w.key("parameters");
    write_plain_json(w, all);
  }
  w.end_object();
  return body_response(call.request, std::move(out), accepted_type(call.request, {"application/json", "text/pson"}) + ";charset=utf-8");
}

http::Response answer_environments(Call& call) {
  const Core& core = *call.core;
  std::vector<std::string> names;
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("search_paths");
  w.begin_array();
  for (const std::string& directory : split_path(core.settings.compile.environmentpath)) {
    w.string("file://" + directory);
    if (DIR* open = ::opendir(directory.c_str())) {
      while (const dirent* entry = ::readdir(open))
        if (valid_environment_name(entry->d_name) && is_directory(directory + "/" + entry->d_name) &&
            std::ranges::find(names, entry->d_name) == names.end())
          names.emplace_back(entry->d_name);
      ::closedir(open);
    }
  }
  w.end_array();
  std::ranges::sort(names);
  w.key("environments");
  w.begin_object();
  for (const std::string& name : names) {
    w.key(name);
    w.begin_object();
    try {
      write_settings(w,
                     directory_environment(core.settings.compile.environmentpath, name, core.settings.compile.basemodulepath, nullptr,
                                           core.settings.compile.default_manifest),
                     core);
    } catch (const CompileError& e) { core.log.log(LogLevel::Err, "", e.diagnostic.puppet_text()); }
    w.end_object();
  }
  w.end_object();
  w.end_object();
  return body_response(call.request, std::move(out), "application/json;charset=utf-8");
}

} // namespace pupc::server
