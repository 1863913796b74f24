#include "tools/agent/server_files.h"

#include "catalog/base/arena.h"
#include "catalog/json/json_reader.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pupc::cli::agent {
namespace {

constexpr size_t most_files = 500000;                 // of one tree
constexpr uint64_t most_content = uint64_t(16) << 30; // of one file

/// Whether a path stays below the directory that it is relative to.
bool stays_below(std::string_view path) {
  if (path.empty() || path.size() > 4096 || path.find('\0') != std::string_view::npos) return false;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

/// Whether a text is "{sha256}" and its digits, or another checksum that Puppet knows. Times have any form.
bool is_sum(std::string_view text) {
  static constexpr std::pair<std::string_view, size_t> digits[] = {{"md5", 32},        {"md5lite", 32}, {"sha1", 40},
                                                                   {"sha1lite", 40},   {"sha224", 56},  {"sha256", 64},
                                                                   {"sha256lite", 64}, {"sha384", 96},  {"sha512", 128}};
  if (!text.starts_with('{')) return false;
  const size_t close = text.find('}');
  if (close == std::string_view::npos) return false;
  const std::string_view kind = text.substr(1, close - 1), value = text.substr(close + 1);
  if (kind == "mtime" || kind == "ctime" || kind == "none") return true;
  for (const auto& [name, count] : digits)
    if (name == kind) return value.size() == count && value.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return false;
}

std::string key_of(const std::string& url, const RemoteView& view) {
  return fmt::format("{} {} {} {}", view.follow, view.checksum, view.source_permissions, url);
}

[[noreturn]] void wrong(const std::string& url, std::string_view what) {
  throw ResourceError(fmt::format("Could not retrieve file metadata for {}: the server's metadata are wrong: {}", url, what));
}

const Value& member(const Value& of, std::string_view name) {
  static const Value none{};
  const Value* found = of.is_hash() ? of.hash->find(name) : nullptr;
  return found == nullptr ? none : *found;
}

std::string text_of(const Value& v) { return v.is_string() ? std::string(v.str()) : std::string(); }

uint32_t number_of(const Value& v, const std::string& url, std::string_view what, int64_t most) {
  if (v.is_undef()) return 0;
  if (!v.is_int() || v.i < 0 || v.i > most) wrong(url, what);
  return static_cast<uint32_t>(v.i);
}

Value document_of(const std::string& text, Arena& arena, const std::string& url) {
  Value out;
  JsonError error;
  if (!parse_json(text, arena, out, error)) wrong(url, error.message);
  return out;
}

} // namespace

ServerFiles::Place ServerFiles::place_of(const std::string& url) const {
  std::string_view rest = std::string_view(url).substr(std::string_view("puppet:").size());
  Place out{session_.server(), {}};
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (std::string_view host = rest.substr(0, slash); !host.empty()) {
      const size_t colon = host.rfind(':');
      out.server.host = std::string(host.substr(0, colon));
      if (colon != std::string_view::npos) {
        const auto port = whole_number(host.substr(colon + 1));
        if (!port || *port < 1 || *port > 65535) throw ResourceError(fmt::format("Could not understand source {}: wrong port", url));
        out.server.port = static_cast<uint16_t>(*port);
      }
    }
    rest.remove_prefix(slash);
  }
  while (rest.starts_with('/')) rest.remove_prefix(1);
  out.path = rest; // as it is: Puppet takes `%20` for three characters
  if (!stays_below(out.path)) throw ResourceError(fmt::format("Could not retrieve file metadata for {}: the path leaves its mount", url));
  return out;
}

Query ServerFiles::query_of(const RemoteView& view) const {
  Query query;
  query.add("links", view.follow ? "follow" : "manage");
  query.add("checksum_type", view.checksum);
  query.add("source_permissions", view.source_permissions);
  query.add("environment", environment_);
  return query;
}

