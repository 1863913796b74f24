#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/facts/resolvers.h"

#include "catalog/base/octal_escapes.h"

#include <algorithm>

namespace pupc::runtime {
namespace {

/// The device that the kernel's command line names as root.
std::optional<std::string> root_device(FactSources& from) {
  const std::string line = from.read("/proc/cmdline").value_or("");
  for (const std::string& word : catalog::words_of(line)) {
    if (!word.starts_with("root=")) continue;
    const std::string root = word.substr(5);
    const size_t equals = root.find('=');
    if (equals == std::string::npos) return root;
    // For PARTUUID=… or UUID=…, follow udev's link to the device.
    const std::string kind = root.substr(0, equals) == "PARTUUID" ? "by-partuuid/" : "by-uuid/";
    try {
      const std::string target = from.system.read_link("/dev/disk/" + kind + root.substr(equals + 1));
      return "/dev/" + target.substr(target.rfind('/') + 1);
    } catch (const SystemError&) { return root; }
  }
  return std::nullopt;
}

} // namespace

void resolve_mountpoints(FactSources& from, Facts& facts) {
  FactMap points;
  for (const std::string& line : from.lines("/proc/self/mounts")) {
    const auto words = catalog::words_of(line);
    if (words.size() < 4) continue;
    const std::string path = without_octal_escapes(words[1]);
    const std::string& type = words[2];
    if ((path.starts_with("/proc") || path.starts_with("/sys")) && type != "tmpfs") continue;
    if (type == "autofs") continue;
    FactMap m;
    const std::string device = without_octal_escapes(words[0]);
    const std::optional<std::string> root = device == "/dev/root" ? root_device(from) : std::nullopt;
    m.emplace_back("device", root.value_or(device));
    m.emplace_back("filesystem", type);
    FactList options;
    for (const std::string& o : catalog::split_text(without_octal_escapes(words[3]), ',')) options.emplace_back(trimmed(o, ruby_blanks));
    m.emplace_back("options", std::move(options));
    const FilesystemSize size = from.probe.filesystem_size(path).value_or(FilesystemSize{});
    const uint64_t used = size.total - size.free;
    m.emplace_back("size_bytes", size.total);
    m.emplace_back("available_bytes", size.available);
    m.emplace_back("used_bytes", used);
    m.emplace_back("capacity", mount_capacity(used, used + size.available));
    m.emplace_back("size", human_bytes(size.total));
    m.emplace_back("available", human_bytes(size.available));
    m.emplace_back("used", human_bytes(used));
    // When several mounts have the same path, the last one counts; it takes the first one's position.
    auto same = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.first == path; });
    if (same != points.end())
      same->second = std::move(m);
    else
      points.emplace_back(path, std::move(m));
  }
  if (!points.empty()) facts.set("mountpoints", std::move(points));
}

} // namespace pupc::runtime
