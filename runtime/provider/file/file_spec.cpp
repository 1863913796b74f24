#include "runtime/provider/file/file_spec.h"

#include "catalog/schema/attribute_values.h"
#include "runtime/provider/absolute_path.h"
#include "runtime/provider/file/file_mode.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// Normalises a path as Puppet does: File.join(File.split(File.expand_path(path))).
std::string clean_path(std::string_view path) {
  std::vector<std::string_view> parts;
  size_t at = 0;
  while (at <= path.size()) {
    size_t end = std::min(path.find('/', at), path.size());
    std::string_view part = path.substr(at, end - at);
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != "." && part != "..")
      parts.push_back(part);
    at = end + 1;
  }
  std::string out;
  for (auto p : parts) {
    out += '/';
    out += p;
  }
  return out.empty() ? "/" : out;
}

[[noreturn]] void bad_parameter(const ManagedResource& r, std::string_view name, std::string_view why) {
  throw ResourceError(fmt::format("Parameter {} failed on {}: {}", name, r.reference(), why));
}

std::optional<std::string> optional_text(const ManagedResource& r, std::string_view name) {
  if (!r.has(name)) return std::nullopt;
  auto all = r.texts(name);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::string time_text(int64_t ns) {
  time_t seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm t{};
  ::localtime_r(&seconds, &t);
  char buffer[64];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S %z", &t);
  return buffer;
}

bool is_url(const std::string& source) { return source.starts_with("http://") || source.starts_with("https://"); }

/// Parses a date like "Wed, 21 Oct 2015 07:28:00 GMT" to seconds since the epoch; nothing for another form.
std::optional<int64_t> http_date(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return end == nullptr ? std::nullopt : std::optional<int64_t>(::timegm(&parts));
}

std::string utc_text(int64_t seconds) {
  const std::time_t t = seconds;
  std::tm parts{};
  ::gmtime_r(&t, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string hex_of_base64(std::string_view text) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const size_t value = letters.find(c);
    if (value == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<uint32_t>(value);
    have += 6;
    if (have >= 8) out += fmt::format("{:02x}", bits >> (have -= 8) & 0xFF);
  }
  return out;
}

/// What a URL's headers say about its content; nothing when the server has no such page.
std::optional<FileSource> look_at_url(const FileSpec& spec, const std::string& url, RunContext& run) {
  HttpAnswer answer = run.system.http({url, true, {}});
  if (answer.status == 403 || answer.status == 405)
    answer = run.system.http({url, false, {"Range: bytes=0-0"}, 4096}); // for servers that refuse HEAD; some send all
  if (answer.status == 0)
    throw ResourceError(fmt::format("Could not retrieve file metadata for {}: Request to {} failed: {}", url, url, answer.error));
  if (!answer.good()) return std::nullopt;
  FileSource out;
  out.uri = url;
  out.status.type = FileType::File;
  out.status.mode = 0644;
  out.time = run.system.now() / 1'000'000'000;
  if (const std::string* modified = answer.header("last-modified")) out.time = http_date(*modified).value_or(out.time);
  auto sum = [&](std::string_view type) -> std::string {
    if (type == "mtime") return "{mtime}" + utc_text(out.time);
    if (const std::string* given = answer.header(fmt::format("x-checksum-{}", type));
        given != nullptr && (type == "sha256" || type == "sha1" || type == "md5"))
      return fmt::format("{{{}}}{}", type, *given);
    if (const std::string* given = answer.header("content-md5"); given != nullptr && type == "md5") return "{md5}" + hex_of_base64(*given);
    return {};
  };
  for (const std::string_view type : {std::string_view(spec.checksum), std::string_view("sha256"), std::string_view("sha1"),
                                      std::string_view("md5"), std::string_view("mtime")})
    if (out.sum = sum(type); !out.sum.empty()) break;
  return out;
}

/// The path of a source on this machine; nothing when it has none. Throws ResourceError for a source that pupc cannot fetch.
std::optional<std::string> local_path(const std::string& source, RunContext& run) {
  if (source.starts_with('/')) return source;
  if (source.starts_with("file:")) {
    std::string_view rest = std::string_view(source).substr(5);
    if (rest.starts_with("//")) {
      size_t slash = rest.find('/', 2);
      if (slash == std::string_view::npos) return std::nullopt;
      rest = rest.substr(slash);
    }
    return percent_decoded(rest);
  }
  if (source.starts_with("puppet://")) {
    size_t slash = source.find('/', 9);
    if (slash == std::string::npos) return std::nullopt;
    std::string_view path = std::string_view(source).substr(slash + 1);
    if (!path.starts_with("modules/")) return std::nullopt;
    return module_file(source, path.substr(8), run);
  }
  throw ResourceError(fmt::format("Could not retrieve file metadata for {}: there is no such kind of URL", source));
}

FileSource source_of(const std::string& url, RemoteFile file) {
  FileSource out;
  out.uri = url;
  out.status = file.status;
  out.sum = std::move(file.sum);
  out.target = std::move(file.target);
  out.of_server = true;
  return out;
}

/// The content of a file of the server. One that is too large for the memory goes into a file in a private directory.
NewContent fetched(FileSource& source, RunContext& run) {
  constexpr size_t most_in_memory = 4 << 20;
  struct TooLarge {};
  RemoteFiles& files = *run.settings.remote_files;
  if (!source.body && source.fetched.empty()) try {
      std::string text;
      files.content(source.uri, [&](std::string_view part) {
        if (text.size() + part.size() > most_in_memory) throw TooLarge{};
        text += part;
      });
      source.body = std::move(text);
    } catch (const TooLarge&) {
      auto directory = std::make_shared<PrivateDirectory>(run.system, temporary_directory(run.system));
      source.fetched = directory->path() + "/content";
      source.keeps = std::move(directory);
      run.system.write_parts(
          source.fetched, [&](const System::Take& take) { files.content(source.uri, take); }, 0600, std::nullopt, std::nullopt, false);
    }
  return {source.body.value_or(std::string()), source.fetched};
}

std::string_view ruby_class(const Value& v) {
  if (v.is_int()) return "Integer";
  if (v.is_bool()) return v.b ? "true" : "false";
  if (v.is_hash()) return "Hash";
  return v.kind == Kind::Float ? "Float" : "Object";
}

/// Whether a line of the text begins with a checksum like "{md5}0cc1…".
bool looks_like_checksum(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') {
      size_t end = at + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
      if (end - at > 3 && end + 1 < text.size() && text[end] == '}' && !std::isspace(static_cast<unsigned char>(text[end + 1])))
        return true;
    }
    at = text.find('\n', at);
    if (at == std::string_view::npos) break;
  }
  return false;
}

