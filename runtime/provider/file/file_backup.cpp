// Backs files up before they are replaced: beside them, or in a filebucket by the digest of their content, in Puppet's layout.
#include "runtime/provider/file/file_mode.h"
#include "runtime/provider/file/file_spec.h"
#include "runtime/provider/file/filebucket.h"
#include "runtime/provider/remote_files.h"
#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

void make_directories(System& system, const std::string& path) {
  if (path.empty() || path == "/" || system.stat(path)) return;
  make_directories(system, path.substr(0, path.rfind('/')));
  system.make_directory(path, 0770);
}

std::string bucket_place(const std::string& directory, const std::string& sum) {
  std::string place = directory;
  for (size_t i = 0; i < 8; ++i) place += fmt::format("/{}", sum[i]);
  return place + "/" + sum;
}

/// Keeps a content in a bucket and notes `path` as its origin. Returns the digest.
std::string keep(RunContext& run, const std::string& path, const NewContent& content, const std::string& directory) {
  const std::string sum = content.checksum(run.system, "sha256").substr(std::string_view("{sha256}").size());
  const std::string place = bucket_place(directory, sum);
  make_directories(run.system, place);
  if (!run.system.stat(place + "/contents"))
    run.system.write_parts(
        place + "/contents",
        [&](const System::Take& take) {
          Checksum copied("sha256");
          content.produce(run.system, [&](std::string_view part) {
            copied.add(part);
            take(part);
          });
          if (copied.text() != "{sha256}" + sum) throw ResourceError(fmt::format("{} changes while it is backed up", path));
        },
        0440, std::nullopt, std::nullopt);
  const std::string paths = run.system.stat(place + "/paths") ? run.system.read_file(place + "/paths") : "";
  if (("\n" + paths).find("\n" + path + "\n") == std::string::npos)
    run.system.write_file(place + "/paths", paths + path + "\n", 0640, std::nullopt, std::nullopt);
  return sum;
}

/// Where a bucket keeps its files.
struct Bucket {
  std::string directory;         // of this machine
  RemoteFiles* server = nullptr; // not null: the server keeps them
};

/// The bucket of that name. One with `path => false` is on the server, whichever that is for the run, as in Puppet.
Bucket bucket_named(const std::string& name, RunContext& run) {
  const ManagedResource* bucket = run.find("filebucket", name);
  if (bucket == nullptr || !bucket->has("path")) return {run.settings.bucket_directory};
  if (bucket->get("path").is_string()) return {bucket->text("path")};
  if (run.settings.remote_files == nullptr) throw ResourceError(fmt::format("Filebucket[{}] is on a server, and this run has none", name));
  return {{}, run.settings.remote_files};
}

void to_bucket(ManagedResource& resource, const std::string& path, const std::string& name, const Bucket& bucket, RunContext& run) {
  run.log(LogLevel::Info, fmt::format("Computing checksum on file {}", path));
  std::string sum;
  if (bucket.server == nullptr) {
    sum = keep_in_bucket(run, path, bucket.directory);
  } else {
    constexpr uint64_t most = 256 << 20; // it is sent from memory
    if (const auto status = run.system.stat(path); status && status->size > most)
      throw ResourceError(fmt::format("Could not back up {}: it is larger than {} MiB", path, most >> 20));
    const NewContent content{run.system.read_file(path), {}};
    sum = content.checksum(run.system, "sha256").substr(std::string_view("{sha256}").size());
    try {
      bucket.server->keep(sum, path, content.text);
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Could not back up {}: {}", path, e.what())); }
  }
  run.log(LogLevel::Info, resource, fmt::format("Filebucketed {} to {} with sum {}", path, name, sum), "");
}

} // namespace

std::string keep_in_bucket(RunContext& run, const std::string& path, const std::string& directory) {
  return keep(run, path, {{}, path}, directory);
}

std::string keep_content_in_bucket(RunContext& run, const std::string& path, const std::string& content, const std::string& directory) {
  return keep(run, path, {content, {}}, directory);
}

NewContent content_in_bucket(const FileSpec& spec, RunContext& run) {
  auto missing = [&](const std::string& why) {
    return ResourceError(fmt::format("Could not retrieve content for {} from filebucket: {}", spec.sensitive ? "[redacted]" : *spec.content,
                                     spec.sensitive ? "[redacted]" : why));
  };
  if (spec.backup.empty() || spec.backup[0] == '.') throw missing("Could not get filebucket from file");
  // The sum is the text without its first word in braces.
  std::string sum = *spec.content;
  const size_t open = sum.find('{'), close = sum.find('}', open);
  sum.erase(open, close + 1 - open);
  if (sum.size() != 64 || sum.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw missing(fmt::format("Invalid checksum \"{}\"", sum));
  const Bucket bucket = bucket_named(spec.backup, run);
  if (bucket.server == nullptr) {
    const std::string path = bucket_place(bucket.directory, sum) + "/contents";
    if (!exists(run.system, path)) throw missing("File not found");
    return {{}, path};
  }
  std::optional<std::string> content;
  try {
    content = bucket.server->kept(sum);
  } catch (const ResourceError& e) { throw missing(e.what()); }
  if (!content) throw missing("File not found");
  if (checksum_of("sha256", *content) != "{sha256}" + sum) throw missing("the server's content has another checksum");
  return {std::move(*content), {}};
}

void back_up(ManagedResource& resource, const FileSpec& spec, RunContext& run) {
  if (spec.backup.empty()) return;
  auto status = run.system.lstat(spec.path);
  if (!status || !run.system.stat(spec.path)) return;
  if (spec.backup[0] != '.') {
    const Bucket bucket = bucket_named(spec.backup, run);
    if (status->type == FileType::Directory) {
      if (spec.recursive()) return;
      run.log(LogLevel::Info, resource, "Recursively backing up to filebucket", "");
      FileSpec all;
      for (const std::string& name : list_tree(run.system, spec.path, all)) {
        auto inner = run.system.lstat(spec.path + "/" + name);
        if (inner && inner->type == FileType::File) to_bucket(resource, spec.path + "/" + name, spec.backup, bucket, run);
      }
    } else if (status->type == FileType::File) {
      to_bucket(resource, spec.path, spec.backup, bucket, run);
    }
    return;
  }
  const std::string copy = spec.path + spec.backup;
  if (auto old = run.system.lstat(copy)) {
    if (old->type == FileType::Directory) throw ResourceError(fmt::format("Will not remove directory backup {}; use a filebucket", copy));
    run.log(LogLevel::Info, resource, fmt::format("Removing old backup of type {}", file_type_name(old->type)), "");
    run.system.remove_file(copy);
  }
  auto copy_one = [&](auto& self, const std::string& from, const std::string& to) -> void {
    auto s = run.system.lstat(from);
    if (!s) return;
    if (s->type == FileType::Link) {
      run.system.make_link(run.system.read_link(from), to);
    } else if (s->type == FileType::Directory) {
      run.system.make_directory(to, s->mode);
      for (const std::string& name : run.system.list_directory(from)) self(self, from + "/" + name, to + "/" + name);
    } else if (s->type == FileType::File) {
      bool root = run.system.effective_uid() == 0;
      copy_file(run.system, from, to, s->mode, root ? std::optional(s->uid) : std::nullopt, root ? std::optional(s->gid) : std::nullopt);
      run.system.set_times(to, s->accessed, s->modified);
    }
  };
  try {
    copy_one(copy_one, spec.path, copy);
  } catch (const SystemError& e) { throw ResourceError(fmt::format("Could not back {} up: {}", spec.path, e.what())); }
}

} // namespace pupc::runtime