RemoteFile ServerFiles::read(const Value& metadata, const std::string& url) const {
  if (!metadata.is_hash()) wrong(url, "they are no hash");
  RemoteFile out;
  const std::string type = text_of(member(metadata, "type"));
  if (type == "file")
    out.status.type = FileType::File;
  else if (type == "directory")
    out.status.type = FileType::Directory;
  else if (type == "link")
    out.status.type = FileType::Link;
  else
    wrong(url, fmt::format("Cannot manage files of type {}", type));
  if (const Value& relative = member(metadata, "relative_path"); relative.is_string() && relative.str() != "." && !relative.str().empty()) {
    if (!stays_below(relative.str())) wrong(url, "a path leads out of the tree");
    out.relative = std::string(relative.str());
  }
  out.status.mode = number_of(member(metadata, "mode"), url, "the mode", 07777);
  out.status.uid = number_of(member(metadata, "owner"), url, "the owner", 0xFFFFFFFE);
  out.status.gid = number_of(member(metadata, "group"), url, "the group", 0xFFFFFFFE);
  out.sum = text_of(member(member(metadata, "checksum"), "value"));
  if (out.status.type == FileType::File && !is_sum(out.sum)) wrong(url, "the checksum");
  out.target = text_of(member(metadata, "destination"));
  if (out.status.type == FileType::Link && (out.target.empty() || out.target.find('\0') != std::string::npos))
    wrong(url, "a link's target");
  if (plugins_) {
    if (out.status.type == FileType::Link) wrong(url, "a plugin is a link");
    out.status.mode &= 0755; // plugins are code of root: nobody else writes them, and none runs as another user
  }
  return out;
}

void ServerFiles::use(const StaticFiles& files, std::string code_id) {
  static_files_ = files;
  code_id_ = std::move(code_id);
}

/// Remembers where the content of a file of the static catalog is.
void ServerFiles::note_content(const Value& metadata, const std::string& url) {
  const std::string content = text_of(member(metadata, "content_uri"));
  if (content.empty()) return;
  if (!content.starts_with("puppet://")) wrong(url, "the place of its content");
  place_of(content);
  static_content_[url] = content;
}

std::optional<RemoteFile> ServerFiles::look(const std::string& url, const RemoteView& view) {
  if (const Value& found = member(static_files_.metadata, view.title); !found.is_undef()) {
    // Of several sources it is that of the one which the server has.
    if (const std::string source = text_of(member(found, "source")); !source.empty() && source != url) return std::nullopt;
    RemoteFile file = read(found, url);
    note_content(found, url);
    return file;
  }
  if (const auto it = known_.find(key_of(url, view)); it != known_.end()) return it->second;
  const Place place = place_of(url);
  Session::Ask ask;
  ask.path = "/puppet/v3/file_metadata/" + encoded(place.path, true);
  ask.query = query_of(view);
  try {
    const http::ClientResponse answer = session_.ask(place.server, ask);
    Arena arena;
    return read(document_of(answer.body, arena, url), url);
  } catch (const RequestError& e) {
    if (e.status == 404) return std::nullopt;
    throw ResourceError(fmt::format("Could not retrieve file metadata for {}: {}", url, e.what()));
  }
}

std::optional<std::vector<RemoteFile>> ServerFiles::tree(const std::string& url, const RemoteView& view) {
  if (const Value& trees = member(static_files_.recursive, view.title); !trees.is_undef()) {
    const Value& list = member(trees, url);
    return list.is_undef() ? std::nullopt : take_tree(list, url, view);
  }
  const Place place = place_of(url);
  Session::Ask ask;
  ask.path = "/puppet/v3/file_metadatas/" + encoded(place.path, true);
  ask.query.add("recurse", "true");
  if (view.recurse_limit >= 0) ask.query.add("recurselimit", std::to_string(view.recurse_limit));
  ask.query.add("max_files", std::to_string(view.max_files));
  for (const std::string& name : view.ignore) ask.query.add("ignore", name);
  ask.query.add("links", view.follow ? "follow" : "manage");
  ask.query.add("checksum_type", view.checksum);
  ask.query.add("source_permissions", view.source_permissions);
  ask.query.add("environment", environment_);
  http::ClientResponse answer;
  try {
    answer = session_.ask(place.server, ask);
  } catch (const RequestError& e) {
    if (e.status == 404) return std::nullopt;
    throw ResourceError(fmt::format("Could not retrieve file metadata for {}: {}", url, e.what()));
  }
  Arena arena;
  return take_tree(document_of(answer.body, arena, url), url, view);
}