/// Reads the SELinux attributes. The policy gives the other parts of the label unless selinux_ignore_defaults is set.
void read_label_attributes(const ManagedResource& r, FileSpec& spec, RunContext& run) {
  if (!run.system.selinux()) return;
  if (!r.truth("selinux_ignore_defaults", false)) spec.label = default_label(run.system, spec.path, r.text("ensure")).value_or(FileLabel{});
  for (size_t i = 0; i < 4; ++i)
    if (auto given = optional_text(r, label_attributes[i])) spec.label.parts[i] = given;
  if (spec.label.parts[3]) spec.label.parts[3] = range_level(run.system, *spec.label.parts[3]);
  spec.has_label = std::any_of(spec.label.parts.begin(), spec.label.parts.end(), [](const auto& part) { return part.has_value(); }) &&
                   has_labels(run.system, spec.path);
}

std::string shown_uri(const std::string& source) { return source.starts_with('/') ? "file://" + source : source; }

/// The path, and what is to be there: `ensure`, or what other attributes say of it.
void read_ensure(ManagedResource& r, FileSpec& spec, RunContext& run) {
  std::string path = r.text("path", r.title);
  if (r.has("path") ? !is_absolute_path(r.get("path"), run) : !path.starts_with('/'))
    bad_parameter(r, "path", fmt::format("File paths must be fully qualified, not '{}'", path));
  spec.path = clean_path(path);
  spec.title = r.title;
  spec.ensure = r.text("ensure");
  spec.target = optional_text(r, "target");
  if (spec.ensure == "false") spec.ensure = "absent";
  static constexpr std::string_view known[] = {"", "absent", "present", "file", "directory", "link"};
  if (std::find(std::begin(known), std::end(known), spec.ensure) == std::end(known)) {
    spec.target = spec.ensure; // any other value of `ensure` is a link's target
    spec.ensure = "link";
  }
}

