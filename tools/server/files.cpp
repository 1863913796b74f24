#include "tools/server/files.h"

#include "catalog/base/paths.h"
#include "catalog/json/json_writer.h"
#include "tools/server/catalog_endpoint.h"
#include "tools/server/file_metadata.h"
#include "tools/server/mounts.h"
#include "tools/server/responses.h"

#include <cerrno>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>

namespace pupc::server {
namespace {

constexpr uint64_t small_file = 64 << 10;

struct Asked {
  std::shared_ptr<const Environment> environment;
  MountedPath path;
  std::string key; // as messages show it
};

std::shared_ptr<const Environment> asked_environment(Call& call) {
  const std::string name = requested_environment(call, true);
  try {
    return call.core->environments.open(name, nullptr);
  } catch (const CompileError& e) { server_error(e.diagnostic.puppet_text()); }
}

std::string_view asked_key(const Call& call, std::string_view kind) {
  return std::string_view(call.target.path).substr(fmt::format("/puppet/v3/{}/", kind).size());
}

/// The path that a request asks for. Throws ApiError when there is no such environment or mount.
Asked asked(Call& call, std::string_view kind, std::shared_ptr<const Environment> environment, FileWatch* watch = nullptr) {
  std::string key(asked_key(call, kind));
  if (key.empty()) bad_request(fmt::format("No request key specified in {}", call.target.path));
  MountedPath path(*environment, call.core->mounts, key, call.caller.name, watch);
  if (!path.known()) server_error(fmt::format("Not authorized to call find on /{}/{} with {{:rest=>\"{}\"}}", kind, key, key));
  return {std::move(environment), std::move(path), std::move(key)};
}

http::Response file_metadatas(Call& call, std::shared_ptr<const Environment> environment, FileWatch* watch) {
  const Asked what = asked(call, "file_metadatas", std::move(environment), watch);
  const std::string type = accepted_type(call.request, {"application/json", "text/pson"});
  FileView view(parameters_of(call));
  if (what.path.roots_only()) view.recurse = false;
  if (what.path.roots().empty())
    not_found(fmt::format("Could not find instances in file_metadata with '{}'", what.key), "RESOURCE_NOT_FOUND");
  std::string out;
  JsonWriter w(out);
  w.begin_array();
  std::set<std::string, std::less<>> shown;
  bool first = true;
  for (const std::string& root : what.path.roots()) {
    if (first) write_file_metadata(w, what.path, view, root, ".");
    first = false;
    for (const ListedFile& file : files_below(what.path, root, view))
      if (shown.insert(file.name).second) write_file_metadata(w, what.path, view, root, file);
  }
  w.end_array();
  return body_response(call.request, std::move(out), type + ";charset=utf-8");
}

} // namespace

http::Response answer_file_metadata(Call& call) {
  const Asked what = asked(call, "file_metadata", asked_environment(call));
  const std::string type = accepted_type(call.request, {"application/json", "text/pson"});
  const FileView view(parameters_of(call));
  std::string out;
  JsonWriter w(out);
  if (what.path.found().empty() || !write_file_metadata(w, what.path, view, what.path.found(), ""))
    not_found(fmt::format("Could not find file_metadata {}", what.key), "RESOURCE_NOT_FOUND");
  return body_response(call.request, std::move(out), type + ";charset=utf-8");
}

http::Response answer_file_metadatas(Call& call) {
  auto environment = asked_environment(call);
  // What the nodes share. Of links that are shown themselves not all changes are told.
  if (call.request.method != "GET" || call.target.query.get("links") != "follow" ||
      !MountedPath::same_for_all(asked_key(call, "file_metadatas")))
    return file_metadatas(call, std::move(environment), nullptr);
  const auto& headers = call.request.headers;
  const std::string key = fmt::format("{}\n{}\n{}", call.request.target, headers.get("Accept"),
                                      http::accepts_gzip(headers.get("Accept-Encoding")));
  return call.core->kept.answer(environment, key, [&](FileWatch* watch) { return file_metadatas(call, environment, watch); });
}

http::Response answer_file_content(Call& call) {
  const Asked what = asked(call, "file_content", asked_environment(call));
  accepted_type(call.request, {"application/octet-stream"});
  const auto missing = [&] { not_found(fmt::format("Could not find file_content {}", what.key), "RESOURCE_NOT_FOUND"); };
  if (what.path.found().empty()) missing();
  http::Response response = text_response(200, "", "application/octet-stream");
  if (is_directory(what.path.found())) return response; // as in Puppet: an empty file
  Descriptor file = what.path.open(what.path.found());
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) missing();
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > small_file) {
    response.file = std::move(file);
    response.file_size = size;
    return response;
  }
  auto text = read_whole_file(file.get(), FileKinds::Regular);
  if (!text) server_error(fmt::format("Could not read {}: {}", what.path.found(), file_problem(errno)));
  response.body = std::move(*text);
  return response;
}

} // namespace pupc::server