std::optional<std::vector<RemoteFile>> ServerFiles::take_tree(const Value& list, const std::string& url, const RemoteView& view) {
  if (!list.is_list() || list.items().size() > most_files) wrong(url, "they are no list of files");
  const auto url_of = [&](const RemoteFile& file) { return file.relative.empty() ? url : url + "/" + file.relative; };
  std::vector<RemoteFile> out;
  for (const Value& one : list.items()) {
    out.push_back(read(one, url));
    note_content(one, url_of(out.back()));
  }
  if (out.empty()) return std::nullopt;
  std::ranges::sort(out, {}, &RemoteFile::relative);
  if (!out.front().relative.empty()) wrong(url, "the root is missing");
  // Below a link a file would be written where it leads to.
  std::set<std::string_view> directories;
  for (const RemoteFile& file : out) {
    const std::string_view path = file.relative;
    if (&file != &out.front() && path == (&file - 1)->relative) wrong(url, "a path is there twice");
    if (const size_t slash = path.rfind('/'); slash != std::string_view::npos && !directories.contains(path.substr(0, slash)))
      wrong(url, "a path is below what is no directory");
    if (file.status.type == FileType::Directory) directories.insert(path);
  }
  for (const RemoteFile& file : out) known_[key_of(url_of(file), view)] = file;
  return out;
}

void ServerFiles::content(const std::string& url, const System::Take& take) {
  const auto at_code = static_content_.find(url);
  const Place place = place_of(at_code == static_content_.end() ? url : at_code->second);
  Session::Ask ask;
  ask.path = (at_code == static_content_.end() ? "/puppet/v3/file_content/" : "/puppet/v3/static_file_content/") +
             encoded(place.path, true);
  ask.query.add("environment", environment_);
  if (at_code != static_content_.end()) ask.query.add("code_id", code_id_);
  ask.accept = "application/octet-stream";
  uint64_t size = 0;
  try {
    session_.receive(place.server, ask, [&](std::string_view part) {
      size += part.size();
      if (size > most_content) throw ResourceError(fmt::format("The content of {} does not end", url));
      take(part);
      return true;
    });
  } catch (const RequestError& e) { throw ResourceError(e.what()); }
}

void ServerFiles::keep(const std::string& sum, const std::string& path, const std::string& content) {
  Session::Ask ask;
  ask.method = "HEAD";
  ask.path = fmt::format("/puppet/v3/file_bucket_file/sha256/{}/{}", sum, encoded(path, true));
  ask.query.add("environment", environment_);
  ask.accept = "application/octet-stream";
  try {
    try {
      session_.ask(ask);
      return; // the bucket has it already
    } catch (const RequestError& e) {
      if (e.status != 404) throw;
    }
    ask.method = "PUT";
    ask.content_type = "application/octet-stream";
    ask.body = content;
    session_.ask(ask);
  } catch (const RequestError& e) { throw ResourceError(e.what()); }
}

std::optional<std::string> ServerFiles::kept(const std::string& sum) {
  Session::Ask ask;
  ask.path = "/puppet/v3/file_bucket_file/sha256/" + sum;
  ask.query.add("environment", environment_);
  ask.accept = "application/octet-stream";
  try {
    return session_.ask(ask).body;
  } catch (const RequestError& e) {
    if (e.status == 404) return std::nullopt;
    throw ResourceError(e.what());
  }
}

} // namespace pupc::cli::agent