/// The content; a checksum in its place stands for what the filebucket holds.
void read_content(ManagedResource& r, FileSpec& spec, RunContext& run) {
  if (r.has("content")) {
    Value v = r.get("content");
    if (v.is_list()) {
      // The last element of a list counts: Puppet keeps the content that it munged last.
      if (const auto all = r.texts("content"); !all.empty()) spec.content = all.back();
    } else if (!v.is_string() && !v.is(Kind::Binary)) {
      bad_parameter(r, "content",
                    fmt::format("Munging failed for value {} in class content: no implicit conversion of {} into String", display_text(v),
                                ruby_class(v)));
    } else {
      spec.content = value_text(v);
    }
  }
  if (spec.ensure.empty()) {
    if (spec.target)
      spec.ensure = "link";
    else if (spec.content)
      spec.ensure = "file";
  }
  if (!spec.content || !r.get("content").is_string() || !looks_like_checksum(*spec.content)) return;
  spec.from_bucket = true;
  if (r.has("source")) return;
  run.log(LogLevel::Warning, fmt::format("Using a checksum in a file's \"content\" property is deprecated. The ability to use a "
                                         "checksum to retrieve content from the filebucket using the "
                                         "\"content\" property will be removed in a future release. The literal value of the "
                                         "\"content\" property will be written to the file. The checksum "
                                         "retrieval functionality is being replaced by the use of static catalogs. See "
                                         "https://puppet.com/docs/puppet/latest/static_catalogs.html for more "
                                         "information.\n   (file: {}, line: {})",
                                         r.file.empty() ? "unknown" : r.file, r.line == 0 ? "unknown" : std::to_string(r.line)));
}

void read_sources(ManagedResource& r, FileSpec& spec) {
  for (std::string s : r.texts("source")) {
    while (s.size() > 1 && s.back() == '/') s.pop_back();
    if (!s.starts_with('/')) {
      size_t colon = s.find(':');
      if (colon == std::string::npos || colon == 0) bad_parameter(r, "source", fmt::format("Cannot use relative URLs '{}'", s));
      std::string scheme = s.substr(0, colon);
      if (scheme != "file" && scheme != "puppet" && scheme != "http" && scheme != "https")
        bad_parameter(r, "source", fmt::format("Cannot use URLs of type '{}' as source for fileserving", scheme));
      if (colon + 1 == s.size() || s[colon + 1] != '/') bad_parameter(r, "source", fmt::format("Cannot use opaque URLs '{}'", s));
    }
    spec.sources.push_back(std::move(s));
  }
}

void read_owner_and_mode(ManagedResource& r, FileSpec& spec) {
  spec.owner = optional_text(r, "owner");
  spec.group = optional_text(r, "group");
  if (spec.group && spec.group->empty()) bad_parameter(r, "group", "Invalid group name '\"\"'");
  if (!r.has("mode")) return;
  if (!r.get("mode").is_string())
    bad_parameter(r, "mode",
                  fmt::format("The file mode specification must be a string, not '{}'", r.get("mode").is_int() ? "Integer" : "Object"));
  spec.mode = r.text("mode");
  if (!catalog::valid_file_mode(*spec.mode))
    bad_parameter(r, "mode", fmt::format("The file mode specification is invalid: \"{}\"", *spec.mode));
}

/// Where the old content goes, where the new one is prepared, and what checks it.
void read_backup_and_staging(ManagedResource& r, FileSpec& spec, RunContext& run) {
  std::string backup = r.texts("backup").empty() ? "false" : r.texts("backup").front();
  spec.backup = backup == "false" ? "" : backup == "true" ? ".puppet-bak" : backup;
  if (!spec.backup.empty() && spec.backup[0] != '.' && spec.backup != "puppet" && run.find("filebucket", spec.backup) == nullptr)
    throw UnplacedError(fmt::format("Could not find filebucket {} specified in backup", spec.backup));
  if (const std::string staging = r.text("staging_location"); !staging.empty()) {
    if (!staging.starts_with('/'))
      bad_parameter(r, "staging_location", fmt::format("File paths must be fully qualified, not '{}'", staging));
    spec.staging_location = clean_path(staging);
  }
  spec.validate_cmd = r.text("validate_cmd");
  spec.validate_replacement = r.text("validate_replacement", "%");
}

/// A number of digits only, which the table of types has checked. More than anyone has files counts as a billion.
int read_count(ManagedResource& r, std::string_view attribute) {
  const std::string text = r.text(attribute);
  return text.size() > 9 ? 1'000'000'000 : std::atoi(text.c_str());
}

void read_recursion(ManagedResource& r, FileSpec& spec) {
  const std::string recurse = r.text("recurse", "false");
  if (recurse == "true")
    spec.recurse = FileSpec::Recurse::Local;
  else if (recurse == "remote")
    spec.recurse = FileSpec::Recurse::Remote;
  else if (recurse != "false")
    bad_parameter(r, "recurse", fmt::format("Invalid recurse value {}", inspected_text(r.get("recurse"))));
  if (r.has("recurselimit")) spec.recurse_limit = read_count(r, "recurselimit");
  if (r.has("max_files")) spec.max_files = r.text("max_files") == "-1" ? -1 : read_count(r, "max_files");
}

/// Attributes that may not stand together.
void check_combinations(ManagedResource& r, const FileSpec& spec, RunContext& run) {
  auto invalid = [&](const std::string& why) { throw ResourceError(fmt::format("Validation of {} failed: {}", r.reference(), why)); };
  const int creators = (spec.content ? 1 : 0) + (spec.target ? 1 : 0) + (spec.sources.empty() ? 0 : 1);
  if (creators > 1) invalid("You cannot specify more than one of content, source, target");
  if (spec.sources.empty() && spec.recurse == FileSpec::Recurse::Remote) invalid("You cannot specify a remote recursion without a source");
  if (spec.checksum == "none" && !spec.sources.empty()) invalid("You cannot specify source when using checksum 'none'");
  for (std::string_view c : {"none", "ctime", "mtime"})
    if (spec.checksum == c && spec.content) invalid(fmt::format("You cannot specify content when using checksum '{}'", c));
  if (spec.checksum_value && !catalog::valid_checksum(spec.checksum, *spec.checksum_value))
    invalid(fmt::format("Checksum value '{}' is not a valid checksum type {}", *spec.checksum_value, spec.checksum));
  if (spec.checksum_value && !spec.content && spec.sources.empty())
    run.log_from(LogLevel::Warning, "/" + r.reference(), "Checksum value is ignored unless content or source are specified", &r);
  if (r.has("recurselimit") && !spec.recursive())
    run.log(LogLevel::Warning, r, "Possible error: recurselimit is set but not recurse, no recursion will happen");
}

} // namespace

bool FileSpec::should_be_file(const std::optional<FileStatus>& status) const {
  if (ensure == "file") return true;
  if (!ensure.empty() && ensure != "present") return false;
  if (ensure == "present") return !status || status->type == FileType::File;
  if (content || !content_sum.empty()) return true;
  return status && status->type == FileType::File;
}

std::shared_ptr<FileSpec> read_file_spec(ManagedResource& r, RunContext& run) {
  auto spec = std::make_shared<FileSpec>();
  read_ensure(r, *spec, run);
  for (std::string_view attribute : {"ctime", "mtime", "type"})
    if (r.has(attribute)) bad_parameter(r, attribute, fmt::format("{} is read-only", attribute));
  read_content(r, *spec, run);
  read_sources(r, *spec);
  read_owner_and_mode(r, *spec);
  spec->checksum = r.text("checksum", "sha256");
  spec->checksum_value = optional_text(r, "checksum_value");
  read_backup_and_staging(r, *spec, run);
  spec->source_permissions = r.text("source_permissions", "ignore");
  read_recursion(r, *spec);
  read_label_attributes(r, *spec, run);
  spec->ignore = r.texts("ignore");
  if (r.get("ignore").is_bool()) spec->ignore.clear();
  spec->replace = r.truth("replace", true);
  spec->force = r.truth("force", false);
  spec->purge = r.truth("purge", false);
  spec->follow = r.text("links") == "follow";
  spec->show_diff = r.truth("show_diff", true);
  spec->all_sources = r.text("sourceselect") == "all";
  spec->sensitive = r.sensitive("content") || r.sensitive("source");
  check_combinations(r, *spec, run);
  if (!spec->content) return spec;
  if (spec->checksum_value && !spec->from_bucket) spec->shown_sum = checksum_of(spec->checksum, *spec->content);
  spec->content_sum = spec->from_bucket      ? *spec->content
                      : spec->checksum_value ? fmt::format("{{{}}}{}", spec->checksum, *spec->checksum_value)
                                             : checksum_of(spec->checksum, *spec->content);
  return spec;
}

Checksum::Checksum(std::string_view algorithm) : algorithm_(algorithm), rest_(std::string::npos) {
  static constexpr std::pair<std::string_view, DigestAlgorithm> known[] = {
      {"md5", DigestAlgorithm::Md5},       {"sha1", DigestAlgorithm::Sha1},     {"sha224", DigestAlgorithm::Sha224},
      {"sha256", DigestAlgorithm::Sha256}, {"sha384", DigestAlgorithm::Sha384}, {"sha512", DigestAlgorithm::Sha512}};
  if (algorithm.ends_with("lite")) {
    algorithm.remove_suffix(4);
    rest_ = 512;
  }
  for (const auto& [name, digest] : known)
    if (name == algorithm) digest_ = std::make_unique<Digest>(digest);
}

void Checksum::add(std::string_view part) {
  part = part.substr(0, rest_);
  if (rest_ != std::string::npos) rest_ -= part.size();
  if (digest_) digest_->add(part);
}

std::string Checksum::text() { return fmt::format("{{{}}}{}", algorithm_, digest_ ? digest_->hex() : ""); }

std::string checksum_of(std::string_view algorithm, std::string_view content) {
  Checksum sum(algorithm);
  sum.add(content);
  return sum.text();
}

std::string checksum_of_file(System& system, std::string_view algorithm, const std::string& path) {
  if (algorithm == "none") return "{none}";
  if (algorithm == "mtime" || algorithm == "ctime") {
    auto status = system.stat(path);
    return fmt::format("{{{}}}{}", algorithm, !status ? "" : time_text(algorithm == "mtime" ? status->modified : status->changed));
  }
  Checksum sum(algorithm);
  system.read_parts(path, [&](std::string_view part) { sum.add(part); });
  return sum.text();
}

bool is_of_server(const std::string& source, RunContext& run) {
  return run.settings.remote_files != nullptr && source.starts_with("puppet:");
}

RemoteView view_of(const FileSpec& spec) {
  RemoteView view;
  view.follow = spec.follow;
  view.checksum = spec.checksum;
  view.source_permissions = spec.source_permissions;
  view.recurse_limit = spec.recurse_limit;
  view.max_files = spec.max_files;
  view.ignore = spec.ignore;
  view.title = spec.title;
  return view;
}

std::optional<FileSource> look_for_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run) {
  for (const std::string& s : sources) {
    if (is_url(s)) {
      if (auto found = look_at_url(spec, s, run)) return found;
      continue;
    }
    if (is_of_server(s, run)) {
      if (auto found = run.settings.remote_files->look(s, view_of(spec))) return source_of(s, std::move(*found));
      continue;
    }
    auto path = local_path(s, run);
    if (!path) continue;
    std::optional<FileStatus> status;
    try {
      status = spec.follow ? run.system.stat(*path) : run.system.lstat(*path);
    } catch (const SystemError& e) {
      if (e.error == EACCES) continue; // skip what this process may not see
      throw ResourceError(fmt::format("Could not retrieve file metadata for {}: {}", shown_uri(s), e.what()));
    }
    if (status) {
      FileSource out;
      out.uri = shown_uri(s);
      out.path = *path;
      out.status = *status;
      return out;
    }
  }
  return std::nullopt;
}

FileSource find_source(const FileSpec& spec, const std::vector<std::string>& sources, RunContext& run) {
  if (auto found = look_for_source(spec, sources, run)) return *found;
  std::string tried;
  for (const std::string& s : sources) tried += (tried.empty() ? "" : ", ") + shown_uri(s);
  throw ResourceError(fmt::format("Could not retrieve information from environment {} source(s) {}",
                                  run.settings.remote_files == nullptr ? "production" : run.settings.remote_files->environment(), tried));
}

void NewContent::produce(System& system, const System::Take& take) const {
  if (file.empty())
    take(text);
  else
    system.read_parts(file, take);
}

std::string NewContent::checksum(System& system, std::string_view algorithm) const {
  Checksum sum(algorithm);
  produce(system, [&](std::string_view part) { sum.add(part); });
  return sum.text();
}

NewContent new_content(FileSpec& spec, RunContext& run) {
  constexpr uint64_t most_in_memory = 4 << 20;
  auto of_file = [&](const std::string& path) -> NewContent {
    const auto status = run.system.stat(path);
    if (status && status->type == FileType::File && status->size > most_in_memory) return {{}, path};
    return {run.system.read_file(path), {}};
  };
  if (spec.from_bucket) {
    NewContent kept = content_in_bucket(spec, run);
    return kept.file.empty() ? kept : of_file(kept.file);
  }
  if (spec.content) return {*spec.content, {}};
  if (!spec.source) return {};
  FileSource& source = *spec.source;
  if (!source.remote()) return of_file(source.path);
  if (source.of_server) return fetched(source, run);
  if (!source.body) {
    HttpAnswer answer = run.system.http({source.uri, false, {}});
    if (answer.status == 0 || answer.too_long) throw ResourceError(fmt::format("Request to {} failed: {}", source.uri, answer.error));
    if (!answer.good())
      throw ResourceError(fmt::format("Error {} on SERVER: {}", answer.status, answer.body.empty() ? answer.reason : answer.body));
    source.body = std::move(answer.body);
  }
  return {*source.body, {}};
}

std::string_view file_type_name(FileType type) {
  switch (type) {
  case FileType::File: return "file";
  case FileType::Directory: return "directory";
  case FileType::Link: return "link";
  case FileType::Fifo: return "fifo";
  case FileType::Socket: return "socket";
  case FileType::BlockDevice: return "blockSpecial";
  case FileType::CharacterDevice: return "characterSpecial";
  }
  return "unknown";
}

} // namespace pupc::runtime
